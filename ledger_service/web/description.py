"""The OpenAPI description: every route with the problems it really answers, and no page that loads from elsewhere."""

from litestar import Litestar, MediaType
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig, ResponseSpec
from litestar.routes import HTTPRoute
from msgspec import Struct

from ledger_service.web.ranges import RangedJson

PROBLEMS = {
    400: "it cannot be read, or names a parameter that is not there",
    401: "it needs a key, or another one",
    403: "the key's role is not enough",
    404: "something that it names is not there",
    409: "it is there already, and different",
    413: "the body is too large",
    422: "it is well formed, and against the rules of the story",
    503: "a store is away, or it took too long; nothing of it was written",
}
"""What each status of a problem means."""


class FieldProblem(Struct, frozen=True, kw_only=True):
    """What is wrong with one field."""

    field: str
    why: str


class Problem(Struct, frozen=True, kw_only=True):
    """A problem as RFC 9457 says."""

    title: str
    """Its name, such as `UnknownCharacter`."""
    status: int
    detail: str
    type: str = "about:blank"
    cure: str | None = None
    """What to do about it, where there is something to do."""
    position: int | None = None
    """Which event of a batch it is about, from 0."""
    errors: tuple[FieldProblem, ...] = ()
    """Each field of a body or query that cannot be read."""


def openapi_config() -> OpenAPIConfig:
    """Return how the description is made and where it is: `/schema`, as JSON."""
    return OpenAPIConfig(
        title="Continuity ledger",
        version="1",
        path="/schema",
        use_handler_docstrings=True,
        render_plugins=[RangedJson(path=["/", "/openapi.json"], media_type=MediaType.JSON)],
    )


def describe_problems(app: Litestar) -> None:
    """Let the description of each route list the problems that it answers."""
    for route in app.routes:
        if isinstance(route, HTTPRoute) and route.path.startswith("/v1"):
            for method, (handler, _) in route.route_handler_map.items():
                handler.responses = {s: _spec(s) for s in _statuses(str(method), route.path, handler)}


def _statuses(method: str, path: str, handler: HTTPRouteHandler) -> list[int]:
    guarded = handler.opt.get("needs") is not None
    can = {400: True, 401: guarded, 403: guarded, 404: "{" in path or method == "POST", 503: True}
    can |= dict.fromkeys((409, 413, 422), method == "POST") | ({409: True} if method == "DELETE" else {})
    can[422] = can[422] or (guarded and "{" in path)
    return [status for status in PROBLEMS if can[status]]


def _spec(status: int) -> ResponseSpec:
    return ResponseSpec(
        Problem, description=PROBLEMS[status], media_type="application/problem+json", generate_examples=False
    )
