"""Runs of probes as the console reads them: in the worlds that somebody was given, added up where they are kept."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import LiteralString

import msgspec

from ledger_service.domain.ids import WorldId
from ledger_service.domain.probe_runs import NONDETERMINISM, Attempt, KeptCell, RunPlan, RunState
from ledger_service.domain.probe_views import (
    ASSIGNED,
    MARKED,
    CellFilter,
    FailureMark,
    Failures,
    RunRow,
    SeenRun,
    Square,
    Trend,
)
from ledger_service.domain.probes import Cell, ResultState
from ledger_service.stores.postgres.catalogue import name_worlds
from ledger_service.stores.postgres.connection import Connection, Pool, Row, transaction_of
from ledger_service.stores.postgres.probe_lease import cells_where

_LAST = 2**62
_PLANNING: LiteralString = (
    "SET LOCAL enable_hashjoin = on; SET LOCAL plan_cache_mode = auto; SET LOCAL work_mem = '32MB'"
)
"""What adds up whole runs is planned otherwise than what finds few rows: joined and grouped by hash, sorted last."""
_STATES = tuple(map(str, ResultState))
_AXES = 5
_ROW: LiteralString = (
    "SELECT r.run_id, r.run_no, coalesce(r.world_id, ''), r.body->>'story', r.body#>>'{settings,subject}', r.state,"
    " r.planned, (SELECT json_object_agg(s.state, s.n) FROM (SELECT c.state, count(*) AS n FROM probe_cell c"
    " WHERE c.run_id = r.run_id GROUP BY 1) s), coalesce(r.body->>'begun_by', ''),"
    " coalesce(to_char(r.begun_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), '')"
)
_SQUARES: LiteralString = (
    "WITH alike AS (SELECT a.cell_no, a.state, a.axes, a.subtype = %(flip)s AS flips,"
    " coalesce(a.reference, CASE a.responder WHEN 'template' THEN 'false' END) AS reference, count(*) AS n,"
    " sum(a.cost) AS spent FROM probe_attempt a WHERE a.run_id = %(run)s GROUP BY 1, 2, 3, 4, 5),"
    " tried AS (SELECT a.cell_no, "
    + ", ".join(
        f"sum(n) FILTER (WHERE a.state <> 'error' AND substr(a.axes, {i + 1}, 1) = '{letter}') AS {letter}{i}"
        for letter in ("p", "f")
        for i in range(_AXES)
    )
    + ", sum(n) AS tries, sum(n) FILTER (WHERE a.state = 'error') AS broken, sum(a.spent) AS spent,"
    " bool_or(a.flips) AS flips, bool_or(a.state = 'pass') AND bool_or(a.state = 'fail') OR bool_or(a.flips) AS flaky,"
    " bool_or(a.state = 'fail' AND NOT a.flips AND a.reference = 'false') AS unsound FROM alike a GROUP BY 1)"
    " SELECT b.distance, c.pressure, c.paraphrase, "
    + ", ".join(f"count(*) FILTER (WHERE c.state = '{state}')" for state in _STATES)
    + ", "
    + ", ".join(f"coalesce(sum(t.{letter}{i}), 0)::int" for letter in ("p", "f") for i in range(_AXES))
    + ", coalesce(sum(t.tries), 0)::int, coalesce(sum(t.broken), 0)::int, coalesce(sum(t.spent), 0)::float8,"
    " bool_or(t.flaky), bool_or(t.flips), bool_or(t.unsound)"
    " FROM probe_cell c JOIN probe_batch b ON b.run_id = c.run_id AND b.batch_no = c.batch_no"
    " LEFT JOIN tried t ON t.cell_no = c.cell_no WHERE c.run_id = %(run)s GROUP BY 1, 2, 3"
    " ORDER BY min(b.batch_no), min(c.cell_no), 3"
)
_BAD: LiteralString = (
    "a.run_id = %(run)s AND (a.state = 'fail' OR a.state = 'error' AND NOT EXISTS (SELECT FROM probe_attempt n"
    " WHERE n.run_id = %(run)s AND n.cell_no = a.cell_no AND n.repeat = a.repeat AND n.attempt > a.attempt))"
)
_GROUPS: LiteralString = (
    "SELECT a.fault, coalesce(a.subtype, ''), coalesce(a.entry, ''), count(*),"
    " min(a.cell_no * 100000000::bigint + a.repeat * 100000 + a.attempt), count(*) FILTER (WHERE a.confirmed = 'true'),"
    " count(*) FILTER (WHERE a.confirmed = 'false') FROM probe_attempt a WHERE " + _BAD + " GROUP BY 1, 2, 3"
    " ORDER BY 4 DESC, 1, 2, 3 LIMIT %(limit)s"
)
_EXAMPLES: LiteralString = (
    "SELECT k.one, c.cell_no, c.batch_no, c.state, c.packet_hash, c.body::text, a.body::text"
    " FROM unnest(%(ones)s::bigint[]) AS k (one)"
    " JOIN probe_cell c ON c.run_id = %(run)s AND c.cell_no = (k.one / 100000000)::int"
    " JOIN probe_attempt a ON a.run_id = %(run)s AND a.cell_no = (k.one / 100000000)::int"
    " AND a.repeat = (k.one / 100000 %% 1000)::int AND a.attempt = (k.one %% 100000)::int"
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
        async with transaction_of(self._pool) as connection:
            await connection.execute(_PLANNING)
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
        given = {"run": run_id, "flip": NONDETERMINISM}
        async with self._reading() as connection:
            await connection.execute("SET LOCAL enable_nestloop = off; SET LOCAL enable_sort = off")
            return [_square(row) for row in await _all(connection, _SQUARES, given)]

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
            await connection.execute("SET LOCAL enable_sort = off")
            groups = await _all(connection, _GROUPS, given)
            await connection.execute("SET LOCAL enable_hashjoin = off; SET LOCAL enable_sort = on")
            rows = await _all(connection, _EXAMPLES, {"run": run_id, "ones": [row[4] for row in groups]})
        examples = {row[0]: row[1:] for row in rows}
        return [_failures(row, examples[row[4]]) for row in groups]

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


def _of(run_id: str) -> dict[str, object]:
    return {"run": run_id}


def _row(row: Row) -> RunRow:
    return RunRow(
        run_id=row[0], run_no=row[1], world_id=row[2], story=row[3], subject=row[4], state=RunState(row[5]),
        planned=row[6], counts=dict.fromkeys(_STATES, 0) | (row[7] or {}), begun_by=row[8], begun_at=row[9],
    )  # fmt: skip


def _square(row: Row) -> Square:
    states, rest = row[3 : 3 + len(_STATES)], row[3 + len(_STATES) :]
    axes, (tries, broken, spent, flaky, flips, unsound) = rest[: 2 * _AXES], rest[2 * _AXES :]
    return Square(
        distance=row[0], pressure=row[1], paraphrase=row[2], cells=dict(zip(_STATES, states, strict=True)),
        passed=tuple(axes[:_AXES]), failed=tuple(axes[_AXES:]), tries=tries, broken=broken, spent=float(spent),
        is_flaky=bool(flaky), flips=bool(flips), is_unsound=bool(unsound),
    )  # fmt: skip


def _failures(row: Row, one: Row) -> Failures:
    cell = KeptCell(
        cell_no=one[0], batch_no=one[1], state=ResultState(one[2]), packet_hash=one[3], cell=_CELL(one[4])
    )  # fmt: skip
    return Failures(
        fault=row[0], subtype=row[1], entry=row[2], count=row[3], cell=cell, attempt=_ATTEMPT(one[5]),
        confirmed=row[5], in_doubt=row[6],
    )  # fmt: skip
