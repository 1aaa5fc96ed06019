"""Sign in and out; and the link by which the first admin comes in."""

import secrets

from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect

from ledger_service.domain.accounts import AccountRole
from ledger_service.domain.errors import LedgerError, NotAllowedError
from ledger_service.services.people.keep_accounts import add_account
from ledger_service.services.people.sign_in import HOURS, open_session, sign_in, sign_out
from ledger_service.web.console.access import ANYBODY
from ledger_service.web.console.desk import SESSION, AtDesk, Desk
from ledger_service.web.console.house import local
from ledger_service.web.console.pace import Pace
from ledger_service.web.errors import status_of

TRIES = Pace("tries to sign in", burst=10, per_minute=2)
FROM_ONE_PLACE = Pace("tries to sign in", burst=100, per_minute=20)
SIGN_IN = "sign_in.html.jinja"


@get("/sign-in", open_to=ANYBODY)
async def sign_in_page(desk: AtDesk, next: FromQuery[str] = "/") -> Response[str] | Redirect:  # noqa: A002
    """Show the door."""
    if desk.visitor is not None:
        return desk.done(local(next))
    return desk.page(SIGN_IN, next=local(next), name="", said="", cure="")


@post("/sign-in", open_to=ANYBODY)
async def enter(desk: AtDesk, request: Request[None, None, State]) -> Response[str] | Redirect:
    """Let somebody in who knows their password."""
    name, following = desk.form.get("name", ""), local(desk.form.get("next", ""))
    try:
        FROM_ONE_PLACE.step(request.client.host if request.client else "")
        TRIES.step(name.strip().lower())
        app = desk.application
        token = await sign_in(name, desk.form.get("password", ""), accounts=app.accounts, passwords=app.passwords)
    except NotAllowedError as error:
        given = {"next": following, "name": name, "said": str(error), "cure": error.cure or ""}
        return desk.page(SIGN_IN, status=status_of(type(error)), **given)
    TRIES.forgive(name.strip().lower())
    return _let_in(desk, token, following)


def _let_in(desk: Desk, token: str, path: str) -> Redirect:
    desk.remember(SESSION, token, seconds=int(HOURS * 3_600))
    return desk.done(path)


@post("/sign-out")
async def leave(desk: AtDesk) -> Redirect:
    """End the session."""
    await sign_out(desk.token, desk.account, accounts=desk.application.accounts)
    desk.remember(SESSION, "", seconds=0)
    return desk.done("/sign-in", "You are signed out.")


@get("/first-run/{secret:str}", open_to=ANYBODY)
async def first_run_page(desk: AtDesk, secret: FromPath[str]) -> Response[str]:
    """Show the form for the first account, to whoever started the service."""
    await _check_first(desk, secret)
    return desk.page("first_run.html.jinja", secret=secret, name="", said="", cure="")


@post("/first-run/{secret:str}", open_to=ANYBODY)
async def first_run(desk: AtDesk, secret: FromPath[str]) -> Response[str] | Redirect:
    """Make the first account, which is an admin's; the link then leads nowhere."""
    await _check_first(desk, secret)
    app, name = desk.application, desk.form.get("name", "")
    try:
        account = await add_account(
            name,
            AccountRole.ADMIN,
            desk.form.get("password", ""),
            by="",
            only_first=True,
            accounts=app.accounts,
            passwords=app.passwords,
        )
    except LedgerError as error:
        given = {"secret": secret, "name": name, "said": str(error), "cure": error.cure or ""}
        return desk.page("first_run.html.jinja", status=status_of(type(error)), **given)
    desk.request.app.state.first_run = None
    token = await open_session(account.name, accounts=app.accounts)
    return _let_in(desk, token, "/people")


async def _check_first(desk: Desk, secret: str) -> None:
    expected: str | None = desk.request.app.state.first_run
    is_it = expected is not None and secrets.compare_digest(expected.encode(), secret.encode())
    if not is_it or not await desk.application.accounts.is_empty():
        raise NotFoundException


HANDLERS = (sign_in_page, enter, leave, first_run_page, first_run)
