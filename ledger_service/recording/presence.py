"""Presence decides witnesses: who is where, awake, and within reach of what happens."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from ledger_service.domain.entries import Channel
from ledger_service.domain.events import (
    CommitmentMade,
    Deed,
    DocumentRead,
    GameEvent,
    Happened,
    Seen,
    Told,
    Utterance,
)
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import Character, World


class Audience(Struct, frozen=True, kw_only=True):
    """Who learns what happened, and who learns only that something did."""

    witnesses: tuple[CharacterId, ...]
    outsiders: tuple[CharacterId, ...] = ()


def place_of(who: CharacterId, state: StoryState, world: World) -> PlaceId | None:
    """Return where somebody is: the last `moved`, else their schedule at this tick."""
    return state.places.get(who) or world.place_by_schedule(who, state.at.tick)


def rooms_of(
    state: StoryState, world: World, *, tick: int, regions: Collection[str] | None = None
) -> dict[PlaceId, list[CharacterId]]:
    """Return who of the cast could talk to whom at a tick: those awake, by place, where two or more are together.

    The player is left out: what the player says and hears is the game's to report.
    """
    rooms: dict[PlaceId, list[CharacterId]] = {}
    for someone in _possibly_in(regions, state, world):
        if someone.id == PLAYER or not someone.can_testify or not state.is_awake(someone.id):
            continue
        place = state.places.get(someone.id) or someone.place_at(tick)
        if place in world.region_by_place and (regions is None or world.region_by_place[place] in regions):
            rooms.setdefault(place, []).append(someone.id)
    return {place: sorted(people) for place, people in sorted(rooms.items()) if len(people) > 1}


def _possibly_in(regions: Collection[str] | None, state: StoryState, world: World) -> Iterable[Character]:
    """Return those of the cast who can be in these regions: by their schedule, or because they were moved."""
    if regions is None:
        return world.cast
    moved = [world.people[who] for who in state.places if who in world.people]
    keep_to = [world.frequenters.get(region, ()) for region in regions]
    if len(keep_to) == 1 and not moved:
        return keep_to[0]
    return {c.id: c for people in (*keep_to, moved) for c in people}.values()


def present_at(place: PlaceId | None, state: StoryState, world: World) -> tuple[CharacterId, ...]:
    """Return everybody at a place who is awake."""
    if place is None:
        return ()
    people = dict.fromkeys((*(c.id for c in world.cast), PLAYER))
    awake = (who for who in people if state.is_awake(who))
    return tuple(who for who in awake if place_of(who, state, world) == place)


def audience_of(
    event: Seen, participants: Iterable[CharacterId | None], state: StoryState, world: World
) -> Audience:  # fmt: skip
    """Return who witnesses an event: those it names, else by place and channel. Without a place, who takes part."""
    taking_part = tuple(dict.fromkeys(p for p in participants if p))
    awake = tuple(p for p in taking_part if state.is_awake(p))
    if event.witnesses is not None:
        return Audience(witnesses=tuple(dict.fromkeys((*awake, *event.witnesses))))
    place = event.place or next((where for p in taking_part if (where := place_of(p, state, world))), None)
    if place is None:
        return Audience(witnesses=awake)
    there = _bystanders(present_at(place, state, world), taking_part, world)
    match event.channel:
        case Channel.PRIVATE | Channel.DOCUMENT:
            return Audience(witnesses=awake)
        case Channel.MUFFLED:
            return Audience(witnesses=awake, outsiders=there)
        case Channel.BROADCAST:
            region = world.region_of(place)
            near = [p.id for p in world.places if p.region == region] or [place]
            heard = dict.fromkeys(who for where in near for who in present_at(where, state, world))
            return Audience(witnesses=(*awake, *_bystanders(heard, taking_part, world)))
        case Channel.OPEN:
            return Audience(witnesses=(*awake, *there))


def witnesses_of(event: GameEvent, state: StoryState, world: World) -> frozenset[CharacterId]:
    """Return who could tell that an event happened; what the game sets by itself has no witnesses."""
    if not isinstance(event, Seen):
        return frozenset()
    return frozenset(audience_of(event, participants_of(event), state, world).witnesses)


def participants_of(event: Seen) -> tuple[CharacterId | None, ...]:
    """Return who takes part in an event, the one who acts first."""
    match event:
        case Deed(actor=actor, target=target) | Happened(actor=actor, target=target):
            return (actor, target)
        case Utterance(speaker=speaker, to=to):
            return (speaker, *to)
        case Told(teller=teller, listener=listener):
            return (teller, listener)
        case DocumentRead(reader=reader):
            return (reader,)
        case CommitmentMade(owner=owner, to=owed):
            return (owner, owed)
        case _:
            return ()


def _bystanders(
    people: Iterable[CharacterId], taking_part: Iterable[CharacterId], world: World
) -> tuple[CharacterId, ...]:
    """Leave out who takes part, and animals and the like: what they see becomes nobody's knowledge."""
    others = (who for who in people if who not in taking_part)
    return tuple(who for who in others if (found := world.find_character(who)) is None or found.can_testify)
