"""Whether the record answers a question or bears out a claim, judged over what the speaker knows and nothing else."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ledger_service.domain.entries import Entry, LedgerEntry
from ledger_service.domain.moments import Ask, AskKind
from ledger_service.domain.terms import content_terms, is_stopword, stem, term_set, words

_POSSESSOR: Final = re.compile(r"([^\W_]+(?:-[^\W_]+)*)['’]s\b|([^\W_]+s)['’](?=\s)", re.IGNORECASE)
_NEGATION: Final = frozenset(
    "no not never none nobody nothing cannot can't won't didn't doesn't isn't wasn't weren't haven't hasn't without "
    "neither nor refuse refuses refused unable forbidden must-not avoid avoids allergic".split()
)
_HARM: Final = frozenset(
    stem(word)
    for word in "kill murder stab strangle poison drown steal rob break burn cut smash attack strike hurt wound kidnap "
    "take forge betray sabotage damage foul wreck shoot push strip loot ransack hide do cause".split()
)
_BEING: Final = frozenset("is are was were has have".split())
_THIRD: Final = {"him": 1, "he": 1, "her": 1, "she": 1, "his": 1, "they": 1, "them": 1}


@lru_cache(maxsize=4_096)
def possessors(statement: str) -> frozenset[str]:
    """Return the stems of words that only own something: in "the poacher's body", the poacher is not what it is about.

    >>> sorted(possessors("ode found the poacher's body"))
    ['poacher']
    """
    found = {stem(part) for match in _POSSESSOR.finditer(statement.casefold()) for part in words(match[1] or match[2])}
    plain = _POSSESSOR.sub(" ", statement.casefold())
    return frozenset(found - set(content_terms(plain)))


@lru_cache(maxsize=4_096)
def head_terms(statement: str) -> frozenset[str]:
    """Return the content stems of a statement but for its mere possessors."""
    return term_set(statement) - possessors(statement)


@lru_cache(maxsize=4_096)
def is_negative(statement: str) -> bool:
    """Say whether a statement says what is not, cannot or must not be."""
    return not _NEGATION.isdisjoint(words(statement))


@lru_cache(maxsize=4_096)
def denied_terms(statement: str) -> frozenset[str]:
    """Return the stems that a statement says it found none of: the two words after a bare `no`, `not`, `never`.

    >>> sorted(denied_terms("dov found no Ruta in the parish roll"))
    ['ruta']
    """
    said = words(statement)
    near = {word for i, w in enumerate(said) if w in {"no", "not", "never"} for word in said[i + 1 : i + 3]}
    return frozenset(stem(word) for word in near if not is_stopword(word))


def covers(entry: Entry, terms: Iterable[str]) -> int:
    """Count how many of the terms an entry is about."""
    return len(head_terms(entry.statement) & set(terms))


def resolve(ask: Ask, anaphora: Iterable[str], known: Iterable[LedgerEntry]) -> Ask:
    """Give a pronoun, or `that body`, the words of what the speaker knows that it most likely stands for.

    A person's pronoun goes to whoever the newest entry is about beside those who talk; `that X` takes along whose X
    it is.
    """
    newest = sorted(known, key=lambda e: (-e.seq, e.entry_id))
    extra: list[str] = []
    for token in anaphora:
        if token in _THIRD:
            extra += _newest_person(newest)
        else:
            extra += _owner_of(token, newest)
    topic = tuple(dict.fromkeys((*extra, *ask.topic)))
    return ask if topic == ask.topic else Ask(
        kind=ask.kind, topic=topic, label=" ".join((*dict.fromkeys(extra), ask.label)).strip(),
        subject=ask.subject, negative=ask.negative,
    )  # fmt: skip


def _newest_person(newest: list[LedgerEntry]) -> list[str]:
    for entry in newest:
        owners = sorted(possessors(entry.statement))
        if owners:
            return owners[:1]
    return []


def _owner_of(noun: str, newest: list[LedgerEntry]) -> list[str]:
    pattern = re.compile(r"([^\W_]+)['’]s\s+(?:[^\W_]+\s+)?(\w+)", re.IGNORECASE)
    for entry in newest:
        for owner, owned in pattern.findall(entry.statement.casefold()):
            if stem(owned) == noun:
                return [stem(owner)]
    return []


def is_answered(ask: Ask, known: Iterable[LedgerEntry], *, asker_names: frozenset[str]) -> bool:
    """Say whether anything known answers a question, by what sort of answer it wants."""
    topic = set(ask.topic)
    if ask.kind is AskKind.CULPRIT:
        return any(_names_culprit(e, topic) for e in known)
    about = [e for e in known if covers(e, topic)]
    if ask.kind is AskKind.WHO:
        about = [e for e in about if names_somebody(e, topic)]
    if ask.negative:
        about = [e for e in about if is_negative(e.statement)]
    if ask.kind is AskKind.RECORD and ask.subject is not None and not ask.negative:
        about = [e for e in about if _is_about(e, asker_names)] or about
    return bool(about)


def names_somebody(entry: Entry, topic: set[str]) -> bool:
    """Say whether an entry could answer `who`: it is not merely that something is gone, broken or found.

    "The cup is gone from the hall" says of a thing how it stands; who did it stays open. A thing's own sentence begins
    with an article and goes on with what it is.
    """
    said = words(entry.statement)
    state = next((i for i, w in enumerate(said) if w in _BEING), None)
    if said[:1] not in (["the"], ["a"]) or state is None:
        return True
    before = {stem(w) for w in said[:state]}
    return "by" in said[state:] or not before & topic


def _is_about(entry: Entry, names: frozenset[str]) -> bool:
    return entry.subject in names if entry.subject is not None else bool(set(words(entry.statement)) & names)


def _names_culprit(entry: Entry, topic: set[str]) -> bool:
    heads = head_terms(entry.statement)
    return bool(heads & _HARM) and bool(heads & topic or term_set(entry.statement) & topic)
