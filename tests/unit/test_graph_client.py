"""What the wire to the graph tries again by itself, and what it never does."""

from typing import Any

import pytest
from redis.exceptions import ConnectionError as Gone
from redis.exceptions import ResponseError

from ledger_service.domain.errors import GraphReplacedError, GraphUnavailableError
from ledger_service.stores.falkordb.client import REPLACED_WAITS_S, GraphClient

pytestmark = pytest.mark.anyio
ENCOUNTERED = [
    "Encountered different graph value when opened key w01d837bcb010",
    "Encountered an empty key when opened key w01d837bcb010",
]
"""The engine's own words where a graph was replaced, or thrown away, while a query ran on it."""
ONE: list[Any] = [[], [[[3, 1]]], []]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Scripted(GraphClient):
    """A client that is answered from a list."""

    def __init__(self, *answers: Any) -> None:
        super().__init__("redis://127.0.0.1:1")
        self.answers = list(answers)

    async def _answer(self, *_: str) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize("said", ENCOUNTERED)
async def test_a_write_under_which_the_graph_was_replaced_is_sent_again(said: str) -> None:
    client = Scripted(ResponseError(said), ResponseError(said), ONE)
    assert await client.write("w1", "RETURN 1") == [[1]]
    assert client.answers == []


async def test_a_graph_that_is_replaced_again_and_again_is_not_called_out_of_reach() -> None:
    client = Scripted(*[ResponseError(ENCOUNTERED[0])] * (len(REPLACED_WAITS_S) + 1))
    with pytest.raises(GraphReplacedError, match="being made anew by somebody else"):
        await client.write("w1", "RETURN 1")
    assert client.answers == []


async def test_a_read_of_a_graph_thrown_away_meanwhile_finds_nothing_and_of_one_replaced_asks_again() -> None:
    assert await Scripted(*[ResponseError(ENCOUNTERED[1])] * 6).read("w1", "RETURN 1") == []
    assert await Scripted(ResponseError(ENCOUNTERED[0]), ONE).read("w1", "RETURN 1") == [[1]]


@pytest.mark.parametrize("error", [Gone("Connection closed by server."), ResponseError("Query timed out")])
async def test_nothing_else_is_tried_twice(error: Exception) -> None:
    client = Scripted(error, ONE)
    with pytest.raises(GraphUnavailableError, match="cannot be reached"):
        await client.write("w1", "RETURN 1")
    assert client.answers == [ONE]
