"""What shows a mood or a manner of speaking: lists of patterns over a whole English line, from `manners.toml`."""

import re
from functools import cache

from ledger_service.scoring.words.lists import any_of, read_lists


def _list(name: str) -> list[str]:
    return [str(p) for p in read_lists(__package__, "manners.toml")[name]]


@cache
def manners(name: str) -> tuple[re.Pattern[str], ...]:
    """Return a list's patterns, each by itself.

    >>> any(p.search("*She hurls the cup at the wall.*") for p in manners("outbursts"))
    True
    """
    return tuple(re.compile(p, re.IGNORECASE) for p in _list(name))


@cache
def manner(name: str) -> re.Pattern[str]:
    """Return a list's patterns as one: any of them.

    >>> manner("glad").search("*beams* Pull up a stool.").group()
    'beams'
    """
    return any_of(_list(name))
