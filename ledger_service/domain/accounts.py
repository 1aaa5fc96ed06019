"""Who uses the console: accounts with roles and the worlds they were given, and what the audit log says of them."""

import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

from ledger_service.domain.errors import MalformedError
from ledger_service.domain.ids import WorldId

EVERY_WORLD: Final = "*"
SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 1_000
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
_WORLD: Final = re.compile(r"[a-z][a-z0-9_]{0,63}|\*")


class AccountRole(StrEnum):
    """What somebody is, which says what they may do."""

    WRITER = "writer"
    QA = "qa"
    ENGINEER = "engineer"
    ADMIN = "admin"


class Account(Struct, frozen=True, kw_only=True):
    """Somebody who signs in. An admin sees every world; others those that they were given."""

    account_id: str
    name: str
    role: AccountRole
    worlds: tuple[WorldId, ...] = ()
    is_disabled: bool = False

    @property
    def reach(self) -> tuple[WorldId, ...]:
        """The worlds that the database lets them see; `*` is all."""
        return (EVERY_WORLD,) if self.role is AccountRole.ADMIN else self.worlds


class Note(Struct, frozen=True, kw_only=True):
    """What somebody did, as it goes into the audit log together with what it did."""

    who: str
    action: str
    subject: str
    world_id: WorldId | None = None
    detail: dict[str, str | int | bool | None] = {}


class AuditRow(Struct, frozen=True, kw_only=True):
    """A row of the audit log."""

    audit_no: int
    at: str
    """When, in UTC, to the second."""
    note: Note


class AuditFilter(Struct, frozen=True, kw_only=True):
    """Which rows of the audit log a page shows; None is any."""

    who: str | None = None
    action: str | None = None
    subject: str | None = None


def read_name(text: str) -> str:
    """Return an account's name as it is kept.

    Raises:
        MalformedError: it cannot be one.
    """
    name = text.strip().lower()
    if _NAME.fullmatch(name) is None:
        raise MalformedError("name", "is 1 to 64 of a-z, 0-9 and . _ @ + -, and begins with a letter or a digit")
    return name


def check_password(password: str) -> None:
    """Refuse a password that is too short to be one.

    Raises:
        MalformedError: why.
    """
    if len(password) < SHORTEST_PASSWORD:
        raise MalformedError("password", f"has {len(password)} characters, and at least {SHORTEST_PASSWORD} are needed")
    if len(password) > LONGEST_PASSWORD:
        raise MalformedError("password", f"has more than {LONGEST_PASSWORD:,} characters")


def read_world(text: str) -> WorldId:
    """Return a world's plain id as it is given to somebody, or `*` for every world.

    Raises:
        MalformedError: it can be no world's.
    """
    world_id = text.strip()
    if _WORLD.fullmatch(world_id) is None:
        raise MalformedError("world", f"{world_id!r} is no plain id of a world (such as `maelin`), nor `*` for all")
    return world_id
