"""The wire to FalkorDB: one bounded pool, explicit timeouts, checked parameters, errors in our words."""

import asyncio
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote, urlparse

import redis.asyncio as redis
from falkordb.helpers import quote_string
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from ledger_service.domain.errors import ContentError, GraphReplacedError, GraphUnavailableError
from ledger_service.stores.falkordb.query_log import QueryLog

CONNECTIONS: Final = 16
CONNECT_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 8.0
"""Longer than the engine's own limit of 5 s, so that a write is never given up on while it still runs."""
REPLACED_WAITS_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2)
"""How long somebody else who makes a graph anew is left to it, before each further try."""
_CURE: Final = "`continuity doctor` says whether FalkorDB runs (at CONTINUITY_FALKORDB_URL, where that is set)"

Parameter = str | int | float | bool | None | list[Any] | dict[str, Any]
Rows = list[list[Any]]


class GraphClient:
    """Runs queries, each on a graph that it names. Building it does no I/O.

    Nothing is tried twice but what the engine has just undone, because the graph was replaced under it.
    With `idle_seconds`, a graph that is not asked for so long is let go; the record brings it back.
    """

    def __init__(self, url: str, *, idle_seconds: int = 0) -> None:
        self._idle_seconds = idle_seconds
        self._pool = _pool(url)
        self._redis: Any = redis.Redis(connection_pool=self._pool)  # its commands carry no types
        self.log = QueryLog()

    async def read(self, graph: str, query: str, **parameters: Parameter) -> Rows:
        """Run a read; a graph that was never projected has no rows, and stays absent.

        Raises:
            GraphUnavailableError: the graph is away or does not answer in time.
        """
        return await self._run("GRAPH.RO_QUERY", graph, query, parameters)

    async def write(self, graph: str, query: str, **parameters: Parameter) -> Rows:
        """Run a write, which is one query and therefore whole or not at all."""
        return await self._run("GRAPH.QUERY", graph, query, parameters)

    async def drop(self, graph: str) -> None:
        """Throw a graph away; one that is not there is fine."""
        with _translated():
            try:
                await self._redis.execute_command("GRAPH.DELETE", graph)
            except ResponseError as error:
                if not _is_absent(error):
                    raise

    async def explain(self, graph: str, query: str, **parameters: Parameter) -> list[str]:
        """Return the engine's plan."""
        with _translated():
            return list(await self._redis.execute_command("GRAPH.EXPLAIN", graph, _header(parameters) + query))

    async def copy(self, graph: str, target: str) -> None:
        """Copy a graph under another name; the engine forks, so never two at once."""
        with _translated():
            await self._redis.execute_command("GRAPH.COPY", graph, target)

    async def module_version(self) -> int:
        """Return the engine's version as one number: 4.16.3 is 41603."""
        with _translated():
            modules = await self._redis.execute_command("MODULE", "LIST")
        found = [m if isinstance(m, dict) else dict(zip(m[::2], m[1::2], strict=False)) for m in modules]
        return next((int(m["ver"]) for m in found if m.get("name") == "graph"), 0)

    async def is_saving(self) -> bool:
        """Say whether the server forks already, to save or to rewrite its log."""
        with _translated():
            info = await self._redis.execute_command("INFO", "persistence")
        lines = (line.split(":", 1) for line in info.splitlines() if ":" in line) if isinstance(info, str) else ()
        fields = info if isinstance(info, dict) else dict(lines)
        return any(int(fields.get(name, 0)) for name in ("rdb_bgsave_in_progress", "aof_rewrite_in_progress"))

    async def memory_bytes(self) -> int:
        """Return what the server holds in memory: resident, since it counts room for nodes that it never touches."""
        with _translated():
            info = await self._redis.execute_command("INFO", "memory")
        return int(info["used_memory_rss"] if isinstance(info, dict) else info.split("used_memory_rss:")[1].split()[0])

    async def expires_in(self, graph: str) -> int:
        """Return after how many seconds a graph is let go; -1 is never, -2 is no such graph."""
        with _translated():
            return int(await self._redis.execute_command("TTL", graph))

    async def close(self) -> None:
        """Close all connections."""
        await self._redis.aclose()
        await self._pool.disconnect()

    async def _run(self, command: str, graph: str, query: str, parameters: Mapping[str, Parameter]) -> Rows:
        text = _header(parameters) + query
        is_write = command == "GRAPH.QUERY"
        with self.log.timing(graph, query, parameters, is_write=is_write) as asked, _translated():
            try:
                answer = await self._patiently(command, graph, text)
            except ResponseError as error:
                if not is_write and _is_absent(error):
                    return []
                raise
            rows = [[_plain(cell) for cell in row] for row in answer[1]] if len(answer) > 1 else []
            asked.rows = len(rows)
        return rows

    async def _patiently(self, command: str, graph: str, text: str) -> Any:  # noqa: ANN401
        """Send a query, and again where somebody threw the graph away meanwhile: then the engine kept nothing of it."""
        for wait in REPLACED_WAITS_S:
            try:
                return await self._answer(command, graph, text)
            except ResponseError as error:
                if not _is_replaced(error):
                    raise
                await asyncio.sleep(wait)
        return await self._answer(command, graph, text)

    async def _answer(self, command: str, graph: str, text: str) -> Any:  # noqa: ANN401
        """Send a query; where idle graphs are let go, put that off in the same round trip."""
        if not self._idle_seconds:
            return await self._redis.execute_command(command, graph, text, "--compact")
        both = self._redis.pipeline(transaction=False)
        both.execute_command(command, graph, text, "--compact")
        both.execute_command("EXPIRE", graph, self._idle_seconds)
        answer, _ = await both.execute(raise_on_error=False)
        if isinstance(answer, Exception):
            raise answer
        return answer


def _pool(url: str) -> redis.BlockingConnectionPool:
    """Return a pool that waits for a free connection; over TCP or, for `unix://`, a socket."""
    parsed = urlparse(url)
    common: dict[str, Any] = {
        "max_connections": CONNECTIONS, "timeout": ANSWER_SECONDS, "socket_timeout": ANSWER_SECONDS, "protocol": 2,
        "socket_connect_timeout": CONNECT_SECONDS, "retry": Retry(NoBackoff(), 0), "decode_responses": True,
    }  # fmt: skip
    if parsed.scheme != "unix":
        return redis.BlockingConnectionPool.from_url(url, **common)
    named = {"username": parsed.username, "password": parsed.password}
    given = {name: unquote(value) for name, value in named.items() if value}
    path = unquote(parsed.path)
    return redis.BlockingConnectionPool(connection_class=redis.UnixDomainSocketConnection, path=path, **common | given)


def literal(value: object, path: str) -> str:
    """Write a parameter as a Cypher literal; parameters are pasted into the query's text, so nothing else may pass.

    Raises:
        ContentError: a type that has no literal, a number out of range, or text with NUL or a lone surrogate.
    """
    match value:
        case str() if "\x00" not in value and (value.isascii() or _is_utf8(value)):
            return str(quote_string(value))
        case dict():
            return "{" + ",".join([f"{_key(key)}:{literal(inner, path)}" for key, inner in value.items()]) + "}"
        case list() | tuple():
            return "[" + ",".join([literal(inner, path) for inner in value]) + "]"
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if -(2**63) <= value < 2**63:
            return str(int(value))
        case float() if math.isfinite(value):
            return repr(float(value))
        case _:
            raise ContentError(path, f"{type(value).__name__} {value!r:.40} cannot be sent to the graph")


@lru_cache(maxsize=256)
def _key(key: object) -> str:
    if not (isinstance(key, str) and key.isascii() and key.isidentifier()):
        raise ContentError("key", f"{key!r:.40} cannot be a key in the graph")
    return key


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _header(parameters: Mapping[str, Parameter]) -> str:
    if not parameters:
        return ""
    return "CYPHER " + " ".join(f"{_key(name)}={literal(value, name)}" for name, value in parameters.items()) + " "


def _plain(cell: list[Any]) -> Any:  # noqa: ANN401
    """Turn a tagged value into a plain one; nodes and edges are refused: their names would come from a cache."""
    tag, value = cell
    match tag:
        case 1 | 2 | 3:
            return value
        case 4:
            return value == "true"
        case 5:
            return float(value)
        case 6:
            return [_plain(inner) for inner in value]
        case _:
            raise GraphUnavailableError(f"a query returned a value of type {tag}, and only scalars may be returned")


@contextmanager
def _translated() -> Iterator[None]:
    """Let no driver error leave this package."""
    try:
        yield
    except (RedisError, OSError) as error:
        if _is_replaced(error):
            raise GraphReplacedError from error
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise GraphUnavailableError(why, cure=_CURE) from error


def _is_replaced(error: Exception) -> bool:
    """Say whether a graph was thrown away or made anew while a query ran on it."""
    return "when opened key" in str(error)


def _is_absent(error: ResponseError) -> bool:
    return "empty key" in str(error)
