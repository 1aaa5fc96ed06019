"""How people speak of what is owed: whose it is, how far it has got, and how they take it that it is done.

`en.toml` has a list of patterns a cue, any of which gives it, over one clause and without regard to case. `<name>`
stands for a piece under `pieces` that many patterns share.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Final

_PIECE: Final = re.compile(r"(?<!\?P)<([a-z_]+)>")


@cache
def _file() -> dict[str, Any]:
    """Read the file, once a process."""
    return tomllib.loads(files(__name__).joinpath("en.toml").read_text("utf-8"))


@cache
def cue(name: str) -> re.Pattern[str]:
    """Return the pattern of a cue."""
    return re.compile("|".join(f"(?:{_whole(p)})" for p in _file()["cues"][name]), re.IGNORECASE)


@cache
def forms(name: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a cue one by one, where each says who and what in groups of its own."""
    return tuple(re.compile(_whole(p), re.IGNORECASE) for p in _file()["cues"][name])


def _whole(pattern: str) -> str:
    """Put in the pieces that a pattern has from others."""
    pieces = _file()["pieces"]
    found = _PIECE.sub(lambda m: pieces.get(m[1], m[0]), pattern)
    return found if found == pattern else _whole(found)
