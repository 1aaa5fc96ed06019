"""Runs of probes: rows under row-level security by run, batches held by session locks and guarded by fences."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import LiteralString

import msgspec
import psycopg

from ledger_service.domain.probe_runs import Branch, KeptCell, Progress, RunPlan, RunState, distances_of
from ledger_service.domain.probes import Budgets, ResultState
from ledger_service.stores.postgres.connection import Connection, Pool, Row, transaction_of, translated
from ledger_service.stores.postgres.probe_lease import PostgresProbeLease, cells_where, decode_branch
from ledger_service.stores.postgres.rows import text_of

_AT_A_TIME = 5_000
_ADD_CELLS: LiteralString = (
    "INSERT INTO probe_cell (run_id, cell_no, batch_no, state, packet_hash, body) SELECT %s, no, batch, state, '', body"
    " FROM json_to_recordset(%s::json) AS t (no int, batch int, state text, body jsonb)"
)
_SERVER_KEEPALIVE = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
"""A machine that vanished lets its batches go within half a minute; a process that was killed, at once."""
_RUN = msgspec.json.Decoder(RunPlan).decode


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

    def __init__(self, pool: Pool, url: str) -> None:
        self._pool, self._url = pool, url

    @asynccontextmanager
    async def _seeing(self, run_id: str) -> AsyncIterator[Connection]:
        """Open a transaction that sees one run."""
        async with transaction_of(self._pool) as connection:
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

    async def add(self, run: RunPlan, cells: Sequence[KeptCell]) -> None:
        async with self._seeing(run.run_id) as connection:
            await connection.execute(
                "INSERT INTO probe_run (run_id, state, planned, body) VALUES (%s, %s, %s, %s)",
                [run.run_id, str(run.state), run.planned, text_of(run)],
            )
            batches = distances_of(cells)
            await connection.execute(
                "INSERT INTO probe_batch (run_id, batch_no, distance, fence, done) SELECT %s, n, d, 0, false"
                " FROM unnest(%s::int[], %s::text[]) AS t (n, d)",
                [run.run_id, [number for number, _ in batches], [distance for _, distance in batches]],
            )
            for first in range(0, len(cells), _AT_A_TIME):
                await connection.execute(_ADD_CELLS, [run.run_id, _rows_of(cells[first : first + _AT_A_TIME])])

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

    async def offer(self, run_id: str, budgets: Budgets | None = None) -> None:
        async with self._seeing(run_id) as connection:
            await connection.execute("UPDATE probe_run SET offered = true WHERE run_id = %s", [run_id])
            if budgets is not None:
                await connection.execute(
                    "UPDATE probe_run SET body = jsonb_set(body, '{matrix,budgets}', %s) WHERE run_id = %s",
                    [text_of(budgets), run_id],
                )
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
            yield PostgresGroundHold(connection, run_id, None if not row or row[0] is None else decode_branch(row[0]))

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
            tries = "SELECT count(*), coalesce(sum(cost), 0) FROM probe_attempt WHERE run_id = %s"
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
            return await cells_where(
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


def _rows_of(cells: Sequence[KeptCell]) -> str:
    return text_of([{"no": c.cell_no, "batch": c.batch_no, "state": c.state, "body": c.cell} for c in cells])


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


def _readable(row: Row) -> RunPlan | None:
    """Return a run; one that another version kept, in another shape, is not listed."""
    try:
        return _run(row)
    except msgspec.ValidationError:
        return None


def _run(row: Row) -> RunPlan:
    return msgspec.structs.replace(_RUN(row[0]), state=RunState(row[1]))
