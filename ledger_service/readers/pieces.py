"""Cuts what runs on without end, so that reading costs as much for each letter of a long text as of a short one."""

from collections.abc import Iterator
from typing import Final

LONGEST: Final = 320
"""More letters than any sentence that is one; patterns look back and forth within a piece, and no further."""


def pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretch from start to end in pieces of at most `LONGEST` letters, cut before a word where there is one.

    >>> [b - a for a, b in pieces("word " * 100, 0, 500)]
    [319, 181]
    """
    while end - start > LONGEST:
        cut = text.rfind(" ", start + 1, start + LONGEST)
        cut = start + LONGEST if cut < 0 else cut
        yield start, cut
        start = cut
    yield start, end
