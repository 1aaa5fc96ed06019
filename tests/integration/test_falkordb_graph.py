"""The rumour graph on a real server: what is mirrored, mirrored again, lost, and asked for."""

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.errors import GraphUnavailableError, NotProjectedError, UnknownEntryError
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.rumours import Telling, TellingOutcome, build_chain, version_of_entry
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower
from ledger_service.recording.mirror import mirror_batch
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import HEALTH, FalkorRumourGraph, graph_name
from tests.builders import ONE_OF_EACH, a_hearsay, an_observation, known_by

pytestmark = [pytest.mark.anyio, pytest.mark.falkordb]
PLAYED = "graph-test"
ROOT = an_observation(entry_id="root", statement="Tomas took an apple", knowers=known_by("tomas"), place="market")


@pytest.fixture
async def client(client: GraphClient) -> AsyncIterator[GraphClient]:
    yield client
    await client.drop(graph_name(PLAYED))


@pytest.fixture
async def graph(client: GraphClient) -> FalkorRumourGraph:
    made = FalkorRumourGraph(client)
    assert await made.finish(PLAYED, await made.begin(PLAYED))
    return made


def heard(name: str, seq: int) -> LedgerEntry:
    knowers = known_by(f"{name}-holder")
    return a_hearsay(
        entry_id=name, statement=f"version {name}", knowers=knowers, seq=seq, origin="root", confidence=0.123456789
    )


def told(
    source: str, target: str | None, *, seq: int = 2, outcome: TellingOutcome = TellingOutcome.BELIEVED
) -> Telling:
    return Telling(
        telling_id=f"{source}>{target}>{outcome}", from_entry=source, to_entry=target, teller=f"{source}-holder",
        listener=f"{target}-holder", origin="root", seq=seq, tick=seq, place="inn", offered_millionths=450_000,
        outcome=outcome,
    )  # fmt: skip


def a_line(hops: int) -> tuple[list[LedgerEntry], list[Telling]]:
    names = ["root", *(f"v{i}" for i in range(hops))]
    entries = [ROOT, *(heard(n, seq=i + 2) for i, n in enumerate(names[1:]))]
    return entries, [told(a, b, seq=i + 2) for i, (a, b) in enumerate(pairwise(names))]


async def assert_same_chain(graph: FalkorRumourGraph, entries: list[LedgerEntry], tellings: list[Telling]) -> None:
    await graph.apply(PLAYED, mirror_batch(entries, tellings))
    for entry in entries:
        expected = build_chain(entry.entry_id, map(version_of_entry, entries), tellings, store="graph")
        assert await graph.chain(PLAYED, entry.entry_id) == expected


@pytest.mark.parametrize("hops", [0, 1, 9, 40])
async def test_a_line_of_tellings_gives_the_records_own_chain(graph: FalkorRumourGraph, hops: int) -> None:
    await assert_same_chain(graph, *a_line(hops))
    assert (await graph.chain(PLAYED, "root")).saw_it


async def test_a_diamond_gives_the_records_own_chain(graph: FalkorRumourGraph) -> None:
    entries = [ROOT, heard("left", 3), heard("right", 2), heard("end", 4)]
    tellings = [
        told("root", "left"), told("root", "right"), told("left", "end", seq=4),
        told("right", "end", seq=5, outcome=TellingOutcome.CORROBORATED),
        told("root", "end", seq=6, outcome=TellingOutcome.CORRECTED),
        told("right", "left", seq=7, outcome=TellingOutcome.UNCHANGED),
        told("end", None, seq=8, outcome=TellingOutcome.IGNORED),
    ]  # fmt: skip
    await assert_same_chain(graph, entries, tellings)


async def test_a_wide_ladder_enumerates_no_paths(graph: FalkorRumourGraph) -> None:
    rungs = [[f"{side}{i}" for side in "ab"] for i in range(30)]
    entries = [ROOT, *(heard(n, seq=i + 2) for i, rung in enumerate(rungs) for n in rung)]
    tellings = [told("root", n) for n in rungs[0]]
    tellings += [told(s, t, seq=i + 3) for i, (low, high) in enumerate(pairwise(rungs)) for s in low for t in high]
    await graph.apply(PLAYED, mirror_batch(entries, tellings))
    chain = await graph.chain(PLAYED, "a29")
    assert max(link.depth for link in chain.links) == 30
    assert chain == build_chain("a29", map(version_of_entry, entries), tellings, store="graph")


async def test_mirroring_again_changes_nothing(graph: FalkorRumourGraph, client: GraphClient) -> None:
    entries, tellings = a_line(3)
    batch = mirror_batch(entries, [*tellings, told("root", None, outcome=TellingOutcome.ECHO)])
    counted = "MATCH (a)-[e]->(b) RETURN type(e), count(e) ORDER BY type(e)"
    seen = []
    for _ in range(3):
        assert await graph.apply(PLAYED, batch)
        nodes = await client.read(graph_name(PLAYED), "MATCH (n) RETURN count(n)")
        seen.append((nodes, await client.read(graph_name(PLAYED), counted), await graph.state(PLAYED)))
    assert seen[0] == seen[1] == seen[2]
    assert dict(seen[0][1]) == {
        "AT": 1, "HEARD_FROM": 3, "HOLDS": 4, "LEFT_ASIDE": 1, "ORIGIN": 3, "WITNESSED": 1,
    }  # fmt: skip


async def test_entries_of_every_kind_are_held_by_whom_the_record_says(graph: FalkorRumourGraph) -> None:
    shared = an_observation(entry_id="s", knowers=(Knower(who="group:crew"), Knower(who="public", confidence=0.25)))
    await graph.apply(PLAYED, mirror_batch([*ONE_OF_EACH, shared], ()))
    beliefs = (await graph.state(PLAYED)).beliefs
    assert {"s|group:crew": 1_000_000, "s|public": 250_000}.items() <= beliefs.items()
    assert {e.entry_id for e in ONE_OF_EACH} <= {name.split("|")[0] for name in beliefs}


async def test_groups_and_reserved_scopes_are_no_characters(graph: FalkorRumourGraph, client: GraphClient) -> None:
    await graph.apply(PLAYED, mirror_batch([an_observation(knowers=known_by("pip", "group:crew", "public"))], ()))
    asked = "MATCH (c:Character) RETURN c.id ORDER BY c.id"
    assert await client.read(graph_name(PLAYED), asked) == [["pip"], ["player"]]


def surer(confidence: float, *, seq: int, reinforced_at: int) -> Amendment:
    belief = Belief(who="v0-holder", confidence=confidence, independent=confidence, reinforced_at=reinforced_at)
    return Amendment(entry_id="v0", status=Status.ACTIVE, cause_seq=seq, at=StoryTime(tick=seq), belief=belief)


@pytest.mark.parametrize("together", [True, False])
async def test_the_last_word_on_a_belief_stands_however_often_and_in_whatever_order_it_is_mirrored(
    graph: FalkorRumourGraph, client: GraphClient, *, together: bool
) -> None:
    entries = [ROOT, heard("v0", 2)]
    first, last = surer(0.5, seq=7, reinforced_at=7), surer(0.25, seq=9, reinforced_at=7)
    batches = [mirror_batch(entries, (), (first, last))] if together else [mirror_batch(entries, (), (last,))]
    for batch in (*batches, mirror_batch(entries, (), (first,))):
        assert await graph.apply(PLAYED, batch)
    asked = "MATCH (c:Character {id: 'v0-holder'})-[h:HOLDS]->(e) RETURN h.confidence, h.since, h.last_reinforced"
    assert await client.read(graph_name(PLAYED), asked) == [[250_000, 2, 7]]


async def test_origins_are_joined_when_a_graph_is_filled_newest_first(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    entries, tellings = a_line(2)
    filling = await graph.begin(PLAYED)
    for entry in reversed(entries):
        assert await graph.apply(PLAYED, mirror_batch([entry], ()), filling=filling)
    await graph.apply(PLAYED, mirror_batch((), tellings), filling=filling)
    await graph.finish(PLAYED, filling)
    asked = "MATCH (r:Rumour)-[o:ORIGIN]->(e:Event) RETURN r.id, e.id ORDER BY r.id"
    assert await client.read(graph_name(PLAYED), asked) == [["v0", "root"], ["v1", "root"]]


async def test_a_graph_that_is_not_there_takes_nothing_and_says_so(graph: FalkorRumourGraph) -> None:
    batch = mirror_batch([ROOT], ())
    await graph.drop(PLAYED)
    await graph.drop(PLAYED)
    assert not await graph.is_whole(PLAYED)
    assert not await graph.apply(PLAYED, batch)
    assert (await graph.state(PLAYED)).beliefs == {}
    with pytest.raises(NotProjectedError, match=r"^this playthrough is not projected"):
        await graph.chain(PLAYED, "root")


async def test_a_graph_that_is_being_filled_is_neither_read_nor_written_by_others(graph: FalkorRumourGraph) -> None:
    batch = mirror_batch([ROOT], ())
    first, second = await graph.begin(PLAYED), await graph.begin(PLAYED)
    assert not await graph.apply(PLAYED, batch)
    assert not await graph.apply(PLAYED, batch, filling=first)
    assert await graph.apply(PLAYED, batch, filling=second)
    with pytest.raises(GraphUnavailableError):
        await graph.chain(PLAYED, "root")
    assert not await graph.finish(PLAYED, first)
    assert await graph.finish(PLAYED, second)
    assert (await graph.chain(PLAYED, "root")).saw_it


async def test_an_entry_that_nobody_wrote_is_unknown(graph: FalkorRumourGraph) -> None:
    with pytest.raises(UnknownEntryError):
        await graph.chain(PLAYED, "e0")


async def test_two_playthroughs_share_nothing(graph: FalkorRumourGraph) -> None:
    await graph.apply(PLAYED, mirror_batch([ROOT], ()))
    await graph.finish("other", await graph.begin("other"))
    assert (await graph.state("other")).beliefs == {}
    await graph.drop("other")
    assert PLAYED not in graph_name(PLAYED)


async def test_the_mark_changes_only_when_the_server_lost_what_it_held(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    mark = await graph.incarnation()
    assert await graph.incarnation() == mark
    await client.drop(HEALTH)
    assert await graph.incarnation() != mark
    assert await graph.is_up()


async def test_a_graph_that_is_away_is_not_up() -> None:
    away = FalkorRumourGraph(GraphClient("unix:///nowhere/falkordb.sock"))
    assert not await away.is_up()
    with pytest.raises(GraphUnavailableError):
        await away.apply(PLAYED, MirrorBatch(entries=mirror_batch([ROOT], ()).entries))
    await away.close()


async def test_one_batch_makes_each_character_and_place_once(graph: FalkorRumourGraph, client: GraphClient) -> None:
    seen = [an_observation(entry_id=f"o{i}", knowers=known_by("pip", "ilsa"), place="inn") for i in range(3)]
    rumours = [a_hearsay(entry_id=f"h{i}", knowers=known_by("pip"), place="inn", origin="o1") for i in range(3)]
    left_aside = told("o1", None, outcome=TellingOutcome.IGNORED)
    await graph.apply(PLAYED, mirror_batch([*seen, *rumours], [left_aside, told("o1", "h1"), told("o1", "h2")]))
    asked = "MATCH (n) WHERE n:Character OR n:Place RETURN n.id ORDER BY n.id"
    assert await client.read(graph_name(PLAYED), asked) == [
        ["None-holder"], ["ilsa"], ["inn"], ["pip"], ["player"],
    ]  # fmt: skip


async def test_a_graph_that_was_read_while_empty_is_read_rightly_when_filled(graph: FalkorRumourGraph) -> None:
    assert (await graph.state(PLAYED)).beliefs == {}
    with pytest.raises(UnknownEntryError):
        await graph.chain(PLAYED, "v0")
    entries, tellings = a_line(1)
    await assert_same_chain(graph, entries, tellings)
    assert (await graph.state(PLAYED)).beliefs == {"root|tomas": 1_000_000, "v0|v0-holder": 123_457}


async def test_no_property_is_used_that_an_empty_graph_does_not_name(
    graph: FalkorRumourGraph, client: GraphClient
) -> None:
    named = await _names(client)
    entries, tellings = a_line(1)
    await graph.apply(PLAYED, mirror_batch(entries, [*tellings, told("root", None, outcome=TellingOutcome.ECHO)]))
    assert await _names(client) == named


async def _names(client: GraphClient) -> list[list[str]]:
    keys = await client.read(graph_name(PLAYED), "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey")
    edges = await client.read(
        graph_name(PLAYED), "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType"
    )
    return sorted(keys + edges)
