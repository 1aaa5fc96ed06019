"""What text and numbers can be kept at all: so long, and made of whole characters; whole numbers that JSON carries."""

import unicodedata
from typing import Final

LARGEST_NUMBER: Final = 2**53
"""Beyond it, whole numbers in JSON are no longer told apart by everybody who reads it."""
MOST_LETTERS: Final = 4_000
"""What is said at once, or stated by one entry, holds no more."""

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Mn", "Me", "Zs", "Zl", "Zp"})
"""Categories that show nothing by themselves: controls, joiners and direction marks, marks on no letter, blanks."""
_FILLERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that are drawn as nothing."""


def is_blank(text: str) -> bool:
    """Say whether nothing of a text is to be seen, also where it is not empty.

    >>> is_blank(" "), is_blank("\u200b\u202e"), is_blank("\u3164"), is_blank("e\u0301"), is_blank("-")
    (True, True, True, False, False)
    """
    return all(letter in _FILLERS or unicodedata.category(letter) in _UNSEEN for letter in text)


def why_not_kept(text: str) -> str | None:
    """Say why no store can keep a text; None where one can.

    >>> why_not_kept("a" + chr(0)), why_not_kept("whole")
    ('holds a NUL character', None)
    """
    if "\x00" in text:
        return "holds a NUL character"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "holds half of a surrogate pair"
    return None
