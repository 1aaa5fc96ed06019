"""Step 3, applied with each event: entries that update each other, and entries that cannot both hold."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import FIRST_HAND, Hearsay, LedgerEntry, Observation, Status
from ledger_service.domain.ids import ENGINE, PUBLIC
from ledger_service.domain.ledger import LIVE, Ledger
from ledger_service.domain.slots import Predicates, Relation, relate
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower, Roster


class Clash(Struct, frozen=True, kw_only=True):
    """Two entries that cannot both hold, the older first, and who can see both."""

    older: LedgerEntry
    newer: LedgerEntry
    knowers: tuple[Knower, ...]


class Outcome(Struct, frozen=True, kw_only=True):
    """What new entries do to older ones."""

    amendments: tuple[Amendment, ...] = ()
    clashes: tuple[Clash, ...] = ()


def contradict(
    new: Sequence[LedgerEntry], older: Iterable[LedgerEntry], ledger: Ledger, *, predicates: Predicates, seq: int
) -> Outcome:
    """Hold each new entry against older ones with the same slot.

    Something seen of what may change is an update: the older entry is superseded, for those who can see the newer.
    A saying never updates. What cannot change, and differs, is a contradiction; it is never settled by being newer.
    Only what claims that something is so counts: a promise can be broken, and contradicts nothing.
    """
    amendments: list[Amendment] = []
    clashes: list[Clash] = []
    before = sorted((e for e in older if e.slot is not None), key=lambda e: (e.seq, e.entry_id))
    for newer in (e for e in new if ledger.status_of(e) is not Status.QUARANTINED):
        for other in before:
            if other.entry_id == newer.entry_id or ledger.status_of(other) not in LIVE:
                continue
            match _relation(other, newer, predicates):
                case Relation.UPDATES if newer.source.kind in FIRST_HAND:
                    amendments.append(_superseded(other, newer, seq))
                case Relation.CONFLICTS:
                    both = seen_by_both(other, newer, roster=ledger.roster, at_seq=seq)
                    clashes.append(Clash(older=other, newer=newer, knowers=both))
        before.append(newer)
    return Outcome(amendments=tuple(amendments), clashes=tuple(clashes))


def _relation(older: LedgerEntry, newer: LedgerEntry, predicates: Predicates) -> Relation:
    claims = isinstance(older, Observation | Hearsay) and isinstance(newer, Observation | Hearsay)
    if older.slot is None or newer.slot is None or not claims:
        return Relation.UNRELATED
    return relate(older.slot, newer.slot, predicates)


def _superseded(older: LedgerEntry, newer: LedgerEntry, seq: int) -> Amendment:
    return Amendment(
        entry_id=older.entry_id,
        status=Status.SUPERSEDED,
        cause_seq=seq,
        at=newer.at,
        by=(newer.entry_id,),
        reason=newer.statement,
    )


def seen_by_both(a: LedgerEntry, b: LedgerEntry, *, roster: Roster, at_seq: int) -> tuple[Knower, ...]:
    """Return who can see both entries: scopes that both name, and people who know each by some scope.

    Where nobody can, only the engine knows of it.
    """
    scopes = [{k.who for k in entry.knowers} for entry in (a, b)]
    people = {m.who for m in roster.memberships} | {who for who in scopes[0] | scopes[1] if ":" not in who}
    people -= {PUBLIC, ENGINE, *a.unaware, *b.unaware}
    both = (scopes[0] & scopes[1]) | {
        who
        for who in people
        if all(roster.find_knower(entry.knowers, who, at_seq=at_seq) is not None for entry in (a, b))
    }
    at: StoryTime = max(a.at, b.at)
    return tuple(
        Knower(who=who, how="derived", since_seq=max(a.seq, b.seq), since_tick=at.tick)
        for who in sorted(both or {ENGINE})
    )
