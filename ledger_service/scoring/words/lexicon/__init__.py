"""What English words mean the same, are kinds of each other, or deny each other: a small part of WordNet 3.0.

`words.tsv.gz` has a line a stem: what it names (p a person; c, s, m, e, g, o verbs of saying, seeing, thinking,
feeling, going and having), the meanings that it has, those that it is a kind of, and the stems that it denies.
WordNet is of Princeton University; its licence stands beside it in `LICENSE`.
"""

import gzip
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

_NONE: Final[frozenset[int]] = frozenset()


class Word(Struct, frozen=True, gc=False):
    """What is known of one stem."""

    kinds: str = ""
    meanings: frozenset[int] = _NONE
    wider: frozenset[int] = _NONE
    denies: frozenset[str] = frozenset()


_UNKNOWN: Final = Word()


@cache
def _words() -> dict[str, Word]:
    """Read the file, once a process."""
    text = gzip.decompress(files(__name__).joinpath("words.tsv.gz").read_bytes()).decode("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {
        stem: Word(kinds, _numbers(meanings), _numbers(wider), frozenset(denies.split()))
        for stem, kinds, meanings, wider, denies in rows
    }


def _numbers(listed: str) -> frozenset[int]:
    return frozenset(int(n, 16) for n in listed.split()) if listed else _NONE


def warm() -> None:
    """Read the words before the first reply wants them."""
    _words()


def word(stem: str) -> Word:
    """Return what is known of a stem."""
    return _words().get(stem, _UNKNOWN)


@lru_cache(maxsize=16_384)
def meant_by(stems: frozenset[str]) -> tuple[frozenset[int], frozenset[int]]:
    """Return what some stems mean, and what these are kinds of."""
    known = [word(s) for s in stems]
    return _NONE.union(*(w.meanings for w in known)), _NONE.union(*(w.wider for w in known))


def is_meant(stem: str, said: tuple[frozenset[int], frozenset[int]]) -> bool:
    """Say whether a stem means what some others do, or is a kind of it, or they of it.

    >>> from ledger_service.domain.terms import stem
    >>> is_meant(stem("recover"), meant_by(frozenset({stem("retrieved")})))
    True
    >>> is_meant(stem("recover"), meant_by(frozenset({stem("table")})))
    False
    """
    known = word(stem)
    meanings, wider = said
    return not (
        known.meanings.isdisjoint(meanings) and known.meanings.isdisjoint(wider) and known.wider.isdisjoint(meanings)
    )


def denies(one: str, other: str) -> bool:
    """Say whether one stem denies another: `asleep`, `awake`."""
    return other in word(one).denies or one in word(other).denies


def is_person(stem: str) -> bool:
    """Say whether a stem names somebody by what they are: `valet`, `shepherd`."""
    return "p" in word(stem).kinds
