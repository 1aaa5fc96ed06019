"""The HTTP application: routes, guards, limits, problems; it is handed an open application."""

from collections import Counter
from typing import Any

import anyio
from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from ledger_service.bootstrap import Application
from ledger_service.web.api import history, influence, opinions, packets, playthroughs, rumours, service
from ledger_service.web.console import problems, routes
from ledger_service.web.console.problems import too_long
from ledger_service.web.console.seal import is_for_programs, sealed
from ledger_service.web.dependencies import provide_application
from ledger_service.web.description import describe_problems, openapi_config
from ledger_service.web.errors import HANDLERS
from ledger_service.web.requests import JsonRequest, hold, known_parameters
from ledger_service.web.roles import guard

TOO_LONG = b'{"type":"about:blank","title":"Timeout","status":503,"detail":"the request took too long"}'


def create_app(application: Application, *, first_run: str | None = None) -> Litestar:
    """Return the HTTP application; `first_run` opens the console to the first admin, as long as there is none."""
    requests: Counter[int] = Counter()
    v1 = Router(
        path="/v1",
        route_handlers=[
            playthroughs.router,
            playthroughs.taking_in(application.settings.max_import_bytes),
            history.router,
            packets.router,
            rumours.router,
            influence.router,
            opinions.router,
            service.router,
        ],
        guards=[guard, hold],
        dependencies={"application": Provide(provide_application, sync_to_thread=False)},
    )
    app = Litestar(
        route_handlers=[v1, routes.router()],
        request_class=JsonRequest,
        exception_handlers={**HANDLERS, HTTPException: problems.answer_elsewhere},
        request_max_body_size=application.settings.max_body_bytes,
        middleware=[sealed, _counting(requests), _limited(application.settings.request_timeout_s)],
        state=State(
            {"application": application, "requests": requests, "roles": {}, "parameters": {}, "pages": frozenset()}
            | {"first_run": first_run}
        ),
        openapi_config=openapi_config(),
        debug=False,
        logging_config=None,
    )
    app.state.roles = roles_of(app)
    app.state.parameters = known_parameters(app)
    app.state.pages = routes.pages_of(app)
    describe_problems(app)
    return app


def roles_of(app: Litestar) -> dict[str, str]:
    """Return the route x role table, from the routes themselves."""
    found: dict[str, str] = {}
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            if route.path.startswith("/v1"):
                for method in sorted(getattr(handler, "http_methods", ())):
                    if method != "OPTIONS":
                        found[f"{method} {route.path}"] = handler.opt.get("needs") or "anybody"
    return dict(sorted(found.items()))


def _counting(requests: Counter[int]) -> Any:  # noqa: ANN401
    def wrap(app: ASGIApp) -> ASGIApp:
        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            async def counted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    requests[message["status"]] += 1
                await send(message)

            await app(scope, receive, counted)

        return call

    return wrap


def _patience(scope: Scope) -> float:
    """Return how many times as long as others a route may take."""
    return float(scope["route_handler"].opt.get("patience", 1)) if "route_handler" in scope else 1.0


def _limited(seconds: float) -> Any:  # noqa: ANN401
    """End a request that takes too long with 503; nothing of it is half written."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            if str(scope["type"]) != "http":
                await app(scope, receive, send)
                return
            began = False

            async def noted(message: Message) -> None:
                nonlocal began
                began = True
                await send(message)

            with anyio.move_on_after(seconds * _patience(scope)) as limit:
                await app(scope, receive, noted)
            if limit.cancelled_caught and not began:
                kind, body = (
                    (b"application/problem+json", TOO_LONG) if is_for_programs(scope["path"]) else too_long(scope)
                )
                await send({"type": "http.response.start", "status": 503, "headers": [(b"content-type", kind)]})
                await send({"type": "http.response.body", "body": body, "more_body": False})

        return call

    return wrap
