"""What the graph keeps of a write: entries and tellings, each idempotent by its id."""

from msgspec import Struct

from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import Telling, Version


class MirrorEntry(Struct, frozen=True, kw_only=True):
    """One entry as the graph keeps it: a version, where it goes back to, and who holds it how surely."""

    version: Version
    kind: str
    origin: EntryId
    hops: int = 0
    holders: dict[str, int] = {}
    """Knower to confidence in millionths."""


class MirrorBatch(Struct, frozen=True, kw_only=True):
    """What one write leaves for the graph: entries and tellings, each idempotent by its id."""

    entries: tuple[MirrorEntry, ...] = ()
    tellings: tuple[Telling, ...] = ()
