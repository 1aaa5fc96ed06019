"""Runs of probes in memory as people look at them: the same sums as Postgres makes, cell by cell."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.accounts import EVERY_WORLD, Note
from ledger_service.domain.ids import WorldId
from ledger_service.domain.probe_runs import NONDETERMINISM, Attempt, KeptCell, RunPlan
from ledger_service.domain.probe_views import (
    ASSIGNED,
    AXES,
    MARKED,
    CellFilter,
    FailureMark,
    Failures,
    RunRow,
    SeenRun,
    Square,
    Trend,
)
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import State
from ledger_service.stores.memory_probes import MemoryProbeRuns

_BROKEN: Final = frozenset({ResultState.FAIL, ResultState.ERROR})
_JUDGED: Final = frozenset({ResultState.PASS, ResultState.FAIL})


class MemoryProbeBrowser:
    """What is shown of runs of some worlds; `notes` is the audit log."""

    def __init__(self, runs: MemoryProbeRuns, worlds: Sequence[WorldId], notes: Sequence[Note]) -> None:
        self._runs, self._worlds, self._notes = runs, frozenset(worlds), notes

    def _sees(self, world_id: WorldId) -> bool:
        return not self._worlds.isdisjoint((EVERY_WORLD, world_id))

    def _seen(self) -> list[tuple[RunPlan, RunRow]]:
        """Return what may be seen, the newest first."""
        numbered = enumerate(self._runs.everything(), start=1)
        found = [(run, _row(run, number, cells)) for number, (run, cells) in numbered]
        return [(run, row) for run, row in reversed(found) if self._sees(row.world_id)]

    def _cells(self, run_id: str) -> list[KeptCell]:
        return next((cells for run, cells in self._runs.everything()
                     if run.run_id == run_id and self._sees(_world_of(run))), [])  # fmt: skip

    async def runs(
        self, *, story: str | None = None, subject: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[RunRow]:
        rows = (row for _, row in self._seen() if before is None or row.run_no < before)
        return [r for r in rows if story in {None, r.story} and subject in {None, r.subject}][:limit]

    async def find(self, run_id: str) -> SeenRun | None:
        return next((SeenRun(row=row, plan=run) for run, row in self._seen() if run.run_id == run_id), None)

    async def row(self, run_id: str) -> RunRow | None:
        found = await self.find(run_id)
        return None if found is None else found.row

    async def squares(self, run_id: str) -> list[Square]:
        together: dict[tuple[str, str, int], list[KeptCell]] = {}
        for kept in self._cells(run_id):
            at = (kept.cell.distance, kept.cell.pressure, kept.cell.paraphrase)
            together.setdefault(at, []).append(kept)
        return [_square(*at, cells) for at, cells in together.items()]

    async def cells(
        self, run_id: str, where: CellFilter, *, after: int = -1, limit: int | None = 100
    ) -> list[KeptCell]:
        return [c for c in self._cells(run_id) if c.cell_no > after and _is_wanted(c, where)][:limit]

    async def cell(self, run_id: str, cell_no: int) -> KeptCell | None:
        return next((c for c in self._cells(run_id) if c.cell_no == cell_no), None)

    async def states(self, run_id: str) -> dict[str, str]:
        return {c.cell.name: str(c.state) for c in self._cells(run_id)}

    async def numbers(self, run_id: str, names: Sequence[str]) -> dict[str, int]:
        return {c.cell.name: c.cell_no for c in self._cells(run_id) if c.cell.name in names}

    async def failures(self, run_id: str, *, limit: int = 60) -> list[Failures]:
        sorts: dict[tuple[str, str, str], list[tuple[KeptCell, Attempt]]] = {}
        for cell, attempt in _bad(self._cells(run_id)):
            sorts.setdefault((str(attempt.fault), attempt.subtype, attempt.entry), []).append((cell, attempt))
        found = [_failures(*sort, came) for sort, came in sorts.items()]
        return sorted(found, key=lambda f: (-f.count, f.fault, f.subtype, f.entry))[:limit]

    async def marks(self, subjects: Sequence[str]) -> dict[str, FailureMark]:
        found: dict[str, FailureMark] = {}
        for note in self._notes:
            known, said = found.get(note.subject, FailureMark()), {k: str(v) for k, v in note.detail.items()}
            if note.subject in subjects and note.action == ASSIGNED:
                found[note.subject] = replace(known, assignee=said.get("to", ""))
            elif note.subject in subjects and note.action == MARKED:
                mark, why = said.get("mark", ""), said.get("why", "")
                found[note.subject] = replace(known, mark=mark, why=why, who=note.who)
        return found

    async def trend(self, story: str, subject: str, *, limit: int = 24) -> list[Trend]:
        rows = await self.runs(story=story, subject=subject, limit=limit)
        return [
            Trend(run_id=r.run_id, begun_at=r.begun_at, passed=r.passed, judged=r.judged,
                  faults=_faults(self._cells(r.run_id)))
            for r in reversed(rows)
        ]  # fmt: skip


def _world_of(run: RunPlan) -> WorldId:
    return run.world_version.partition("@")[0]


def _counted(cells: Iterable[KeptCell]) -> dict[str, int]:
    """Return how many cells are in each state."""
    counts = dict.fromkeys(map(str, ResultState), 0)
    for cell in cells:
        counts[str(cell.state)] += 1
    return counts


def _row(run: RunPlan, number: int, cells: Iterable[KeptCell]) -> RunRow:
    return RunRow(
        run_id=run.run_id, run_no=number, world_id=_world_of(run), story=run.story, subject=run.settings.subject,
        state=run.state, planned=run.planned, counts=_counted(cells), begun_by=run.begun_by,
    )  # fmt: skip


def _square(distance: str, pressure: str, paraphrase: int, cells: list[KeptCell]) -> Square:
    tries = [a for c in cells for a in c.attempts]
    judged = [a for a in tries if a.state is not ResultState.ERROR]
    return Square(
        distance=distance, pressure=pressure, paraphrase=paraphrase, cells=_counted(cells),
        passed=_axes(judged, State.PASS),
        failed=_axes(judged, State.FAIL), tries=len(tries), broken=len(tries) - len(judged),
        spent=sum(a.cost for a in tries), is_flaky=any(map(_is_flaky, cells)), flips=any(map(_flips, tries)),
        is_unsound=any(map(_is_unsound, tries)),
    )  # fmt: skip


def _axes(tries: Iterable[Attempt], state: State) -> tuple[int, ...]:
    cards = [a.scorecard.verdicts for a in tries if a.scorecard is not None]
    return tuple(sum(card[i].state is state for card in cards) for i in range(len(AXES)))


def _is_flaky(cell: KeptCell) -> bool:
    return {a.state for a in cell.attempts} >= _JUDGED or any(map(_flips, cell.attempts))


def _flips(attempt: Attempt) -> bool:
    return attempt.subtype == NONDETERMINISM


def _is_unsound(attempt: Attempt) -> bool:
    """Say whether the reference speaker fails too: by what it said beside, or where the failed line is its own."""
    beside = attempt.beside.reference
    passed = beside.passed if beside is not None else attempt.responder != "template"
    return attempt.state is ResultState.FAIL and not _flips(attempt) and not passed


def _is_wanted(cell: KeptCell, where: CellFilter) -> bool:
    is_there = where.distance in {None, cell.cell.distance} and where.pressure in {None, cell.cell.pressure}
    if not is_there or where.state not in {None, cell.state}:
        return False
    broken = (a for a in cell.attempts if a.state in _BROKEN)
    return where.fault is None or any(
        str(a.fault) == where.fault and where.subtype in {None, a.subtype} and where.entry in {None, a.entry}
        for a in broken
    )


def _bad(cells: Iterable[KeptCell]) -> Iterator[tuple[KeptCell, Attempt]]:
    """Yield what failed, and what broke for good, in order."""
    for cell in cells:
        last = cell.last
        for attempt in sorted(cell.attempts, key=lambda a: (a.repeat, a.attempt)):
            if attempt.state is ResultState.FAIL or (attempt.state is ResultState.ERROR and attempt in last):
                yield cell, attempt


def _failures(fault: str, subtype: str, entry: str, came: Sequence[tuple[KeptCell, Attempt]]) -> Failures:
    cell, attempt = came[0]
    return Failures(
        fault=fault, subtype=subtype, entry=entry, count=len(came), cell=replace(cell, attempts=()), attempt=attempt,
        confirmed=sum(a.beside.confirmed is True for _, a in came),
        in_doubt=sum(a.beside.confirmed is False for _, a in came),
    )  # fmt: skip


def _faults(cells: Iterable[KeptCell]) -> dict[str, int]:
    found: dict[str, int] = {}
    for attempt in (a for c in cells for a in c.last if a.state in _BROKEN):
        found[str(attempt.fault)] = found.get(str(attempt.fault), 0) + 1
    return found
