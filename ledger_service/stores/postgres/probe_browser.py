"""Runs of probes as the console reads them: in the worlds that somebody was given, added up where they are kept."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import LiteralString

import msgspec
import psycopg
from psycopg_pool import AsyncConnectionPool

from ledger_service.domain.ids import WorldId
from ledger_service.domain.probe_runs import NONDETERMINISM, Attempt, KeptCell, RunPlan, RunState
from ledger_service.domain.probe_views import (
    CellFilter,
    FailureMark,
    Failures,
    Figures,
    RunRow,
    SeenRun,
    Square,
    Trend,
)
from ledger_service.domain.probes import Cell, ResultState
from ledger_service.stores.postgres.catalogue import name_worlds
from ledger_service.stores.postgres.connection import Row, translated
from ledger_service.stores.postgres.probe_lease import Connection, cells_where

Pool = AsyncConnectionPool[psycopg.AsyncConnection[Row]]
_LAST = 2**62
_STATES = tuple(map(str, ResultState))
_AXES = 5
_ROW: LiteralString = (
    "SELECT r.run_id, r.run_no, coalesce(r.world_id, ''), r.body->>'story', r.body#>>'{settings,subject}', r.state,"
    " r.planned, (SELECT json_object_agg(s.state, s.n) FROM (SELECT c.state, count(*) AS n FROM probe_cell c"
    " WHERE c.run_id = r.run_id GROUP BY 1) s), coalesce(r.body->>'begun_by', ''),"
    " coalesce(to_char(r.begun_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), '')"
)
_SQUARES: LiteralString = (
    "WITH tried AS (SELECT a.cell_no, "
    + ", ".join(
        f"count(*) FILTER (WHERE substr(a.axes, {i + 1}, 1) = '{letter}') AS {letter}{i}"
        for letter in ("p", "f")
        for i in range(_AXES)
    )
    + " FROM probe_attempt a WHERE a.run_id = %(run)s AND a.state <> 'error' GROUP BY 1)"
    " SELECT b.distance, c.pressure, c.paraphrase, "
    + ", ".join(f"count(*) FILTER (WHERE c.state = '{state}')" for state in _STATES)
    + ", "
    + ", ".join(f"coalesce(sum(t.{letter}{i}), 0)::int" for letter in ("p", "f") for i in range(_AXES))
    + " FROM probe_cell c JOIN probe_batch b ON b.run_id = c.run_id AND b.batch_no = c.batch_no"
    " LEFT JOIN tried t ON t.cell_no = c.cell_no WHERE c.run_id = %(run)s GROUP BY 1, 2, 3"
    " ORDER BY min(b.batch_no), min(c.cell_no), 3"
)
_LAST_TRY: LiteralString = (
    "SELECT DISTINCT ON (a.cell_no, a.repeat) a.cell_no, a.repeat, a.attempt, a.state, a.fault, a.subtype, a.entry"
    " FROM probe_attempt a WHERE a.run_id = %(run)s ORDER BY a.cell_no, a.repeat, a.attempt DESC"
)
_BAD: LiteralString = "WITH last AS (" + _LAST_TRY + "), bad AS (SELECT * FROM last WHERE state IN ('fail', 'error'))"
_GROUPS: LiteralString = (
    _BAD + ", sorts AS (SELECT fault, subtype, entry, count(*) AS n, min(array[cell_no, repeat, attempt]) AS one"
    " FROM bad GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT %(limit)s)"
    " SELECT s.fault, coalesce(s.subtype, ''), coalesce(s.entry, ''), s.n, c.cell_no, c.batch_no, c.state,"
    " c.packet_hash, c.body::text, a.body::text FROM sorts s"
    " JOIN probe_cell c ON c.run_id = %(run)s AND c.cell_no = s.one[1]"
    " JOIN probe_attempt a ON a.run_id = %(run)s AND a.cell_no = s.one[1] AND a.repeat = s.one[2]"
    " AND a.attempt = s.one[3] ORDER BY s.n DESC, 1, 2, 3"
)
_BORNE: LiteralString = (
    _BAD + " SELECT b.fault, coalesce(b.subtype, ''), coalesce(b.entry, ''),"
    " count(*) FILTER (WHERE a.body#>>'{beside,confirmed}' = 'true'),"
    " count(*) FILTER (WHERE a.body#>>'{beside,confirmed}' = 'false') FROM bad b JOIN probe_attempt a"
    " ON a.run_id = %(run)s AND a.cell_no = b.cell_no AND a.repeat = b.repeat AND a.attempt = b.attempt GROUP BY 1, 2, 3"
)
_NAMED: LiteralString = (
    "SELECT b.distance || '/' || c.pressure || '/' || c.paraphrase FROM probe_cell c"
    " JOIN probe_batch b ON b.run_id = c.run_id AND b.batch_no = c.batch_no"
    " WHERE c.run_id = %(run)s AND c.cell_no = ANY(%(cells)s) ORDER BY c.cell_no LIMIT 200"
)
_UNSOUND: LiteralString = (
    "SELECT DISTINCT cell_no FROM probe_attempt WHERE run_id = %(run)s AND state = 'fail' AND subtype <> %(flip)s"
    " AND coalesce(body#>>'{beside,reference,passed}', CASE body->>'responder' WHEN 'template' THEN 'false' END)"
    " = 'false'"
)
_CELLS: LiteralString = (
    "c.run_id = %(run)s AND c.cell_no > %(after)s AND (%(state)s::text IS NULL OR c.state = %(state)s)"
    " AND (%(pressure)s::text IS NULL OR c.pressure = %(pressure)s)"
    " AND (%(distance)s::text IS NULL OR c.batch_no IN (SELECT b.batch_no FROM probe_batch b"
    " WHERE b.run_id = %(run)s AND b.distance = %(distance)s))"
    " AND (%(fault)s::text IS NULL OR EXISTS (SELECT FROM probe_attempt f WHERE f.run_id = c.run_id"
    " AND f.cell_no = c.cell_no AND f.fault = %(fault)s AND f.state IN ('fail','error')"
    " AND (%(subtype)s::text IS NULL OR f.subtype = %(subtype)s) AND (%(entry)s::text IS NULL OR f.entry = %(entry)s)))"
)
_MARKS: LiteralString = (
    "SELECT DISTINCT ON (subject, action) subject, action, who,"
    " to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), detail FROM audit"
    " WHERE action = ANY(%(actions)s) AND subject = ANY(%(subjects)s) ORDER BY subject, action, audit_no DESC"
)
_TREND: LiteralString = (
    "SELECT r.run_id, coalesce(to_char(r.begun_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), ''),"
    " (SELECT count(*) FROM probe_cell c WHERE c.run_id = r.run_id AND c.state = 'pass'),"
    " (SELECT count(*) FROM probe_cell c WHERE c.run_id = r.run_id AND c.state IN ('pass','fail')),"
    " (SELECT json_object_agg(f.fault, f.n) FROM (SELECT l.fault, count(*) AS n FROM (SELECT DISTINCT ON"
    " (a.cell_no, a.repeat) a.fault, a.state FROM probe_attempt a WHERE a.run_id = r.run_id"
    " ORDER BY a.cell_no, a.repeat, a.attempt DESC) l WHERE l.state IN ('fail','error') GROUP BY 1) f)"
    " FROM probe_run r WHERE r.body->>'story' = %(story)s AND r.body#>>'{settings,subject}' = %(subject)s"
    " ORDER BY r.run_no DESC LIMIT %(limit)s"
)
ASSIGNED, MARKED = "failures assigned", "failures marked"
_RUN = msgspec.json.Decoder(RunPlan).decode
_CELL = msgspec.json.Decoder(Cell).decode
_ATTEMPT = msgspec.json.Decoder(Attempt).decode


class PostgresProbeBrowser:
    """What the console shows of runs; it writes nothing."""

    def __init__(self, pool: Pool, worlds: Sequence[WorldId]) -> None:
        self._pool, self._worlds = pool, worlds

    @contextlib.asynccontextmanager
    async def _reading(self) -> AsyncIterator[Connection]:
        """Open a transaction that adds up whole runs, for which the plans that find few rows are not made."""
        with translated():
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute("SET LOCAL enable_hashjoin = on; SET LOCAL plan_cache_mode = auto")
                await name_worlds(connection, self._worlds)
                yield connection

    async def runs(
        self, *, story: str | None = None, subject: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[RunRow]:
        given = {"story": story, "subject": subject, "limit": limit, "before": _LAST if before is None else before}
        query: LiteralString = (
            _ROW + " FROM probe_run r WHERE r.run_no < %(before)s AND (%(story)s::text IS NULL OR r.body->>'story' ="
            " %(story)s) AND (%(subject)s::text IS NULL OR r.body#>>'{settings,subject}' = %(subject)s)"
            " ORDER BY r.run_no DESC LIMIT %(limit)s"
        )
        async with self._reading() as connection:
            return [_row(row) for row in await _all(connection, query, given)]

    async def find(self, run_id: str) -> SeenRun | None:
        async with self._reading() as connection:
            rows = await _all(
                connection, _ROW + ", r.body::text FROM probe_run r WHERE r.run_id = %(run)s", _of(run_id)
            )
        if not rows:
            return None
        row = _row(rows[0])
        return SeenRun(row=row, plan=msgspec.structs.replace(_RUN(rows[0][10]), state=row.state))

    async def row(self, run_id: str) -> RunRow | None:
        async with self._reading() as connection:
            rows = await _all(connection, _ROW + " FROM probe_run r WHERE r.run_id = %(run)s", _of(run_id))
        return _row(rows[0]) if rows else None

    async def squares(self, run_id: str) -> list[Square]:
        async with self._reading() as connection:
            return [_square(row) for row in await _all(connection, _SQUARES, _of(run_id))]

    async def figures(self, run_id: str) -> Figures:
        given = {"run": run_id, "flip": NONDETERMINISM}
        async with self._reading() as connection:
            ((tries, broken, spent),) = await _all(
                connection,
                "SELECT count(*), count(*) FILTER (WHERE state = 'error'), coalesce(sum(cost), 0) FROM probe_attempt"
                " WHERE run_id = %(run)s",
                given,
            )
            flips = await _all(
                connection,
                "SELECT DISTINCT cell_no FROM probe_attempt WHERE run_id = %(run)s AND subtype = %(flip)s",
                given,
            )
            both = await _all(
                connection,
                "SELECT cell_no FROM probe_attempt WHERE run_id = %(run)s AND state IN ('pass','fail') GROUP BY 1"
                " HAVING count(DISTINCT state) > 1",
                given,
            )
            unsound = await _all(connection, _UNSOUND, given)
            names = [await _names(connection, run_id, rows) for rows in ([*flips, *both], flips, unsound)]
        return Figures(
            tries=tries, broken_tries=broken, spent=float(spent), flaky=names[0], nondeterministic=names[1],
            unsound=names[2],
        )  # fmt: skip

    async def cells(
        self, run_id: str, where: CellFilter, *, after: int = -1, limit: int | None = 100
    ) -> list[KeptCell]:
        given = {**msgspec.structs.asdict(where), "run": run_id, "after": after}
        async with self._reading() as connection:
            return await cells_where(connection, _CELLS, given, limit=limit)

    async def cell(self, run_id: str, cell_no: int) -> KeptCell | None:
        given: dict[str, object] = {"run": run_id, "no": cell_no}
        async with self._reading() as connection:
            found = await cells_where(connection, "c.run_id = %(run)s AND c.cell_no = %(no)s", given, limit=1)
        return found[0] if found else None

    async def states(self, run_id: str) -> dict[str, str]:
        query: LiteralString = (
            "SELECT b.distance || '/' || c.pressure || '/' || c.paraphrase, c.state FROM probe_cell c JOIN probe_batch b"
            " ON b.run_id = c.run_id AND b.batch_no = c.batch_no WHERE c.run_id = %(run)s ORDER BY c.cell_no"
        )
        async with self._reading() as connection:
            return dict(await _all(connection, query, _of(run_id)))

    async def numbers(self, run_id: str, names: Sequence[str]) -> dict[str, int]:
        query: LiteralString = (
            "SELECT b.distance || '/' || c.pressure || '/' || c.paraphrase, c.cell_no FROM probe_cell c"
            " JOIN probe_batch b ON b.run_id = c.run_id AND b.batch_no = c.batch_no WHERE c.run_id = %(run)s"
            " AND b.distance || '/' || c.pressure || '/' || c.paraphrase = ANY(%(names)s)"
        )
        async with self._reading() as connection:
            return dict(await _all(connection, query, {"run": run_id, "names": list(names)}))

    async def failures(self, run_id: str, *, limit: int = 60) -> list[Failures]:
        given = {"run": run_id, "limit": limit}
        async with self._reading() as connection:
            rows = await _all(connection, _GROUPS, given)
            stands = {(r[0], r[1], r[2]): (r[3], r[4]) for r in await _all(connection, _BORNE, given)}
        return [_failures(row, stands.get((row[0], row[1], row[2]), (0, 0))) for row in rows]

    async def marks(self, subjects: Sequence[str]) -> dict[str, FailureMark]:
        given = {"subjects": list(subjects), "actions": [ASSIGNED, MARKED]}
        found: dict[str, FailureMark] = {}
        async with self._reading() as connection:
            for subject, action, who, at, detail in await _all(connection, _MARKS, given):
                known = found.get(subject, FailureMark())
                if action == ASSIGNED:
                    found[subject] = msgspec.structs.replace(known, assignee=str(detail.get("to", "")))
                else:
                    mark, why = str(detail.get("mark", "")), str(detail.get("why", ""))
                    found[subject] = msgspec.structs.replace(known, mark=mark, why=why, who=who, at=at)
        return found

    async def trend(self, story: str, subject: str, *, limit: int = 24) -> list[Trend]:
        given = {"story": story, "subject": subject, "limit": limit}
        async with self._reading() as connection:
            rows = await _all(connection, _TREND, given)
        found = [Trend(run_id=r[0], begun_at=r[1], passed=r[2], judged=r[3], faults=r[4] or {}) for r in rows]
        return found[::-1]


async def _all(connection: Connection, query: LiteralString, given: Mapping[str, object]) -> list[Row]:
    return await (await connection.execute(query, given)).fetchall()


async def _names(connection: Connection, run_id: str, rows: Sequence[Row]) -> tuple[str, ...]:
    cells = [row[0] for row in rows]
    return tuple(row[0] for row in await _all(connection, _NAMED, {"run": run_id, "cells": cells})) if cells else ()


def _of(run_id: str) -> dict[str, object]:
    return {"run": run_id}


def _row(row: Row) -> RunRow:
    return RunRow(
        run_id=row[0], run_no=row[1], world_id=row[2], story=row[3], subject=row[4], state=RunState(row[5]),
        planned=row[6], counts=dict.fromkeys(_STATES, 0) | (row[7] or {}), begun_by=row[8], begun_at=row[9],
    )  # fmt: skip


def _square(row: Row) -> Square:
    states, tried = row[3 : 3 + len(_STATES)], row[3 + len(_STATES) :]
    return Square(
        distance=row[0], pressure=row[1], paraphrase=row[2], cells=dict(zip(_STATES, states, strict=True)),
        passed=tuple(tried[:_AXES]), failed=tuple(tried[_AXES:]),
    )  # fmt: skip


def _failures(row: Row, stands: tuple[int, int]) -> Failures:
    cell = KeptCell(cell_no=row[4], batch_no=row[5], state=ResultState(row[6]), packet_hash=row[7], cell=_CELL(row[8]))
    return Failures(
        fault=row[0], subtype=row[1], entry=row[2], count=row[3], cell=cell, attempt=_ATTEMPT(row[9]),
        confirmed=stands[0], in_doubt=stands[1],
    )  # fmt: skip
