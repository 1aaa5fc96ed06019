"""API keys: shown once, stored hashed."""

import hashlib
import secrets

import psycopg
from psycopg_pool import AsyncConnectionPool

from ledger_service.domain.errors import DuplicateNameError
from ledger_service.stores.postgres.connection import Row, translated

ROLES = ("game", "reviewer", "admin")


class PostgresApiKeys:
    """The `api_key` table."""

    def __init__(self, pool: AsyncConnectionPool[psycopg.AsyncConnection[Row]]) -> None:
        self._pool = pool

    async def add(self, *, role: str, label: str) -> str:
        """Make a key and return its secret, which nothing can show again.

        Raises:
            DuplicateNameError: the label is taken.
        """
        secret = "ck_" + secrets.token_urlsafe(32)
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(
                    "INSERT INTO api_key (key_hash, role, label) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                    [_hash(secret), role, label],
                )
                if cursor.rowcount == 0:
                    raise DuplicateNameError("key", label)
        return secret

    async def find_role(self, secret: str) -> str | None:
        """Return the role of a key, or None for one that is unknown or revoked."""
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(
                    "SELECT role FROM api_key WHERE key_hash = %s AND revoked_at IS NULL", [_hash(secret)]
                )
                row = await cursor.fetchone()
        return None if row is None else str(row[0])

    async def revoke(self, label: str) -> bool:
        """Revoke a key by its label; say whether there was one."""
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(
                    "UPDATE api_key SET revoked_at = now() WHERE label = %s AND revoked_at IS NULL", [label]
                )
        return cursor.rowcount > 0

    async def list_all(self) -> list[tuple[str, str, bool]]:
        """Return (label, role, revoked) of all keys."""
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(
                    "SELECT label, role, revoked_at IS NOT NULL FROM api_key ORDER BY label"
                )
                return [(row[0], row[1], row[2]) for row in await cursor.fetchall()]


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
