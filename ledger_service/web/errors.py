"""Error class to status: the only table that knows both. Problems are answered as RFC 9457 says."""

import logging
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.status_codes import HTTP_500_INTERNAL_SERVER_ERROR

from ledger_service.domain import errors
from ledger_service.domain.errors import LedgerError

STATUS: dict[type[LedgerError], int] = {
    errors.RequestError: 400,
    errors.MissingKeyError: 401,
    errors.ForbiddenError: 403,
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.StoryRuleError: 422,
    errors.StoreError: 503,
}
"""A leaf takes the status of its nearest class here; a test holds every leaf to one."""

_log = logging.getLogger("continuity.web")


def status_of(error: type[LedgerError]) -> int:
    """Return the status of an error class."""
    found = next((STATUS[cls] for cls in error.__mro__ if cls in STATUS), None)
    return HTTP_500_INTERNAL_SERVER_ERROR if found is None else found


def _problem(status: int, title: str, detail: str, **more: object) -> Response[bytes]:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    return Response(msgspec.json.encode(body), status_code=status, media_type="application/problem+json")


def answer_ledger_error(_: Request[Any, Any, Any], error: LedgerError) -> Response[bytes]:
    """Answer an error of ours: its name, its message, and the cure where there is one."""
    name = type(error).__name__.removesuffix("Error")
    fields = {"cure": error.cure} if error.cure else {}
    return _problem(status_of(type(error)), name, str(error), **fields)


def answer_http_error(_: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Answer what the framework refused: a wrong path, method, size or body."""
    extra = error.extra if isinstance(error, ValidationException) else None
    return _problem(error.status_code, type(error).__name__.removesuffix("Exception"), error.detail, errors=extra or [])


def answer_unforeseen(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer what nobody foresaw without telling how it came about; the log has that."""
    _log.error("unforeseen at %s %s", request.method, request.url.path, exc_info=error)
    return _problem(HTTP_500_INTERNAL_SERVER_ERROR, "Unforeseen", "something went wrong here; the log has the details")


def answer_bad_json(_: Request[Any, Any, Any], error: msgspec.MsgspecError) -> Response[bytes]:
    """Answer a body that does not decode, with the path of what is wrong."""
    return _problem(400, "Malformed", str(error))


HANDLERS: dict[Any, Any] = {
    LedgerError: answer_ledger_error,
    HTTPException: answer_http_error,
    msgspec.MsgspecError: answer_bad_json,
    Exception: answer_unforeseen,
}
