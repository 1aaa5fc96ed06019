"""A batch of a run that a worker holds, and the cells that are read of it."""

from collections.abc import Sequence
from typing import LiteralString

import msgspec
import psycopg

from ledger_service.domain.probe_runs import Attempt, Branch, KeptCell, LostLease
from ledger_service.domain.probes import Cell, ResultState
from ledger_service.stores.postgres.connection import Connection, Row, translated
from ledger_service.stores.postgres.rows import text_of

decode_branch = msgspec.json.Decoder(Branch).decode
_CELL = msgspec.json.Decoder(Cell).decode
_ATTEMPT = msgspec.json.Decoder(Attempt).decode
_KEEP: LiteralString = (
    "WITH mine AS (SELECT run_id, batch_no, fence FROM probe_batch WHERE {mine} FOR UPDATE), put AS ("
    "INSERT INTO probe_attempt (run_id, cell_no, repeat, attempt, state, fault, fence, cost, body)"
    " SELECT m.run_id, t.cell, t.repeat, t.attempt, t.state, t.fault, m.fence, t.cost, t.body FROM mine m,"
    " jsonb_to_recordset(%(tried)s::jsonb) AS t (cell int, repeat int, attempt int, state text, fault text,"
    " cost float8, body jsonb))"
    " UPDATE probe_cell c SET state = n.state, packet_hash = n.hash"
    " FROM mine m, jsonb_to_recordset(%(cells)s::jsonb) AS n (cell int, state text, hash text)"
    " WHERE c.run_id = m.run_id AND c.batch_no = m.batch_no AND c.cell_no = n.cell AND c.state = 'pending'"
)


class PostgresProbeLease:
    """A batch, held by the lock of a connection of its own: a worker without that connection cannot write."""

    def __init__(self, connection: Connection, run_id: str, row: Row) -> None:
        self._connection, self._run_id = connection, run_id
        self.batch_no, self.fence, self.distance = int(row[0]), int(row[1]), str(row[2])
        self.branch: Branch | None = None if row[3] is None else decode_branch(row[3])

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
        return await cells_where(
            self._connection,
            "c.run_id = %(run)s AND c.batch_no = %(batch)s AND c.state = 'pending'",
            {"run": self._run_id, "batch": self.batch_no},
        )

    async def keep(self, came: Sequence[tuple[KeptCell, Attempt]]) -> None:
        cells = {c.cell_no: {"cell": c.cell_no, "state": c.state, "hash": c.packet_hash} for c, _ in came}
        tried = [
            {
                "cell": c.cell_no, "repeat": a.repeat, "attempt": a.attempt, "state": a.state, "fault": a.fault,
                "cost": a.cost, "body": a,
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


async def cells_where(
    connection: Connection, where: LiteralString, named: dict[str, object], *, limit: int | None = None
) -> list[KeptCell]:
    """Return cells with their tries, by number."""
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
