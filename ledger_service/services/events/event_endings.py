"""What an event ends: entries whose time has come, and commitments that a condition now settles."""

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.events import GameEvent, Happened
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import UnitOfWork
from ledger_service.reconcile.expire import expire
from ledger_service.reconcile.settle import settle
from ledger_service.recording.presence import witnesses_of
from ledger_service.services.events.grounds import grounds_of
from ledger_service.services.events.watching import Watch


async def what_ends(
    event: GameEvent, before: StoryState, after: StoryState, *, world: World, uow: UnitOfWork, watch: Watch
) -> tuple[Amendment, ...]:
    """Expire, then settle: what this step of time, or this event, has ended."""
    expired = await _expired(event, before, after, uow)
    watch.passed(before, after)
    watch.wrote(amendments=expired)
    watched = await watch.due()
    if not watched:
        return tuple(expired)
    ledger = Ledger(watched, expired, roster=after.roster, at_seq=after.seq)
    grounds = await grounds_of([c for w in watched for c in (w.fulfilled_when, w.broken_when) if c], after, uow)
    scope = grounds.scope(after, world, at=after.at, event=event, ended=expired)
    witnesses = witnesses_of(event, after, world)
    settled = settle(watched, ledger, scope=scope, seq=after.seq, at=after.at, witnesses=witnesses)
    watch.wrote(amendments=settled)
    return (*expired, *settled)


async def _expired(event: GameEvent, before: StoryState, after: StoryState, uow: UnitOfWork) -> list[Amendment]:
    names = [event.name] if isinstance(event, Happened) else []
    if not names and before.at == after.at:
        return []
    due = await uow.ledger.find_ending(before=before, now=after, event_names=names)
    if not due:
        return []
    _, amendments = await uow.ledger.get([e.entry_id for e in due])
    ledger = Ledger(due, amendments, roster=after.roster, at_seq=after.seq)
    return expire(due, ledger, now=after.at, seq=after.seq, occurrences=after.occurrences)
