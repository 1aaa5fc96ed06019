"""Where the player is, and who could be spoken to there."""

from typing import Final

from msgspec import Struct

from ledger_service.domain.events import Seen
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId, PlaythroughId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import Action, World
from ledger_service.ports import OpenUnitOfWork, UnitOfWork
from ledger_service.recording.presence import participants_of, place_of, present_at
from ledger_service.services.events.story_state import world_of
from ledger_service.services.play.player_acts import Spot

LOOK_BACK: Final = 200
"""So many of the last events are looked through for where the player was, where nothing moved them."""


class Footing(Struct, frozen=True, kw_only=True):
    """Where the player stands in a story."""

    place: PlaceId | None
    state: StoryState
    world: World

    @property
    def spot(self) -> Spot:
        """Where something can be done, and with whom."""
        there = people_at(self.place, self.state, self.world)
        return Spot(place=self.place, people=tuple(who for who in there if can_talk(who, self.world)))


async def footing(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork) -> Footing:
    """Return where the player stands now.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
    """
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        state = await uow.playthroughs.state()
        world = await world_of(uow, state.world_version)
        return Footing(place=await player_place(state, world, uow), state=state, world=world)


async def player_place(state: StoryState, world: World, uow: UnitOfWork) -> PlaceId | None:
    """Return where the player is: by their last move, else by the last thing they took part in; None is nowhere yet."""
    known = place_of(PLAYER, state, world)
    if known is not None:
        return known
    events = await uow.events.load(after_seq=max(0, state.seq - LOOK_BACK), until_seq=state.seq, limit=LOOK_BACK)
    seen = (recorded.event for recorded in reversed(events))
    return next((e.place for e in seen if isinstance(e, Seen) and e.place and PLAYER in participants_of(e)), None)


def people_at(place: PlaceId | None, state: StoryState, world: World) -> tuple[CharacterId, ...]:
    """Return who is at a place besides the player, awake."""
    return tuple(who for who in present_at(place, state, world) if who != PLAYER)


def can_talk(who: CharacterId, world: World) -> bool:
    """Say whether somebody understands and answers."""
    found = world.find_character(who)
    return found is not None and found.can_testify


def actions_of(who: CharacterId, world: World) -> tuple[Action, ...]:
    """Return what can be asked of somebody."""
    return tuple(action for action in world.actions if action.is_granted_by(who))
