"""What differs between two texts, line by line, with the lines around it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, Literal

from msgspec import Struct

MOST_PAIRS: Final = 400_000
"""Where more lines than this could be each other's, no time is spent on which they are."""
Sign = Literal["+", "−", " "]


class Line(Struct, frozen=True, kw_only=True):
    """A line of a comparison, with its number in either text."""

    sign: Sign
    text: str
    old: int | None = None
    new: int | None = None


Hunk = tuple[Line, ...]
"""Lines that follow one another in both texts."""


def text_diff(old: str, new: str, *, around: int = 3) -> tuple[Hunk, ...]:
    r"""Return what differs, each stretch with some lines around it; texts that are alike have none.

    >>> [f"{line.sign}{line.text}" for line in text_diff("a\nb\nc", "a\nx\nc")[0]]
    [' a', '−b', '+x', ' c']
    """
    before, after = old.splitlines(), new.splitlines()
    blocks = [group for group in _groups(before, after, around) if any(tag != "equal" for tag, *_ in group)]
    return tuple(tuple(_lines(group, before, after)) for group in blocks)


Step = tuple[str, int, int, int, int]


def _groups(before: Sequence[str], after: Sequence[str], around: int) -> Iterator[list[Step]]:
    if _is_hopeless(before, after):
        head = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
        yield [("replace", head, len(before), head, len(after))]
        return
    yield from SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(around)


def _is_hopeless(before: Sequence[str], after: Sequence[str]) -> bool:
    there = Counter(after)
    return before != after and sum(there[line] for line in before) > MOST_PAIRS


def _lines(group: Sequence[Step], before: Sequence[str], after: Sequence[str]) -> Iterator[Line]:
    for tag, i, i_end, j, j_end in group:
        if tag == "equal":
            for n in range(i_end - i):
                yield Line(sign=" ", text=before[i + n], old=i + n + 1, new=j + n + 1)
            continue
        for n in range(i, i_end):
            yield Line(sign="−", text=before[n], old=n + 1)
        for n in range(j, j_end):
            yield Line(sign="+", text=after[n], new=n + 1)


def count_changes(hunks: Sequence[Hunk]) -> tuple[int, int]:
    """Return how many lines were added and how many taken out."""
    signs = Counter(line.sign for hunk in hunks for line in hunk)
    return signs["+"], signs["−"]
