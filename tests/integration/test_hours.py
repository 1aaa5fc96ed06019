"""Hours on the real stores: one story, byte for byte, in memory, in Postgres, from the graph, and after a reload."""

import tempfile
from typing import Any

import anyio
import msgspec
import pytest

from ledger_service.domain.errors import GraphUnavailableError, SequenceTakenError
from ledger_service.domain.events import Deed, EventReceipt, GameEvent, HourPassed
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.mirror_rumours import mirror_once, verify_mirror
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import PlainEmbedder
from tests.integration.test_mirror import OwnServer
from tests.villages import RUNGS, worked

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]
EMBEDDER = PlainEmbedder()


def doubtful() -> World:
    world = worked()
    return msgspec.structs.replace(world, cast=tuple(msgspec.structs.replace(c, exaggeration=0.5) for c in world.cast))


async def begin(open_uow: OpenUnitOfWork, *, seed: int = 7) -> PlaythroughId:
    version = await add_world(doubtful(), open_uow=open_uow)
    played = (await open_playthrough(version, open_uow=open_uow, seed=seed)).playthrough_id
    theft: GameEvent = Deed(
        tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player", key="theft"
    )
    await record_events(played, (theft,), open_uow=open_uow, embedder=EMBEDDER)
    return played


async def told(open_uow: OpenUnitOfWork, played: PlaythroughId) -> bytes:
    async with open_uow(played) as uow:
        entries, amendments = await uow.ledger.load_all()
        return msgspec.json.encode((entries, amendments, await uow.tellings.load_all()), order="deterministic")


async def test_memory_postgres_and_graph_tell_the_same_story_byte_for_byte(
    stores: PostgresStores, graph: FalkorRumourGraph
) -> None:
    memory = MemoryStores()
    by_memory = await begin(memory.open_uow)
    by_record = await begin(stores.open_uow)
    by_graph = await begin(stores.open_uow)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    ways = (
        advance_gossip(by_memory, Passing(hours=6), open_uow=memory.open_uow, embedder=EMBEDDER),
        advance_gossip(by_record, Passing(hours=6), open_uow=stores.open_uow, embedder=EMBEDDER),
        advance_gossip(
            by_graph, Passing(hours=6), open_uow=stores.open_uow, embedder=EMBEDDER, graph=graph,
            queue=stores.mirror_queue,
        ),
    )  # fmt: skip
    receipts = [[msgspec.json.encode(r) async for r in way] for way in ways]
    assert receipts[0] == receipts[1] == receipts[2]
    assert len({await told(memory.open_uow, by_memory), await told(stores.open_uow, by_record)}) == 1
    assert await told(stores.open_uow, by_record) == await told(stores.open_uow, by_graph)
    assert await verify_mirror(by_graph, open_uow=stores.open_uow, graph=graph) == ()


async def test_graph_and_record_find_the_same_holdings_after_every_hour(
    stores: PostgresStores, graph: FalkorRumourGraph
) -> None:
    played = await begin(stores.open_uow)
    people = sorted(c.id for c in doubtful().cast)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    async for _ in advance_gossip(
        played, Passing(hours=5), open_uow=stores.open_uow, graph=graph, queue=stores.mirror_queue
    ):
        found = await graph.find_holdings(played, people)
        async with stores.open_uow(played) as uow:
            recorded = await uow.tellings.find_holdings(people)
        assert found
        assert set(found) == set(recorded)


async def test_a_reload_at_any_hour_changes_nothing(stores: PostgresStores) -> None:
    whole, parts = await begin(stores.open_uow), await begin(stores.open_uow)
    _ = [r async for r in advance_gossip(whole, Passing(hours=6), open_uow=stores.open_uow)]
    for _ in range(6):
        _ = [r async for r in advance_gossip(parts, Passing(), open_uow=stores.open_uow)]
    assert await told(stores.open_uow, whole) == await told(stores.open_uow, parts)


async def test_a_story_that_is_taken_elsewhere_in_the_middle_goes_on_there_as_it_would_have_here(
    stores: PostgresStores, graph: FalkorRumourGraph
) -> None:
    here = await begin(stores.open_uow)
    _ = [r async for r in advance_gossip(here, Passing(hours=3), open_uow=stores.open_uow, embedder=EMBEDDER)]
    carried = await export_playthrough(here, open_uow=stores.open_uow)
    there = (await import_playthrough(carried, open_uow=stores.open_uow, embedder=EMBEDDER)).playthrough_id
    assert await told(stores.open_uow, here) == await told(stores.open_uow, there)
    ways = [
        [msgspec.json.encode(r) async for r in advance_gossip(played, Passing(hours=6), open_uow=stores.open_uow)]
        for played in (here, there)
    ]
    assert ways[0] == ways[1]
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    assert await verify_mirror(there, open_uow=stores.open_uow, graph=graph) == ()


async def test_what_a_batch_wrote_before_its_hour_is_talked_of_in_it(
    stores: PostgresStores, graph: FalkorRumourGraph
) -> None:
    played = await begin(stores.open_uow)
    _ = [r async for r in advance_gossip(played, Passing(), open_uow=stores.open_uow)]
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    news = Deed(actor="player", statement="the well is dry", witnesses=("pip",), place="well")
    receipts = await record_events(
        played, (news, HourPassed()), open_uow=stores.open_uow, embedder=EMBEDDER, graph=graph
    )  # fmt: skip
    said = [(t.teller, t.listener, t.statement) for t in receipts[-1].tellings]
    assert ("pip", "bertha", "the well is dry") in said


async def test_of_two_who_advance_the_same_hours_one_wins_and_the_other_is_told(stores: PostgresStores) -> None:
    played = await begin(stores.open_uow)
    outcomes: list[str] = []
    four = Passing(hours=4, expected_seq=2)

    async def advance() -> None:
        passed: list[EventReceipt] = []
        try:
            passed += [r async for r in advance_gossip(played, four, open_uow=stores.open_uow)]
            outcomes.append("won")
        except SequenceTakenError:
            outcomes.append(f"lost after {len(passed)}")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(advance)
        tasks.start_soon(advance)
    assert sorted(outcomes) == ["lost after 0", "won"]
    async with stores.open_uow(played) as uow:
        assert (await uow.playthroughs.state()).seq == 6


async def test_hours_with_a_key_go_by_once(stores: PostgresStores) -> None:
    played = await begin(stores.open_uow)
    for _ in range(2):
        _ = [r async for r in advance_gossip(played, Passing(hours=3, key="eve"), open_uow=stores.open_uow)]
    async with stores.open_uow(played) as uow:
        assert (await uow.playthroughs.state()).at.tick == 10


async def test_a_graph_that_dies_in_the_middle_of_an_hour_changes_nothing_but_who_answers(
    stores: PostgresStores, graph: FalkorRumourGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed, disturbed = await begin(stores.open_uow), await begin(stores.open_uow)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    _ = [r async for r in advance_gossip(undisturbed, Passing(hours=6), open_uow=stores.open_uow, embedder=EMBEDDER)]
    asked = 0
    answer = GraphClient._run

    async def dies(self: GraphClient, *given: object) -> object:
        nonlocal asked
        asked += 1
        if asked >= 4:
            raise GraphUnavailableError("connection lost")
        return await answer(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(GraphClient, "_run", dies)
    hours = advance_gossip(
        disturbed, Passing(hours=6), open_uow=stores.open_uow, embedder=EMBEDDER, graph=graph, queue=stores.mirror_queue
    )
    assert len([r async for r in hours]) == 6
    assert asked > 4
    monkeypatch.undo()
    assert await told(stores.open_uow, undisturbed) == await told(stores.open_uow, disturbed)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    assert await verify_mirror(disturbed, open_uow=stores.open_uow, graph=graph) == ()


async def test_a_graph_server_that_is_killed_in_the_middle_of_an_hour_costs_nothing_and_is_filled_again(
    stores: PostgresStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed, disturbed = await begin(stores.open_uow), await begin(stores.open_uow)
    _ = [r async for r in advance_gossip(undisturbed, Passing(hours=6), open_uow=stores.open_uow, embedder=EMBEDDER)]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        server = OwnServer(folder)
        await server.start()
        graph = FalkorRumourGraph(GraphClient(server.url))
        try:
            while await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow):
                pass
            find = FalkorRumourGraph.find_holdings

            async def found_last(self: FalkorRumourGraph, *given: Any) -> object:
                found = await find(self, *given)
                server.kill()
                return found

            monkeypatch.setattr(FalkorRumourGraph, "find_holdings", found_last)
            hours = advance_gossip(
                disturbed, Passing(hours=6), open_uow=stores.open_uow, embedder=EMBEDDER, graph=graph,
                queue=stores.mirror_queue,
            )  # fmt: skip
            assert len([r async for r in hours]) == 6
            monkeypatch.undo()
            assert not await graph.is_up()
            assert await told(stores.open_uow, undisturbed) == await told(stores.open_uow, disturbed)
            await server.start()
            while await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow):
                pass
            assert await verify_mirror(disturbed, open_uow=stores.open_uow, graph=graph) == ()
        finally:
            await graph.close()
            server.kill()
