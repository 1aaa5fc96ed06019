"""Browse playthroughs: a page of them, and one of them event by event with what each left in the ledger."""

from msgspec import Struct

from ledger_service.domain.errors import ContentError, UnknownPlaythroughError
from ledger_service.domain.events import EventReceipt, RecordedEvent
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.playthroughs import Save, StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import Catalogue, Listed, OpenUnitOfWork, PlaythroughFilter
from ledger_service.services.events.story_state import world_of

PAGE = 50


class PlaythroughPage(Struct, frozen=True, kw_only=True):
    """A page of playthroughs, newest first, and where the next begins."""

    playthroughs: tuple[Listed, ...]
    next_before: int | None = None


class Timeline(Struct, frozen=True, kw_only=True):
    """A playthrough and a page of its history, newest first."""

    listed: Listed
    state: StoryState
    world: World
    events: tuple[tuple[RecordedEvent, EventReceipt], ...]
    next_before: int | None
    """Where the page of older events begins."""
    saves: tuple[Save, ...]
    branches: tuple[Listed, ...]


async def list_playthroughs(
    where: PlaythroughFilter, *, catalogue: Catalogue, limit: int = PAGE, before: int | None = None
) -> PlaythroughPage:
    """Return a page of playthroughs that fit a filter."""
    found = await catalogue.page(where, limit=limit + 1, before=before)
    more = found[limit - 1].opened_no if len(found) > limit else None
    return PlaythroughPage(playthroughs=tuple(found[:limit]), next_before=more)


async def find_playthrough(playthrough_id: PlaythroughId, *, catalogue: Catalogue) -> Listed:
    """Return a playthrough as a page's head shows it.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
    """
    found = await catalogue.find(playthrough_id)
    if found is None:
        raise UnknownPlaythroughError(playthrough_id)
    return found


async def show_timeline(
    playthrough_id: PlaythroughId,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    before_seq: int | None = None,
    limit: int = PAGE,
) -> Timeline:
    """Return a playthrough with the newest events before a point (default: now); history has no gaps to skip.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        ContentError: the point is outside the history.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.state()
        last = state.seq if before_seq is None else before_seq - 1
        if not 0 <= last <= state.seq:
            raise ContentError("before", f"{before_seq} is outside the history, which ends at {state.seq}")
        first = max(0, last - limit)
        events = await uow.events.load_receipts(after_seq=first, until_seq=last, limit=limit)
        saves = await uow.playthroughs.list_saves()
        world = await world_of(uow, state.world_version)
    branches = await catalogue.page(PlaythroughFilter(parent_id=playthrough_id))
    return Timeline(
        listed=listed,
        state=state,
        world=world,
        events=tuple(reversed(events)),
        next_before=first + 1 if first else None,
        saves=tuple(saves),
        branches=tuple(branches),
    )


async def last_event(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork) -> int:
    """Return how far a playthrough's history goes."""
    async with open_uow(playthrough_id) as uow:
        return (await uow.playthroughs.state()).seq
