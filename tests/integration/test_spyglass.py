"""The spyglass: the graph as it stands, and the last queries, without secrets and without anybody else's."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from ledger_service.domain.errors import GraphUnavailableError, NotProjectedError, UnknownPlaythroughError
from ledger_service.domain.events import Deed, HourPassed
from ledger_service.ports import UnitOfWork
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import mirror_once
from ledger_service.services.influence.read_influence import read_influence
from ledger_service.services.influence.read_spyglass import read_spyglass
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.falkordb import query_log
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.query_log import KEPT, QueryLog
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph, graph_name
from ledger_service.stores.memory import MemoryStores
from tests.builders import PlainEmbedder
from tests.integration.test_falkordb_rules import ruled
from tests.villages import RUNGS

pytestmark = [pytest.mark.anyio, pytest.mark.falkordb]
PLAYED, OTHER = "spyglass-test", "spyglass-other"
SECRET = "the vault opens with the third key from the left, and nobody must ever know that it does"
AWAY = "redis://127.0.0.1:1"


@pytest.fixture
async def client(client: GraphClient) -> AsyncIterator[GraphClient]:
    yield client
    for played in (PLAYED, OTHER):
        await client.drop(graph_name(played))


@pytest.fixture
async def stores(graph: FalkorRumourGraph) -> MemoryStores:
    """Ilsa has seen a robbery and somebody's secret, and an hour has gone by."""
    stores = MemoryStores()
    version = await add_world(ruled(), open_uow=stores.open_uow)
    for played in (PLAYED, OTHER):
        await graph.drop(played)
        await open_playthrough(version, open_uow=stores.open_uow, playthrough_id=played)
        await record_events(
            played,
            (
                Deed(tick=3, actor="player", statement=RUNGS[2], place="inn", witnesses=("odo",), ladder="theft"),
                Deed(tick=3, actor="player", statement=SECRET, place="inn", witnesses=("ilsa",)),
                HourPassed(),
            ),
            open_uow=stores.open_uow,
            embedder=PlainEmbedder(),
        )
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    return stores


async def test_the_graph_is_seen_as_it_stands(stores: MemoryStores, graph: FalkorRumourGraph) -> None:
    seen = await read_spyglass(PLAYED, open_uow=stores.open_uow, graph=graph)
    picture = seen.graph
    assert picture is not None
    assert {c.id for c in picture.characters} >= {"ilsa", "odo", "pip", "player"}
    assert [c.id for c in picture.characters if c.is_player] == ["player"]
    assert {c.id: c.place for c in picture.characters if c.id in {"odo", "pip"}} == {"odo": "inn", "pip": "inn"}
    assert [(t.listener, t.teller, t.trust, t.is_strong) for t in picture.trusts] == [("pip", "odo", 0.9, True)]
    heard = next(s for s in picture.stories if s.is_hearsay)
    assert (heard.holders, [(t.teller, t.listener, t.tick) for t in heard.heard]) == (
        {"pip": 0.81}, [("odo", "pip", 4)],
    )  # fmt: skip
    root = next(s for s in picture.stories if s.entry_id == heard.origin)
    assert (root.statement, root.holders, root.heard) == (RUNGS[2], {"odo": 1.0, "player": 1.0}, ())
    gate = next(r for r in picture.rules if r.id == "rule:gate")
    assert (gate.sort, gate.about, gate.keepers) == ("rule", "pass", ("ilsa",))
    assert (seen.at.tick, seen.seq, seen.note, picture.is_cut) == (4, 3, "", False)
    assert seen.influence.people == 4


async def test_the_last_queries_are_named_timed_and_counted_the_newest_first(
    stores: MemoryStores, graph: FalkorRumourGraph
) -> None:
    await graph.find_holdings(PLAYED, ["ilsa", "pip"])
    await graph.find_holdings(OTHER, ["odo"])
    seen = await read_spyglass(PLAYED, open_uow=stores.open_uow, graph=graph)
    newest, *older = seen.queries
    assert (newest.name, newest.parameters, newest.rows, newest.is_write) == (
        "find_holdings", {"people": ["ilsa", "pip"]}, 2, False,
    )  # fmt: skip
    assert 0 < newest.milliseconds < 10_000
    assert [q.number for q in seen.queries] == sorted((q.number for q in seen.queries), reverse=True)
    assert {"project_world", "begin_filling", "finish_filling"} <= {q.name for q in older}
    assert "unnamed" not in {q.name for q in seen.queries}
    again = await read_spyglass(PLAYED, open_uow=stores.open_uow, graph=graph, queries=3)
    assert len(again.queries) == 3
    assert {q.name for q in again.queries} <= {"list_rules", "list_notices", "find_stories", "list_places"}


async def test_no_token_and_nothing_that_was_said_stands_in_a_parameter(
    stores: MemoryStores, graph: FalkorRumourGraph
) -> None:
    seen = await read_spyglass(PLAYED, open_uow=stores.open_uow, graph=graph, queries=KEPT)
    shown = repr([q.parameters for q in seen.queries])
    assert SECRET[:20] not in shown
    assert RUNGS[2] not in shown
    fillings = {str(q.parameters["filling"]) for q in seen.queries if "filling" in q.parameters}
    assert fillings <= {"", query_log.HIDDEN}
    assert fillings >= {query_log.HIDDEN}


async def test_with_the_graph_away_the_rest_is_seen_and_why(stores: MemoryStores) -> None:
    away = FalkorRumourGraph(GraphClient(AWAY))
    seen = await read_spyglass(PLAYED, open_uow=stores.open_uow, graph=away)
    assert seen.graph is None
    assert seen.note
    assert seen.influence.believed
    again = await read_spyglass(PLAYED, open_uow=stores.open_uow, graph=away)
    assert [(q.name, q.failed, q.rows) for q in again.queries] == [("is_whole", "GraphUnavailableError", 0)]
    with pytest.raises(GraphUnavailableError):
        await away.picture(PLAYED)


async def test_what_is_not_projected_yet_is_said(stores: MemoryStores, graph: FalkorRumourGraph) -> None:
    await graph.drop(PLAYED)
    seen = await read_spyglass(PLAYED, open_uow=stores.open_uow, graph=graph)
    assert (seen.graph, seen.note) == (None, str(NotProjectedError()))
    with pytest.raises(UnknownPlaythroughError):
        await read_spyglass("nowhere", open_uow=stores.open_uow, graph=graph)


async def test_one_look_at_the_record_serves_all_of_it(stores: MemoryStores, graph: FalkorRumourGraph) -> None:
    looks: list[str | None] = []

    def counted(playthrough_id: str | None = None) -> AbstractAsyncContextManager[UnitOfWork]:
        looks.append(playthrough_id)
        return stores.open_uow(playthrough_id)

    seen = await read_spyglass(PLAYED, open_uow=counted, graph=graph)
    assert looks == [PLAYED]
    assert seen.influence == await read_influence(PLAYED, open_uow=stores.open_uow, graph=graph)


def test_a_ring_keeps_the_newest() -> None:
    log = QueryLog(kept=3)
    for number in range(5):
        with log.timing("w1" if number % 2 else "w0", "RETURN 1", {"who": f"c{number}"}, is_write=False) as asked:
            asked.rows = number
    assert [(q.number, q.rows) for q in log.of(("w0", "w1"), most=9)] == [(5, 4), (4, 3), (3, 2)]
    assert [q.parameters for q in log.of(("w1",), most=9)] == [{"who": "c3"}]
    assert log.of((), most=9) == ()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a" * 90, "a" * 60 + "…"), (7, 7), (None, None), (True, True), ([], "0 rows"),
        (list("abcdefghij"), [*"abcdefgh", "…"]),
        ([{"said": "x"}], "1 rows"), (["x" * 61], "1 rows"), ({"said": "x"}, "…"),
    ],
)  # fmt: skip
def test_a_parameter_is_shown_by_its_sort(value: object, shown: object) -> None:
    assert query_log.shown("any", value) == shown
