"""A page of the ledger, newest first."""

from ledger_service.domain.errors import ContentError, UnknownCharacterError
from ledger_service.domain.ids import PUBLIC, PlaythroughId
from ledger_service.ports import EntryFilter, OpenUnitOfWork, Page
from ledger_service.services.events.story_state import world_of


async def list_entries(
    playthrough_id: PlaythroughId,
    where: EntryFilter,
    *,
    open_uow: OpenUnitOfWork,
    limit: int = 50,
    after: str | None = None,
) -> Page:
    """Return the entries that fit a filter; a filter that can fit nothing is refused and not answered with nothing.

    Raises:
        UnknownCharacterError: the knower is nobody of this world.
        ContentError: a moment after the end of the history.
        CursorError: `after` is no place in the list.
    """
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.state()
        if where.at_seq is not None and where.at_seq > state.seq:
            raise ContentError("at_seq", f"{where.at_seq} is outside the history, which ends at {state.seq}")
        world = await world_of(uow, state.world_version)
        known = {PUBLIC, *(g.id for g in world.groups), *(m.group for m in state.memberships)}
        if where.knower is not None and where.knower not in known and world.find_character(where.knower) is None:
            raise UnknownCharacterError(where.knower, "knower", allowed=tuple(c.id for c in world.cast))
        return await uow.ledger.page(where, limit=limit, after=after)
