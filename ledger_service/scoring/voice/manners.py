"""What shows a mood or a manner of speaking: lists of patterns over a whole English line, from `manners.toml`."""

import re
import tomllib
from functools import cache
from importlib.resources import files


@cache
def _lists() -> dict[str, list[str]]:
    """Read the file, once a process."""
    text = files(__package__).joinpath("manners.toml").read_text("utf-8")
    return {str(name): [str(p) for p in patterns] for name, patterns in tomllib.loads(text).items()}


@cache
def manners(name: str) -> tuple[re.Pattern[str], ...]:
    """Return a list's patterns, each by itself.

    >>> any(p.search("*She hurls the cup at the wall.*") for p in manners("outbursts"))
    True
    """
    return tuple(re.compile(p, re.IGNORECASE) for p in _lists()[name])


@cache
def manner(name: str) -> re.Pattern[str]:
    """Return a list's patterns as one: any of them.

    >>> manner("glad").search("*beams* Pull up a stool.").group()
    'beams'
    """
    return re.compile("|".join(f"(?:{p})" for p in _lists()[name]), re.IGNORECASE)
