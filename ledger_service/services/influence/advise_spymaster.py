"""The spymaster's advice: find openings, rehearse the best, and say what to do so that a story reaches somebody."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

import msgspec
from msgspec import Struct

from ledger_service.domain.entries import Channel
from ledger_service.domain.errors import ContentError, UnknownCharacterError
from ledger_service.domain.events import Deed, GameEvent, Told
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId, PlaythroughId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.story_time import HOURS_A_DAY, StoryTime, hour_of_day
from ledger_service.domain.trust import talkers_of
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, Rehearse
from ledger_service.recording.mirror import whereabouts
from ledger_service.rumours.influence import Network, network_of
from ledger_service.rumours.spymaster import (
    Believed,
    Calling,
    Hop,
    Idle,
    Means,
    Opening,
    Plan,
    Presence,
    Story,
    believed_by,
    calling_of,
    choose,
    in_words,
    openings,
    praise_of,
    trusts_in_words,
)
from ledger_service.services.influence.rehearse_story import (
    Arrival,
    Effort,
    Rehearsal,
    Rehearsed,
    rehearse_story,
    take_snapshot,
)

WITHIN_HOURS = 48
"""So long a story may take from its beginning to the target."""
MOST_EFFORT: Final = 150_000
"""Hours that are rehearsed, each counted once for every entry on record: about three seconds at most."""


class Advice(Struct, frozen=True, kw_only=True):
    """How a story could reach somebody, from where the playthrough stands now."""

    target: CharacterId
    at: StoryTime
    at_seq: int
    """The plans come out as they say from here on, as long as nothing else happens."""
    story: Story
    trusts: tuple[Believed, ...]
    """Whom the target believes, most first, and where each is next found."""
    summary: str
    plans: tuple[Plan, ...]
    """The surest and soonest first."""
    openings: int = 0
    """Moments that were worth a rehearsal."""
    rehearsed: int = 0
    """How many of them were played through: all, unless there is too much on record."""


async def advise_spymaster(
    playthrough_id: PlaythroughId,
    target: CharacterId,
    *,
    open_uow: OpenUnitOfWork,
    rehearse: Rehearse,
    story: Story | None = None,
    effort: int = MOST_EFFORT,
) -> Advice:
    """Say where to be seen doing good, or whom to whisper to, so that it reaches a target; at most three plans.

    Openings within a day are ordered by the most trusted way to the target among those who meet; the best of each kind
    are played on a copy of the playthrough, hour by hour, so that played for real they come out as promised. However
    much is on record, no more than `effort` goes into it; the advice says how many openings that was enough for.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
        UnknownCharacterError: the target is not in the cast.
        ContentError: nothing can be told to the target, or there is too much to rehearse with.
    """
    snapshot = await take_snapshot(playthrough_id, open_uow=open_uow)
    state = snapshot.state
    world = snapshot.worlds[state.world_version]
    _check_target(target, state, world)
    if story is not None and story.ladder is not None and world.find_ladder(story.ladder) is None:
        raise ContentError("ladder", f"the world has no ladder named {story.ladder!r}")
    told = story or praise_of(world)
    presence = presence_from(state, world)
    idle = idle_in(presence, state, world)
    network = network_of(world)
    called = calling_of(world)
    found = openings(target, presence, network, idle=idle)
    rehearsed = await _rehearse_all(
        [(o, _event_of(o, told)) for o in found],
        Rehearsal(snapshot, rehearse=rehearse, effort=Effort(effort)),
        target=target,
    )
    plans = [
        _plan(opening, event, outcome.arrival, state, network)
        for opening, event, outcome in rehearsed
        if outcome.arrival is not None
    ]
    chosen = tuple(_in_words(p, target, called) for p in choose(plans))
    believed = believed_by(target, network, presence, idle=idle)
    return Advice(
        target=target,
        at=state.at,
        at_seq=state.seq,
        story=told,
        trusts=believed,
        summary=_summary(target, believed, called, found=len(found), rehearsed=len(rehearsed), has_plans=bool(chosen)),
        plans=chosen,
        openings=len(found),
        rehearsed=len(rehearsed),
    )


async def _rehearse_all(
    begun: Sequence[tuple[Opening, GameEvent]], waiting: Rehearsal, *, target: CharacterId
) -> list[tuple[Opening, GameEvent, Rehearsed]]:
    """Play every opening on from one line of waiting hours, in turns of deed and whisper, the most promising first.

    Of those for which no effort is left nothing comes.
    """
    ready: list[tuple[Opening, GameEvent, Rehearsal]] = []
    for opening, event in sorted(begun, key=lambda pair: pair[0].tick):
        if not await waiting.wait_until(opening.tick):
            break
        ready.append((opening, event, await waiting.branch()))
    place = {id(opening): number for number, opening in enumerate(_in_turns([o for o, _ in begun]))}
    found: list[tuple[Opening, GameEvent, Rehearsed]] = []
    for opening, event, rehearsal in sorted(ready, key=lambda of: place[id(of[0])]):
        outcome = await rehearse_story(rehearsal, event, target=target, until_hours=WITHIN_HOURS)
        if not outcome.is_whole:
            break
        found.append((opening, event, outcome))
    return found


def _in_turns(found: Sequence[Opening]) -> list[Opening]:
    by_means = [[o for o in found if o.means is means] for means in Means]
    return [o for turn in zip_longest(*by_means) for o in turn if o is not None]


def _check_target(target: CharacterId, state: StoryState, world: World) -> None:
    found = next((c for c in world.cast if c.id == target), None)
    if found is None or target == PLAYER:
        raise UnknownCharacterError(target, "target", allowed=tuple(c.id for c in world.cast if c.id != PLAYER))
    if not found.can_testify:
        raise ContentError("target", f"{target} cannot testify, and is told nothing")
    fate = state.fate_of(target)
    if fate:
        raise ContentError("target", f"{target} is {fate}")


def presence_from(state: StoryState, world: World) -> Presence:
    """Return who can be met where in each of the next 24 hours, beginning now, if nobody is moved."""
    return {
        state.at.tick + n: _rooms(msgspec.structs.replace(state, at=StoryTime(tick=state.at.tick + n)), world)
        for n in range(HOURS_A_DAY)
    }


def _rooms(state: StoryState, world: World) -> dict[PlaceId, list[CharacterId]]:
    talkers = {who for who in talkers_of(world) if state.is_awake(who)}
    known = {p.id for p in world.places}
    rooms: dict[PlaceId, list[CharacterId]] = {}
    for who, place in whereabouts(state, world).items():
        if who in talkers and place in known:
            rooms.setdefault(place, []).append(who)
    return rooms


def idle_in(presence: Presence, state: StoryState, world: World) -> Idle:
    """Return who is merely at home when: neither was moved there, nor has it in the schedule."""
    busy = {c.id: msgspec.structs.replace(c, home=None) for c in world.cast}
    return frozenset(
        (tick, who)
        for tick, rooms in presence.items()
        for people in rooms.values()
        for who in people
        if who not in state.places and busy[who].place_at(tick) is None
    )


def _event_of(plan: Opening, story: Story) -> GameEvent:
    """Return what the game reports when the player does it, at its hour."""
    match plan.means:
        case Means.DEED:
            return Deed(
                actor=PLAYER, statement=story.statement, place=plan.place, ladder=story.ladder, subject=PLAYER
            )  # fmt: skip
        case Means.WHISPER:
            return Told(
                teller=PLAYER, listener=plan.to[0], statement=story.statement, place=plan.place, ladder=story.ladder,
                subject=PLAYER, channel=Channel.PRIVATE,
            )  # fmt: skip


def _plan(opening: Opening, event: GameEvent, arrival: Arrival, state: StoryState, network: Network) -> Plan:
    return Plan(
        means=opening.means,
        wait_hours=opening.tick - state.at.tick,
        tick=opening.tick,
        hour=hour_of_day(opening.tick),
        place=opening.place,
        to=opening.to,
        event=event,
        hops=tuple(
            Hop(
                teller=t.teller,
                listener=t.listener,
                trust=network.trust.get((t.listener, t.teller), 0.0),
                tick=t.tick,
                place=t.place,
                offered=t.offered_millionths / 1_000_000,
            )
            for t in arrival.tellings
        ),
        also=arrival.also,
        then_hours=arrival.tick - opening.tick,
        reaches_at=arrival.tick,
        confidence=arrival.confidence,
        wording=arrival.wording,
    )


def _in_words(plan: Plan, target: CharacterId, called: Calling) -> Plan:
    return msgspec.structs.replace(plan, sentence=in_words(plan, target, called))


def _summary(
    target: CharacterId, believed: tuple[Believed, ...], called: Calling, *, found: int, rehearsed: int, has_plans: bool
) -> str:
    said = [trusts_in_words(target, believed, called)]
    if believed and rehearsed < found:
        said.append(
            f"Of {found} openings {rehearsed} were played through; with so much on record, more would take too long."
        )
    elif believed and not has_plans:
        said.append(f"Nothing that is begun within a day reaches {called.person(target)} within two more.")
    return " ".join(said)
