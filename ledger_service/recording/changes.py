"""Events that change what is there: commitments settled, entries corrected, reviewed, contradictions resolved."""

import msgspec

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Contradiction, Hearsay, LedgerEntry, SourceKind, Status, first_status
from ledger_service.domain.errors import ContentError, UnknownEntryError
from ledger_service.domain.events import (
    Access,
    CommitmentBroken,
    CommitmentChanged,
    CommitmentFulfilled,
    Confirmed,
    ContradictionResolved,
    Corrected,
    Eased,
    Reviewed,
    Seen,
)
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.ledger import LIVE
from ledger_service.domain.visibility import Knower
from ledger_service.recording.facts import Facts, Left, amend
from ledger_service.recording.presence import audience_of
from ledger_service.recording.scribe import Scribe

_SETTLED = frozenset({Status.FULFILLED, Status.BROKEN, Status.RELEASED, Status.LAPSED})
_SET_ASIDE = frozenset({Status.SUSPENDED, Status.RETRACTED})


def settle_commitment(event: CommitmentChanged, facts: Facts, scribe: Scribe) -> Amendment:
    """Settle the newest open commitment of that name; who was there can tell, and so can both parties.

    Raises:
        UnknownEntryError: there is no such commitment.
        ContentError: it is open no longer.
    """
    still_open = [c for c in facts.commitments if facts.ledger.status_of(c) is Status.OPEN]
    if not still_open:
        if not facts.commitments:
            raise UnknownEntryError(event.commitment)
        status = facts.ledger.status_of(facts.commitments[0])
        raise ContentError("commitment", f"{event.commitment!r} is not open, it is {status}")
    commitment = still_open[0]
    seen = audience_of(event, (commitment.owner, commitment.to), scribe.after, scribe.world)
    match event:
        case CommitmentFulfilled():
            status = Status.FULFILLED
        case CommitmentBroken():
            status = Status.BROKEN
        case _:
            status = Status.RELEASED
    told = (*seen.witnesses, commitment.owner, commitment.to)
    return amend(commitment, status, scribe, knowers=told, reason=event.reason)


def ease(event: Eased, facts: Facts, scribe: Scribe) -> tuple[Amendment, ...]:
    """End what somebody feels, by entry or by emotion.

    Raises:
        UnknownEntryError: they do not feel what the event names.
    """
    if event.entry_id is not None and not facts.residue:
        raise UnknownEntryError(event.entry_id)
    return tuple(amend(e, Status.EASED, scribe) for e in facts.residue)


def correct(event: Corrected, facts: Facts, scribe: Scribe) -> Left:
    """Write the new wording; the old entry is kept, superseded, for those who can see the new one.

    Where the event says who was there, they learn of it and nobody else; otherwise everybody who knew the old entry
    does. A correction lowers confidence and never raises it. Where it says who knows it (`access`), the old entry is
    over for everybody, also for those who may no longer know.

    Raises:
        UnknownEntryError: there is no such entry.
        ContentError: it is over, and can no longer be corrected; or hearsay is to be known by others than its holder.
    """
    old = facts.named(event.entry_id)
    status = facts.ledger.status_of(old)
    if status not in LIVE | {Status.QUARANTINED, Status.SUSPENDED}:
        raise ContentError("entry_id", f"{event.entry_id!r} is {status}; what is over cannot be corrected")
    told = _told_of(event, scribe)
    if event.statement is None and event.slot is None and event.confidence is None and event.access is None:
        knowers = None if told is None else (*told, *_holder(old))
        return Left(
            amendments=(
                amend(old, Status.RETRACTED, scribe, knowers=knowers, reason=event.reason, author=event.author),
            )
        )
    _check_access(event, old, status)
    new = _reworded(event, old, told, scribe)
    by = (new.entry_id,) if event.access is None else ()
    superseded = amend(old, Status.SUPERSEDED, scribe, by=by, reason=event.reason, author=event.author)
    return Left(entries=(new,), amendments=(superseded,))


def _told_of(event: Seen, scribe: Scribe) -> tuple[CharacterId, ...] | None:
    """Return who was there, where the event says anything of that."""
    if event.witnesses is None and event.place is None:
        return None
    if event.witnesses is None:
        # Nobody takes part by name, so everybody within reach of the place counts.
        return audience_of(event, (), scribe.after, scribe.world).witnesses
    return event.witnesses


def _holder(entry: LedgerEntry) -> tuple[str, ...]:
    return (entry.knowers[0].who,) if isinstance(entry, Hearsay) else ()


def _reworded(
    event: Corrected, old: LedgerEntry, told: tuple[CharacterId, ...] | None, scribe: Scribe
) -> LedgerEntry:  # fmt: skip
    tick = scribe.after.at.tick
    kept = tuple(msgspec.structs.replace(k, since_seq=scribe.seq, since_tick=tick) for k in old.knowers)
    if told and not isinstance(old, Hearsay):
        kept = scribe.knowers((who for who in told if who not in old.unaware), SourceKind.WITNESSED)
    asked = old.confidence if event.confidence is None else event.confidence
    access = event.access or Access(
        knowers=tuple(k.who for k in kept), unaware=old.unaware, disclosure=old.disclosure
    )  # fmt: skip
    is_as_it_was = event.access is not None and event.statement is None and event.slot is None
    is_same_story = is_as_it_was or isinstance(old, Hearsay)
    return msgspec.structs.replace(
        old,
        entry_id=scribe.entry_id(next(iter(_holder(old)), "")),
        statement=event.statement or old.statement,
        slot=event.slot or old.slot,
        confidence=min(old.confidence, asked),
        seq=scribe.seq,
        at=scribe.after.at,
        knowers=_as_given(access, kept, scribe),
        unaware=access.unaware,
        disclosure=access.disclosure,
        origin=old.root if is_same_story else None,
        corrects=old.corrects if is_same_story else old.corrects or old.root,
        ladder=old.ladder if is_as_it_was else None,
        supersedes=(old.entry_id,),
        embedding=b"",
    )


def _check_access(event: Corrected, old: LedgerEntry, status: Status) -> None:
    if event.access is None:
        return
    if isinstance(old, Hearsay) and event.access.knowers != _holder(old):
        raise ContentError(
            "access.knowers", "hearsay is its holder's own copy; let it be told to others, or retract it"
        )
    if status in _SETTLED:
        raise ContentError("access", f"{event.entry_id!r} is {status}; written anew it would be open again")


def _as_given(access: Access, kept: tuple[Knower, ...], scribe: Scribe) -> tuple[Knower, ...]:
    """Return who knows it now: who did before as they came by it, the others by the story's own word."""
    before = {k.who: k for k in kept}
    return tuple(
        before.get(who) or scribe.knowers((who,), SourceKind.ENGINE)[0] for who in dict.fromkeys(access.knowers)
    )


def resolve(event: ContradictionResolved, facts: Facts, scribe: Scribe) -> tuple[Amendment, ...]:
    """Settle a contradiction; the losing side is superseded by the winner, for those who can see the winner.

    Raises:
        UnknownEntryError, ContentError: it is not there, no contradiction, settled already, or has no such side.
    """
    contradiction = facts.named(event.contradiction)
    if not isinstance(contradiction, Contradiction):
        raise ContentError("contradiction", f"{event.contradiction!r} is no contradiction")
    status = facts.ledger.status_of(contradiction)
    if status is not Status.UNRESOLVED:
        raise ContentError("contradiction", f"{event.contradiction!r} is {status} already")
    if event.winner is not None and event.winner not in contradiction.members:
        raise ContentError("winner", f"{event.winner!r} is no side of it")
    told = _told_of(event, scribe)
    outcome = Status.DISMISSED if event.winner is None else Status.RESOLVED
    settled = amend(contradiction, outcome, scribe, knowers=told, reason=event.reason, author=event.author)
    if event.winner is None:
        return (settled,)
    losers = [facts.named(m) for m in contradiction.members if m != event.winner]
    return (
        settled,
        *(
            amend(
                loser, Status.SUPERSEDED, scribe, by=(event.winner,), knowers=told, reason=event.reason,
                author=event.author,
            )
            for loser in losers
        ),
    )  # fmt: skip


def supersede(newer: LedgerEntry, facts: Facts, scribe: Scribe) -> tuple[Amendment, ...]:
    """Supersede what an entry says it replaces, for those who can see it; a draft replaces nothing yet."""
    return tuple(
        amend(facts.named(older), Status.SUPERSEDED, scribe, by=(newer.entry_id,), reason=newer.statement)
        for older in newer.supersedes
    )


def review(event: Confirmed | Reviewed, facts: Facts, scribe: Scribe) -> tuple[Amendment, ...]:
    """Confirm a draft, which then replaces what it says it does; or drop, suspend or resume an entry.

    Raises:
        UnknownEntryError, ContentError: it is not there, or not in a state in which that means anything.
    """
    entry = facts.named(event.entry_id)
    now = facts.ledger.status_of(entry)
    if isinstance(event, Confirmed):
        _check_status(now, frozenset({Status.QUARANTINED}), "confirmed")
        status = _unquarantined(entry)
    elif event.outcome is Status.ACTIVE:
        _check_status(now, _SET_ASIDE, "resumed")
        status = _before_set_aside(entry, facts)
    else:
        allowed = LIVE | {Status.QUARANTINED, *_SET_ASIDE} - {event.outcome}
        _check_status(now, allowed, str(event.outcome))
        status = event.outcome
    replaced = supersede(entry, facts, scribe) if isinstance(event, Confirmed) else ()
    return (amend(entry, status, scribe, reason=event.reason, author=event.author), *replaced)


def _check_status(now: Status, allowed: frozenset[Status], verb: str) -> None:
    if now not in allowed:
        raise ContentError("entry_id", f"it is {now}, and cannot be {verb}")


def _unquarantined(entry: LedgerEntry) -> Status:
    return first_status(msgspec.structs.replace(entry, quarantined=False))


def _before_set_aside(entry: LedgerEntry, facts: Facts) -> Status:
    """Resume what it was before it was set aside: a kept promise stays kept, a draft stays a draft."""
    earlier = (a.status for a in reversed(facts.ledger.amendments_of(entry.entry_id)))
    return next((status for status in earlier if status not in _SET_ASIDE), first_status(entry))
