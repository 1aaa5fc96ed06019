"""Runs of probes in memory: the same promises as in Postgres, for tests and dry runs."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio
from msgspec.structs import replace

from ledger_service.domain.probe_runs import (
    Attempt,
    Branch,
    KeptCell,
    LostLease,
    Progress,
    RunPlan,
    RunState,
    distances_of,
)
from ledger_service.domain.probes import Budgets, ResultState


class _Batch:
    """A batch as it is kept."""

    def __init__(self, distance: str) -> None:
        self.distance, self.fence, self.done, self.held = distance, 0, False, False
        self.branch: Branch | None = None


class _Kept:
    """A run as it is kept."""

    def __init__(self, run: RunPlan, cells: Sequence[KeptCell]) -> None:
        self.run = run
        self.batches = [_Batch(distance) for _, distance in distances_of(cells)]
        self.cells = {c.cell_no: c for c in cells}
        self.ground: Branch | None = None
        self.offered = False
        self.lock = anyio.Lock()


class MemoryProbeLease:
    """A batch, held."""

    def __init__(self, kept: _Kept, batch_no: int) -> None:
        self._kept, self._batch, self.batch_no = kept, kept.batches[batch_no], batch_no
        self.fence, self.distance, self.branch = self._batch.fence, self._batch.distance, self._batch.branch

    def _check(self) -> None:
        if self._batch.fence != self.fence or self._batch.done:
            raise LostLease(f"batch {self.batch_no} is past fence {self.fence}")

    async def keep_branch(self, branch: Branch) -> None:
        self._check()
        self._batch.branch = self.branch = branch

    async def open_cells(self) -> list[KeptCell]:
        return [c for c in self._kept.cells.values() if c.batch_no == self.batch_no and c.state is ResultState.PENDING]

    async def keep(self, came: Sequence[tuple[KeptCell, Attempt]]) -> None:
        self._check()
        after = dict(self._kept.cells)
        for cell, attempt in came:
            before = after[cell.cell_no]
            if self._kept.cells[cell.cell_no].state is not ResultState.PENDING or _is_taken(before, attempt):
                raise LostLease(f"cell {cell.cell_no} has come to something already")
            after[cell.cell_no] = replace(
                before, state=cell.state, packet_hash=cell.packet_hash, attempts=(*before.attempts, attempt)
            )
        self._kept.cells = after

    async def finish(self) -> None:
        self._check()
        if await self.open_cells():
            raise LostLease(f"batch {self.batch_no} has open cells")
        self._batch.done, self._batch.branch = True, None


def _is_taken(cell: KeptCell, attempt: Attempt) -> bool:
    """Say whether a try has been kept, or its repeat has been finished."""
    return any(
        a.repeat == attempt.repeat
        and (a.attempt == attempt.attempt or ResultState.ERROR not in {a.state, attempt.state})
        for a in cell.attempts
    )


class MemoryGroundHold:
    """The ground of a run, held."""

    def __init__(self, kept: _Kept) -> None:
        self._kept, self.ground = kept, kept.ground

    async def keep(self, ground: Branch | None) -> None:
        self._kept.ground = self.ground = ground


class MemoryProbeRuns:
    """Runs by id."""

    def __init__(self) -> None:
        self._runs: dict[str, _Kept] = {}

    async def add(self, run: RunPlan, cells: Sequence[KeptCell]) -> None:
        self._runs[run.run_id] = _Kept(run, cells)

    async def find(self, run_id: str) -> RunPlan | None:
        kept = self._runs.get(run_id)
        return None if kept is None else kept.run

    def everything(self) -> list[tuple[RunPlan, list[KeptCell]]]:
        """Return every run with its cells in order, the oldest first."""
        return [(kept.run, [kept.cells[n] for n in sorted(kept.cells)]) for kept in self._runs.values()]

    async def list_newest(self, *, limit: int = 50) -> list[RunPlan]:
        return [kept.run for kept in reversed(self._runs.values())][:limit]

    async def set_state(self, run_id: str, state: RunState) -> None:
        self._runs[run_id].run = replace(self._runs[run_id].run, state=state)

    async def offer(self, run_id: str, budgets: Budgets | None = None) -> None:
        kept = self._runs[run_id]
        kept.offered = True
        if budgets is not None:
            kept.run = replace(kept.run, matrix=replace(kept.run.matrix, budgets=budgets))

    async def withdraw(self, run_id: str) -> None:
        self._runs[run_id].offered = False

    async def offered(self) -> list[RunPlan]:
        return [k.run for k in self._runs.values() if k.offered and k.run.state is RunState.ACTIVE]

    @asynccontextmanager
    async def hold_ground(self, run_id: str) -> AsyncIterator[MemoryGroundHold]:
        """Wait for the ground."""
        async with self._runs[run_id].lock:
            yield MemoryGroundHold(self._runs[run_id])

    @asynccontextmanager
    async def claim(self, run_id: str) -> AsyncIterator[MemoryProbeLease | None]:
        """Take the first batch that is neither done nor held."""
        kept = self._runs[run_id]
        is_free = kept.run.state is RunState.ACTIVE
        number = next((i for i, b in enumerate(kept.batches) if is_free and not b.done and not b.held), None)
        if number is None:
            yield None
            return
        batch = kept.batches[number]
        batch.held, batch.fence = True, batch.fence + 1
        try:
            yield MemoryProbeLease(kept, number)
        finally:
            batch.held = False

    async def progress(self, run_id: str) -> Progress:
        kept = self._runs[run_id]
        counts = dict.fromkeys(map(str, ResultState), 0)
        faults: dict[str, int] = {}
        for cell in kept.cells.values():
            counts[cell.state] += 1
            for a in cell.last:
                if a.state in {ResultState.FAIL, ResultState.ERROR}:
                    faults[str(a.fault)] = faults.get(str(a.fault), 0) + 1
        return Progress(
            planned=kept.run.planned, counts=counts, faults=dict(sorted(faults.items())),
            tries=sum(len(c.attempts) for c in kept.cells.values()), batches=len(kept.batches),
            batches_done=sum(b.done for b in kept.batches),
            spent=sum(a.cost for c in kept.cells.values() for a in c.attempts),
        )  # fmt: skip

    async def cells(self, run_id: str, *, after: int = -1, limit: int = 500) -> list[KeptCell]:
        found = self._runs[run_id].cells
        return [found[n] for n in sorted(found) if n > after][:limit]

    async def ask_again(self, run_id: str, states: Sequence[ResultState]) -> int:
        kept, opened = self._runs[run_id], 0
        for number, cell in kept.cells.items():
            if cell.state in states and cell.state not in {ResultState.SKIPPED, ResultState.PENDING}:
                kept.cells[number] = replace(cell, state=ResultState.PENDING)
                kept.batches[cell.batch_no].done = False
                kept.batches[cell.batch_no].fence += 1
                opened += 1
        return opened
