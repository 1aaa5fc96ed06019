"""Advance the hours: each is one event, whole or not at all, after which the graph is brought up to date."""

import contextlib
from collections.abc import AsyncIterator, Iterator

from msgspec import UNSET, Struct, UnsetType

from ledger_service.domain.errors import ContentError, EmptyScopeError, GraphUnavailableError
from ledger_service.domain.events import EventReceipt, HourPassed, HoursAsked, RegionsCaughtUp
from ledger_service.domain.ids import PLAYER, PlaythroughId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import Embedder, MirrorQueue, OpenUnitOfWork, RumourGraph
from ledger_service.recording.presence import place_of
from ledger_service.services.events.recent import Recent
from ledger_service.services.events.record_event import record_events
from ledger_service.services.events.story_state import world_of
from ledger_service.services.gossip.hours_before import ARRIVED, DUE, NONE_BEFORE, HoursBefore, hours_before, part_key
from ledger_service.services.gossip.mirror_rumours import mirror_items, mirror_once

MOST_HOURS = 10_000
"""At once where each hour is told of as it goes by."""
MOST_HOURS_ANSWERED = 240
"""At once where they are answered for all together, in the time that a request has."""
MOST_APART = 168


class Passing(Struct, frozen=True, kw_only=True):
    """How many hours go by, and where people talk meanwhile."""

    hours: int = 1
    regions: tuple[str, ...] | None = None
    """None is everywhere; with `every`, None is wherever the player is."""
    every: int | None = None
    """Level of detail: other regions are caught up with every so many hours, each in one go."""
    expected_seq: int | None = None
    key: str | None = None
    """With a key, the same hours go by once, however often they are asked for; broken off, asking again ends them."""

    @property
    def asked(self) -> HoursAsked | UnsetType:
        """What each of these hours says it is one of."""
        if self.key is None:
            return UNSET
        return HoursAsked(hours=self.hours, regions=self.regions, every=self.every)


async def advance_gossip(
    playthrough_id: PlaythroughId,
    passing: Passing,
    *,
    open_uow: OpenUnitOfWork,
    embedder: Embedder | None = None,
    graph: RumourGraph | None = None,
    queue: MirrorQueue | None = None,
) -> AsyncIterator[EventReceipt]:
    """Let hours go by, and yield what each came to: tellings, and what was not passed on and why.

    With a graph, tellings are looked for there and it is mirrored after each hour; without one, or while it is away,
    the record answers and nothing differs. Killed on the way, whole hours stand and the rest is as if never asked for.

    Raises:
        ContentError: hours below 1 or above MOST_HOURS.
        EmptyScopeError: a list of regions that names none.
        DuplicateKeyError: the key was given other hours before, or other hours went by before these were through.
        SequenceTakenError: somebody else wrote to this playthrough meanwhile; what was advanced before stands.
    """
    if not 1 <= passing.hours <= MOST_HOURS:
        raise ContentError("hours", f"from 1 to {MOST_HOURS:,} can go by at once, not {passing.hours:,}")
    if passing.every is not None and not 1 <= passing.every <= MOST_APART:
        raise ContentError("every", f"regions are caught up with every 1 to {MOST_APART} hours, not {passing.every}")
    if passing.regions == ():
        raise EmptyScopeError("regions")
    before, asked = NONE_BEFORE, passing.asked
    if passing.key is not None and asked is not UNSET:
        before = await hours_before(playthrough_id, passing.key, asked, open_uow=open_uow)
    for receipt in before.receipts:
        yield receipt
    last, recent = _end_of(before, passing.expected_seq), Recent()
    for number in range(before.hours, passing.hours):
        if last is None or passing.every is not None:
            seq, events = await _hour(playthrough_id, passing, number, open_uow)
            last = seq if last is None else last
        else:
            events = (HourPassed(key=_key(passing, number), regions=passing.regions, asked=asked),)
        receipts = await record_events(
            playthrough_id, events, open_uow=open_uow, embedder=embedder, expected_seq=last, graph=graph, recent=recent
        )
        last = max(last, receipts[-1].seq)
        if graph is not None and queue is not None:
            with contextlib.suppress(GraphUnavailableError):
                if recent.left is not None:
                    await mirror_items((recent.left,), queue, graph, open_uow=open_uow)
                    recent.mirrored()
                else:
                    await mirror_once(queue, graph, open_uow=open_uow, only=playthrough_id)
        for receipt in receipts:
            yield receipt


def _end_of(before: HoursBefore, expected_seq: int | None) -> int | None:
    """Return where the history must end for the next hour to follow; None is wherever it does."""
    if expected_seq is None or not before.receipts:
        return before.seq if expected_seq is None else expected_seq
    return max(expected_seq, before.receipts[-1].seq)


async def _hour(
    playthrough_id: PlaythroughId, passing: Passing, number: int, open_uow: OpenUnitOfWork
) -> tuple[int, tuple[HourPassed | RegionsCaughtUp, ...]]:
    """Return where the history ends, and the events of one hour: all regions, those named, or by level of detail."""
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.state()
        world = await world_of(uow, state.world_version)
    key, asked = _key(passing, number), passing.asked
    if passing.every is None:
        return state.seq, (HourPassed(key=key, regions=passing.regions, asked=asked),)
    near = passing.regions or _near_the_player(state, world)
    arrived = tuple(region for region in near if region in state.talked)
    due = tuple(r for r in _due(state.at.tick + 1, passing.every, world) if r not in near)
    before = (RegionsCaughtUp(key=_key(passing, number, ARRIVED), regions=arrived),) if arrived else ()
    after = (RegionsCaughtUp(key=_key(passing, number, DUE), regions=due),) if due else ()
    return state.seq, (*before, HourPassed(key=key, regions=near, asked=asked), *after)


def _key(passing: Passing, number: int, of: str = "") -> str | None:
    return None if passing.key is None else part_key(passing.key, number, of)


def _near_the_player(state: StoryState, world: World) -> tuple[str, ...]:
    place = place_of(PLAYER, state, world)
    return () if place is None else (world.region_of(place),)


def _due(tick: int, every: int, world: World) -> Iterator[str]:
    """Yield the regions whose turn it is: each every so many hours, spread over them."""
    for number, region in enumerate(dict.fromkeys(world.region_by_place.values())):
        if (tick + number) % every == 0:
            yield region
