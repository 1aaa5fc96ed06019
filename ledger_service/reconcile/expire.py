"""Step 1, applied with each event: what time or an event has ended."""

from collections.abc import Iterable, Sequence

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Commitment, EmotionalResidue, Entry, LedgerEntry, RelationshipDelta, Status
from ledger_service.domain.expiry import Happened, Match, has_expired
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import Occurrence
from ledger_service.domain.story_time import StoryTime

_ENDABLE = frozenset({Status.ACTIVE, Status.OPEN, Status.FELT, Status.SUSPENDED, Status.QUARANTINED})


def expire(
    entries: Iterable[LedgerEntry], ledger: Ledger, *, now: StoryTime, seq: int, occurrences: Sequence[Occurrence]
) -> list[Amendment]:
    """Return an amendment for each entry whose ending has come by `now`.

    Commitments and residue lapse, relationship deltas end, everything else expires.
    """
    ended = (e for e in entries if ledger.status_of(e) in _ENDABLE and is_over(e, now, occurrences))
    return [
        Amendment(entry_id=e.entry_id, status=_end_of(e), cause_seq=seq, at=now, reason="its time came") for e in ended
    ]


def is_over(entry: Entry, now: StoryTime, occurrences: Sequence[Occurrence]) -> bool:
    """Say whether an entry's own ending has come by `now`."""
    return has_expired(entry.expires, written=entry.at, now=now, happened=happened_after(entry.seq, occurrences))


def happened_after(seq: int, occurrences: Sequence[Occurrence]) -> Happened:
    """Return the question: did an event of that name and with those fields happen after `seq`?"""

    def happened(name: str, match: Match) -> bool:
        return any(o.name == name and o.seq > seq and match.items() <= o.fields.items() for o in occurrences)

    return happened


def _end_of(entry: LedgerEntry) -> Status:
    match entry:
        case Commitment() | EmotionalResidue():
            return Status.LAPSED
        case RelationshipDelta():
            return Status.ENDED
        case _:
            return Status.EXPIRED
