"""Mirror what was written into the graph; compare the two, and rebuild the graph from the record."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby

import anyio
import msgspec
from msgspec import Struct

from ledger_service.domain.errors import GraphUnavailableError, StoreUnavailableError
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.ports import GraphState, MirrorQueue, OpenUnitOfWork, OutboxItem, RumourGraph
from ledger_service.recording.mirror import mirror_batch

AT_ONCE = 500
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
    """`belief` or `telling`."""
    name: str
    record: int | None
    graph: int | None


async def mirror_once(queue: MirrorQueue, graph: RumourGraph, *, limit: int = AT_ONCE) -> int:
    """Mirror the oldest waiting batches, one query for each playthrough, and return how many that were.

    What is mirrored and not yet marked when we are killed is mirrored again, which changes nothing.

    Raises:
        GraphUnavailableError: the graph is away; then what was mirrored is marked, and the rest waits.
    """
    items = await queue.take(limit=limit)
    done: list[int] = []
    try:
        ordered = sorted(items, key=lambda i: (i.playthrough_id, i.outbox_id))
        for playthrough_id, group in groupby(ordered, key=lambda i: i.playthrough_id):
            together = list(group)
            await graph.apply(playthrough_id, _merged(together))
            done += [item.outbox_id for item in together]
    finally:
        if done:
            await queue.mark_sent(done)
    return len(done)


def _merged(items: Sequence[OutboxItem]) -> MirrorBatch:
    return MirrorBatch(
        entries=tuple(e for item in items for e in item.batch.entries),
        tellings=tuple(t for item in items for t in item.batch.tellings),
    )


async def run_mirror(
    queue: MirrorQueue, graph: RumourGraph, *, sleep: Callable[[float], Awaitable[None]] = anyio.sleep
) -> None:
    """Keep the graph up to date until cancelled: woken by NOTIFY, polling besides, patient while a store is away."""
    wait = FIRST_WAIT_S
    while True:
        try:
            async with queue.wake() as reasons:
                async for _ in reasons:
                    while await mirror_once(queue, graph) == AT_ONCE:
                        pass
                    wait = FIRST_WAIT_S
        except (GraphUnavailableError, StoreUnavailableError):
            await sleep(wait)
            wait = min(LONGEST_WAIT_S, wait * 2)


async def mirror_status(queue: MirrorQueue, graph: RumourGraph) -> MirrorStatus:
    """Say whether the graph answers, and how much waits for it."""
    return MirrorStatus(is_up=await graph.is_up(), waiting=await queue.lag())


async def verify_mirror(
    playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork, graph: RumourGraph
) -> tuple[Difference, ...]:
    """Compare ids and whole millionths of confidence, and name every difference."""
    record = _state_of(await _project(playthrough_id, open_uow))
    mirrored = await graph.state(playthrough_id)
    names = sorted(record.beliefs.keys() | mirrored.beliefs.keys())
    beliefs = [
        Difference(what="belief", name=name, record=record.beliefs.get(name), graph=mirrored.beliefs.get(name))
        for name in names
        if record.beliefs.get(name) != mirrored.beliefs.get(name)
    ]
    tellings = [
        Difference(what="telling", name=name, record=int(name in record.tellings), graph=int(name in mirrored.tellings))
        for name in sorted(record.tellings ^ mirrored.tellings)
    ]
    return (*beliefs, *tellings)


async def rebuild_mirror(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork, graph: RumourGraph) -> int:
    """Throw the graph away and project it anew; return how many entries that took."""
    batch = await _project(playthrough_id, open_uow)
    await graph.drop(playthrough_id)
    await graph.apply(playthrough_id, batch)
    return len(batch.entries)


async def _project(playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork) -> MirrorBatch:
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        entries, _ = await uow.ledger.load_all()
        tellings = await uow.tellings.load_all()
    return mirror_batch([msgspec.structs.replace(e, embedding=b"") for e in entries], tellings)


def _state_of(batch: MirrorBatch) -> GraphState:
    return GraphState(
        beliefs={f"{e.version.entry_id}|{who}": m for e in batch.entries for who, m in e.holders.items()},
        tellings=frozenset(t.telling_id for t in batch.tellings if t.to_entry is not None),
    )
