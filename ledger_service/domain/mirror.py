"""What the graph keeps of a write: entries and tellings, each idempotent by its id."""

from msgspec import Struct

from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import Telling


class MirrorEntry(Struct, frozen=True, kw_only=True):
    """One entry as the graph keeps it."""

    entry_id: EntryId
    kind: str
    statement: str
    holder: str
    """The character who holds it; empty for an event that several witnessed."""
    holders: tuple[str, ...]
    confidence_millionths: int
    origin: EntryId
    seq: int
    tick: int
    hops: int = 0
    severity: int = 1
    place: str | None = None
    derived_from: tuple[EntryId, ...] = ()


class MirrorBatch(Struct, frozen=True, kw_only=True):
    """What one write leaves for the graph: entries and tellings, each idempotent by its id."""

    entries: tuple[MirrorEntry, ...] = ()
    tellings: tuple[Telling, ...] = ()
