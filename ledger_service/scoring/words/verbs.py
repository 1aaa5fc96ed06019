"""What a verb tells: whether it is past, and whether it is of something done."""

import re
from functools import lru_cache
from typing import Final

from ledger_service.domain.terms import IRREGULAR, stem
from ledger_service.scoring.words.lexicon import word

_NO_DEEDS: Final = frozenset("csme")
"""Kinds of verbs that tell of no deed: of saying, seeing, thinking and feeling."""
_NO_WORDS: Final = frozenset(
    stem(w) for w in "have be get like want need mean call think remember hear heard seen tell told say said".split()
)
_PAST: Final = frozenset(
    "beat bent came clung cut did drew flung had heard hit kept leapt let mislaid overtook put rebuilt redid remade "
    "said shone slid slung spun strung swept swung told undid was went were withdrew withheld wove wrung".split()
)
_I_DID: Final = re.compile(r"\bi(?:['’]ve| have)? (?:\w+ly |already |just |even )?(\w+)\b", re.IGNORECASE)

_WE_DID: Final = re.compile(
    r"(?:(?:and|then|yes|aye|but|so|oh),? )*(?:i|you|we)(?: \w+ly| also| both| even)? (\w+)\b", re.IGNORECASE
)


@lru_cache(maxsize=2_048)
def done_by_me(text: str) -> str:
    """Return the stem of what a clause says, in the past, that its speaker did; empty where it says nothing of that.

    >>> done_by_me("I already taught you"), done_by_me("I teach you")
    ('teach', '')
    """
    match = _I_DID.search(text)
    return stem(match[1].casefold()) if match is not None and is_past(match[1]) else ""


def tells_of(text: str) -> bool:
    """Say whether a clause begins with what the two who talk did: `and you paid for the cake`."""
    match = _WE_DID.match(text)
    return match is not None and is_past(match[1])


def is_past(verb: str) -> bool:
    """Say whether a verb stands in the past.

    >>> is_past("wiped"), is_past("took"), is_past("take")
    (True, True, False)
    """
    said = verb.casefold()
    return said.endswith("ed") or said in IRREGULAR or said in _PAST


def is_deed(verb: str) -> bool:
    """Say whether a verb tells of something done, not of what was said, seen, thought or felt."""
    root = stem(verb.casefold())
    return root not in _NO_WORDS and _NO_DEEDS.isdisjoint(word(root).kinds)
