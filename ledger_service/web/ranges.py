"""Which whole numbers a request takes, put into the OpenAPI description: exactly those that are not refused."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from litestar import Litestar, Request
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.routes import HTTPRoute
from msgspec import Struct, inspect

from ledger_service.domain.texts import LARGEST_NUMBER

_HOLDS_MORE: Final = ("oneOf", "items", "additionalProperties")


class Span(Struct, frozen=True):
    """From where to where whole numbers go."""

    least: int = -LARGEST_NUMBER
    most: int = LARGEST_NUMBER


class RangedJson(JsonRenderPlugin):
    """Shows the description with its ranges; they are worked out when somebody looks at it."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """Return the description as JSON."""
        return super().render(request, with_ranges(request.app, openapi_schema))


def with_ranges(app: Litestar, described: dict[str, Any]) -> dict[str, Any]:
    """Return a description in which every whole number that a request holds has the range in which it is taken."""
    components = described["components"]
    schemas = dict(components["schemas"])
    for name, spans in _structs(tuple(_bodies(app))):
        if "properties" in schemas.get(name, {}):
            fields = schemas[name]["properties"].items()
            schemas[name] = schemas[name] | {"properties": {f: _ranged(s, spans.get(f, Span())) for f, s in fields}}
    paths = {path: dict(item) for path, item in described["paths"].items()}
    for (method, path), spans in _of_queries(app).items():
        operation = paths.get(path, {}).get(method)
        if operation is not None:
            given = [
                p | {"schema": _ranged(p["schema"], spans.get(p["name"], Span()))} for p in operation["parameters"]
            ]
            paths[path][method] = operation | {"parameters": given}
    return described | {"paths": paths, "components": components | {"schemas": schemas}}


def _bodies(app: Litestar) -> Iterator[Any]:
    """Yield what the routes read from bodies."""
    for route in app.routes:
        if isinstance(route, HTTPRoute) and route.path.startswith("/v1"):
            for handler, _ in route.route_handler_map.values():
                data = handler.parsed_fn_signature.parameters.get("data")
                if data is not None:
                    yield data.annotation


def _structs(annotations: tuple[Any, ...]) -> Iterator[tuple[str, dict[str, Span]]]:
    """Yield the fields of each struct that is read in any of these, however deep, with their ranges."""
    seen: set[type] = set()
    left: list[inspect.Type] = list(inspect.multi_type_info(annotations))
    while left:
        found = left.pop()
        if isinstance(found, inspect.StructType):
            if found.cls in seen:
                continue
            seen.add(found.cls)
            yield found.cls.__name__, {f.encode_name: _span(f.type) for f in found.fields}
            left += [f.type for f in found.fields]
        else:
            left += _inside(found)


def _inside(found: inspect.Type) -> list[inspect.Type]:
    """Return the types that a type is made of."""
    match found:
        case inspect.Metadata(type=inner):
            return [inner]
        case inspect.UnionType(types=types):
            return list(types)
        case inspect.TupleType(item_types=types):
            return list(types)
        case inspect.DictType(key_type=key, value_type=value):
            return [key, value]
        case inspect.CollectionType(item_type=item):
            return [item]
        case _:
            return []


def _span(found: inspect.Type) -> Span:
    """Return the range of the whole numbers in a field; one without any has the range of all."""
    if isinstance(found, inspect.IntType):
        return _between(found.ge, found.le)
    spans = {_span(inner) for inner in _inside(found)} - {Span()}
    return spans.pop() if len(spans) == 1 else Span()


def _between(least: float | None, most: float | None) -> Span:
    return Span(-LARGEST_NUMBER if least is None else int(least), LARGEST_NUMBER if most is None else int(most))


def _ranged(schema: Any, span: Span) -> Any:  # noqa: ANN401
    """Return a schema in which each whole number has a range."""
    if isinstance(schema, list):
        return [_ranged(s, span) for s in schema]
    if not isinstance(schema, Mapping):
        return schema
    if schema.get("type") == "integer":
        return {**schema, "minimum": span.least, "maximum": span.most}
    return {key: _ranged(inner, span) if key in _HOLDS_MORE else inner for key, inner in schema.items()}


def _of_queries(app: Litestar) -> dict[tuple[str, str], dict[str, Span]]:
    """Return the ranges of the query parameters of each route that has any."""
    found: dict[tuple[str, str], dict[str, Span]] = {}
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for method, (handler, model) in route.route_handler_map.items():
                fields = {p.field_alias: handler.parsed_fn_signature.parameters[p.field_name].kwarg_definition
                          for p in model.expected_query_params}  # fmt: skip
                if fields:
                    found[str(method).lower(), route.path_format] = {
                        name: _between(getattr(given, "ge", None), getattr(given, "le", None))
                        for name, given in fields.items()
                    }
    return found
