"""Whose manner a line is nearest to: runs of letters in it against those in the cast's own lines."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import sqrt
from typing import Final

from msgspec import Struct

LEAST_SAMPLE_WORDS: Final = 150
"""Words of a character's own lines below which nobody's manner can be told from another's."""
LEAST_LINE_WORDS: Final = 25
"""Words of a line below which its manner says nothing."""
LEAST_MARGIN: Final = 0.08
"""How much nearer to somebody else a line must be before it is said to be theirs."""
_RUN: Final = 3
_SPACE: Final = re.compile(r"\s+")


class Likeness(Struct, frozen=True, kw_only=True):
    """How near a line is to its speaker, and to whoever else is nearest; or why it was not compared."""

    own: float = 0.0
    nearest: str = ""
    other: float = 0.0
    why: str = ""

    @property
    def is_somebody_else(self) -> bool:
        """Say whether it is clearly nearer to somebody else."""
        return not self.why and self.other - self.own >= LEAST_MARGIN


def likeness(line: str, speaker: str, samples: Mapping[str, tuple[str, ...]]) -> Likeness:
    """Compare a line with the samples of its speaker and of the others, by cosine over runs of three letters.

    >>> likeness("Short.", "a", {"a": ("word " * 200,), "b": ("other " * 200,)}).why
    'the line has 1 words, 25 are needed'
    """
    said = len(line.split())
    own = _count(samples.get(speaker, ()))
    if own < LEAST_SAMPLE_WORDS:
        return Likeness(why=f"{speaker} has {own} words of samples, {LEAST_SAMPLE_WORDS} are needed")
    if said < LEAST_LINE_WORDS:
        return Likeness(why=f"the line has {said} words, {LEAST_LINE_WORDS} are needed")
    others = [who for who, lines in samples.items() if who != speaker and _count(lines) >= LEAST_SAMPLE_WORDS]
    if not others:
        return Likeness(why=f"nobody else has {LEAST_SAMPLE_WORDS} words of samples to compare with")
    spoken = _profile((line,))
    near = {who: _cosine(spoken, _profile(samples[who])) for who in (speaker, *others)}
    nearest = max(others, key=lambda who: (near[who], who))
    return Likeness(own=round(near[speaker], 4), nearest=nearest, other=round(near[nearest], 4))


def _count(lines: Iterable[str]) -> int:
    return sum(len(line.split()) for line in lines)


@lru_cache(maxsize=512)
def _profile(lines: tuple[str, ...]) -> dict[str, float]:
    runs: Counter[str] = Counter()
    for line in lines:
        text = _SPACE.sub(" ", f" {line.casefold()} ".replace("’", "'"))
        runs.update(text[i : i + _RUN] for i in range(len(text) - _RUN + 1))
    length = sqrt(sum(n * n for n in runs.values())) or 1.0
    return {run: n / length for run, n in runs.items()}


def _cosine(a: dict[str, float], b: dict[str, float]) -> float:
    return sum(weight * b.get(run, 0.0) for run, weight in a.items())
