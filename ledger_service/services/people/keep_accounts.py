"""Keep accounts: make one, set a password or a role, disable it, give worlds and take them; each change is noted."""

import secrets
from collections.abc import Sequence
from typing import Protocol

from ledger_service.domain.accounts import (
    EVERY_WORLD,
    Account,
    AccountRole,
    Note,
    check_password,
    read_name,
    read_world,
)
from ledger_service.domain.errors import UnknownAccountError
from ledger_service.ports import Accounts, Passwords

COMMAND_LINE = "command line"
"""Who acts where nobody signed in: whoever owns the machine."""


class ChangeWorlds(Protocol):
    """Gives worlds to somebody, or takes them."""

    async def __call__(
        self, name: str, worlds: Sequence[str], *, by: str = COMMAND_LINE, accounts: Accounts
    ) -> Account:
        """Do so, and return the account as it is then."""
        ...


def new_password() -> str:
    """Return a password that nobody can guess."""
    return secrets.token_urlsafe(15)


async def add_account(
    name: str,
    role: AccountRole,
    password: str,
    *,
    worlds: Sequence[str] = (),
    by: str = COMMAND_LINE,
    only_first: bool = False,
    accounts: Accounts,
    passwords: Passwords,
) -> Account:
    """Make an account.

    Raises:
        MalformedError: a name, password or world that cannot be one.
        DuplicateNameError: the name is taken.
    """
    check_password(password)
    account = Account(
        account_id="a" + secrets.token_hex(8),
        name=read_name(name),
        role=role,
        worlds=tuple(dict.fromkeys(map(read_world, worlds))),
    )
    note = Note(
        who=by or account.name, action="account added", subject=account.name,
        detail={"role": role, "worlds": ", ".join(account.worlds)},
    )  # fmt: skip
    await accounts.add(account, await passwords.hash(password), note=note, only_first=only_first)
    return account


async def set_password(
    name: str, password: str, *, by: str = COMMAND_LINE, accounts: Accounts, passwords: Passwords
) -> None:
    """Set a password; whoever is signed in with the old one must sign in anew."""
    check_password(password)
    note = Note(who=by, action="password set", subject=name)
    await accounts.set_password(name, await passwords.hash(password), note=note)


async def set_role(name: str, role: AccountRole, *, by: str = COMMAND_LINE, accounts: Accounts) -> None:
    """Make somebody something else."""
    await accounts.set_role(name, role, note=Note(who=by, action="role set", subject=name, detail={"role": role}))


async def set_disabled(name: str, *, disabled: bool, by: str = COMMAND_LINE, accounts: Accounts) -> None:
    """Let somebody in no more, or again."""
    action = "account disabled" if disabled else "account enabled"
    await accounts.set_disabled(name, disabled=disabled, note=Note(who=by, action=action, subject=name))


async def give_worlds(name: str, worlds: Sequence[str], *, by: str = COMMAND_LINE, accounts: Accounts) -> Account:
    """Let somebody see worlds, by plain id; `*` is every world."""
    for world_id in map(read_world, worlds):
        note = Note(who=by, action="world given", subject=name, world_id=_one(world_id), detail={"world": world_id})
        await accounts.give_worlds(name, [world_id], note=note)
    return await get_account(name, accounts=accounts)


async def take_worlds(name: str, worlds: Sequence[str], *, by: str = COMMAND_LINE, accounts: Accounts) -> Account:
    """Let somebody see worlds no more, from the next request on."""
    for world_id in map(read_world, worlds):
        note = Note(who=by, action="world taken", subject=name, world_id=_one(world_id), detail={"world": world_id})
        await accounts.take_worlds(name, [world_id], note=note)
    return await get_account(name, accounts=accounts)


def _one(world_id: str) -> str | None:
    return None if world_id == EVERY_WORLD else world_id


async def get_account(name: str, *, accounts: Accounts) -> Account:
    """Return an account.

    Raises:
        UnknownAccountError: there is none of that name.
    """
    found = await accounts.find(name)
    if found is None:
        raise UnknownAccountError(name)
    return found
