"""What a reply answers at once, by `answers.toml`: that it is so or true, that one saw it, whose word holds."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

_ENDS: Final = r"(?=\W*$|\s*[,;.!:–—-]| (?:and|so|all right|indeed|that)\b)"
"""What comes after a yes that is one by itself."""


@cache
def _lists() -> dict[str, list[str]]:
    """Read the file, once a process."""
    return tomllib.loads(files(__package__).joinpath("answers.toml").read_text("utf-8"))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    lead, listed = "|".join(_lists()["lead"]), "|".join(_lists()[kind])
    return re.compile(rf"\W*(?:{lead}){{0,3}}(?:{listed}){_ENDS if kind == 'yes' else ''}(?!\w)", re.IGNORECASE)


def answers(text: str, *kinds: str) -> bool:
    """Say whether a clause begins with an answer of one of some kinds.

    >>> answers("Oh, every word of it.", "true"), answers("I did.", "yes"), answers("I did my best.", "yes")
    (True, True, False)
    """
    return any(_pattern(kind).match(text) is not None for kind in kinds)
