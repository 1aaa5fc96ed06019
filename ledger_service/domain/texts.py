"""What text can be kept at all: so long, and made of whole characters."""

from typing import Final

MOST_LETTERS: Final = 4_000
"""What is said at once, or stated by one entry, holds no more."""


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
