"""The outbox: put in the transaction of the entries, taken by the worker."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import cast

import psycopg
from psycopg_pool import AsyncConnectionPool

from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.ports import OutboxItem
from ledger_service.stores.postgres import tables
from ledger_service.stores.postgres.connection import Link, Row, translated
from ledger_service.stores.postgres.rows import decode_batch
from ledger_service.stores.postgres.writing import Insert

CHANNEL = "continuity_outbox"
POLL_SECONDS = 1.0
_BATCH = Insert(tables.outbox, ("body",), returning="outbox_id", answer="max(outbox_id)")
_MARK_SENT = (
    "WITH soon AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"
    " DELETE FROM outbox USING soon WHERE outbox_id = ANY(%s)"
)
"""What was mirrored and is not marked after a crash of the server is mirrored again, so that nobody waits for the disk."""


class PostgresOutbox:
    """The writing side."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def put(self, batch: MirrorBatch, *, wake: bool = True) -> None:
        if not batch.is_empty:
            self._link.insert(_BATCH, [(batch,)])
            if wake:
                self._link.say("pg_notify('continuity_outbox', '')")

    @property
    def last(self) -> int | None:
        return cast("int | None", self._link.answered.get(_BATCH.name))

    async def is_empty(self) -> bool:
        row = await self._link.one(
            "SELECT NOT EXISTS (SELECT FROM outbox WHERE playthrough_id = %s)", [self._link.playthrough_id]
        )
        return bool(row and row[0])


class PostgresMirrorQueue:
    """The worker's side, over all playthroughs, in the order of writing."""

    def __init__(self, pool: AsyncConnectionPool[psycopg.AsyncConnection[Row]], url: str) -> None:
        self._pool = pool
        self._url = url

    async def take(self, *, limit: int = 200, only: PlaythroughId | None = None) -> list[OutboxItem]:
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute(
                    "SELECT outbox_id, playthrough_id, body::text FROM outbox"
                    " WHERE %(only)s::text IS NULL OR playthrough_id = %(only)s ORDER BY outbox_id LIMIT %(limit)s",
                    {"only": only, "limit": limit},
                )
                rows = await cursor.fetchall()
        return [OutboxItem(outbox_id=row[0], playthrough_id=row[1], batch=decode_batch(row[2])) for row in rows]

    async def mark_sent(self, outbox_ids: Sequence[int]) -> None:
        with translated():
            async with self._pool.connection() as connection:
                await connection.execute(_MARK_SENT, [list(outbox_ids)])

    async def lag(self) -> int:
        with translated():
            async with self._pool.connection() as connection:
                cursor = await connection.execute("SELECT count(*) FROM outbox")
                row = await cursor.fetchone()
        return int(row[0]) if row else 0

    @asynccontextmanager
    async def wake(self) -> AsyncIterator[AsyncIterator[None]]:
        """Yield a stream of reasons to look: a NOTIFY, or a second gone by."""
        with translated():
            connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True)
            try:
                await connection.execute("LISTEN continuity_outbox")
                yield _reasons(connection)
            finally:
                await connection.close()  # leaving by `async with` would roll back first, and not while cancelled


async def _reasons(connection: psycopg.AsyncConnection[Row]) -> AsyncIterator[None]:
    yield None
    while True:
        with translated():
            async for _ in connection.notifies(timeout=POLL_SECONDS, stop_after=1):
                pass
        yield None
