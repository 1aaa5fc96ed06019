"""Who can be talked to now: who there is, where they are, and whether the player is with them."""

from msgspec import Struct

from ledger_service.domain.errors import ContentError, UnknownCharacterError
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.recording.presence import place_of


class Listener(Struct, frozen=True, kw_only=True):
    """Somebody who could be talked to."""

    who: CharacterId
    name: str
    place: PlaceId | None
    place_name: str = ""
    is_apart: bool = False
    """They and the player are at different places; where the story does not say, they are not."""
    cannot: str = ""
    """Why they listen to nobody: `dead` or `unconscious`."""


def listeners(state: StoryState, world: World) -> tuple[Listener, ...]:
    """Return everybody who could be talked to: who is with the player first, who cannot listen last."""
    found = [_listener(who, state, world) for who in _who_talk(world)]
    return tuple(sorted(found, key=lambda one: (bool(one.cannot), one.is_apart, one.name.casefold())))


def meet(who: CharacterId, state: StoryState, world: World) -> Listener:
    """Return somebody who listens, wherever they are.

    Raises:
        UnknownCharacterError: nobody of this world, or nobody who talks.
        ContentError: they are dead or unconscious.
    """
    allowed = _who_talk(world)
    if who not in allowed:
        raise UnknownCharacterError(who, "listener", allowed=allowed)
    found = _listener(who, state, world)
    if found.cannot:
        refused = ContentError("listener", f"{found.name} is {found.cannot}, and hears nobody")
        refused.cure = "choose somebody who is awake, or go back to a point at which they were"
        raise refused
    return found


def refuse_apart(listener: Listener, state: StoryState, world: World) -> None:
    """Refuse somebody who is elsewhere.

    Raises:
        ContentError: they and the player are at different places; says where.
    """
    if not listener.is_apart:
        return
    here = name_of(place_of(PLAYER, state, world), world)
    refused = ContentError("listener", f"{listener.name} is at {listener.place_name}, and you are at {here}")
    refused.cure = "walk over to them first, or choose somebody who is here"
    raise refused


def name_of(place: PlaceId | None, world: World) -> str:
    """Return what a place is called; nothing where there is none."""
    return next((p.name for p in world.places if p.id == place), place or "")


def _who_talk(world: World) -> tuple[CharacterId, ...]:
    """Return whom the player could talk to, in the order of the cast."""
    return tuple(c.id for c in world.cast if c.id != PLAYER and c.can_testify)


def _listener(who: CharacterId, state: StoryState, world: World) -> Listener:
    character = world.people[who]
    place, here = place_of(who, state, world), place_of(PLAYER, state, world)
    return Listener(
        who=who, name=character.name, place=place, place_name=name_of(place, world),
        is_apart=None not in {place, here} and place != here, cannot=state.fate_of(who),
    )  # fmt: skip
