"""Whether the record answers a question or bears out a claim, judged over what the speaker knows and nothing else."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.entries import (
    Commitment,
    EmotionalResidue,
    Entry,
    Hearsay,
    LedgerEntry,
    Observation,
    RelationshipDelta,
)
from ledger_service.domain.moments import Ask, AskKind
from ledger_service.domain.terms import content_terms, is_stopword, stem, term_set, words
from ledger_service.reconcile.wordings import HARM, gives_reason, holds_place, holds_words, names_doer, names_somebody

_POSSESSOR: Final = re.compile(r"([^\W_]+(?:-[^\W_]+)*)['’]s\b|([^\W_]+s)['’](?=\s)", re.IGNORECASE)
_NEGATION: Final = frozenset(
    "no not never none nobody nothing cannot can't won't didn't doesn't isn't wasn't weren't haven't hasn't without "
    "neither nor refuse refuses refused unable forbidden must-not avoid avoids allergic".split()
)
_KIND_WORDS: Final = {
    Commitment: "promise owe agree deal bargain swear debt vow pledge oath threat due",
    EmotionalResidue: "feel trouble bother mood upset angry worry matter ail",
    RelationshipDelta: "trust like feel friend opinion love hate",
}
"""Words that ask for a kind of entry, whatever its own are: "what do I owe you?", "do you trust me?"."""
_OF_PEOPLE: Final = frozenset({AskKind.WHAT, AskKind.WHETHER, AskKind.WHERE, AskKind.WHEN, AskKind.WHY, AskKind.HOW})
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
    if topic == ask.topic:
        return ask
    return replace(ask, topic=topic, label=" ".join((*dict.fromkeys(extra), ask.label)).strip())


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


def is_answered(
    ask: Ask, known: Iterable[LedgerEntry], *, asker_names: frozenset[str], names: frozenset[str] = frozenset()
) -> bool:
    """Say whether anything known answers a question, by what sort of answer it wants.

    To know the person that a question is about is not to know what is asked of them; `names` are the stems of names.
    """
    topic = set(ask.topic)
    if ask.kind is AskKind.CULPRIT:
        return any(_names_culprit(e, topic) for e in known)
    asked = topic - names if ask.kind in _OF_PEOPLE else topic
    about = [e for e in known if (asked or topic) & terms_of(e) and _fits(ask, e, topic, names)]
    if ask.negative:
        about = [e for e in about if is_negative(e.statement)]
    if ask.kind is AskKind.RECORD and ask.subject is not None and not ask.negative:
        about = [e for e in about if _is_about(e, asker_names)] or about
    return bool(about)


def terms_of(entry: LedgerEntry) -> frozenset[str]:
    """Return the stems under which an entry answers: its own words, its kind's, and who told or promised it."""
    people = [entry.said_by]
    if isinstance(entry, Hearsay):
        people.append(entry.teller)
    kind = _KIND_WORDS.get(type(entry), "")
    extra = " ".join((kind, *(who.replace("_", " ") for who in people if who)))
    return head_terms(entry.statement) | {stem(word) for word in words(extra)}


def _fits(ask: Ask, entry: LedgerEntry, topic: set[str], names: frozenset[str]) -> bool:
    """Say whether an entry on the topic is the sort of answer that is wanted."""
    if ask.words and not _tells_words(entry):
        return False
    if ask.deed:
        return names_doer(entry.statement, topic - names, ask.deed)
    if ask.kind is AskKind.WHO:
        return names_somebody(entry.statement, topic)
    if ask.kind is AskKind.WHERE:
        return entry.place is not None or isinstance(entry, Commitment) or holds_place(entry.statement)
    return ask.kind is not AskKind.WHY or not isinstance(entry, Observation) or gives_reason(entry.statement, topic)


def _tells_words(entry: LedgerEntry) -> bool:
    return isinstance(entry, Commitment | Hearsay) or entry.said_by is not None or holds_words(entry.statement)


def _is_about(entry: Entry, names: frozenset[str]) -> bool:
    return entry.subject in names if entry.subject is not None else bool(set(words(entry.statement)) & names)


def _names_culprit(entry: Entry, topic: set[str]) -> bool:
    done = sorted(head_terms(entry.statement) & HARM)
    on_topic = bool(term_set(entry.statement) & topic)
    return on_topic and any(names_doer(entry.statement, topic | {deed}, deed) for deed in done)
