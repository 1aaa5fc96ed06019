"""Influence on the real stores: a plan played for real comes out as promised; routes and brokers from either store."""

import msgspec
import pytest

from ledger_service.domain.errors import ContentError, GraphUnavailableError, NoRouteError, UnknownCharacterError
from ledger_service.domain.events import Deed
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.ports import OpenUnitOfWork
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.mirror_rumours import mirror_once, verify_mirror
from ledger_service.services.influence.advise_spymaster import advise_spymaster
from ledger_service.services.influence.read_influence import find_route, read_influence
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.stores.rehearsal import rehearse
from tests.builders import PlainEmbedder
from tests.villages import RUNGS, worked

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]
EMBEDDER = PlainEmbedder()


async def begin(open_uow: OpenUnitOfWork) -> PlaythroughId:
    """The theft has been seen at seven, and two hours have gone by."""
    world = worked()
    doubtful = tuple(msgspec.structs.replace(c, exaggeration=0.5) for c in world.cast)
    version = await add_world(msgspec.structs.replace(world, cast=doubtful), open_uow=open_uow)
    played = (await open_playthrough(version, open_uow=open_uow, seed=7)).playthrough_id
    theft = Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player")
    await record_events(played, (theft,), open_uow=open_uow, embedder=EMBEDDER)
    return played


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("by_graph", [False, True])
async def test_a_plan_played_for_real_comes_out_as_promised(
    stores: PostgresStores, graph: FalkorRumourGraph, number: int, *, by_graph: bool
) -> None:
    played = await begin(stores.open_uow)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    advice = await advise_spymaster(played, "ilsa", open_uow=stores.open_uow, rehearse=rehearse)
    plan = advice.plans[number]
    ways = {"graph": graph, "queue": stores.mirror_queue} if by_graph else {}

    async def let_go_by(hours: int) -> None:
        if hours:
            passed = advance_gossip(
                played, Passing(hours=hours), open_uow=stores.open_uow, embedder=EMBEDDER, **ways
            )  # fmt: skip
            _ = [receipt async for receipt in passed]

    await let_go_by(plan.wait_hours)
    (receipt,) = await record_events(
        played, (plan.event,), open_uow=stores.open_uow, embedder=EMBEDDER, expected_seq=advice.at_seq + plan.wait_hours
    )
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    await let_go_by(plan.then_hours)
    async with stores.open_uow(played) as uow:
        state = await uow.playthroughs.state()
        found = await uow.ledger.find_by_origin(receipt.entries[0].entry_id, knower="ilsa")
        ledger = Ledger(*await uow.ledger.get([e.entry_id for e in found]), roster=state.roster, at_seq=state.seq)
    ((entry_id, belief),) = ledger.entries.items()
    assert (state.at.tick, belief.confidence, belief.statement) == (plan.reaches_at, plan.confidence, plan.wording)
    if by_graph:
        mirrored = (await graph.state(played)).beliefs
        assert mirrored[f"{entry_id}|ilsa"] == round(plan.confidence * 1e6)
        assert await verify_mirror(played, open_uow=stores.open_uow, graph=graph) == ()


async def test_memory_and_postgres_are_advised_the_same(stores: PostgresStores) -> None:
    memory = MemoryStores()
    advice = [
        await advise_spymaster(await begin(open_uow), "ilsa", open_uow=open_uow, rehearse=rehearse)
        for open_uow in (memory.open_uow, stores.open_uow)
    ]
    assert advice[0] == advice[1]


async def test_a_route_is_the_same_from_either_store(stores: PostgresStores, graph: FalkorRumourGraph) -> None:
    played = await begin(stores.open_uow)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    record = await find_route(played, "tomas", "ilsa", open_uow=stores.open_uow)
    mirrored = await find_route(played, "tomas", "ilsa", open_uow=stores.open_uow, graph=graph)
    assert record.route == mirrored.route
    assert (record.store, mirrored.store) == ("record", "graph")
    for asked in (None, graph):
        with pytest.raises(NoRouteError, match="no trust leads from ilsa to tomas"):
            await find_route(played, "ilsa", "tomas", open_uow=stores.open_uow, graph=asked)
        with pytest.raises(UnknownCharacterError, match="unknown listener 'nobody'"):
            await find_route(played, "tomas", "nobody", open_uow=stores.open_uow, graph=asked)
        with pytest.raises(ContentError, match="from one person to another, and both are tomas"):
            await find_route(played, "tomas", "tomas", open_uow=stores.open_uow, graph=asked)


async def test_brokers_of_a_crowd_are_estimated_by_the_graph_and_said_to_be(
    stores: PostgresStores, graph: FalkorRumourGraph
) -> None:
    played = await begin(stores.open_uow)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    exact = await read_influence(played, open_uow=stores.open_uow, graph=graph)
    estimated = await read_influence(played, open_uow=stores.open_uow, graph=graph, exact_up_to=3)
    assert (exact.brokers_exact, exact.note, exact.brokers[0].who) == (True, "", "bertha")
    assert not estimated.brokers_exact
    assert "estimated by the graph from 128 of them" in estimated.note
    assert estimated.brokers[0].who == "bertha"
    assert estimated == await read_influence(played, open_uow=stores.open_uow, graph=graph, exact_up_to=3)


async def test_with_the_graph_away_only_what_needs_it_is_left_out_and_said_so(stores: PostgresStores) -> None:
    played = await begin(stores.open_uow)
    away = FalkorRumourGraph(GraphClient("unix:///nowhere/falkordb.sock"))
    found = await read_influence(played, open_uow=stores.open_uow, graph=away)
    assert (found.brokers_exact, len(found.believed), found.cliques) == (True, 4, (("bertha", "ilsa", "pip", "tomas"),))
    crowd = await read_influence(played, open_uow=stores.open_uow, graph=away, exact_up_to=3)
    assert crowd.brokers == ()
    assert "cannot be reached" in crowd.note
    assert "no graph was asked" in (await read_influence(played, open_uow=stores.open_uow, exact_up_to=3)).note
    with pytest.raises(GraphUnavailableError):
        await find_route(played, "tomas", "ilsa", open_uow=stores.open_uow, graph=away)
    await away.close()
