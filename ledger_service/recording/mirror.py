"""What a write leaves for the graph."""

from collections.abc import Iterable

from ledger_service.domain.confidence import to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, SourceKind, kind_of
from ledger_service.domain.mirror import MirrorBatch, MirrorEntry
from ledger_service.domain.rumours import Telling, version_of_entry


def mirror_batch(entries: Iterable[LedgerEntry], tellings: Iterable[Telling]) -> MirrorBatch:
    """Return entries of every kind, since any may be passed on, with who holds them, and how they travelled."""
    return MirrorBatch(entries=tuple(_mirrored(e) for e in entries), tellings=tuple(tellings))


def _mirrored(entry: LedgerEntry) -> MirrorEntry:
    held = {k.who: to_millionths(entry.confidence if k.confidence is None else k.confidence) for k in entry.knowers}
    return MirrorEntry(
        version=version_of_entry(entry),
        kind=kind_of(entry),
        origin=entry.root,
        hops=entry.hops if isinstance(entry, Hearsay) else 0,
        holders=held,
        witnesses=tuple(k.who for k in entry.knowers if k.how == SourceKind.WITNESSED),
    )
