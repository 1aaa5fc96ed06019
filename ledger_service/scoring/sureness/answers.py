"""What a reply answers at once, by `answers.toml`: that it is so or true, that one saw it, whose word holds."""

import re
from functools import cache
from typing import Final

from ledger_service.scoring.words.lists import read_lists

_ENDS: Final = r"(?=\W*$|\s*[,;.!:–—-]| (?:and|so|all right|indeed|that)\b)"
"""What comes after a yes that is one by itself."""


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    lists = read_lists(__package__, "answers.toml")
    lead, listed = "|".join(lists["lead"]), "|".join(lists[kind])
    return re.compile(rf"\W*(?:{lead}){{0,3}}(?:{listed}){_ENDS if kind == 'yes' else ''}(?!\w)", re.IGNORECASE)


def answers(text: str, *kinds: str) -> bool:
    """Say whether a clause begins with an answer of one of some kinds.

    >>> answers("Oh, every word of it.", "true"), answers("I did.", "yes"), answers("I did my best.", "yes")
    (True, True, False)
    """
    return any(_pattern(kind).match(text) is not None for kind in kinds)
