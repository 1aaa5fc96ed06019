"""What the graph keeps of a write: entries and tellings, each idempotent by its id."""

from collections.abc import Iterable

from msgspec import Struct

from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import Telling, Version


class Holder(Struct, frozen=True, kw_only=True):
    """One who holds an entry: a character, a group or a reserved scope."""

    who: str
    confidence_millionths: int
    """How sure this holder is."""
    since: int
    """The tick since which."""
    how: str


class MirrorEntry(Struct, frozen=True, kw_only=True):
    """One entry as the graph keeps it."""

    version: Version
    kind: str
    holders: tuple[Holder, ...]
    origin: EntryId
    hops: int = 0
    quarantined: bool = False


class MirrorBatch(Struct, frozen=True, kw_only=True):
    """What one write leaves for the graph: entries and tellings, each idempotent by its id."""

    entries: tuple[MirrorEntry, ...] = ()
    tellings: tuple[Telling, ...] = ()
    anew: bool = False
    """The whole graph is to be made anew from the record: a branch has a history before its first own event."""

    @property
    def is_empty(self) -> bool:
        """There is nothing for the graph in it."""
        return not (self.entries or self.tellings or self.anew)


def merged(batches: Iterable[MirrorBatch]) -> MirrorBatch:
    """Put batches that follow one another into one.

    >>> merged([MirrorBatch(), MirrorBatch(anew=True)]).anew
    True
    """
    entries: list[MirrorEntry] = []
    tellings: list[Telling] = []
    anew = False
    for batch in batches:
        entries += batch.entries
        tellings += batch.tellings
        anew |= batch.anew
    return MirrorBatch(entries=tuple(entries), tellings=tuple(tellings), anew=anew)


def slices(batch: MirrorBatch, *, rows: int) -> Iterable[MirrorBatch]:
    """Cut a batch into pieces of so many rows; tellings come after every entry, because they join entries."""
    for start in range(0, len(batch.entries), rows):
        yield MirrorBatch(entries=batch.entries[start : start + rows])
    for start in range(0, len(batch.tellings), rows):
        yield MirrorBatch(tellings=batch.tellings[start : start + rows])
