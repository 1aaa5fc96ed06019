"""Commands about who may sign in to the console."""

import sys

import click

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import Group, console, emit, in_application, json_option
from ledger_service.domain.accounts import Account, AccountRole, read_name
from ledger_service.services.people import keep_accounts as keeping

STDIN = click.option("--password-stdin", "from_stdin", is_flag=True, help="Read the password from standard input.")
GENERATE = click.option("--generate", is_flag=True, help="Make a password up, and show it once.")


@click.group(cls=Group)
def user() -> None:
    """Say who may sign in to the console, as what, and which worlds they see."""


@user.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([str(role) for role in AccountRole]),
    required=True,
    help="What they are, which says what they may do.",
)
@click.option(
    "--world", "worlds", multiple=True, help="A world that they see, by plain id; again for more; `*` is all."
)
@STDIN
@GENERATE
@json_option
def user_add(name: str, role: str, worlds: tuple[str, ...], from_stdin: bool, generate: bool, as_json: bool) -> None:
    """Make an account; asks for its password, unless it is told or made up.

    Examples:
      continuity user add wren --role writer --world maelin
      continuity user add quinn --role qa --world '*' --generate --json
    """
    password = _password(from_stdin=from_stdin, generate=generate)

    async def use(app: Application) -> Account:
        return await keeping.add_account(
            name, AccountRole(role), password, worlds=worlds, accounts=app.accounts, passwords=app.passwords
        )

    made = in_application(use, graph=False)
    if as_json:
        emit(_shown(made) | ({"password": password} if generate else {}))
        return
    console.print(f"{made.name} can sign in, as {made.role}" + (f", with {password}" if generate else ""), markup=False)


@user.command("list")
@json_option
def user_list(as_json: bool) -> None:
    """List accounts with their roles and worlds.

    Example: continuity user list
    """

    async def use(app: Application) -> list[Account]:
        return await app.accounts.list_all()

    found = in_application(use, graph=False)
    if as_json:
        emit([_shown(one) for one in found])
        return
    rows = ((one.name, one.role, _worlds(one), "no" if one.is_disabled else "yes") for one in found)
    console.print(show.rows("Accounts", ("name", "role", "worlds", "may sign in"), rows))


@user.command("passwd")
@click.argument("name")
@STDIN
@GENERATE
@json_option
def user_passwd(name: str, from_stdin: bool, generate: bool, as_json: bool) -> None:
    """Set a password; whoever is signed in with the old one must sign in anew.

    Example: continuity user passwd wren
    """
    password, known = _password(from_stdin=from_stdin, generate=generate), read_name(name)

    async def use(app: Application) -> None:
        await keeping.set_password(known, password, accounts=app.accounts, passwords=app.passwords)

    in_application(use, graph=False)
    if as_json:
        emit({"name": known, "changed": True} | ({"password": password} if generate else {}))
        return
    console.print(f"{known} has a new password" + (f": {password}" if generate else ""), markup=False)


@user.command("disable")
@click.argument("name")
@click.option("--undo", is_flag=True, help="Let them sign in again.")
@json_option
def user_disable(name: str, undo: bool, as_json: bool) -> None:
    """Let somebody sign in no more; their sessions end at once.

    Examples:
      continuity user disable wren
      continuity user disable wren --undo
    """
    known = read_name(name)

    async def use(app: Application) -> Account:
        await keeping.set_disabled(known, disabled=not undo, accounts=app.accounts)
        return await keeping.get_account(known, accounts=app.accounts)

    found = in_application(use, graph=False)
    emit(_shown(found)) if as_json else console.print(f"{known} {'can sign in again' if undo else 'cannot sign in'}")


@user.command("grant")
@click.argument("name")
@click.argument("worlds", nargs=-1, required=True)
@json_option
def user_grant(name: str, worlds: tuple[str, ...], as_json: bool) -> None:
    """Let somebody see worlds, by plain id; `*` is every world.

    Example: continuity user grant wren maelin village
    """
    _change(keeping.give_worlds, name, worlds, as_json=as_json)


@user.command("revoke")
@click.argument("name")
@click.argument("worlds", nargs=-1, required=True)
@json_option
def user_revoke(name: str, worlds: tuple[str, ...], as_json: bool) -> None:
    """Let somebody see worlds no more, from their next request on.

    Example: continuity user revoke wren village
    """
    _change(keeping.take_worlds, name, worlds, as_json=as_json)


def _change(change: keeping.ChangeWorlds, name: str, worlds: tuple[str, ...], *, as_json: bool) -> None:
    async def use(app: Application) -> Account:
        return await change(read_name(name), worlds, accounts=app.accounts)

    found = in_application(use, graph=False)
    emit(_shown(found)) if as_json else console.print(f"{found.name} sees {_worlds(found) or 'no world'}", markup=False)


def _worlds(account: Account) -> str:
    return ", ".join("every world" if world == "*" else world for world in account.reach)


def _shown(account: Account) -> dict[str, object]:
    return {
        "name": account.name, "role": account.role, "worlds": account.reach, "disabled": account.is_disabled,
    }  # fmt: skip


def _password(*, from_stdin: bool, generate: bool) -> str:
    """Return the password that is to be set: told, made up, or asked for twice."""
    if from_stdin and generate:
        raise click.UsageError("give --password-stdin or --generate, not both")
    if generate:
        return keeping.new_password()
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise click.UsageError("nobody is there to ask for a password; give --password-stdin or --generate")
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
