"""Who may call what: the route x role table, published at /v1/roles and held by a guard."""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from ledger_service.bootstrap import Application
from ledger_service.domain.errors import ForbiddenError, MissingKeyError, WrongKeyError

ROLES = ("game", "reviewer", "admin")
"""Each may do what those before it may."""
BEARER = "bearer"
CONSOLE_SESSION = "continuity_session"
"""The console's cookie: it opens the console, within the worlds of its account, and nothing else."""

Connection = ASGIConnection[Any, Any, Any, Any]


def may(role: str, needs: str) -> bool:
    """Say whether a role is enough."""
    return ROLES.index(role) >= ROLES.index(needs)


async def guard(connection: Connection, handler: BaseRouteHandler) -> None:
    """Let a call through when its key's role is enough; bound to loopback no key is needed.

    Raises:
        MissingKeyError: no key.
        WrongKeyError: a key that is unknown or revoked.
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
    if not header and CONSOLE_SESSION in connection.cookies:
        raise WrongKeyError("who signed in to the console sees it there; this interface takes a key")
    if not header and application.settings.is_loopback:
        return "admin"
    if not header:
        raise MissingKeyError
    scheme, _, key = header.partition(" ")
    if scheme.lower() != BEARER:
        raise WrongKeyError("the Authorization header is not of the form `Bearer KEY`")
    role = await application.api_keys.find_role(key.strip())
    if role is None:
        raise WrongKeyError
    return role
