"""What an event ends: entries whose time has come, and commitments that a condition now settles."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.conditions import Scope, compile_condition
from ledger_service.domain.entries import Commitment, LedgerEntry
from ledger_service.domain.events import GameEvent, Happened, event_kind
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.questions import Questions, variables_of
from ledger_service.domain.worlds import World
from ledger_service.ports import UnitOfWork
from ledger_service.reconcile.expire import expire
from ledger_service.reconcile.settle import settle
from ledger_service.recording.presence import witnesses_of

_KIND_BY_FUNCTION: Final = {
    "standing": "relationship_delta", "open": "commitment", "fulfilled": "commitment", "broken": "commitment",
    "knows": "commitment", "felt": "emotional_residue",
}  # fmt: skip
_ENTRY_ID: Final = re.compile(r"e[0-9a-f]{20}")


async def what_ends(
    event: GameEvent, before: StoryState, after: StoryState, *, world: World, uow: UnitOfWork
) -> tuple[Amendment, ...]:
    """Expire, then settle: what this step of time, or this event, has ended."""
    expired = await _expired(event, before, after, uow)
    watched = await uow.ledger.find_open_commitments()
    if not watched:
        return tuple(expired)
    ledger = Ledger(watched, expired, roster=after.roster, at_seq=after.seq)
    scope = await _true_scope(watched, event, after, expired, world=world, uow=uow)
    witnesses = witnesses_of(event, after, world)
    return (*expired, *settle(watched, ledger, scope=scope, seq=after.seq, at=after.at, witnesses=witnesses))


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


async def _true_scope(
    watched: Sequence[Commitment], event: GameEvent, after: StoryState, ended: Iterable[Amendment], *, world: World,
    uow: UnitOfWork,
) -> Scope:  # fmt: skip
    """Return what conditions see while recording: the whole ledger, not what some character knows of it."""
    conditions = [c for w in watched for c in (w.fulfilled_when, w.broken_when) if c]
    entries, amendments = await _spoken_of(conditions, uow)
    ledger = Ledger(entries, (*amendments, *ended), roster=after.roster, at_seq=after.seq)
    questions = Questions(ledger, live=ledger.live(), happened=after.happened)
    variables = variables_of(after, world, at=after.at) | {"event": _variables_of(event)}
    return Scope(variables, questions.functions)


def _variables_of(event: GameEvent) -> dict[str, object]:
    """`event.name` is the declared event's, else the kind; a declared event's fields stand beside it."""
    if isinstance(event, Happened):
        return {**event.fields, "name": event.name}
    return {"name": event_kind(event)}


async def _spoken_of(
    conditions: Iterable[str], uow: UnitOfWork
) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
    """Load only the kinds that the conditions ask about, and the entries that they name."""
    asked = {f for condition in conditions for f in compile_condition(condition).functions()}
    kinds = sorted({kind for name, kind in _KIND_BY_FUNCTION.items() if name in asked})
    entries, amendments = await uow.ledger.load_conditional(kinds) if kinds else ((), ())
    ids = {i for condition in conditions for i in _ENTRY_ID.findall(condition)}
    named, became = await uow.ledger.get(sorted(ids)) if ids else ((), ())
    return (*entries, *named), (*amendments, *became)
