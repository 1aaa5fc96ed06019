"""Decide by a world's customs which witnesses take an event for something else."""

from ledger_service.domain.events import Deed, GameEvent, Happened
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.worlds import Custom
from ledger_service.ports import UnitOfWork
from ledger_service.recording.customs import customs_for
from ledger_service.recording.learned import audience_at
from ledger_service.recording.scribe import Scribe
from ledger_service.services.events.grounds import grounds_of


async def customs_of(event: GameEvent, scribe: Scribe, uow: UnitOfWork) -> dict[CharacterId, Custom]:
    """Return the first custom that holds for each witness, by what was so before the event; who acts knows better."""
    customs = customs_for(event, scribe.world)
    if not customs or not isinstance(event, Deed | Happened):
        return {}
    witnesses = [who for who in audience_at(event, scribe).witnesses if who != event.actor]
    judged = [who for who in (event.actor, event.target) if who]
    grounds = await grounds_of([c.when for c in customs], scribe.before, uow, judges=witnesses, judged=judged)
    scope = grounds.scope(scribe.before, scribe.world, at=scribe.after.at, event=event)
    found = {who: next((c for c in customs if scope.holds(c.when, witness=who)), None) for who in witnesses}
    return {who: custom for who, custom in found.items() if custom is not None}
