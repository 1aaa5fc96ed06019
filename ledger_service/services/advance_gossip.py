"""Advance the hours: each is one event, whole or not at all, after which the graph is brought up to date."""

import contextlib
from collections.abc import AsyncIterator, Iterator

from msgspec import Struct

from ledger_service.domain.errors import ContentError, GraphUnavailableError
from ledger_service.domain.events import EventReceipt, HourPassed, RegionsCaughtUp
from ledger_service.domain.ids import PLAYER, PlaythroughId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import Embedder, MirrorQueue, OpenUnitOfWork, RumourGraph
from ledger_service.recording.presence import place_of
from ledger_service.services.mirror_rumours import mirror_items, mirror_once
from ledger_service.services.recent import Recent
from ledger_service.services.record_event import record_events
from ledger_service.services.story_state import world_of

MOST_HOURS = 10_000
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
    """With a key, the same hours go by once, however often they are asked for."""


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
        SequenceTakenError: somebody else wrote to this playthrough meanwhile; what was advanced before stands.
    """
    if not 1 <= passing.hours <= MOST_HOURS:
        raise ContentError("hours", f"from 1 to {MOST_HOURS:,} can go by at once, not {passing.hours:,}")
    if passing.every is not None and not 1 <= passing.every <= MOST_APART:
        raise ContentError("every", f"regions are caught up with every 1 to {MOST_APART} hours, not {passing.every}")
    last, recent = passing.expected_seq, Recent()
    for number in range(passing.hours):
        if last is None or passing.every is not None:
            seq, events = await _hour(playthrough_id, passing, number, open_uow)
            last = seq if last is None else last
        else:
            events = (HourPassed(key=_key(passing, number), regions=passing.regions),)
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


async def _hour(
    playthrough_id: PlaythroughId, passing: Passing, number: int, open_uow: OpenUnitOfWork
) -> tuple[int, tuple[HourPassed | RegionsCaughtUp, ...]]:
    """Return where the history ends, and the events of one hour: all regions, those named, or by level of detail."""
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.state()
        world = await world_of(uow, state.world_version)
    key = _key(passing, number)
    if passing.every is None:
        return state.seq, (HourPassed(key=key, regions=passing.regions),)
    near = passing.regions or _near_the_player(state, world)
    arrived = tuple(region for region in near if region in state.talked)
    due = tuple(r for r in _due(state.at.tick + 1, passing.every, world) if r not in near)
    before = (RegionsCaughtUp(key=key and f"{key}:arrived", regions=arrived),) if arrived else ()
    after = (RegionsCaughtUp(key=key and f"{key}:due", regions=due),) if due else ()
    return state.seq, (*before, HourPassed(key=key, regions=near), *after)


def _key(passing: Passing, number: int) -> str | None:
    return f"{passing.key}:{number}" if passing.key else None


def _near_the_player(state: StoryState, world: World) -> tuple[str, ...]:
    place = place_of(PLAYER, state, world)
    return () if place is None else (world.region_of(place),)


def _due(tick: int, every: int, world: World) -> Iterator[str]:
    """Yield the regions whose turn it is: each every so many hours, spread over them."""
    for number, region in enumerate(dict.fromkeys(world.region_by_place.values())):
        if (tick + number) % every == 0:
            yield region
