"""Where a story stands: now, or after any past event, refolded from its history."""

import msgspec

from ledger_service.domain.errors import ContentError
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import UnitOfWork
from ledger_service.recording.story import advance, opening_state

_PAGE = 1_000
_worlds: dict[str, World] = {}


async def story_state(uow: UnitOfWork, *, at_seq: int | None = None) -> StoryState:
    """Return the state now, or as it was right after the event `at_seq`.

    Raises:
        ContentError: `at_seq` is outside the history.
    """
    now = await uow.playthroughs.state()
    if at_seq is None or at_seq == now.seq:
        return now
    if not 0 <= at_seq < now.seq:
        raise ContentError("at_seq", f"{at_seq} is outside the history, which ends at {now.seq}")
    return await refold(uow, at_seq=at_seq)


async def refold(uow: UnitOfWork, *, at_seq: int) -> StoryState:
    """Fold the history anew up to an event, from the world that the story began in."""
    version = await uow.playthroughs.opening_world()
    world = await world_of(uow, version)
    state = opening_state(world, version)
    while state.seq < at_seq:
        events = await uow.events.load(after_seq=state.seq, until_seq=at_seq, limit=_PAGE)
        if not events:
            break
        for recorded in events:
            state = advance(state, recorded.event, world, seq=recorded.seq)
            state = msgspec.structs.replace(state, head=recorded.hash)
            world = await world_of(uow, state.world_version)
    return state


async def world_of(uow: UnitOfWork, version: str) -> World:
    """Return a world by its version; a version never changes, so it is read once."""
    known = _worlds.get(version)
    if known is None:
        known = await uow.worlds.get(version)
        if len(_worlds) >= 64:  # noqa: PLR2004
            _worlds.pop(next(iter(_worlds)))
        _worlds[version] = known
    return known
