"""What reviewers say of a packet: notes, approval, flags, and the corrections that came of it."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from ledger_service.domain.ids import PacketId

LONGEST_REMARK: Final = 4_000


class Mark(StrEnum):
    """What a remark does; the last one that is more than a note says how the packet stands with its reviewers."""

    NOTE = "note"
    APPROVED = "approved"
    FLAGGED = "flagged"
    CLEARED = "cleared"
    """Neither approved nor flagged any more."""
    CORRECTED = "corrected"
    """A correction of the ledger came of it; nothing about the packet itself."""


STANDING: Final = frozenset({Mark.APPROVED, Mark.FLAGGED, Mark.CLEARED})
"""Marks that say how a packet stands."""


class Remark(Struct, frozen=True, kw_only=True):
    """One thing that somebody said of a packet; remarks are added and never changed."""

    packet_id: PacketId
    mark: Mark
    who: str
    said: str = ""
    other_id: PacketId | None = None
    """The packet that was built anew after a correction."""
    at: str = ""
    """When, in UTC, to the second; the store says."""


def standing_of(remarks: tuple[Remark, ...]) -> Remark | None:
    """Return the remark that says how a packet stands, where one does.

    >>> said = [Remark(packet_id="k", mark=m, who="wren") for m in (Mark.FLAGGED, Mark.NOTE)]
    >>> str(standing_of(tuple(said)).mark)
    'flagged'
    """
    last = next((r for r in reversed(remarks) if r.mark in STANDING), None)
    return None if last is None or last.mark is Mark.CLEARED else last
