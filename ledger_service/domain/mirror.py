"""What the graph keeps of a write: entries and tellings, each idempotent by its id."""

from collections.abc import Iterable

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
    witnesses: tuple[str, ...] = ()
    """Those of them who were there."""
    is_story: bool = False
    """It is something that people pass on."""
    corrects: EntryId | None = None


class MirrorBelief(Struct, frozen=True, kw_only=True):
    """How sure somebody is of an entry since an event."""

    entry_id: EntryId
    who: str
    millionths: int
    reinforced_at: int
    seq: int


class MirrorBatch(Struct, frozen=True, kw_only=True):
    """What one write leaves for the graph: entries and tellings, each idempotent by its id."""

    entries: tuple[MirrorEntry, ...] = ()
    tellings: tuple[Telling, ...] = ()
    beliefs: tuple[MirrorBelief, ...] = ()
    anew: bool = False
    """The whole graph is to be made anew from the record: a branch has a history before its first own event."""

    @property
    def is_empty(self) -> bool:
        """There is nothing for the graph in it."""
        return not (self.entries or self.tellings or self.beliefs or self.anew)


def merged(batches: Iterable[MirrorBatch]) -> MirrorBatch:
    """Put batches that follow one another into one.

    >>> merged([MirrorBatch(), MirrorBatch(anew=True)]).anew
    True
    """
    taken = tuple(batches)
    return MirrorBatch(
        entries=tuple(e for batch in taken for e in batch.entries),
        tellings=tuple(t for batch in taken for t in batch.tellings),
        beliefs=tuple(b for batch in taken for b in batch.beliefs),
        anew=any(batch.anew for batch in taken),
    )


def slices(batch: MirrorBatch, *, rows: int) -> Iterable[MirrorBatch]:
    """Cut a batch into pieces of so many rows; tellings and beliefs come after the entries they are of.

    A batch that is small enough stays whole.
    """
    if len(batch.entries) + len(batch.tellings) + len(batch.beliefs) <= rows:
        yield batch
        return
    for start in range(0, len(batch.entries), rows):
        yield MirrorBatch(entries=batch.entries[start : start + rows])
    for start in range(0, len(batch.tellings), rows):
        yield MirrorBatch(tellings=batch.tellings[start : start + rows])
    for start in range(0, len(batch.beliefs), rows):
        yield MirrorBatch(beliefs=batch.beliefs[start : start + rows])
