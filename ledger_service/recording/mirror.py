"""What a write leaves for the graph."""

from collections.abc import Iterable

from ledger_service.domain.confidence import to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, Observation, kind_of
from ledger_service.domain.mirror import MirrorBatch, MirrorEntry
from ledger_service.domain.rumours import Telling


def mirror_batch(entries: Iterable[LedgerEntry], tellings: Iterable[Telling]) -> MirrorBatch:
    """Return what can travel (facts and hearsay) and how it travelled; stances and feelings stay out of the graph."""
    travelling = [e for e in entries if isinstance(e, Observation | Hearsay) and not e.quarantined]
    return MirrorBatch(entries=tuple(_mirrored(e) for e in travelling), tellings=tuple(tellings))


def _mirrored(entry: LedgerEntry) -> MirrorEntry:
    heard = entry if isinstance(entry, Hearsay) else None
    holders = tuple(k.who for k in entry.knowers)
    return MirrorEntry(
        entry_id=entry.entry_id,
        kind=kind_of(entry),
        statement=entry.statement,
        holder=holders[0] if heard is not None else "",
        holders=holders,
        confidence_millionths=to_millionths(entry.confidence),
        origin=entry.root,
        seq=entry.seq,
        tick=entry.at.tick,
        hops=heard.hops if heard is not None else 0,
        severity=heard.severity if heard is not None else 1,
        place=entry.place,
        derived_from=entry.derived_from,
    )
