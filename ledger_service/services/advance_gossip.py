"""Advance the hours: each is one event, whole or not at all, after which the graph is brought up to date."""

import contextlib
from collections.abc import AsyncIterator

from msgspec import Struct

from ledger_service.domain.errors import ContentError, GraphUnavailableError
from ledger_service.domain.events import EventReceipt, HourPassed
from ledger_service.domain.ids import PlaythroughId
from ledger_service.ports import Embedder, MirrorQueue, OpenUnitOfWork, RumourGraph
from ledger_service.services.mirror_rumours import mirror_once
from ledger_service.services.record_event import record_events

MOST_HOURS = 10_000


class Passing(Struct, frozen=True, kw_only=True):
    """How many hours go by, and where people talk meanwhile."""

    hours: int = 1
    regions: tuple[str, ...] | None = None
    """None is everywhere."""
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
    async with open_uow(playthrough_id) as uow:
        now = await uow.playthroughs.state()
        last = now.seq if passing.expected_seq is None else passing.expected_seq
    for number in range(passing.hours):
        key = f"{passing.key}:{number}" if passing.key else None
        event = HourPassed(key=key, regions=passing.regions)
        (receipt,) = await record_events(
            playthrough_id, (event,), open_uow=open_uow, embedder=embedder, expected_seq=last, graph=graph
        )
        last = max(last, receipt.seq)
        if graph is not None and queue is not None:
            with contextlib.suppress(GraphUnavailableError):
                await mirror_once(queue, graph, open_uow=open_uow, only=playthrough_id)
        yield receipt
