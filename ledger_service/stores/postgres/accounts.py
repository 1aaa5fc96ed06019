"""Accounts, the worlds they were given, and their sessions; secrets are stored hashed, each change with its audit row."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import LiteralString

from ledger_service.domain.accounts import Account, AccountRole, AuditFilter, AuditRow, Note
from ledger_service.domain.errors import DuplicateNameError, UnknownAccountError
from ledger_service.domain.ids import WorldId
from ledger_service.stores.postgres import audit
from ledger_service.stores.postgres.connection import Link, Pool, Row, transaction_of

_FIELDS: LiteralString = (
    "SELECT a.account_id, a.name, a.role, a.disabled_at IS NOT NULL, ARRAY(SELECT w.world_id FROM account_world w"
    " WHERE w.account_id = a.account_id ORDER BY w.world_id), a.password_hash FROM account a"
)
_SIGNED_IN: LiteralString = (
    _FIELDS + " JOIN session s ON s.account_id = a.account_id"
    " WHERE s.session_hash = %s AND s.expires_at > now() AND a.disabled_at IS NULL"
)


class PostgresAccounts:
    """The tables `account`, `account_world`, `session` and `audit`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @contextlib.asynccontextmanager
    async def _link(self) -> AsyncIterator[Link]:
        async with transaction_of(self._pool) as connection:
            yield Link(connection, None)

    async def add(self, account: Account, password_hash: str, *, note: Note, only_first: bool = False) -> None:
        query: LiteralString = (
            "INSERT INTO account (account_id, name, role, password_hash) SELECT %s, %s, %s, %s"
            " WHERE NOT %s OR NOT EXISTS (SELECT 1 FROM account) ON CONFLICT DO NOTHING"
        )
        async with self._link() as link:
            await link.run("SELECT pg_advisory_xact_lock(hashtextextended('continuity accounts', 0))")
            row = [account.account_id, account.name, account.role, password_hash, only_first]
            if not await link.run(query, row):
                raise DuplicateNameError("account", account.name)
            await _give(link, account.account_id, account.worlds)
            await audit.put_note(link, note)

    async def find(self, name: str) -> Account | None:
        async with self._link() as link:
            row = await link.one(_FIELDS + " WHERE a.name = %s", [name])
        return None if row is None else _account(row)

    async def find_password(self, name: str) -> str | None:
        async with self._link() as link:
            row = await link.one("SELECT password_hash FROM account WHERE name = %s AND disabled_at IS NULL", [name])
        return None if row is None else str(row[0])

    async def list_all(self) -> list[Account]:
        async with self._link() as link:
            return [_account(row) for row in await link.rows(_FIELDS + " ORDER BY a.name LIMIT 10000")]

    async def is_empty(self) -> bool:
        async with self._link() as link:
            return await link.one("SELECT 1 FROM account LIMIT 1") is None

    async def set_password(self, name: str, password_hash: str, *, note: Note) -> None:
        await self._set("UPDATE account SET password_hash = %s WHERE name = %s", password_hash, name, note)

    async def set_role(self, name: str, role: AccountRole, *, note: Note) -> None:
        await self._set("UPDATE account SET role = %s WHERE name = %s", role, name, note)

    async def set_disabled(self, name: str, *, disabled: bool, note: Note) -> None:
        query: LiteralString = "UPDATE account SET disabled_at = CASE WHEN %s THEN now() END WHERE name = %s"
        await self._set(query, disabled, name, note)

    async def _set(self, query: LiteralString, value: object, name: str, note: Note) -> None:
        """Change an account; whoever is signed in with it must sign in anew."""
        async with self._link() as link:
            if not await link.run(query, [value, name]):
                raise UnknownAccountError(name)
            await link.run(
                "DELETE FROM session s USING account a WHERE a.account_id = s.account_id AND a.name = %s", [name]
            )
            await audit.put_note(link, note)

    async def give_worlds(self, name: str, worlds: Sequence[WorldId], *, note: Note) -> None:
        async with self._link() as link:
            await _give(link, await _id_of(link, name), worlds)
            await audit.put_note(link, note)

    async def take_worlds(self, name: str, worlds: Sequence[WorldId], *, note: Note) -> None:
        async with self._link() as link:
            await link.run(
                "DELETE FROM account_world WHERE account_id = %s AND world_id = ANY (%s)",
                [await _id_of(link, name), list(worlds)],
            )
            await audit.put_note(link, note)

    async def open_session(self, name: str, session_hash: str, *, hours: float, note: Note) -> None:
        async with self._link() as link:
            await link.run("DELETE FROM session WHERE expires_at <= now()")
            await link.run(
                "INSERT INTO session (session_hash, account_id, expires_at) VALUES (%s, %s, now() + %s * interval '1 hour')",
                [session_hash, await _id_of(link, name), hours],
            )
            await audit.put_note(link, note)

    async def find_session(self, session_hash: str) -> Account | None:
        async with self._link() as link:
            row = await link.one(_SIGNED_IN, [session_hash])
        return None if row is None else _account(row)

    async def close_session(self, session_hash: str, *, note: Note) -> None:
        async with self._link() as link:
            if await link.run("DELETE FROM session WHERE session_hash = %s", [session_hash]):
                await audit.put_note(link, note)

    async def note(self, note: Note) -> None:
        async with self._link() as link:
            await audit.put_note(link, note)

    async def audit(self, where: AuditFilter, *, limit: int = 50, before: int | None = None) -> list[AuditRow]:
        async with self._link() as link:
            return await audit.page_of(link, where, limit=limit, before=before)


async def _id_of(link: Link, name: str) -> str:
    row = await link.one("SELECT account_id FROM account WHERE name = %s", [name])
    if row is None:
        raise UnknownAccountError(name)
    return str(row[0])


async def _give(link: Link, account_id: str, worlds: Sequence[WorldId]) -> None:
    for world_id in worlds:
        await link.run(
            "INSERT INTO account_world (account_id, world_id) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            [account_id, world_id],
        )


def _account(row: Row) -> Account:
    return Account(account_id=row[0], name=row[1], role=AccountRole(row[2]), is_disabled=row[3], worlds=tuple(row[4]))
