"""Error class to status: the only table that knows both. Problems are answered as RFC 9457 says."""

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.status_codes import (
    HTTP_400_BAD_REQUEST,
    HTTP_404_NOT_FOUND,
    HTTP_405_METHOD_NOT_ALLOWED,
    HTTP_413_REQUEST_ENTITY_TOO_LARGE,
    HTTP_500_INTERNAL_SERVER_ERROR,
)

from ledger_service.domain import errors
from ledger_service.domain.errors import LedgerError

STATUS: dict[type[LedgerError], int] = {
    errors.RequestError: 400,
    errors.MissingKeyError: 401,
    errors.WrongKeyError: 401,
    errors.NotSignedInError: 401,
    errors.WrongPasswordError: 401,
    errors.ForbiddenError: 403,
    errors.StaleFormError: 403,
    errors.TooOftenError: 429,
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.StoryRuleError: 422,
    errors.ProviderError: 502,
    errors.StoreError: 503,
}
"""A leaf takes the status of its nearest class here; a test holds every leaf to one."""

REFUSED: Mapping[int, tuple[str, str, str | None]] = {
    HTTP_400_BAD_REQUEST: ("Malformed", "{}", None),
    HTTP_404_NOT_FOUND: ("NotFound", "there is nothing at {path}", "/schema lists every route"),
    HTTP_405_METHOD_NOT_ALLOWED: ("MethodNotAllowed", "{path} is not asked by {method}", "/schema lists every route"),
    HTTP_413_REQUEST_ENTITY_TOO_LARGE: (
        "TooLarge",
        "the body is larger than this service takes",
        "send it in parts, or raise CONTINUITY_MAX_BODY_BYTES (CONTINUITY_MAX_IMPORT_BYTES for an import)",
    ),
}
"""What the framework refuses before a route begins: name, detail and cure."""

_IN_BATCH = re.compile(r"\bevents\[(\d+)\]")
_log = logging.getLogger("continuity.web")


def status_of(error: type[LedgerError]) -> int:
    """Return the status of an error class."""
    found = next((STATUS[cls] for cls in error.__mro__ if cls in STATUS), None)
    return HTTP_500_INTERNAL_SERVER_ERROR if found is None else found


def _problem(status: int, title: str, detail: str, **more: object) -> Response[bytes]:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    return Response(msgspec.json.encode(body), status_code=status, media_type="application/problem+json")


def answer_ledger_error(_: Request[Any, Any, Any], error: LedgerError) -> Response[bytes]:
    """Answer an error of ours: its name, its message, which event of a batch it is about, and the cure."""
    name = type(error).__name__.removesuffix("Error")
    fields: dict[str, object] = {"cure": error.cure} if error.cure else {}
    if error.position is None:
        return _problem(status_of(type(error)), name, str(error), **fields)
    detail = f"events[{error.position}]: {error}"
    return _problem(status_of(type(error)), name, detail, position=error.position, **fields)


def answer_http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Answer what the framework refused: a wrong path, method, size or body."""
    if isinstance(error, ValidationException) and error.extra:
        return _malformed(_told(error.extra))
    name, detail, cure = REFUSED.get(error.status_code, (type(error).__name__.removesuffix("Exception"), "{}", None))
    said = detail.format(error.detail, path=request.url.path, method=request.method)
    return _problem(error.status_code, name, said, **({"cure": cure} if cure else {}))


def _told(messages: Iterable[Any]) -> list[dict[str, str]]:
    """Return what is wrong with each field, in words of ours where the framework has none."""
    found = [{"field": str(m.get("key", "")), "why": str(m.get("message", ""))} for m in messages]
    return [{"field": "body", "why": "it is empty, and JSON is expected"} if _is_absent(f) else f for f in found]


def _is_absent(found: Mapping[str, str]) -> bool:
    return found["why"] == repr(found["field"]) == "'data'"


def _malformed(found: list[dict[str, str]]) -> Response[bytes]:
    named = [f | {"field": "body"} if f["field"] == "data" else f for f in found]
    detail = "; ".join(f"{f['field']}: {f['why']}" for f in named)
    batch = _IN_BATCH.search(detail)
    where = {"position": int(batch[1])} if batch else {}
    return _problem(HTTP_400_BAD_REQUEST, "Malformed", detail, errors=named, **where)


def answer_unforeseen(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Answer what nobody foresaw without telling how it came about; the log has that."""
    _log.error("unforeseen at %s %s", request.method, request.url.path, exc_info=error)
    return _problem(HTTP_500_INTERNAL_SERVER_ERROR, "Unforeseen", "something went wrong here; the log has the details")


def answer_bad_json(_: Request[Any, Any, Any], error: msgspec.MsgspecError) -> Response[bytes]:
    """Answer what does not decode, with the path of what is wrong."""
    return _problem(HTTP_400_BAD_REQUEST, "Malformed", str(error))


def answer_too_deep(_: Request[Any, Any, Any], __: RecursionError) -> Response[bytes]:
    """Answer a body whose lists and objects stand in one another deeper than anything of ours does."""
    return _malformed([{"field": "body", "why": "it is nested too deeply"}])


HANDLERS: dict[Any, Any] = {
    LedgerError: answer_ledger_error,
    HTTPException: answer_http_error,
    msgspec.MsgspecError: answer_bad_json,
    RecursionError: answer_too_deep,
    Exception: answer_unforeseen,
}
