"""Tone: what a feeling that is still there does to a line, by how strong it is."""

from typing import Final

from ledger_service.domain.entries import Intensity
from ledger_service.domain.feelings import STRENGTH, family_of
from ledger_service.domain.packets import ContextPacket, ResidueLine

_PARTINGS: Final = {
    ("shame", Intensity.MEDIUM): "I would rather keep to the work",
    ("shame", Intensity.HIGH): "I would rather you did not look at me just now",
    ("anger", Intensity.MEDIUM): "Mind how you ask",
    ("anger", Intensity.HIGH): "Do not push me",
    ("grief", Intensity.MEDIUM): "It is not a good hour",
    ("grief", Intensity.HIGH): "Leave me be after this",
    ("fear", Intensity.MEDIUM): "Keep your voice down",
    ("fear", Intensity.HIGH): "I do not like this at all",
    ("warmth", Intensity.MEDIUM): "It is good that you came",
    ("warmth", Intensity.HIGH): "It does me good to see you",
}


def strongest(packet: ContextPacket) -> ResidueLine | None:
    """Return the feeling that colours the line most."""
    return max(packet.residue, key=lambda r: (STRENGTH.index(Intensity(r.intensity)), r.entry_id), default=None)


def parting_of(packet: ContextPacket) -> str:
    """Return the few words that a medium or strong feeling adds; a weak one only keeps the line plain."""
    felt = strongest(packet)
    return "" if felt is None else _PARTINGS.get((family_of(felt.emotion), Intensity(felt.intensity)), "")


def opening_of(packet: ContextPacket, *, greeting: bool) -> str:
    """Return what to say where the packet has nothing that bears on the line."""
    felt = strongest(packet)
    cold = felt is not None and felt.intensity != Intensity.LOW and family_of(felt.emotion) in {"anger", "grief"}
    if greeting:
        return "What is it" if cold else "Good day to you"
    return "I have nothing to say to that"
