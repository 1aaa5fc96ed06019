"""Opening graphs by copy and letting idle ones go: one copy at a time, none during a save, the record behind all."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
import redis.asyncio as redis

from ledger_service.domain.errors import GraphUnavailableError, NotProjectedError
from ledger_service.domain.events import Deed
from ledger_service.domain.ids import PlaythroughId
from ledger_service.recording.mirror import whole_world
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.mirror_rumours import mirror_once, rebuild_mirror, verify_mirror
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph, graph_name
from ledger_service.stores.falkordb.worlds import TRIES, WorldTemplates, template_name
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import PlainEmbedder
from tests.integration.servers import Servers
from tests.villages import RUNGS, worked

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]


@pytest.fixture
def copying(client: GraphClient, stores: PostgresStores) -> FalkorRumourGraph:
    templates = WorldTemplates(client, one_at_a_time=stores.one_copy_at_a_time, always=True)
    return FalkorRumourGraph(client, templates)


async def begin(stores: PostgresStores) -> PlaythroughId:
    version = await add_world(worked(), open_uow=stores.open_uow)
    played = (await open_playthrough(version, open_uow=stores.open_uow, seed=5)).playthrough_id
    theft = Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player")
    await record_events(played, (theft,), open_uow=stores.open_uow, embedder=PlainEmbedder())
    return played


async def test_a_copied_graph_is_the_same_as_a_projected_one(
    stores: PostgresStores, client: GraphClient, copying: FalkorRumourGraph
) -> None:
    copied, projected = await begin(stores), await begin(stores)
    await rebuild_mirror(copied, open_uow=stores.open_uow, graph=copying)
    await rebuild_mirror(projected, open_uow=stores.open_uow, graph=FalkorRumourGraph(client))
    assert await copying.state(copied) == await copying.state(projected)
    for played in (copied, projected):
        assert await verify_mirror(played, open_uow=stores.open_uow, graph=copying) == ()
    named = "MATCH (c:Character) WHERE c.name IS NOT NULL RETURN count(c)"
    assert await client.read(template_name(whole_world(worked(), seq=0)), named) == [[4]]


async def test_copies_asked_for_at_once_are_made_one_after_another(
    stores: PostgresStores, client: GraphClient, copying: FalkorRumourGraph
) -> None:
    played = [await begin(stores) for _ in range(8)]
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for one in played:
                tasks.start_soon(rebuild_of(one, stores, copying))
    for one in played:
        assert await copying.is_whole(one)


def rebuild_of(played: PlaythroughId, stores: PostgresStores, graph: FalkorRumourGraph):
    async def rebuild() -> None:
        await rebuild_mirror(played, open_uow=stores.open_uow, graph=graph)

    return rebuild


async def test_a_template_that_was_left_half_made_or_is_missing_is_made_anew(
    stores: PostgresStores, client: GraphClient, copying: FalkorRumourGraph
) -> None:
    template = template_name(whole_world(worked(), seq=0))
    for ruin in ("MATCH (c:Character) DELETE c", "MATCH (m:Mirror) SET m.whole = false"):
        await client.drop(template)
        await client.write(template, ruin)
        played = await begin(stores)
        await rebuild_mirror(played, open_uow=stores.open_uow, graph=copying)
        assert await verify_mirror(played, open_uow=stores.open_uow, graph=copying) == ()


async def test_during_a_save_and_on_an_engine_that_may_hang_a_world_is_projected(
    servers: Servers, stores: PostgresStores, client: GraphClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def alone() -> AsyncIterator[None]:
        yield

    old_engine = WorldTemplates(client, one_at_a_time=alone)
    monkeypatch.setattr(client, "module_version", _version)
    assert not await old_engine.copy(whole_world(worked(), seq=0), "never-made")
    monkeypatch.undo()
    url = servers.falkordb_url or ""
    socket = url.removeprefix("unix://")
    server = redis.Redis(unix_socket_path=socket) if socket != url else redis.Redis.from_url(url)
    try:
        await server.config_set("rdb-key-save-delay", 100_000)
        played = await begin(stores)
        await rebuild_mirror(played, open_uow=stores.open_uow, graph=FalkorRumourGraph(client))
        await server.execute_command("BGSAVE")
        saving = WorldTemplates(client, one_at_a_time=stores.one_copy_at_a_time, always=True)
        assert not await saving.copy(whole_world(worked(), seq=0), "never-made")
        await rebuild_mirror(played, open_uow=stores.open_uow, graph=FalkorRumourGraph(client, saving))
        assert await FalkorRumourGraph(client).is_whole(played)
    finally:
        await server.config_set("rdb-key-save-delay", 0)
        await server.aclose()
    with anyio.fail_after(60):
        while await client.is_saving():  # noqa: ASYNC110
            await anyio.sleep(0.1)


@pytest.mark.parametrize(("busy", "copied"), [(2, True), (99, False)])
async def test_a_copy_that_cannot_fork_is_tried_again_after_longer_and_longer_and_then_given_up(
    client: GraphClient, monkeypatch: pytest.MonkeyPatch, busy: int, *, copied: bool
) -> None:
    waits: list[float] = []
    tries = 0
    copy = GraphClient.copy

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def forks(self: GraphClient, graph: str, target: str) -> None:
        nonlocal tries
        tries += 1
        if tries <= busy:
            raise GraphUnavailableError("GRAPH.COPY failed, could not fork")
        await copy(self, graph, target)

    @asynccontextmanager
    async def alone() -> AsyncIterator[None]:
        yield

    monkeypatch.setattr(GraphClient, "copy", forks)
    monkeypatch.setattr("ledger_service.stores.falkordb.worlds.asyncio.sleep", sleep)
    templates = WorldTemplates(client, one_at_a_time=alone, always=True)
    assert await templates.copy(whole_world(worked(), seq=0), "forked") is copied
    assert waits == [0.2 * 2**n for n in range(2 if copied else TRIES)]
    await client.drop("forked")


def test_a_name_says_nothing_of_what_it_names() -> None:
    played = "save-of-alice@example.org"
    assert re.fullmatch(r"w[0-9a-f]{24}", graph_name(played))
    assert graph_name(played) == graph_name(played) != graph_name(played + "2")
    assert re.fullmatch(r"t[0-9a-f]{24}", template_name(whole_world(worked(), seq=0)))


async def _version() -> int:
    return 4_16_03


async def test_an_idle_graph_is_let_go_and_comes_back_from_the_record_with_the_next_hour(
    servers: Servers, stores: PostgresStores
) -> None:
    client = GraphClient(servers.falkordb_url or "", idle_seconds=1)
    graph = FalkorRumourGraph(client)
    played = await begin(stores)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    assert 0 <= await client.expires_in(graph_name(played)) <= 1
    with anyio.fail_after(10):
        while await client.expires_in(graph_name(played)) != -2:  # noqa: ASYNC110
            await anyio.sleep(0.1)
    with pytest.raises(NotProjectedError, match=r"^this playthrough is not projected"):
        await graph.find_holdings(played, ["tomas"])
    hours = advance_gossip(
        played, Passing(), open_uow=stores.open_uow, graph=graph, queue=stores.mirror_queue, embedder=PlainEmbedder()
    )
    assert [len(r.tellings) async for r in hours] == [1]
    assert await graph.is_whole(played)
    await client.close()
