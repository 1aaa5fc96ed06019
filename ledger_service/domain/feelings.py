"""Feelings: the families that emotions fall into, and how strong they are."""

from typing import Final

from ledger_service.domain.entries import Intensity
from ledger_service.domain.terms import stem

_FAMILIES: Final = {
    "shame": "embarrassed embarrassment ashamed shame flustered humiliated guilty guilt awkward",
    "anger": "angry anger enraged rage bitter furious resentful resentment hostile irritated annoyed",
    "grief": "sad grieving grief mourning hurt lonely heartbroken sorrow stung offended wounded",
    "fear": "afraid fear scared frightened anxious wary uneasy nervous suspicious unease",
    "warmth": "grateful gratitude fond glad happy relieved proud joy warm touched hopeful",
}
_BY_STEM: Final = {stem(word): family for family, listed in _FAMILIES.items() for word in listed.split()}
STRENGTH: Final = (Intensity.LOW, Intensity.MEDIUM, Intensity.HIGH)
"""From a trace to what colours the whole line."""


def family_of(emotion: str) -> str:
    """Name the family of an emotion; empty where it is none of ours.

    >>> family_of("embarrassed"), family_of("enraged"), family_of("peckish")
    ('shame', 'anger', '')
    """
    return next((_BY_STEM[stem(word)] for word in emotion.casefold().split() if stem(word) in _BY_STEM), "")
