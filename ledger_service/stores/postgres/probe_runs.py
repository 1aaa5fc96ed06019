"""Runs of probes: rows under row-level security by run, batches held by session locks and guarded by fences."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import LiteralString

import msgspec
import psycopg
from psycopg_pool import AsyncConnectionPool

from ledger_service.domain.probe_runs import Attempt, Branch, KeptCell, LostLease, Progress, RunPlan, RunState
from ledger_service.domain.probes import Cell, ResultState
from ledger_service.stores.postgres.connection import Row, translated
from ledger_service.stores.postgres.rows import text_of

Connection = psycopg.AsyncConnection[Row]
_SERVER_KEEPALIVE = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
"""A machine that vanished lets its batches go within half a minute; a process that was killed, at once."""
_RUN = msgspec.json.Decoder(RunPlan).decode
_BRANCH = msgspec.json.Decoder(Branch).decode
_CELL = msgspec.json.Decoder(Cell).decode
_ATTEMPT = msgspec.json.Decoder(Attempt).decode


_KEEP: LiteralString = (
    "WITH mine AS (SELECT run_id, batch_no, fence FROM probe_batch WHERE {mine} FOR UPDATE), put AS ("
    "INSERT INTO probe_attempt (run_id, cell_no, repeat, attempt, state, fault, fence, body)"
    " SELECT m.run_id, t.cell, t.repeat, t.attempt, t.state, t.fault, m.fence, t.body FROM mine m,"
    " jsonb_to_recordset(%(tried)s::jsonb) AS t (cell int, repeat int, attempt int, state text, fault text, body jsonb))"
    " UPDATE probe_cell c SET state = n.state, packet_hash = n.hash"
    " FROM mine m, jsonb_to_recordset(%(cells)s::jsonb) AS n (cell int, state text, hash text)"
    " WHERE c.run_id = m.run_id AND c.batch_no = m.batch_no AND c.cell_no = n.cell AND c.state = 'pending'"
)


class PostgresProbeLease:
    """A batch, held by the lock of a connection of its own: a worker without that connection cannot write."""

    def __init__(self, connection: Connection, run_id: str, row: Row) -> None:
        self._connection, self._run_id = connection, run_id
        self.batch_no, self.fence, self.distance = int(row[0]), int(row[1]), str(row[2])
        self.branch = None if row[3] is None else _BRANCH(row[3])

    async def keep_branch(self, branch: Branch) -> None:
        await self._write("UPDATE probe_batch SET branch = %(body)s WHERE {mine}", {"body": text_of(branch)})
        self.branch = branch

    async def finish(self) -> None:
        await self._write(
            "UPDATE probe_batch SET done = true, branch = NULL WHERE {mine} AND NOT EXISTS (SELECT FROM probe_cell c"
            " WHERE c.run_id = probe_batch.run_id AND c.batch_no = probe_batch.batch_no AND c.state = 'pending')",
            {},
        )

    async def open_cells(self) -> list[KeptCell]:
        return await _cells(
            self._connection,
            "c.run_id = %(run)s AND c.batch_no = %(batch)s AND c.state = 'pending'",
            {"run": self._run_id, "batch": self.batch_no},
        )

    async def keep(self, came: Sequence[tuple[KeptCell, Attempt]]) -> None:
        cells = {c.cell_no: {"cell": c.cell_no, "state": c.state, "hash": c.packet_hash} for c, _ in came}
        tried = [
            {
                "cell": c.cell_no, "repeat": a.repeat, "attempt": a.attempt, "state": a.state, "fault": a.fault,
                "body": a,
            }
            for c, a in came
        ]  # fmt: skip
        parameters: dict[str, object] = {"cells": text_of(list(cells.values())), "tried": text_of(tried)}
        await self._write(_KEEP, parameters, rows=len(cells))

    async def _write(self, statement: LiteralString, parameters: dict[str, object], *, rows: int = 1) -> None:
        """Run a statement that touches so many rows, or none, and those only while the fence is this worker's."""
        mine: LiteralString = "run_id = %(run)s AND batch_no = %(batch)s AND fence = %(fence)s AND NOT done"
        named = {"run": self._run_id, "batch": self.batch_no, "fence": self.fence} | parameters
        try:
            async with self._connection.transaction():
                cursor = await self._connection.execute(statement.replace("{mine}", mine), named)
                if cursor.rowcount != rows:
                    raise LostLease(f"batch {self.batch_no} is past fence {self.fence}")
        except (psycopg.OperationalError, psycopg.errors.UniqueViolation) as error:
            raise LostLease(str(error).splitlines()[0] if str(error) else type(error).__name__) from error


class PostgresGroundHold:
    """The ground of a run, held by a lock of its own connection."""

    def __init__(self, connection: Connection, run_id: str, ground: Branch | None) -> None:
        self._connection, self._run_id, self.ground = connection, run_id, ground

    async def keep(self, ground: Branch | None) -> None:
        body = None if ground is None else text_of(ground)
        with translated():
            await self._connection.execute("UPDATE probe_run SET ground = %s WHERE run_id = %s", [body, self._run_id])
        self.ground = ground


class PostgresProbeRuns:
    """Runs as rows."""

    def __init__(self, pool: AsyncConnectionPool[Connection], url: str) -> None:
        self._pool, self._url = pool, url

    @asynccontextmanager
    async def _seeing(self, run_id: str) -> AsyncIterator[Connection]:
        """Open a transaction that sees one run."""
        with translated():
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute("SELECT set_config('continuity.run', %s, true)", [run_id])
                yield connection

    @asynccontextmanager
    async def _alone(self, run_id: str) -> AsyncIterator[Connection]:
        """Open a connection that sees one run, and whose locks go with it."""
        given = str(psycopg.conninfo.conninfo_to_dict(self._url).get("options") or "")
        options = f"{given} -c role=continuity_app -c synchronous_commit=off {_SERVER_KEEPALIVE}".strip()
        with translated():
            connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True, options=options)
            try:
                await connection.execute("SELECT set_config('continuity.run', %s, false)", [run_id])
                yield connection
            finally:
                await connection.close()

    async def add(self, run: RunPlan, distances: Sequence[str], cells: Sequence[KeptCell]) -> None:
        async with self._seeing(run.run_id) as connection:
            await connection.execute(
                "INSERT INTO probe_run (run_id, state, planned, body) VALUES (%s, %s, %s, %s)",
                [run.run_id, str(run.state), run.planned, text_of(run)],
            )
            await connection.execute(
                "INSERT INTO probe_batch (run_id, batch_no, distance, fence, done) SELECT %s, n - 1, d, 0, false"
                " FROM unnest(%s::text[]) WITH ORDINALITY AS t (d, n)",
                [run.run_id, list(distances)],
            )
            await connection.execute(
                "INSERT INTO probe_cell (run_id, cell_no, batch_no, state, packet_hash, body)"
                " SELECT %s, n, b, s, '', j::jsonb FROM unnest(%s::int[], %s::int[], %s::text[], %s::text[]) AS t (n, b, s, j)",
                [
                    run.run_id,
                    [c.cell_no for c in cells],
                    [c.batch_no for c in cells],
                    [str(c.state) for c in cells],
                    [text_of(c.cell) for c in cells],
                ],
            )

    async def find(self, run_id: str) -> RunPlan | None:
        async with self._seeing(run_id) as connection:
            cursor = await connection.execute("SELECT body::text, state FROM probe_run WHERE run_id = %s", [run_id])
            row = await cursor.fetchone()
        return None if row is None else _run(row)

    async def list_newest(self, *, limit: int = 50) -> list[RunPlan]:
        async with self._seeing("") as connection:
            query = "SELECT body::text, state FROM probe_run ORDER BY run_no DESC LIMIT %s"
            rows = await (await connection.execute(query, [limit])).fetchall()
        return [run for row in rows if (run := _readable(row)) is not None]

    async def set_state(self, run_id: str, state: RunState) -> None:
        async with self._seeing(run_id) as connection:
            await connection.execute("UPDATE probe_run SET state = %s WHERE run_id = %s", [str(state), run_id])

    async def offer(self, run_id: str) -> None:
        async with self._seeing(run_id) as connection:
            await connection.execute("UPDATE probe_run SET offered = true WHERE run_id = %s", [run_id])
            await connection.execute(
                "SELECT offer_probe_work(%s, (SELECT count(*)::int FROM probe_batch WHERE run_id = %s AND NOT done))",
                [run_id, run_id],
            )

    async def withdraw(self, run_id: str) -> None:
        async with self._seeing(run_id) as connection:
            await connection.execute("UPDATE probe_run SET offered = false WHERE run_id = %s", [run_id])

    async def offered(self) -> list[RunPlan]:
        async with self._seeing("") as connection:
            query = "SELECT body::text, state FROM probe_run WHERE offered AND state = 'active' ORDER BY run_no"
            rows = await (await connection.execute(query)).fetchall()
        return [run for row in rows if (run := _readable(row)) is not None]

    @asynccontextmanager
    async def hold_ground(self, run_id: str) -> AsyncIterator[PostgresGroundHold]:
        """Wait for the ground's lock, and read what is there."""
        async with self._alone(run_id) as connection:
            await connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [f"probe ground {run_id}"])
            cursor = await connection.execute("SELECT ground::text FROM probe_run WHERE run_id = %s", [run_id])
            row = await cursor.fetchone()
            yield PostgresGroundHold(connection, run_id, None if not row or row[0] is None else _BRANCH(row[0]))

    @asynccontextmanager
    async def claim(self, run_id: str) -> AsyncIterator[PostgresProbeLease | None]:
        """Try the batches in order: the lock says that nobody holds it, the fence shuts out whoever did."""
        async with self._alone(run_id) as connection:
            row = await _take(connection, run_id)
            yield None if row is None else PostgresProbeLease(connection, run_id, row)

    async def progress(self, run_id: str) -> Progress:
        async with self._seeing(run_id) as connection:
            rows = await _all(connection, "SELECT state, count(*) FROM probe_cell WHERE run_id = %s GROUP BY 1", run_id)
            counts = dict.fromkeys(map(str, ResultState), 0) | {row[0]: int(row[1]) for row in rows}
            faults = await _all(
                connection,
                "SELECT fault, count(*) FROM (SELECT DISTINCT ON (cell_no, repeat) fault, state FROM probe_attempt"
                " WHERE run_id = %s ORDER BY cell_no, repeat, attempt DESC) AS last WHERE state IN ('fail','error')"
                " GROUP BY 1 ORDER BY 1",
                run_id,
            )
            tries = "SELECT count(*), coalesce(sum((body->>'cost')::float8), 0) FROM probe_attempt WHERE run_id = %s"
            (tried,) = await _all(connection, tries, run_id)
            batches = "SELECT count(*), count(*) FILTER (WHERE done) FROM probe_batch WHERE run_id = %s"
            (batch,) = await _all(connection, batches, run_id)
            planned = await _all(connection, "SELECT planned FROM probe_run WHERE run_id = %s", run_id)
        return Progress(
            planned=planned[0][0] if planned else 0, counts=counts, faults={row[0]: int(row[1]) for row in faults},
            tries=int(tried[0]), batches=int(batch[0]), batches_done=int(batch[1]), spent=float(tried[1]),
        )  # fmt: skip

    async def cells(self, run_id: str, *, after: int = -1, limit: int = 500) -> list[KeptCell]:
        async with self._seeing(run_id) as connection:
            return await _cells(
                connection,
                "c.run_id = %(run)s AND c.cell_no > %(after)s",
                {"run": run_id, "after": after},
                limit=limit,
            )

    async def ask_again(self, run_id: str, states: Sequence[ResultState]) -> int:
        named = [str(state) for state in states if state not in {ResultState.SKIPPED, ResultState.PENDING}]
        async with self._seeing(run_id) as connection:
            opened = await connection.execute(
                "UPDATE probe_cell SET state = 'pending' WHERE run_id = %s AND state = ANY (%s)", [run_id, named]
            )
            await connection.execute(
                "UPDATE probe_batch b SET done = false, fence = fence + 1 WHERE run_id = %s AND EXISTS (SELECT"
                " FROM probe_cell c WHERE c.run_id = b.run_id AND c.batch_no = b.batch_no AND c.state = 'pending')",
                [run_id],
            )
        return opened.rowcount


async def _take(connection: Connection, run_id: str) -> Row | None:
    left = await _all(
        connection,
        "SELECT b.batch_no FROM probe_batch b JOIN probe_run r ON r.run_id = b.run_id"
        " WHERE b.run_id = %s AND NOT b.done AND r.state = 'active' ORDER BY b.batch_no",
        run_id,
    )
    for (batch_no,) in left:
        name = f"probe batch {run_id} {batch_no}"
        cursor = await connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        (got,) = await cursor.fetchone() or (False,)
        if not got:
            continue
        cursor = await connection.execute(
            "UPDATE probe_batch SET fence = fence + 1 WHERE run_id = %s AND batch_no = %s AND NOT done"
            " RETURNING batch_no, fence, distance, branch::text",
            [run_id, batch_no],
        )
        row = await cursor.fetchone()
        if row is not None:
            return row
        await connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
    return None


async def _all(connection: Connection, query: LiteralString, run_id: str) -> list[Row]:
    return await (await connection.execute(query, [run_id])).fetchall()


async def _cells(
    connection: Connection, where: LiteralString, named: dict[str, object], *, limit: int | None = None
) -> list[KeptCell]:
    query: LiteralString = (
        "SELECT c.cell_no, c.batch_no, c.state, c.packet_hash, c.body::text, (SELECT array_agg(a.body::text"
        " ORDER BY a.repeat, a.attempt) FROM probe_attempt a WHERE a.run_id = c.run_id AND a.cell_no = c.cell_no)"
        " FROM probe_cell c WHERE " + where + " ORDER BY c.cell_no LIMIT %(limit)s"
    )
    with translated():
        rows = await (await connection.execute(query, named | {"limit": limit})).fetchall()
    return [_cell(row) for row in rows]


def _cell(row: Row) -> KeptCell:
    return KeptCell(
        cell_no=row[0], batch_no=row[1], state=ResultState(row[2]), packet_hash=row[3], cell=_CELL(row[4]),
        attempts=tuple(_ATTEMPT(body) for body in row[5] or ()),
    )  # fmt: skip


def _readable(row: Row) -> RunPlan | None:
    """Return a run; one that another version kept, in another shape, is not listed."""
    try:
        return _run(row)
    except msgspec.ValidationError:
        return None


def _run(row: Row) -> RunPlan:
    return msgspec.structs.replace(_RUN(row[0]), state=RunState(row[1]))
