"""Who may do what in the console, and what every request is held to before its page: session, form, role, pace."""

import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from litestar import Request
from litestar.datastructures import State, UploadFile

from ledger_service.bootstrap import Application
from ledger_service.domain.accounts import Account, AccountRole
from ledger_service.domain.errors import ForbiddenError, MalformedError, NotSignedInError, StaleFormError
from ledger_service.services.people.sign_in import form_token, who_is
from ledger_service.web.console.desk import FORM_FIELD, SESSION, Desk
from ledger_service.web.console.pace import Pace

ADMINS = frozenset({AccountRole.ADMIN})
TESTERS = frozenset({AccountRole.QA, AccountRole.ENGINEER, AccountRole.ADMIN})
EVERYBODY = frozenset(AccountRole)
ANYBODY: frozenset[AccountRole] = frozenset()
"""Pages for who has not signed in: no role is asked for."""
WRITES = Pace("changes", burst=60, per_minute=60)
_READING = {"GET", "HEAD", "OPTIONS"}

Seeking = Request[None, None, State]


async def seat(request: Seeking) -> None:
    """Give a request its desk, or refuse it; what a route `keeps` of its form is shown again even where it is refused.

    Raises:
        NotSignedInError: the page is for people who have signed in.
        ForbiddenError: it is for other roles.
        StaleFormError: it changes something and does not come from a form of this session.
        TooOftenError: too many changes in a short time.
    """
    application: Application = request.app.state.application
    allowed = request.route_handler.opt.get("open_to", EVERYBODY)
    token = request.cookies.get(SESSION, "")
    kept = request.route_handler.opt.get("keeps")
    if kept is not None:
        request.state.typed = (await _form(request)).get(kept, "")
    account = await _account(token, application, is_needed=bool(allowed))
    form = {} if request.method in _READING else await _form(request)
    request.state.desk = Desk(request, application, account, token=token, form=form)
    if account is not None and allowed and account.role not in allowed:
        raise ForbiddenError(account.role, " or ".join(sorted(allowed)))
    if request.method not in _READING:
        _check_source(request)
        if account is not None:
            _check_token(form, token)
            WRITES.step(account.name)


async def _account(token: str, application: Application, *, is_needed: bool) -> Account | None:
    try:
        return await who_is(token, accounts=application.accounts)
    except NotSignedInError:
        if is_needed:
            raise
        return None


async def _form(request: Seeking) -> dict[str, str]:
    """Return the fields of a form; files are read by whoever wants them.

    Raises:
        MalformedError: text that no store can keep.
    """
    found = {name: value for name, value in (await request.form()).items() if not isinstance(value, UploadFile)}
    for name, value in found.items():
        if "\x00" in f"{name}{value}":
            raise MalformedError(name.replace("\x00", ""), "holds a NUL character")
    return {name: str(value).replace("\r\n", "\n") for name, value in found.items()}


def _check_source(request: Seeking) -> None:
    """Refuse what a browser says to come from another site."""
    site = request.headers.get("sec-fetch-site", "none")
    origin = request.headers.get("origin")
    is_foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")
    if is_foreign or site not in {"same-origin", "none"}:
        raise StaleFormError


def _check_token(form: Mapping[str, str], token: str) -> None:
    if not secrets.compare_digest(form.get(FORM_FIELD, "").encode(), form_token(token).encode()):
        raise StaleFormError
