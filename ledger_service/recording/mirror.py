"""What a write leaves for the graph."""

from collections.abc import Iterable

from ledger_service.domain.confidence import to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, kind_of
from ledger_service.domain.mirror import Holder, MirrorBatch, MirrorEntry
from ledger_service.domain.rumours import Telling, version_of


def mirror_batch(entries: Iterable[LedgerEntry], tellings: Iterable[Telling]) -> MirrorBatch:
    """Return entries of every kind, since any may be passed on, with who holds them, and how they travelled."""
    return MirrorBatch(entries=tuple(_mirrored(e) for e in entries), tellings=tuple(tellings))


def _mirrored(entry: LedgerEntry) -> MirrorEntry:
    holders = tuple(
        Holder(
            who=k.who,
            confidence_millionths=to_millionths(entry.confidence if k.confidence is None else k.confidence),
            since=k.since_tick,
            how=k.how,
        )
        for k in entry.knowers
    )
    return MirrorEntry(
        version=version_of(entry),
        kind=kind_of(entry),
        holders=holders,
        origin=entry.root,
        hops=entry.hops if isinstance(entry, Hearsay) else 0,
        quarantined=entry.quarantined,
    )
