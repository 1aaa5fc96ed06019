"""How much of one text's words is in another's: plainly, by other words for the same thing, by any that mean it."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ledger_service.domain.terms import words
from ledger_service.scoring.words.kin import group_of, groups_of
from ledger_service.scoring.words.lexicon import is_meant, meant_by

_SHORTEST_SHARED: Final = 4
_LONGER_BY: Final = 3


DENIALS: Final = ("never", "not", "no", "cannot")
"""Words that say no to what comes after them."""
_NEGATIONS: Final = frozenset((*DENIALS, "none", "nobody", "nothing", "without"))


@lru_cache(maxsize=4_096)
def says_no(statement: str) -> bool:
    """Say whether a sentence on record says no.

    >>> says_no("nobody touched it"), says_no("she hasn't come"), says_no("she came")
    (True, True, False)
    """
    said = words(statement)
    return not _NEGATIONS.isdisjoint(said) or any(word.endswith("n't") for word in said)


def as_set(terms: Iterable[str]) -> frozenset[str]:
    """Return terms as a set; those of a claim, which come again for every entry, only once."""
    if isinstance(terms, frozenset):
        return terms
    return _set_of(terms) if isinstance(terms, tuple) else frozenset(terms)


@lru_cache(maxsize=4_096)
def _set_of(terms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(terms)


def plain(text: str) -> str:
    """Return a text with straight quotes."""
    return text.replace("’", "'")


def shared(said: Iterable[str], terms: Iterable[str]) -> frozenset[str]:
    """Return the terms that are said, also in a longer or shorter form of the same word.

    >>> sorted(shared({"west", "antenna"}, {"western", "antenna", "fail"}))
    ['antenna', 'western']
    """
    return _shared(as_set(said), as_set(terms))


@lru_cache(maxsize=16_384)
def _shared(given: frozenset[str], terms: frozenset[str]) -> frozenset[str]:
    if not given:
        return given
    shorter = _shorter_forms(given)
    return frozenset([t for t in terms if t in given or t in shorter or not given.isdisjoint(_shortened(t))])


@lru_cache(maxsize=4_096)
def _shorter_forms(given: frozenset[str]) -> frozenset[str]:
    return frozenset(form for word in given for form in _shortened(word))


@lru_cache(maxsize=16_384)
def _shortened(word: str) -> tuple[str, ...]:
    """Return the words that this one may be a longer form of: up to three letters shorter, of four at least."""
    return tuple(word[:n] for n in range(max(_SHORTEST_SHARED, len(word) - _LONGER_BY), len(word)))


def kindred(said: Iterable[str], terms: Iterable[str]) -> frozenset[str]:
    """Return the terms that are said, also by another word for the same thing.

    >>> sorted(kindred({"torch", "gate"}, {"burn", "ledger", "gate"}))
    ['burn', 'gate']
    """
    given, wanted = as_set(said), as_set(terms)
    plainly, meant = _shared(given, wanted), groups_of(given)
    if not meant or meant.isdisjoint(groups_of(wanted)):
        return plainly
    return plainly | frozenset(t for t in wanted if not meant.isdisjoint(group_of(t)))


def akin(said: Iterable[str], terms: Iterable[str]) -> frozenset[str]:
    """Return the terms that are said, also by any other word that means the same or a kind of it.

    >>> sorted(akin({"licens", "begin"}, {"licenc", "start", "gate"}))
    ['licenc', 'start']
    """
    return _akin(as_set(said), as_set(terms))


@lru_cache(maxsize=16_384)
def _akin(given: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
    found = kindred(given, wanted)
    if not given or len(found) == len(wanted):
        return found
    meant = meant_by(given)
    return found | frozenset(t for t in wanted - found if is_meant(t, meant))


def akin_cover(said: Iterable[str], terms: frozenset[str]) -> float:
    """Return how much of a fact is said in these or any other words that mean the same, from 0 to 1."""
    return len(akin(said, terms)) / len(terms) if terms else 0.0


def kin_cover(said: Iterable[str], terms: frozenset[str]) -> float:
    """Return how much of a fact is said in these or other words, from 0 to 1."""
    return len(kindred(said, terms)) / len(terms) if terms else 0.0


def cover(said: Iterable[str], terms: frozenset[str]) -> float:
    """Return how much of a fact is said, from 0 to 1."""
    return len(shared(said, terms)) / len(terms) if terms else 0.0
