"""Lists of patterns that lie beside the code as TOML: read once a process, and made into one pattern."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_lists(package: str, name: str) -> dict[str, Any]:
    """Return what a TOML file of a package holds.

    >>> sorted(read_lists("ledger_service.scoring.words.wording", "en.toml"))
    ['cues', 'deeds', 'pieces']
    """
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return patterns as one, in which any of them may stand anywhere.

    >>> any_of(["ice", "snow"]).findall("Ice, then snowfall.")
    ['Ice', 'snow']
    """
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


def any_word_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return patterns as one, in which any of them may stand as whole words.

    >>> any_word_of(["ice", "snow"]).findall("Ice, then snowfall.")
    ['Ice']
    """
    return re.compile(rf"\b(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
