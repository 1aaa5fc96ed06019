"""What a write leaves for the graph."""

from collections.abc import Iterable

from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.confidence import to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, SourceKind, kind_of
from ledger_service.domain.mirror import MirrorBatch, MirrorBelief, MirrorEntry
from ledger_service.domain.rumours import Telling, is_story, version_of_entry


def mirror_batch(
    entries: Iterable[LedgerEntry], tellings: Iterable[Telling], amendments: Iterable[Amendment] = ()
) -> MirrorBatch:
    """Return entries of every kind, since any may be passed on, with who holds them, and how they travelled."""
    beliefs = tuple(_belief(a, a.belief) for a in amendments if a.belief is not None)
    return MirrorBatch(entries=tuple(_mirrored(e) for e in entries), tellings=tuple(tellings), beliefs=beliefs)


def _belief(amendment: Amendment, belief: Belief) -> MirrorBelief:
    return MirrorBelief(
        entry_id=amendment.entry_id,
        who=belief.who,
        millionths=to_millionths(belief.confidence),
        reinforced_at=belief.reinforced_at,
        seq=amendment.cause_seq,
    )


def _mirrored(entry: LedgerEntry) -> MirrorEntry:
    held = {k.who: to_millionths(entry.confidence if k.confidence is None else k.confidence) for k in entry.knowers}
    return MirrorEntry(
        version=version_of_entry(entry),
        kind=kind_of(entry),
        origin=entry.root,
        hops=entry.hops if isinstance(entry, Hearsay) else 0,
        holders=held,
        is_story=is_story(entry),
        corrects=entry.corrects,
        witnesses=tuple(k.who for k in entry.knowers if k.how == SourceKind.WITNESSED),
    )
