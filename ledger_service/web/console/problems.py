"""What went wrong, as a page: what it is called, what happened, and what to do about it."""

import logging
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.response import Redirect
from litestar.types import Scope

from ledger_service.domain.errors import LedgerError, NotSignedInError
from ledger_service.web import errors as for_programs
from ledger_service.web.console.desk import Desk
from ledger_service.web.console.rendering import render
from ledger_service.web.console.seal import is_for_programs

_log = logging.getLogger("continuity.web")
NAMES = {
    400: "That cannot be read", 401: "Please sign in", 403: "That is not for you", 404: "There is nothing here",
    405: "That cannot be done here", 409: "It is there already", 413: "That is too large", 422: "That cannot be so",
    429: "Not so fast", 500: "Something went wrong", 503: "Part of the house is away",
}  # fmt: skip

Asked = Request[Any, Any, Any]


def answer_ledger_error(request: Asked, error: LedgerError) -> Response[Any]:
    """Show an error of ours; who has not signed in is led to where that is done."""
    if isinstance(error, NotSignedInError) and request.method == "GET":
        return Redirect(f"/sign-in?{urlencode({'next': _desk(request).path})}", status_code=303)
    return _page(request, for_programs.status_of(type(error)), str(error), error.cure)


def answer_http_error(request: Asked, error: HTTPException) -> Response[Any]:
    """Show what the framework refused."""
    if isinstance(error, ValidationException) and error.extra:
        said = "; ".join(f"{m.get('key', '')}: {m.get('message', '')}" for m in error.extra if isinstance(m, dict))
        return _page(request, error.status_code, said, None)
    cure = "the navigation leads to every page" if error.status_code == 404 else None  # noqa: PLR2004
    said = f"no page is at {request.url.path}" if error.status_code == 404 else str(error.detail)  # noqa: PLR2004
    return _page(request, error.status_code, said, cure)


def answer_bad_text(request: Asked, error: msgspec.MsgspecError) -> Response[Any]:
    """Show what does not decode."""
    return _page(request, 400, str(error), None)


def answer_unforeseen(request: Asked, error: Exception) -> Response[Any]:
    """Show that nobody foresaw it; the log has how it came about."""
    _log.error("unforeseen at %s %s", request.method, request.url.path, exc_info=error)
    return _page(request, 500, "nobody foresaw this", "try again; the service's log has the details")


def _page(request: Asked, status: int, said: str, cure: str | None) -> Response[Any]:
    desk, typed = _desk(request), getattr(request.state, "typed", "")
    name = NAMES.get(status, "That did not work")
    return desk.page("problem.html.jinja", status=status, code=status, name=name, said=said, cure=cure, typed=typed)


def _desk(request: Asked) -> Desk:
    """Return a request's desk; what was refused before it had one is answered from an empty one."""
    found: Desk | None = getattr(request.state, "desk", None)
    return found or Desk(request, request.app.state.application, None)


def too_long(scope: Scope) -> tuple[bytes, bytes]:
    """Return (media type, page) for a request that took too long."""
    request: Asked = Request(scope)
    desk = Desk(request, request.app.state.application, None)
    told = {"code": 503, "name": "That took too long", "said": "nothing was changed", "cure": "try again in a moment"}
    typed = getattr(request.state, "typed", "")
    return b"text/html; charset=utf-8", render("problem.html.jinja", desk=desk, typed=typed, **told).encode()


HANDLERS: dict[Any, Any] = {
    LedgerError: answer_ledger_error,
    HTTPException: answer_http_error,
    msgspec.MsgspecError: answer_bad_text,
    Exception: answer_unforeseen,
}


def answer_elsewhere(request: Asked, error: HTTPException) -> Response[Any]:
    """Answer for an address that no route has: a page to a browser, a problem to a program."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if wants_page and not is_for_programs(request.url.path):
        return answer_http_error(request, error)
    return for_programs.answer_http_error(request, error)
