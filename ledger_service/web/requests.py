"""What every request is held to before its route begins: a body that decodes, plain text, parameters that are known."""

import re
from collections.abc import Collection, Iterator
from typing import Any

import msgspec
from litestar import Litestar, Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers.base import BaseRouteHandler
from litestar.routes import HTTPRoute

from ledger_service.domain.errors import ContentError, MalformedError

Connection = ASGIConnection[Any, Any, Any, Any]
_LONE = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
_PATH = re.compile(r" - at `.*`$")
NUL = "\x00"


class JsonRequest(Request[None, None, State]):
    """A request whose body is JSON with text that can be kept."""

    async def json(self) -> Any:  # noqa: ANN401
        """Return the body.

        Raises:
            MalformedError: it is no JSON, and why.
            ContentError: text in it holds a NUL character; names the field.
        """
        body = await self.body()
        try:
            found = msgspec.json.decode(body)
        except msgspec.DecodeError as error:
            raise MalformedError("body", _why(str(error), body)) from None
        if rb"\u0000" in body:
            for path in _with_nul(found, ""):
                raise ContentError(path or "body", "holds a NUL character")
        return found


def _why(said: str, body: bytes) -> str:
    if said.startswith("Input data was truncated"):
        return (
            "text in it holds half of a surrogate pair" if _LONE.search(body) else "the JSON ends before it is complete"
        )
    return _PATH.sub("", said)


def _with_nul(value: object, path: str) -> Iterator[str]:
    match value:
        case str() if NUL in value:
            yield path
        case list():
            for i, inner in enumerate(value):
                yield from _with_nul(inner, f"{path}[{i}]")
        case dict():
            for name, inner in value.items():
                if NUL in name:
                    yield path
                yield from _with_nul(inner, f"{path}.{name}" if path else name)
        case _:
            return


def known_parameters(app: Litestar) -> dict[tuple[str, str], frozenset[str]]:
    """Return the query parameters of each method and path."""
    return {
        (str(method), route.path_format): frozenset(p.field_alias for p in model.expected_query_params)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method, (_, model) in route.route_handler_map.items()
    }


async def hold(connection: Connection, _: BaseRouteHandler) -> None:
    """Refuse query parameters that the route does not have, and text that no store can keep.

    Raises:
        MalformedError: names the parameter.
    """
    known: dict[tuple[str, str], Collection[str]] = connection.app.state.parameters
    allowed = known.get((str(connection.scope.get("method", "")), connection.scope["path_template"]), ())
    for name, value in connection.query_params.multi_items():
        if name not in allowed:
            choice = f"it takes {', '.join(sorted(allowed))}" if allowed else "it takes none"
            raise MalformedError("query", f"there is no parameter {name!r} here; {choice}")
        if NUL in str(value):
            raise MalformedError(name, "holds a NUL character")
    for name, value in connection.path_params.items():
        if NUL in str(value):
            raise MalformedError(name, "holds a NUL character")
