"""Every Cypher file, and the wire that carries it."""

import re
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from ledger_service.domain.errors import ContentError, GraphUnavailableError
from ledger_service.stores.falkordb import queries
from ledger_service.stores.falkordb.client import GraphClient, literal

pytestmark = [pytest.mark.anyio, pytest.mark.falkordb]
GRAPH = "test-queries"
STATUS = "CALL db.indexes() YIELD label, status RETURN status ORDER BY label"
OF_TYPE: dict[str, Any] = {"str": "x", "int": 1, "list": []}
SCHEMA = frozenset({"index_entries", "index_characters", "index_places"})


@pytest.fixture
async def client(client: GraphClient) -> AsyncIterator[GraphClient]:
    yield client
    await client.drop(GRAPH)


@pytest.mark.parametrize("name", queries.names())
def test_a_file_says_what_it_answers_and_declares_exactly_what_it_uses(name: str) -> None:
    query = queries.load(name)
    assert query.answers.endswith(".")
    assert set(query.parameters) == set(re.findall(r"\$(\w+)", query.text))


@pytest.mark.parametrize("name", queries.names())
def test_every_edge_in_a_pattern_has_a_name(name: str) -> None:
    assert not re.findall(r"\)-\[:|\)--|\)<-\[:", queries.load(name).text)


@pytest.mark.parametrize("name", sorted(set(queries.names()) - SCHEMA))
async def test_the_server_accepts_a_file(client: GraphClient, name: str) -> None:
    query = queries.load(name)
    given = {p: OF_TYPE[declared.split()[0]] for p, declared in query.parameters.items()}
    await client.write(GRAPH, "RETURN 1")
    assert await client.explain(GRAPH, query.text, **given)


async def test_entries_are_found_by_index(client: GraphClient) -> None:
    for name in sorted(SCHEMA - {"index_places"}):
        await client.write(GRAPH, queries.load(name).text)
    with anyio.fail_after(5):
        while await client.read(GRAPH, STATUS) != [["OPERATIONAL"], ["OPERATIONAL"]]:
            await anyio.lowlevel.checkpoint()
    for query in (queries.FIND_VERSION, queries.FIND_BEHIND):
        plan = await client.explain(GRAPH, query.text, entry_id="e1")
        assert any("Index Scan" in line and "Entry" in line for line in plan)
    empty: dict[str, Any] = {p: OF_TYPE[t.split()[0]] for p, t in queries.MIRROR_BATCH.parameters.items()}
    plan = await client.explain(GRAPH, queries.MIRROR_BATCH.text, **empty)
    assert {line.strip() for line in plan if "Label Scan" in line} == {
        "Node By Label Scan | (m:Mirror)", "Node By Label Scan | (p:Place)", "Node By Label Scan | (g:Group)",
    }  # fmt: skip


NASTY = ["", "plain", 'quote " and \\ backslash', "new\nline\ttab\r", "$entries} RETURN 1 //", "Zoë 你好 🛰", "'`"]


@pytest.mark.parametrize("value", [*NASTY, None, True, False, 0, -(2**63), 2**63 - 1, 0.5, [1, "a", None], []])
async def test_a_value_comes_back_as_it_went(client: GraphClient, value: Any) -> None:
    assert await client.write(GRAPH, "RETURN $value", value=value) == [[value]]


async def test_a_map_can_be_read_field_by_field(client: GraphClient) -> None:
    assert await client.write(GRAPH, "RETURN $row.a, $row.b[1].c", row={"a": 1, "b": [0, {"c": "x"}]}) == [[1, "x"]]


@pytest.mark.parametrize(
    "value",
    [b"bytes", {1, 2}, object(), float("nan"), float("inf"), 2**63, "nul \x00", "\ud800", {"a b": 1}, {"`": 1}, {1: 1}],
)
def test_what_has_no_literal_is_refused(value: Any) -> None:
    with pytest.raises(ContentError):
        literal([{"deep": value}], "rows")


async def test_a_graph_that_is_not_there_has_no_rows_and_is_not_made_by_asking(client: GraphClient) -> None:
    assert await client.read("test-absent", "MATCH (n) RETURN n.id") == []
    assert await client.read("test-absent", "MATCH (n) RETURN n.id") == []
    await client.drop("test-absent")


async def test_a_read_cannot_write(client: GraphClient) -> None:
    await client.write(GRAPH, "RETURN 1")
    with pytest.raises(GraphUnavailableError):
        await client.read(GRAPH, "CREATE (n:Thing)")


async def test_a_query_may_not_return_a_node(client: GraphClient) -> None:
    with pytest.raises(GraphUnavailableError, match="only scalars"):
        await client.write(GRAPH, "CREATE (n:Thing) RETURN n")


@pytest.mark.parametrize("url", ["unix:///nowhere/falkordb.sock", "redis://127.0.0.1:1/0"])
async def test_a_server_that_is_away_is_met_on_first_use_and_named_plainly(url: str) -> None:
    away = GraphClient(url)
    with pytest.raises(GraphUnavailableError) as caught:
        await away.read(GRAPH, "RETURN 1")
    assert caught.value.cure is not None
    assert "\n" not in str(caught.value)
    await away.close()
