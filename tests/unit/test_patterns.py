"""No pattern that replies are read with can be led to try the same words in ever more ways."""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import Any, Final

import pytest

import ledger_service.readers
import ledger_service.scoring
from ledger_service.readers.pieces import LONGEST
from ledger_service.readers.tongues import KNOWN, tongue
from ledger_service.scoring.disclosure.themes import themes
from ledger_service.scoring.words.poles import poles

REPEATED: Final = re.compile(r"\(\?:([^()]*)\)\)?[*+](?!\+)")
"""Alternatives that may come again without end, also after a space that all of them begin with."""
HOSTILE: Final = (
    "a",
    "a ",
    "a-",
    "a'",
    ",",
    ", ",
    " ",
    ".",
    "*",
    "[",
    "1 ",
    "the ",
    "I ",
    "not ",
    "so, ",
    "你",
    "한",
    "س ",
)


def held(value: Any) -> Iterator[re.Pattern[str]]:
    match value:
        case re.Pattern():
            yield value
        case tuple() | list():
            for one in value:
                yield from held(one)
        case dict():
            yield from held(tuple(value.values()))


@cache
def every_pattern() -> tuple[re.Pattern[str], ...]:
    found: list[re.Pattern[str]] = []
    for package in (ledger_service.readers, ledger_service.scoring):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            found += held(vars(importlib.import_module(module.name)))
    found += (pattern for code in KNOWN for pattern in tongue(code).cues.values())
    found += (getattr(pole, field) for pole in poles().values() for field in pole.__struct_fields__)
    found += (pattern for theme in themes().values() for pattern in (theme.record, theme.said))
    return tuple(dict.fromkeys(found))


def two_ways(pattern: str) -> list[tuple[str, str]]:
    """Return the repeated words of a pattern that another of its alternatives fits as well."""
    return [
        (one, other)
        for group in REPEATED.findall(pattern)
        for one, other in permutations(group.split("|"), 2)
        if re.fullmatch(r"[\w ,'-]+", one) and re.fullmatch(other, one, re.IGNORECASE)
    ]


def test_what_could_be_read_in_two_ways_is_seen() -> None:
    assert two_ways(r"i will(?: \w+ly| gladly| even)* go") == [(" gladly", r" \w+ly")]
    assert two_ways(r"is(?: (?:also|solemnly|\w+ly))* done")
    assert not two_ways(r"is(?: (?:also|\w+ly))* done")


def test_no_repeated_words_are_read_in_two_ways() -> None:
    patterns = every_pattern()
    assert len(patterns) > 500
    assert not {p.pattern[:80]: ways for p in patterns if (ways := two_ways(p.pattern))}


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_pattern_runs_away_on_a_piece_of_text(unit: str) -> None:
    text = (unit * LONGEST)[:LONGEST]
    slow = {}
    for pattern in every_pattern():
        start = time.thread_time()
        pattern.search(text)
        pattern.match(text)
        spent = time.thread_time() - start
        if spent > 0.1:
            slow[pattern.pattern[:80]] = spent
    assert not slow
