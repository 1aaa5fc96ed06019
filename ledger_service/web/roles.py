"""Who may call what: the route x role table, published at /v1/roles and held by a guard."""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from ledger_service.bootstrap import Application
from ledger_service.domain.errors import ForbiddenError, MissingKeyError

ROLES = ("game", "reviewer", "admin")
"""Each may do what those before it may."""
BEARER = "Bearer "

Connection = ASGIConnection[Any, Any, Any, Any]


def may(role: str, needs: str) -> bool:
    """Say whether a role is enough."""
    return ROLES.index(role) >= ROLES.index(needs)


async def guard(connection: Connection, handler: BaseRouteHandler) -> None:
    """Let a call through when its key's role is enough; bound to loopback no key is needed.

    Raises:
        MissingKeyError: no key, or one that is unknown or revoked.
        ForbiddenError: a key without the role that the route needs.
    """
    needs = handler.opt.get("needs")
    if needs is None:
        return
    application: Application = connection.app.state.application
    role = await role_of(connection, application)
    connection.scope["state"]["role"] = role
    if not may(role, needs):
        raise ForbiddenError(role, needs)


async def role_of(connection: Connection, application: Application) -> str:
    """Return the role of who calls."""
    header = connection.headers.get("authorization", "")
    if not header and application.settings.is_loopback:
        return "admin"
    if not header.startswith(BEARER):
        raise MissingKeyError
    role = await application.api_keys.find_role(header.removeprefix(BEARER).strip())
    if role is None:
        raise MissingKeyError
    return role
