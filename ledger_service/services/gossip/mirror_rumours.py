"""Mirror what was written into the graph; compare the two, and rebuild the graph from the record."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from itertools import groupby
from weakref import WeakValueDictionary

import anyio
import msgspec
from msgspec import Struct

from ledger_service.domain.errors import (
    GraphReplacedError,
    GraphUnavailableError,
    StoreUnavailableError,
    UnknownPlaythroughError,
)
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.mirror import MirrorBatch, MirrorWorld, WorldState, merged, notice_state, world_state
from ledger_service.ports import (
    EntryFilter,
    GraphState,
    MirrorQueue,
    OpenUnitOfWork,
    OutboxItem,
    RumourGraph,
    UnitOfWork,
)
from ledger_service.recording.mirror import mirror_batch, presence_of, whole_world
from ledger_service.services.events.story_state import world_of

_log = logging.getLogger(__name__)
AT_ONCE = 500
PROJECTED_AT_ONCE = 50
"""Small, so that what a service is asked meanwhile does not wait while a page is worked on."""
_making: WeakValueDictionary[PlaythroughId, anyio.Lock] = WeakValueDictionary()
"""The graphs that are being made anew in this process: an engine may fall over one that is thrown away while several
others fill it."""
NEVER_PROJECTED = "the graph does not hold this playthrough whole: rebuild it, or let the mirror catch up"
FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0


class MirrorStatus(Struct, frozen=True, kw_only=True):
    """How the mirror stands."""

    is_up: bool
    waiting: int
    """Batches written and not yet mirrored."""


class Difference(Struct, frozen=True, kw_only=True):
    """One thing that record and graph disagree about."""

    what: str
    """`belief`, `telling`, or what of the world: `trust`, `strong trust`, `presence`, `place` ..."""
    name: str
    record: int | None
    graph: int | None


async def mirror_once(
    queue: MirrorQueue,
    graph: RumourGraph,
    *,
    open_uow: OpenUnitOfWork,
    limit: int = AT_ONCE,
    only: PlaythroughId | None = None,
) -> int:
    """Mirror the oldest waiting batches, of all playthroughs or `only` one, and return how many that were.

    What is mirrored and not yet marked when we are killed is mirrored again, which changes nothing.

    Raises:
        GraphUnavailableError: the graph is away; then what was mirrored is marked, and the rest waits.
    """
    items = await queue.take(limit=limit, only=only)
    await mirror_items(items, queue, graph, open_uow=open_uow)
    return len(items)


async def mirror_items(
    items: Sequence[OutboxItem], queue: MirrorQueue, graph: RumourGraph, *, open_uow: OpenUnitOfWork
) -> None:
    """Mirror batches that nothing older waits before.

    Raises:
        GraphUnavailableError: the graph is away; then what was mirrored is marked, and the rest waits.
    """
    done: list[int] = []
    try:
        ordered = sorted(items, key=lambda i: (i.playthrough_id, i.outbox_id))
        for playthrough_id, group in groupby(ordered, key=lambda i: i.playthrough_id):
            together = list(group)
            await _mirror(playthrough_id, merged(i.batch for i in together), graph=graph, open_uow=open_uow)
            done += [item.outbox_id for item in together]
    finally:
        if done:
            await queue.mark_sent(done)


async def _mirror(
    playthrough_id: PlaythroughId, batch: MirrorBatch, *, graph: RumourGraph, open_uow: OpenUnitOfWork
) -> None:
    """Apply a batch; where the graph is not there, or is to be made anew, project the record, which holds the batch."""
    if not batch.anew and await graph.apply(playthrough_id, batch):
        return
    async with _alone_with(playthrough_id):
        if not batch.anew and await graph.apply(playthrough_id, batch):
            return
        try:
            await _make_anew(playthrough_id, open_uow, graph)
        except UnknownPlaythroughError:
            await graph.drop(playthrough_id)


def _alone_with(playthrough_id: PlaythroughId) -> anyio.Lock:
    """Let one at a time of those here who mirror make a graph anew; the others then find it made."""
    return _making.setdefault(playthrough_id, anyio.Lock())


async def run_mirror(
    queue: MirrorQueue,
    graph: RumourGraph,
    *,
    open_uow: OpenUnitOfWork,
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> None:
    """Keep the graph up to date until cancelled: woken by NOTIFY, polling besides, patient while a store is away.

    A server that comes back empty is filled again from the record.
    """
    wait = FIRST_WAIT_S
    known = ""
    while True:
        try:
            async with queue.wake() as reasons:
                async for _ in reasons:
                    await _catch_up(queue, graph, open_uow=open_uow)
                    known = await _refill_if_emptied(queue, graph, open_uow=open_uow, known=known)
                    wait = FIRST_WAIT_S
        except (GraphUnavailableError, StoreUnavailableError) as error:
            level = logging.DEBUG if isinstance(error, GraphReplacedError) else logging.WARNING
            _log.log(level, "the mirror waits %.1f s: %s", wait, error)
            await sleep(wait)
            wait = min(LONGEST_WAIT_S, wait * 2)


async def _catch_up(queue: MirrorQueue, graph: RumourGraph, *, open_uow: OpenUnitOfWork) -> None:
    while await mirror_once(queue, graph, open_uow=open_uow) == AT_ONCE:
        pass


async def _refill_if_emptied(queue: MirrorQueue, graph: RumourGraph, *, open_uow: OpenUnitOfWork, known: str) -> str:
    """Fill every graph that is not whole, when the server is another than the one we knew; new events go first."""
    incarnation = await graph.incarnation()
    if incarnation == known:
        return known
    after: PlaythroughId | None = None
    while True:
        async with open_uow() as uow:
            playthroughs = await uow.playthroughs.list_all(limit=AT_ONCE, after=after)
        for playthrough in playthroughs:
            after = playthrough.playthrough_id
            if not await graph.is_whole(after) and await _has_history(after, open_uow):
                await _mirror(after, MirrorBatch(anew=True), graph=graph, open_uow=open_uow)
            await _catch_up(queue, graph, open_uow=open_uow)
        if len(playthroughs) < AT_ONCE:
            return incarnation


async def _has_history(playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork) -> bool:
    async with open_uow(playthrough_id) as uow:
        return (await uow.playthroughs.state()).seq > 0


async def mirror_status(queue: MirrorQueue, graph: RumourGraph) -> MirrorStatus:
    """Say whether the graph answers, and how much waits for it."""
    return MirrorStatus(is_up=await graph.is_up(), waiting=await queue.lag())


async def verify_mirror(
    playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork, graph: RumourGraph
) -> tuple[Difference, ...]:
    """Compare ids, whole millionths of confidence and trust, and who is where, and name every difference.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
        GraphUnavailableError: the graph is away.
    """
    record = await _recorded_state(playthrough_id, open_uow)
    if not await graph.is_whole(playthrough_id):
        return (Difference(what="projection", name=NEVER_PROJECTED, record=1, graph=0),)
    mirrored = await graph.state(playthrough_id)
    world = [d for what in record.world for d in _differences(what, record.world, mirrored.world)]
    beliefs = _differences("belief", {"belief": record.beliefs}, {"belief": mirrored.beliefs})
    tellings = [
        Difference(what="telling", name=name, record=int(name in record.tellings), graph=int(name in mirrored.tellings))
        for name in sorted(record.tellings ^ mirrored.tellings)
    ]
    return (*beliefs, *tellings, *world)


def _differences(what: str, record: WorldState, graph: WorldState) -> list[Difference]:
    recorded, mirrored = record[what], graph.get(what, {})
    return [
        Difference(what=what, name=name, record=recorded.get(name), graph=mirrored.get(name))
        for name in sorted(recorded.keys() | mirrored.keys())
        if recorded.get(name) != mirrored.get(name)
    ]


async def rebuild_mirror(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork, graph: RumourGraph) -> int:
    """Throw the graph away and project it anew; return how many entries that took.

    The record is read after the new graph was begun. What is written later waits in the outbox until the graph is
    whole, so that nothing falls between the two. Where somebody else begins meanwhile, theirs goes on and ours ends.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
        GraphUnavailableError: the graph is away.
    """
    async with _alone_with(playthrough_id):
        return await _make_anew(playthrough_id, open_uow, graph)


async def _make_anew(playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork, graph: RumourGraph) -> int:
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        (world,) = (await _world(uow)).worlds
    filling = await graph.begin(playthrough_id, world)
    entries = 0
    async with aclosing(_project(playthrough_id, open_uow)) as batches:
        async for batch in batches:
            if not await graph.apply(playthrough_id, _without(world, batch), filling=filling):
                return entries
            entries += len(batch.entries)
    await graph.finish(playthrough_id, filling)
    return entries


def _without(world: MirrorWorld, batch: MirrorBatch) -> MirrorBatch:
    """Leave out a world with which a graph was begun."""
    rest = tuple(w for w in batch.worlds if msgspec.structs.replace(w, seq=world.seq) != world)
    return msgspec.structs.replace(batch, worlds=rest)


async def _project(playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork) -> AsyncGenerator[MirrorBatch]:
    """Yield the record as batches: the world, then entries before tellings, which so find both their ends."""
    async with open_uow(playthrough_id) as uow:
        before = await _world(uow)
        after: str | None = None
        while True:
            page = await uow.ledger.page(EntryFilter(), limit=PROJECTED_AT_ONCE, after=after)
            yield merged((before, mirror_batch(page.entries, (), page.amendments)))
            before, after = MirrorBatch(), page.next_after
            if after is None:
                break
        tellings = await uow.tellings.load_all()
        if tellings:
            yield mirror_batch((), tellings)


async def _world(uow: UnitOfWork) -> MirrorBatch:
    """Return the world as it is now; what changes from here on is written after this state, and mirrored after it."""
    state = await uow.playthroughs.state()
    world = await world_of(uow, state.world_version)
    return MirrorBatch(worlds=(whole_world(world, seq=state.seq),), present=presence_of(state, world))


async def _recorded_state(playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork) -> GraphState:
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
    beliefs: dict[str, int] = {}
    tellings: set[str] = set()
    notices: dict[str, int] = {}
    world: WorldState = {}
    async for batch in _project(playthrough_id, open_uow):
        for w in batch.worlds:
            here = [(p.who, p.place) for p in batch.present if p.place is not None]
            world = world_state(w.cast, w.places, w.trusts, here, w.rules)
        beliefs |= {f"{e.version.entry_id}|{who}": held for e in batch.entries for who, held in e.holders.items()}
        for b in sorted(batch.beliefs, key=lambda b: b.seq):
            beliefs[f"{b.entry_id}|{b.who}"] = b.millionths
        tellings |= {t.telling_id for t in batch.tellings}
        notices |= notice_state(batch.notices, batch.endings)
    world["notice"] = notices
    return GraphState(beliefs=beliefs, tellings=frozenset(tellings), world=world)
