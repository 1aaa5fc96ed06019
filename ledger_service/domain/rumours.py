"""Tellings: every retelling, also the ignored and the corroborating ones, and the chain they make."""

from enum import StrEnum

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId, PlaceId


class TellingOutcome(StrEnum):
    """What a telling came to."""

    BELIEVED = "believed"
    CORROBORATED = "corroborated"
    IGNORED = "ignored"
    ECHO = "echo"
    CORRECTED = "corrected"
    UNCHANGED = "unchanged"


class Telling(Struct, frozen=True, kw_only=True):
    """One retelling: who passed what to whom, when and where, how surely, and what came of it."""

    telling_id: str
    from_entry: EntryId
    to_entry: EntryId | None
    teller: CharacterId
    listener: CharacterId
    origin: EntryId
    seq: int
    tick: int
    place: PlaceId | None = None
    offered_millionths: int = 0
    outcome: TellingOutcome = TellingOutcome.BELIEVED


class ChainLink(Struct, frozen=True, kw_only=True):
    """One version on the way back to the witness."""

    entry_id: EntryId
    statement: str
    holder: str
    how: str
    confidence: float
    depth: int
    """Tellings between this version and the belief that was asked about."""
    teller: CharacterId | None = None
    tick: int = 0
    place: PlaceId | None = None
    severity: int = 1
    told_by_entry: EntryId | None = None
    """The teller's version."""


class ProvenanceChain(Struct, frozen=True, kw_only=True):
    """Everything a belief goes back to, nearest first, and which store answered."""

    entry_id: EntryId
    links: tuple[ChainLink, ...]
    store: str
    """`postgres` or `graph`."""
    saw_it: bool = False
