"""Feelings: the families that emotions fall into, and how strong they are."""

from typing import Final

from ledger_service.domain.entries import Intensity
from ledger_service.domain.terms import stem

_FAMILIES: Final = {
    "shame": "embarrassed embarrassment ashamed shame flustered humiliated guilty guilt awkward "
    "mortified chagrined sheepish disgraced abashed",
    "anger": "angry anger enraged rage bitter furious resentful resentment hostile irritated annoyed cross sore sour "
    "livid fuming seething indignant vexed miffed nettled piqued peeved irked sulking sulky grumpy irate outraged "
    "incensed displeased aggrieved exasperated disgusted mad",
    "grief": "sad grieving grief mourning hurt lonely heartbroken sorrow stung offended wounded tearful bereaved upset "
    "mournful sorrowing desolate heartsick crushed slighted bruised rejected downcast despairing disappointed",
    "fear": "afraid fear scared frightened anxious wary uneasy nervous suspicious unease terrified shaken "
    "rattled spooked panicked alarmed jumpy dread worried unnerved haunted tense",
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
