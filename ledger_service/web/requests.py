"""What every request is held to before its route begins: a body that decodes, plain text, parameters that are known."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec
from litestar import Litestar, Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers.base import BaseRouteHandler
from litestar.routes import HTTPRoute
from msgspec import Struct

from ledger_service.domain.errors import ContentError, MalformedError
from ledger_service.domain.texts import LARGEST_NUMBER

Connection = ASGIConnection[Any, Any, Any, Any]
_LONE = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
_PATH = re.compile(r" - at `.*`$")
_LONG: Final = re.compile(rb"\d{16}")
_WHOLE: Final = re.compile(r"\s*[+-]?[0-9]+\s*")
_LONGEST_NUMBER: Final = 40
NUL = "\x00"


class JsonRequest(Request[None, None, State]):
    """A request whose body is JSON with text that can be kept."""

    async def json(self) -> Any:  # noqa: ANN401
        """Return the body.

        Raises:
            MalformedError: it is no JSON, and why; or it holds a whole number that JSON cannot carry exactly.
            ContentError: text in it holds a NUL character; names the field.
        """
        body = await self.body()
        try:
            found = msgspec.json.decode(body)
        except msgspec.DecodeError as error:
            raise MalformedError("body", _why(str(error), body)) from None
        if _LONG.search(body):
            for path, number in _leaves(found, ""):
                if isinstance(number, int):
                    _check_whole(path or "body", number)
        if rb"\u0000" in body:
            for path, text in _leaves(found, ""):
                if isinstance(text, str) and NUL in text:
                    raise ContentError(path or "body", "holds a NUL character")
        return found


def _why(said: str, body: bytes) -> str:
    if said.startswith("Input data was truncated"):
        return (
            "text in it holds half of a surrogate pair" if _LONE.search(body) else "the JSON ends before it is complete"
        )
    return _PATH.sub("", said)


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    """Yield what a body holds, names of fields included, each with its path."""
    match value:
        case list():
            for i, inner in enumerate(value):
                yield from _leaves(inner, f"{path}[{i}]")
        case dict():
            for name, inner in value.items():
                yield path, name
                yield from _leaves(inner, f"{path}.{name}" if path else name)
        case _:
            yield path, value


def _check_whole(name: str, number: int) -> None:
    """Refuse what a number of JSON cannot say exactly; the description of every route has the same range."""
    if abs(number) > LARGEST_NUMBER:
        raise MalformedError(name, f"whole numbers go from {-LARGEST_NUMBER} to {LARGEST_NUMBER}")


class Parameter(Struct, frozen=True, kw_only=True):
    """What a query parameter takes."""

    is_many: bool = False
    """It may stand there more than once."""
    is_whole: bool = False
    choices: tuple[str, ...] = ()
    """All that it takes, where that is a short list."""


def known_parameters(app: Litestar) -> dict[tuple[str, str], dict[str, Parameter]]:
    """Return the query parameters of each method and path, by the names that callers give them."""
    return {
        (str(method), route.path_format): {
            p.field_alias: _parameter(
                handler.parsed_fn_signature.parameters[p.field_name].annotation, is_many=p.is_sequence
            )
            for p in model.expected_query_params
        }
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method, (handler, model) in route.route_handler_map.items()
    }


def _parameter(annotation: Any, *, is_many: bool) -> Parameter:  # noqa: ANN401
    of_each = (
        [a for a in get_args(annotation) if a is not NoneType] if NoneType in get_args(annotation) else [annotation]
    )
    choices = [tuple(_choices(a)) for a in of_each]
    every = tuple(c for found in choices for c in found) if all(choices) else ()
    return Parameter(is_many=is_many, is_whole=of_each == [int], choices=every)


def _choices(annotation: Any) -> Iterator[str]:  # noqa: ANN401
    if get_origin(annotation) is Literal:
        yield from map(str, get_args(annotation))
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(member.value) for member in annotation)


async def hold(connection: Connection, _: BaseRouteHandler) -> None:
    """Refuse query parameters that the route does not have or takes otherwise, and text that no store can keep.

    Raises:
        MalformedError: names the parameter.
    """
    known: dict[tuple[str, str], Mapping[str, Parameter]] = connection.app.state.parameters
    allowed = known.get((str(connection.scope.get("method", "")), connection.scope["path_template"]), {})
    for name, value in connection.query_params.multi_items():
        if name not in allowed:
            choice = f"it takes {', '.join(sorted(allowed))}" if allowed else "it takes none"
            raise MalformedError("query", f"there is no parameter {name!r} here; {choice}")
        _check_value(name, str(value), allowed[name])
    _check_once(connection.scope["query_string"], allowed)
    for name, value in connection.path_params.items():
        if NUL in str(value):
            raise MalformedError(name, "holds a NUL character")


def _check_once(query: bytes, allowed: Mapping[str, Parameter]) -> None:
    """Refuse what stands there again; the framework itself lets the last of them win."""
    if b"&" not in query:
        return
    for name, times in Counter(n for n, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)).items():
        if times > 1 and name in allowed and not allowed[name].is_many:
            raise MalformedError(name, f"is given {times} times, and takes one value")


def _check_value(name: str, value: str, parameter: Parameter) -> None:
    if NUL in value:
        raise MalformedError(name, "holds a NUL character")
    if parameter.choices and value not in parameter.choices:
        raise MalformedError(name, f"there is no {value!r}; it takes {', '.join(parameter.choices)}")
    if parameter.is_whole and _WHOLE.fullmatch(value):
        _check_whole(name, int(value.strip()[:_LONGEST_NUMBER]))
