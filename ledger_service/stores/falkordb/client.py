"""The wire to FalkorDB: one bounded pool, explicit timeouts, checked parameters, errors in our words."""

import math
from typing import Any
from urllib.parse import urlparse

import redis.asyncio as redis
from falkordb.helpers import stringify_param_value
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from ledger_service.domain.errors import ContentError, GraphUnavailableError

CONNECTIONS = 16
CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 8.0
"""Longer than the engine's own limit of 5 s, so that a write is never given up on while it still runs."""

Parameter = str | int | float | bool | None | list[Any] | dict[str, Any]
Rows = list[list[Any]]


class GraphClient:
    """Runs queries, each on a graph that it names. Building it does no I/O."""

    def __init__(self, url: str) -> None:
        parsed = urlparse(url)
        common: dict[str, Any] = {
            "max_connections": CONNECTIONS, "timeout": ANSWER_SECONDS, "socket_timeout": ANSWER_SECONDS,
            "socket_connect_timeout": CONNECT_SECONDS, "retry": Retry(NoBackoff(), 0), "decode_responses": True,
            "password": parsed.password,
        }  # fmt: skip
        if parsed.scheme == "unix":
            self._pool = redis.BlockingConnectionPool(
                connection_class=redis.UnixDomainSocketConnection, path=parsed.path, **_for_unix(common)
            )
        else:
            self._pool = redis.BlockingConnectionPool.from_url(
                url, **{k: v for k, v in common.items() if k != "password"}
            )
        self._redis: Any = redis.Redis(connection_pool=self._pool)

    async def read(self, graph: str, query: str, **parameters: Parameter) -> Rows:
        """Run a read; a graph that was never projected is empty, and stays absent.

        Raises:
            GraphUnavailableError: the graph is away or does not answer in time.
        """
        return await self._run("GRAPH.RO_QUERY", graph, query, parameters)

    async def write(self, graph: str, query: str, **parameters: Parameter) -> Rows:
        """Run a write, which is one query and therefore whole or not at all."""
        return await self._run("GRAPH.QUERY", graph, query, parameters)

    async def drop(self, graph: str) -> None:
        """Throw a graph away; one that is not there is fine."""
        try:
            await self._redis.execute_command("GRAPH.DELETE", graph)
        except ResponseError as error:
            if "empty key" not in str(error):
                raise GraphUnavailableError(_first_line(error)) from error
        except (RedisError, OSError) as error:
            raise GraphUnavailableError(_first_line(error)) from error

    async def explain(self, graph: str, query: str, **parameters: Parameter) -> list[str]:
        """Return the engine's plan."""
        try:
            return list(await self._redis.execute_command("GRAPH.EXPLAIN", graph, _header(parameters) + query))
        except (RedisError, OSError) as error:
            raise GraphUnavailableError(_first_line(error)) from error

    async def close(self) -> None:
        """Close all connections."""
        await self._redis.aclose()
        await self._pool.disconnect()

    async def _run(self, command: str, graph: str, query: str, parameters: dict[str, Parameter]) -> Rows:
        text = _header(parameters) + query
        try:
            answer = await self._redis.execute_command(command, graph, text)
        except ResponseError as error:
            if "empty key" in str(error):
                return []
            raise GraphUnavailableError(_first_line(error)) from error
        except (RedisError, OSError) as error:
            raise GraphUnavailableError(_first_line(error)) from error
        return list(answer[1]) if len(answer) > 1 else []


def _for_unix(common: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in common.items() if k != "socket_connect_timeout"}


def _header(parameters: dict[str, Parameter]) -> str:
    if not parameters:
        return ""
    for name, value in parameters.items():
        check_parameter(value, name)
    return "CYPHER " + " ".join(f"{name}={stringify_param_value(value)}" for name, value in parameters.items()) + " "


def check_parameter(value: object, path: str) -> None:
    """Refuse what the wire would change or the engine would reject.

    Raises:
        ContentError: NUL in text, a number that is not finite, an integer over 63 bits, or another type.
    """
    match value:
        case None | bool():
            return
        case str() if "\x00" not in value:
            return
        case int() if abs(value) < 2**63:
            return
        case float() if math.isfinite(value):
            return
        case list() | tuple():
            for i, inner in enumerate(value):
                check_parameter(inner, f"{path}[{i}]")
        case dict():
            for key, inner in value.items():
                check_parameter(inner, f"{path}.{key}")
        case _:
            raise ContentError(path, f"{type(value).__name__} {value!r:.40} cannot be sent to the graph")


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
