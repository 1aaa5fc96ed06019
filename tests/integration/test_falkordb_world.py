"""The world in the graph: cast, places, trust and who is where, projected, followed, compared; routes and brokers."""

import random
from collections.abc import AsyncIterator

import msgspec
import pytest

from ledger_service.domain.errors import NotProjectedError
from ledger_service.domain.events import Deed, GameEvent, Moved, TimePassed, WorldChanged
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.mirror import MirrorBatch, MirrorPresence
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import Character, Place, Trust, World
from ledger_service.recording.mirror import presence_of, whole_world, world_change
from ledger_service.rumours.influence import likeliest_route, network_of
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import mirror_once, rebuild_mirror, verify_mirror
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough, open_playthrough
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph, graph_name
from ledger_service.stores.memory import MemoryStores
from tests.builders import PlainEmbedder
from tests.villages import CHAIN, a_village, somebody, worked

pytestmark = [pytest.mark.anyio, pytest.mark.falkordb]
PLAYED = "world-test"
CAST = ("bertha", "ilsa", "pip", "tomas")


@pytest.fixture
async def client(client: GraphClient) -> AsyncIterator[GraphClient]:
    yield client
    await client.drop(graph_name(PLAYED))


@pytest.fixture
def stores() -> MemoryStores:
    return MemoryStores()


async def project(graph: FalkorRumourGraph, world: World) -> None:
    filling = await graph.begin(PLAYED)
    assert await graph.apply(PLAYED, MirrorBatch(worlds=(whole_world(world, seq=0),)), filling=filling)
    assert await graph.finish(PLAYED, filling)


async def play(stores: MemoryStores, graph: FalkorRumourGraph, *events: GameEvent) -> None:
    await record_events(PLAYED, events, open_uow=stores.open_uow, embedder=PlainEmbedder())
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)


async def begin(stores: MemoryStores, graph: FalkorRumourGraph, world: World) -> None:
    await graph.drop(PLAYED)
    version = await add_world(world, open_uow=stores.open_uow)
    await open_playthrough(version, open_uow=stores.open_uow, playthrough_id=PLAYED)
    await play(stores, graph, Deed(tick=7, actor="player", statement="the player hums", place="market"))


async def present(client: GraphClient, *, of: PlaythroughId = PLAYED) -> dict[str, str]:
    asked = "MATCH (c:Character)-[a:AT]->(p:Place) RETURN c.id, p.id"
    rows = await client.read(graph_name(of), asked)
    assert len({who for who, _ in rows}) == len(rows)
    return {who: place for who, place in rows if who in CAST}


async def test_a_graph_is_begun_with_cast_places_and_trust(graph: FalkorRumourGraph, client: GraphClient) -> None:
    await project(graph, worked())
    name = graph_name(PLAYED)
    assert await client.read(name, "MATCH (c:Character) RETURN c.id, c.name ORDER BY c.id") == [
        *([who, who.title()] for who in ("bertha", "ilsa", "pip")), ["player", None], ["tomas", "Tomas"],
    ]  # fmt: skip
    assert await client.read(name, "MATCH (p:Player) RETURN p.id") == [["player"]]
    assert ["inn", "inn", None] in await client.read(name, "MATCH (p:Place) RETURN p.id, p.name, p.region")
    asked = "MATCH (l)-[t:TRUSTS]->(u) RETURN l.id, u.id, t.trust, t.cost ORDER BY t.trust"
    assert await client.read(name, asked) == [
        ["pip", "tomas", 500_000, 693_147], ["bertha", "tomas", 700_000, 356_675], ["ilsa", "bertha", 750_000, 287_682],
        ["bertha", "pip", 800_000, 223_144],
    ]  # fmt: skip
    strong = "MATCH (l)-[s:STRONGLY_TRUSTS]->(u) RETURN l.id, u.id, s.cost ORDER BY s.cost"
    assert [row[:2] for row in await client.read(name, strong)] == [
        ["bertha", "pip"], ["ilsa", "bertha"], ["bertha", "tomas"],
    ]  # fmt: skip


async def test_an_older_world_that_comes_late_changes_nothing(graph: FalkorRumourGraph) -> None:
    old = worked()
    new = a_village(old.cast, {("pip", "tomas"): 0.9, ("ilsa", "tomas"): 0.4})
    newer = msgspec.structs.replace(new, trust=(Trust(listener="pip", teller="tomas", trust=0.2),))
    await project(graph, old)
    first, second = world_change(old, new, seq=3), world_change(new, newer, seq=5)
    assert await graph.apply(PLAYED, MirrorBatch(worlds=(first, second)))
    after = (await graph.state(PLAYED)).world
    assert after["trust"] == {"pip|tomas": 200_000}
    assert after["strong trust"] == {}
    for late in (first, second):
        assert await graph.apply(PLAYED, MirrorBatch(worlds=(late,)))
        assert (await graph.state(PLAYED)).world == after


async def test_where_somebody_was_before_is_forgotten_and_an_older_word_on_it_changes_nothing(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    await project(graph, worked())
    for place, seq in (("inn", 2), ("well", 4), ("gate", 3), ("well", 4)):
        here = MirrorPresence(who="pip", place=place, seq=seq)
        assert await graph.apply(PLAYED, MirrorBatch(present=(here,)))
    assert await present(client) == {"pip": "well"}
    for seq in (3, 5):
        await graph.apply(PLAYED, MirrorBatch(present=(MirrorPresence(who="pip", place=None, seq=seq),)))
    assert await present(client) == {}
    await graph.apply(PLAYED, MirrorBatch(present=(MirrorPresence(who="pip", place="well", seq=4),)))
    assert await present(client) == {}


async def test_people_are_where_hours_and_the_game_put_them(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient
) -> None:
    await begin(stores, graph, worked())
    assert await present(client) == {
        "bertha": "home_bertha", "ilsa": "home_ilsa", "pip": "home_pip", "tomas": "market",
    }  # fmt: skip
    await play(stores, graph, TimePassed(hours=2))
    assert await present(client) == {
        "bertha": "well", "ilsa": "home_ilsa", "pip": "well", "tomas": "home_tomas",
    }  # fmt: skip
    await play(stores, graph, Moved(who="ilsa", to="inn"), TimePassed(hours=1))
    assert await present(client) == {"bertha": "inn", "ilsa": "inn", "pip": "home_pip", "tomas": "inn"}
    assert await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph) == ()


async def test_another_version_of_the_world_reaches_the_graph(stores: MemoryStores, graph: FalkorRumourGraph) -> None:
    world = worked()
    await begin(stores, graph, world)
    cast = (*world.cast[:3], msgspec.structs.replace(world.cast[3], name="Captain Ilsa"))
    other = a_village(cast, {("ilsa", "bertha"): 0.3, ("ilsa", "pip"): 0.95})
    version = await add_world(other, open_uow=stores.open_uow)
    await play(stores, graph, WorldChanged(world_version=version))
    held = (await graph.state(PLAYED)).world
    assert held["trust"] == {"ilsa|bertha": 300_000, "ilsa|pip": 950_000}
    assert set(held["strong trust"]) == {"ilsa|pip"}
    assert "ilsa|Captain Ilsa" in held["character"]
    assert await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph) == ()


async def test_a_rebuilt_graph_and_a_branch_hold_the_world_as_it_was_there(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient
) -> None:
    await begin(stores, graph, worked())
    early = (await fork_playthrough(PLAYED, open_uow=stores.open_uow)).playthrough_id
    await play(stores, graph, TimePassed(hours=3))
    before = await graph.state(PLAYED)
    await graph.drop(PLAYED)
    await rebuild_mirror(PLAYED, open_uow=stores.open_uow, graph=graph)
    assert await graph.state(PLAYED) == before
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow, only=early)
    assert (await present(client))["bertha"] == "inn"
    assert (await present(client, of=early))["bertha"] == "home_bertha"
    await graph.drop(early)


@pytest.mark.parametrize(
    ("tampering", "what"),
    [
        ("MATCH (l)-[t:TRUSTS]->(u {id: 'pip'}) SET t.trust = 1", {"trust"}),
        ("MATCH (l)-[t:TRUSTS]->(u {id: 'pip'}) SET t.cost = 1", {"cost of trust"}),
        ("MATCH (l)-[t:TRUSTS]->(u {id: 'pip'}) DELETE t", {"trust", "cost of trust"}),
        ("MATCH (l)-[s:STRONGLY_TRUSTS]->(u {id: 'pip'}) DELETE s", {"strong trust"}),
        ("MATCH (a {id: 'pip'}), (b {id: 'ilsa'}) CREATE (a)-[s:STRONGLY_TRUSTS {cost: 5}]->(b)", {"strong trust"}),
        ("MATCH (c:Character {id: 'pip'})-[a:AT]->(p) DELETE a", {"presence"}),
        ("MATCH (p:Place {id: 'inn'}) SET p.region = 'elsewhere'", {"place"}),
        ("MATCH (c:Character {id: 'pip'}) SET c.name = 'Pippin'", {"character"}),
    ],
)
async def test_a_changed_world_is_found_out(
    stores: MemoryStores, graph: FalkorRumourGraph, client: GraphClient, tampering: str, what: set[str]
) -> None:
    await begin(stores, graph, worked())
    await client.write(graph_name(PLAYED), tampering)
    found = await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=graph)
    assert {d.what for d in found} == what


async def test_no_property_of_the_world_is_used_that_an_empty_graph_does_not_name(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    async def names() -> list[list[str]]:
        keys = "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey"
        edges = "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType"
        return sorted([*await client.read(graph_name(PLAYED), keys), *await client.read(graph_name(PLAYED), edges)])

    await graph.finish(PLAYED, await graph.begin(PLAYED))
    named = await names()
    here = (MirrorPresence(who="pip", place="inn", seq=1),)
    await graph.apply(PLAYED, MirrorBatch(worlds=(whole_world(worked(), seq=0),), present=here))
    assert await names() == named


async def test_a_large_world_is_put_in_by_pieces_with_its_places_indexed(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    cast = tuple(Character(id=f"c{n}", name=f"C{n}", home=f"p{n % 70}") for n in range(2_100))
    trust = tuple(Trust(listener=c.id, teller=f"c{n // 2}", trust=0.7) for n, c in enumerate(cast) if n)
    places = tuple(Place(id=f"p{n}", name=f"P{n}") for n in range(70))
    world = World(id="big", title="Big", cast=cast, places=places, trust=trust)
    filling = await graph.begin(PLAYED, whole_world(world, seq=0))
    here = presence_of(StoryState(), world)
    assert await graph.apply(PLAYED, MirrorBatch(present=here), filling=filling)
    held = (await graph.state(PLAYED)).world
    assert {what: len(names) for what, names in held.items()} == {
        "character": 2_100, "place": 70, "trust": 2_099, "cost of trust": 2_099, "strong trust": 2_099,
        "presence": 2_100, "rule": 0, "notice": 0,
    }  # fmt: skip
    rows = await client.read(graph_name(PLAYED), "CALL db.indexes() YIELD label RETURN label ORDER BY label")
    assert rows == [["Character"], ["Entry"], ["Place"]]


def a_crowd(seed: int) -> World:
    draw = random.Random(seed)
    cast = tuple(somebody(f"c{n:02d}") for n in range(draw.randint(2, 14)))
    pairs = [(a.id, b.id) for a in cast for b in cast if a is not b and draw.random() < 0.35]
    levels = (0.0, 0.25, 0.5, 1.0) if seed % 2 else (draw.random(), 0.3, draw.random(), 0.99)
    return a_village(cast, {pair: draw.choice(levels) for pair in pairs})


@pytest.mark.parametrize("seed", range(12))
async def test_engine_and_python_find_the_same_route(graph: FalkorRumourGraph, seed: int) -> None:
    world = a_crowd(seed)
    await project(graph, world)
    network = network_of(world)
    for teller in network.people[:4]:
        for listener in network.people:
            if teller == listener:
                continue
            for most_hops in (2, 8):
                expected = likeliest_route(network, teller, listener, most_hops=most_hops)
                found = await graph.find_route(PLAYED, teller, listener, most_hops=most_hops)
                assert found == (() if expected is None else expected.people)


async def test_the_worked_route_goes_against_trust(graph: FalkorRumourGraph) -> None:
    await project(graph, worked())
    assert await graph.find_route(PLAYED, "tomas", "ilsa", most_hops=8) == ("tomas", "bertha", "ilsa")
    assert await graph.find_route(PLAYED, "ilsa", "tomas", most_hops=8) == ()
    assert await graph.find_route(PLAYED, "nobody", "ilsa", most_hops=8) == ()


async def test_a_sample_is_the_same_for_the_same_seed_and_finds_the_broker(graph: FalkorRumourGraph) -> None:
    cast = tuple(somebody(f"c{n:02d}") for n in range(30))
    trust = {("c00", c.id): 0.5 for c in cast[1:15]} | {(c.id, "c00"): 0.5 for c in cast[15:]}
    await project(graph, a_village(cast, trust))
    first = await graph.sample_brokers(PLAYED, samples=16, seed=1)
    assert first == await graph.sample_brokers(PLAYED, samples=16, seed=1)
    assert max(first, key=first.__getitem__) == "c00"
    assert set(first) == {c.id for c in cast}


async def test_a_graph_that_is_not_there_says_so(graph: FalkorRumourGraph) -> None:
    await graph.drop(PLAYED)
    with pytest.raises(NotProjectedError, match=r"^this playthrough is not projected"):
        await graph.find_route(PLAYED, "tomas", "ilsa", most_hops=8)
    with pytest.raises(NotProjectedError, match=r"^this playthrough is not projected"):
        await graph.sample_brokers(PLAYED, samples=4, seed=1)


def test_the_chain_of_the_village_is_what_these_tests_count_on() -> None:
    assert len(CHAIN) == len(worked().trust)
