"""People: who signs in, as what, and which worlds they see; for admins."""

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from ledger_service.domain.accounts import EVERY_WORLD, AccountRole
from ledger_service.domain.errors import MalformedError
from ledger_service.services.people import keep_accounts as keeping
from ledger_service.web.console.access import ADMINS
from ledger_service.web.console.desk import AtDesk, Desk

ROLES = tuple(AccountRole)


@get("/people", open_to=ADMINS)
async def people_page(desk: AtDesk) -> Response[str]:
    """List accounts, with a form for one more."""
    worlds = [(EVERY_WORLD, "every world"), *await desk.catalogue.worlds()]
    found = await desk.application.accounts.list_all()
    return desk.page("people/list.html.jinja", found=found, worlds=worlds, roles=ROLES)


@post("/people", open_to=ADMINS)
async def add(desk: AtDesk) -> Redirect:
    """Make an account."""
    app, world = desk.application, desk.form.get("world", "")
    made = await keeping.add_account(
        desk.form.get("name", ""),
        _role(desk),
        desk.form.get("password", ""),
        worlds=[world] if world else [],
        by=desk.account.name,
        accounts=app.accounts,
        passwords=app.passwords,
    )
    return desk.done("/people", f"{made.name} can sign in now.")


@post("/people/{name:str}/worlds", open_to=ADMINS)
async def change_worlds(desk: AtDesk, name: FromPath[str]) -> Redirect:
    """Give a world, or take it."""
    world, gives = desk.form.get("world", ""), desk.form.get("do") == "give"
    change = keeping.give_worlds if gives else keeping.take_worlds
    await change(name, [world], by=desk.account.name, accounts=desk.application.accounts)
    said = "sees" if gives else "does not see"
    return desk.done("/people", f"{name} {said} {'every world' if world == EVERY_WORLD else world} from now on.")


@post("/people/{name:str}/role", open_to=ADMINS)
async def change_role(desk: AtDesk, name: FromPath[str]) -> Redirect:
    """Make somebody something else."""
    role = _role(desk)
    _check_other(desk, name, "role")
    await keeping.set_role(name, role, by=desk.account.name, accounts=desk.application.accounts)
    return desk.done("/people", f"{name} is {role} now.")


@post("/people/{name:str}/password", open_to=ADMINS)
async def change_password(desk: AtDesk, name: FromPath[str]) -> Redirect:
    """Set a password; whoever is signed in with the old one must sign in anew."""
    app = desk.application
    await keeping.set_password(
        name, desk.form.get("password", ""), by=desk.account.name, accounts=app.accounts, passwords=app.passwords
    )
    return desk.done("/people", f"{name} has a new password.")


@post("/people/{name:str}/access", open_to=ADMINS)
async def change_access(desk: AtDesk, name: FromPath[str]) -> Redirect:
    """Let somebody in no more, or again."""
    disabled = desk.form.get("do") == "disable"
    _check_other(desk, name, "account")
    await keeping.set_disabled(name, disabled=disabled, by=desk.account.name, accounts=desk.application.accounts)
    return desk.done("/people", f"{name} {'cannot sign in any more' if disabled else 'can sign in again'}.")


def _check_other(desk: Desk, name: str, what: str) -> None:
    """See that an admin does not lock themselves out."""
    if name == desk.account.name:
        raise MalformedError(what, "is your own, and you would lock yourself out; let another admin do it")


def _role(desk: Desk) -> AccountRole:
    given = desk.form.get("role", "")
    if given not in set(AccountRole):
        raise MalformedError("role", f"{given!r} is none; there are {', '.join(AccountRole)}")
    return AccountRole(given)


HANDLERS = (people_page, add, change_worlds, change_role, change_password, change_access)
