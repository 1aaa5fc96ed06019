"""Where the story stands after an event: time, places, groups, state, what has happened."""

import msgspec

from ledger_service.domain.errors import OutOfOrderError
from ledger_service.domain.events import (
    Died,
    Event,
    EventsWithSlots,
    FellUnconscious,
    GameEvent,
    GroupJoined,
    GroupLeft,
    Happened,
    HourPassed,
    Moved,
    RegionsCaughtUp,
    SceneChanged,
    Seeded,
    StateSet,
    TimePassed,
    Utterance,
    Woke,
    WorldChanged,
)
from ledger_service.domain.ids import PLAYER, group_scope
from ledger_service.domain.playthroughs import Occurrence, StoryState
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Membership
from ledger_service.domain.vocabulary import as_declared
from ledger_service.domain.worlds import World

MOST_OCCURRENCES = 500


def opening_state(world: World, version: str) -> StoryState:
    """Return where a story stands before its first event."""
    members = [Membership(group=group_scope(g.id), who=who) for g in world.groups for who in g.members]
    return StoryState(memberships=tuple(members), values=dict(world.state), world_version=version)


def advance(state: StoryState, event: GameEvent, world: World, *, seq: int) -> StoryState:
    """Return the state after an event; every field is derived, and none is taken on trust.

    Raises:
        OutOfOrderError: the event claims an earlier tick than the story has reached.
    """
    moved = msgspec.structs.replace(state, seq=seq, at=_time_after(state.at, event))
    match event:
        case Moved(who=who, to=to):
            return msgspec.structs.replace(moved, places={**state.places, who: to})
        case SceneChanged(place=place) if place is not None:
            return msgspec.structs.replace(moved, places={**state.places, PLAYER: place})
        case StateSet(state_key=key, value=value):
            kept = as_declared(value, world.state.get(key, value))
            return msgspec.structs.replace(moved, values={**state.values, key: value if kept is None else kept})
        case Happened(name=name, fields=fields):
            return msgspec.structs.replace(moved, occurrences=_occurred(state, name, dict(fields), seq))
        case GroupJoined() | GroupLeft():
            return msgspec.structs.replace(moved, memberships=_memberships(state, event, seq))
        case HourPassed() | RegionsCaughtUp():
            return msgspec.structs.replace(moved, talked=_talked(state, event, world))
        case Seeded(seed=seed):
            return msgspec.structs.replace(moved, seed=seed)
        case FellUnconscious() | Died() | Woke():
            return _wakefulness(moved, event)
        case WorldChanged(world_version=version):
            return msgspec.structs.replace(moved, world_version=version)
        case _:
            return _with_persona(moved, event, world)


def _talked(before: StoryState, event: HourPassed | RegionsCaughtUp, world: World) -> dict[str, int]:
    """Return the regions that are behind; one that was not watched in an hour talked last when it began."""
    if event.regions is None:
        return {}
    behind = dict(before.talked)
    if isinstance(event, HourPassed):
        behind = {r: behind.get(r, before.at.tick) for r in dict.fromkeys(world.region_by_place.values())}
    return {region: tick for region, tick in behind.items() if region not in event.regions}


def _wakefulness(state: StoryState, event: FellUnconscious | Died | Woke) -> StoryState:
    match event:
        case FellUnconscious(who=who):
            return msgspec.structs.replace(state, unconscious=tuple(dict.fromkeys((*state.unconscious, who))))
        case Died(who=who):
            return msgspec.structs.replace(state, dead=tuple(dict.fromkeys((*state.dead, who))))
        case Woke(who=who):
            return msgspec.structs.replace(state, unconscious=tuple(w for w in state.unconscious if w != who))


def _time_after(at: StoryTime, event: Event) -> StoryTime:
    if event.tick is not None and event.tick < at.tick:
        raise OutOfOrderError(event.tick, at.tick)
    tick = at.tick if event.tick is None else event.tick
    match event:
        case HourPassed():
            return StoryTime(tick=tick + 1, scene=at.scene, turn=at.turn)
        case TimePassed(hours=hours):
            return StoryTime(tick=tick + hours, scene=at.scene, turn=at.turn)
        case SceneChanged():
            return StoryTime(tick=tick, scene=at.scene + 1, turn=at.turn)
        case Utterance():
            return StoryTime(tick=tick, scene=at.scene, turn=at.turn + 1)
        case _:
            return StoryTime(tick=tick, scene=at.scene, turn=at.turn)


def _occurred(
    state: StoryState, name: str, fields: dict[str, str | int | float | bool], seq: int
) -> tuple[Occurrence, ...]:
    """Keep the last occurrence of each name with each set of fields."""
    others = [o for o in state.occurrences if (o.name, o.fields) != (name, fields)]
    return (*others[-MOST_OCCURRENCES + 1 :], Occurrence(name=name, seq=seq, fields=fields))


def _memberships(state: StoryState, event: GroupJoined | GroupLeft, seq: int) -> tuple[Membership, ...]:
    """Return every stay in a group after somebody joined (again changes nothing) or left."""
    scope = group_scope(event.group)
    if isinstance(event, GroupJoined):
        if state.roster.is_member(event.who, event.group, at_seq=seq):
            return state.memberships
        return (*state.memberships, Membership(group=scope, who=event.who, joined_seq=seq))
    return tuple(
        msgspec.structs.replace(m, left_seq=seq) if (m.who, m.group, m.left_seq) == (event.who, scope, None) else m
        for m in state.memberships
    )


def _with_persona(state: StoryState, event: GameEvent, world: World) -> StoryState:
    """A claim that two names are one person is how somebody goes about; denying it takes the mask off."""
    slot = event.slot if isinstance(event, EventsWithSlots) else None
    declared = world.predicates.get(slot.predicate) if slot is not None else None
    if slot is None or declared is None or not declared.same_as:
        return state
    others = {who: name for who, name in state.personas.items() if who != slot.object}
    personas = {**others, slot.object: slot.subject} if slot.polarity else others
    return msgspec.structs.replace(state, personas=personas)
