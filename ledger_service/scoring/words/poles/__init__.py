"""States of a thing of which one says what the other denies, as a record tells of them and as people say them.

`en.toml` has a table a pair: whole and harmed, open and shut, won and lost, done alone and done with help.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from ledger_service.domain.terms import content_terms
from ledger_service.scoring.words.lists import read_lists
from ledger_service.scoring.words.overlap import plain, says_no

_NEAR_NO: Final = re.compile(
    r"(?:\b(?:not|never|no|hardly|barely|scarcely|nothing|nobody|without|neither|nor|cannot)\b|n't\b)(?:\W+\w+){0,2}\W*$",
    re.IGNORECASE,
)
_OF_A_THING: Final = re.compile(r"(?<!with )(?:\b(?:the|an?|his|her|their|its)|'s) $", re.IGNORECASE)
_ITS_OWN_NO: Final = re.compile(
    r"(?:no|not|never|nothing|nobody|without|has|have|had|wo|would|hardly)\b", re.IGNORECASE
)


class Pole(Struct, frozen=True):
    """One pair of states: what tells of either on record, and in speech."""

    told_yes: re.Pattern[str]
    told_no: re.Pattern[str]
    said_yes: re.Pattern[str]
    said_no: re.Pattern[str]


class Told(Struct, frozen=True):
    """Which of two states a record tells of, and the stems that it tells it by."""

    yes: bool
    by: frozenset[str]


class Said(Struct, frozen=True):
    """Which of two states a clause tells of, and in what words."""

    yes: bool
    words: str
    denied: bool = False
    """It is told by a no to the other."""


@cache
def poles() -> dict[str, Pole]:
    """Read the file, once a process."""
    return {
        name: Pole(
            _any(row["yes"]),
            _any(row["no"]),
            _any((*row["yes"], *row["said_yes"])),
            _any((*row["no"], *row["said_no"])),
        )
        for name, row in read_lists(__name__, "en.toml").items()
    }


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    listed = "|".join(patterns) or r"(?!)"
    return re.compile(rf"(?<![\w-])(?:{listed})(?![\w-])", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def told(statement: str) -> dict[str, Told]:
    """Return what a record tells of, by pair; of neither state where it tells of both, or says no to something else.

    >>> told("the ford is shut by ice")["open"].yes
    False
    """
    found: dict[str, Told] = {}
    negative = says_no(statement)
    for name, pole in poles().items():
        yes, no = _told(pole.told_yes, statement), _told(pole.told_no, statement)
        if bool(yes) != bool(no) and (not negative or any(says_no(words) for words in (*yes, *no))):
            found[name] = Told(bool(yes), frozenset(content_terms(" ".join((*yes, *no)))))
    if "mended" in found and found["mended"].yes and not found.get("whole", found["mended"]).yes:
        del found["whole"]
    return found


def _told(pattern: re.Pattern[str], statement: str) -> list[str]:
    """Return what tells of a state that came of it: not what a thing was before, `the flooded pit`."""
    found = pattern.finditer(statement)
    return [m.group() for m in found if not (_OF_A_THING.search(statement, 0, m.start()) and statement[m.end() :])]


@lru_cache(maxsize=4_096)
def said(text: str, name: str) -> Said | None:
    """Return which state of a pair a clause tells of; none where it tells of neither or of both.

    >>> said("it stood ajar all night", "open").yes, said("it isn't open", "open").yes
    (True, False)
    """
    pole, spoken = poles()[name], plain(text)
    found = [
        Said(yes != (no := _is_denied(spoken, match)), match.group(), no)
        for yes, pattern in ((True, pole.said_yes), (False, pole.said_no))
        if (match := pattern.search(spoken)) is not None
    ]
    return found[0] if found and len({row.yes for row in found}) == 1 else None


def _is_denied(text: str, match: re.Match[str]) -> bool:
    return _NEAR_NO.search(text, 0, match.start()) is not None and not _ITS_OWN_NO.match(match.group())
