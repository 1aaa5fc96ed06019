"""How people speak of what is owed: whose it is, how far it has got, and how they take it that it is done.

`en.toml` has a list of patterns a cue, any of which gives it, over one clause and without regard to case. `<name>`
stands for a piece under `pieces` that many patterns share. Under `deeds` are verbs that come to the same.
"""

import re
from functools import cache
from typing import Any, Final

from ledger_service.domain.terms import stem
from ledger_service.scoring.words.lists import any_of, read_lists

_PIECE: Final = re.compile(r"(?<!\?P)<([a-z_]+)>")


def _file() -> dict[str, Any]:
    return read_lists(__name__, "en.toml")


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return the pattern of a cue."""
    return any_of(_whole(p) for p in _file()["cues"][name])


@cache
def forms(name: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a cue one by one, where each says who and what in groups of its own."""
    return tuple(re.compile(_whole(p), re.IGNORECASE) for p in _file()["cues"][name])


@cache
def _rows() -> dict[str, frozenset[str]]:
    """Return the rows that each verb's stem is in."""
    found: dict[str, set[str]] = {}
    for row, verbs in _file()["deeds"].items():
        for form in (form for verb in verbs.split() for form in {stem(verb), stem(f"{verb}ed")}):
            found.setdefault(form, set()).add(row)
    return {verb: frozenset(rows) for verb, rows in found.items()}


def come_to_the_same(one: str, other: str) -> bool:
    """Say whether two verbs, as stems, may tell of the same deed.

    >>> come_to_the_same(stem("buffed"), stem("polish")), come_to_the_same(stem("buff"), stem("sell"))
    (True, False)
    """
    return not _rows().get(one, frozenset()).isdisjoint(_rows().get(other, ()))


def _whole(pattern: str) -> str:
    """Put in the pieces that a pattern has from others."""
    pieces = _file()["pieces"]
    found = _PIECE.sub(lambda m: pieces.get(m[1], m[0]), pattern)
    return found if found == pattern else _whole(found)
