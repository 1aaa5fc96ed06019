"""Keep notices: let those who pass read what hangs, take down what is over, put up what a rule now asks for."""

from collections.abc import Sequence

from ledger_service.domain.entries import LedgerEntry, Observation
from ledger_service.domain.events import GameEvent, Seen, WorldChanged
from ledger_service.domain.worlds import Notice
from ledger_service.ports import UnitOfWork
from ledger_service.recording.facts import Left
from ledger_service.recording.notices import passers, put_up, read_by, taken_down
from ledger_service.recording.presence import participants_of
from ledger_service.recording.scribe import Scribe
from ledger_service.services.events.grounds import Grounds, grounds_of


async def notices_of(event: GameEvent, scribe: Scribe, uow: UnitOfWork) -> Left:
    """Return what an event leaves by notices, once everything else that it leaves is in the record.

    What hung before the event is read while it goes by; then notices come down, and go up: by each rule that holds
    now and did not before. So one that was taken down goes up again only when its rule becomes true again. Who is
    dead or unconscious puts nothing up.
    """
    declared = {n.id: n for n in scribe.world.notices}
    if not declared and not isinstance(event, WorldChanged):
        return Left()
    hanging = {e.notice or "": e for e in await uow.ledger.find_notices()}
    still = [declared[name] for name in hanging if name in declared]
    idle = [n for n in declared.values() if n.id not in hanging and (n.by is None or scribe.after.is_awake(n.by))]
    read = await _read(still, hanging, scribe, uow)
    conditions = [c for n in declared.values() for c in (n.post_when, n.remove_when) if c]
    judges = [who for who in participants_of(event) if who] if isinstance(event, Seen) else []
    grounds = await grounds_of(conditions, scribe.after, uow, judges=judges, judged=judges)
    now = grounds.scope(scribe.after, scribe.world, at=scribe.after.at, event=event)
    kept = {n.id for n in still if not (n.remove_when and now.holds(n.remove_when))}
    rising = [n for n in idle if now.holds(n.post_when) and not (n.remove_when and now.holds(n.remove_when))]
    new = await _newly(rising, event, scribe, uow) if rising else []
    return Left(
        entries=(*read, *(put_up(n, scribe) for n in new)),
        amendments=tuple(taken_down(e, scribe) for name, e in hanging.items() if name not in kept),
    )


async def _read(
    hanging: Sequence[Notice], entries: dict[str, Observation], scribe: Scribe, uow: UnitOfWork
) -> list[LedgerEntry]:
    """Return the copies of those who pass and have not read it before; who put it up knows what it says."""
    passing = {n.id: passers(n.place, scribe.before, scribe.after, scribe.world) for n in hanging}
    if not any(passing.values()):
        return []
    have_read = await uow.ledger.find_readers([entries[name].entry_id for name in passing])
    found: list[LedgerEntry] = []
    for notice in hanging:
        hung = entries[notice.id]
        new = [w for w in passing[notice.id] if w != notice.by and (hung.entry_id, w) not in have_read]
        found += read_by(new, notice, hung, scribe)
    return found


async def _newly(rising: Sequence[Notice], event: GameEvent, scribe: Scribe, uow: UnitOfWork) -> list[Notice]:
    """Leave out the notices whose rule held before the event already, in this world."""
    before = scribe.before
    if before.seq == 0 or isinstance(event, WorldChanged):
        return list(rising)
    grounds: Grounds = await grounds_of([n.post_when for n in rising], before, uow)
    then = grounds.scope(before, scribe.world, at=before.at)
    return [n for n in rising if not then.holds(n.post_when)]
