"""Presence decides witnesses: who is where, awake, and within reach of what happens."""

from collections.abc import Iterable

from msgspec import Struct

from ledger_service.domain.entries import Channel
from ledger_service.domain.events import Seen
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World


class Audience(Struct, frozen=True, kw_only=True):
    """Who learns what happened, and who learns only that something did."""

    witnesses: tuple[CharacterId, ...]
    outsiders: tuple[CharacterId, ...] = ()


def place_of(who: CharacterId, state: StoryState, world: World) -> PlaceId | None:
    """Return where somebody is: the last `moved`, else their schedule at this tick."""
    return state.places.get(who) or world.place_by_schedule(who, state.at.tick)


def present_at(place: PlaceId | None, state: StoryState, world: World) -> tuple[CharacterId, ...]:
    """Return everybody at a place who is awake."""
    if place is None:
        return ()
    people = dict.fromkeys((*(c.id for c in world.cast), PLAYER))
    awake = (who for who in people if who not in state.unconscious)
    return tuple(who for who in awake if place_of(who, state, world) == place)


def audience_of(
    event: Seen, participants: Iterable[CharacterId | None], state: StoryState, world: World
) -> Audience:  # fmt: skip
    """Return who witnesses an event: those it names, else by place and channel."""
    taking_part = tuple(dict.fromkeys(p for p in participants if p))
    awake = tuple(p for p in taking_part if p not in state.unconscious)
    if event.witnesses is not None:
        return Audience(witnesses=_can_testify(dict.fromkeys((*awake, *event.witnesses)), world))
    place = event.place or next((where for p in taking_part if (where := place_of(p, state, world))), None)
    there = present_at(place, state, world)
    match event.channel:
        case Channel.PRIVATE | Channel.DOCUMENT:
            return Audience(witnesses=awake)
        case Channel.MUFFLED:
            outside = tuple(who for who in there if who not in awake)
            return Audience(witnesses=awake, outsiders=_can_testify(outside, world))
        case Channel.BROADCAST:
            region = world.region_of(place)
            near = [p.id for p in world.places if p.region == region] or ([place] if place else [])
            heard = [who for where in near for who in present_at(where, state, world)]
            return Audience(witnesses=_can_testify(dict.fromkeys((*awake, *heard)), world))
        case Channel.OPEN:
            return Audience(witnesses=_can_testify(dict.fromkeys((*awake, *there)), world))


def _can_testify(people: Iterable[CharacterId], world: World) -> tuple[CharacterId, ...]:
    """Leave out animals and the like: what they see becomes nobody's knowledge but their own."""
    return tuple(who for who in people if (found := world.find_character(who)) is None or found.can_testify)
