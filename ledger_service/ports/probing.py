"""Runs of probes: rows, leases, jobs, and how they are looked at."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from ledger_service.domain.probe_runs import Attempt, Branch, KeptCell, Progress, RunPlan, RunState
from ledger_service.domain.probe_views import CellFilter, FailureMark, Failures, RunRow, SeenRun, Square, Trend
from ledger_service.domain.probes import Budgets, ResultState


class ProbeLease(Protocol):
    """A batch of a run, held by one worker; every write checks that it still is."""

    batch_no: int
    fence: int
    distance: str
    branch: Branch | None
    """The branch that an earlier holder prepared."""

    async def keep_branch(self, branch: Branch) -> None:
        """Keep the branch on which the batch is asked.

        Raises:
            LostLease: the batch is no longer this worker's.
        """
        ...

    async def open_cells(self) -> list[KeptCell]:
        """Return the cells that have come to nothing yet, with the tries they have had."""
        ...

    async def keep(self, came: Sequence[tuple[KeptCell, Attempt]]) -> None:
        """Keep further tries, in their order, each with what its cell comes to by it: all of them, or none.

        Raises:
            LostLease: the batch is no longer this worker's, or one of the cells has come to something already.
        """
        ...

    async def finish(self) -> None:
        """Say that nothing is left of the batch; its branch is forgotten."""
        ...


class GroundHold(Protocol):
    """The played story of a run, held while it is being prepared or cleared away."""

    ground: Branch | None

    async def keep(self, ground: Branch | None) -> None:
        """Keep it, or that there is none any more."""
        ...


class ProbeRuns(Protocol):
    """Runs of probe matrices, as rows."""

    async def add(self, run: RunPlan, cells: Sequence[KeptCell]) -> None:
        """Keep a run with its cells and their batches (numbered from 0, each of one distance), whole or not at all."""
        ...

    async def find(self, run_id: str) -> RunPlan | None:
        """Return a run."""
        ...

    async def list_newest(self, *, limit: int = 50) -> list[RunPlan]:
        """Return runs, the newest first."""
        ...

    async def set_state(self, run_id: str, state: RunState) -> None:
        """Let workers go on, or claim no more."""
        ...

    def hold_ground(self, run_id: str) -> AbstractAsyncContextManager[GroundHold]:
        """Wait until nobody else holds the ground of a run, and hold it."""
        ...

    def claim(self, run_id: str) -> AbstractAsyncContextManager[ProbeLease | None]:
        """Claim an unfinished batch of an active run that nobody holds; None where there is none."""
        ...

    async def offer(self, run_id: str, budgets: Budgets | None = None) -> None:
        """Offer an active run to whatever workers there are, and wake them: with a job for each open batch.

        With budgets, all of them together keep to these instead of what the run was begun with.
        """
        ...

    async def withdraw(self, run_id: str) -> None:
        """Offer a run no longer; a worker that holds a batch of it ends that."""
        ...

    async def offered(self) -> list[RunPlan]:
        """Return the active runs that are offered, the oldest first."""
        ...

    async def progress(self, run_id: str) -> Progress:
        """Count a run's cells by what they came to."""
        ...

    async def cells(self, run_id: str, *, after: int = -1, limit: int = 500) -> list[KeptCell]:
        """Return cells with their tries, by number, a page at a time."""
        ...

    async def ask_again(self, run_id: str, states: Sequence[ResultState]) -> int:
        """Open the cells of these states again and return how many; their tries stay, those of errors are retried."""
        ...


class ProbeBrowser(Protocol):
    """Runs of probes as the console shows them: those of the worlds that somebody was given, no others."""

    async def runs(
        self, *, story: str | None = None, subject: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[RunRow]:
        """Return runs, the newest first, begun before a place in the order of beginning."""
        ...

    async def find(self, run_id: str) -> SeenRun | None:
        """Return a run, or None where there is none or it may not be seen."""
        ...

    async def row(self, run_id: str) -> RunRow | None:
        """Return how far a run is."""
        ...

    async def squares(self, run_id: str) -> list[Square]:
        """Return a run added up by distance, pressure and wording, in the order of the matrix."""
        ...

    async def cells(
        self, run_id: str, where: CellFilter, *, after: int = -1, limit: int | None = 100
    ) -> list[KeptCell]:
        """Return cells with their tries, by number."""
        ...

    async def cell(self, run_id: str, cell_no: int) -> KeptCell | None:
        """Return a cell with its tries."""
        ...

    async def states(self, run_id: str) -> dict[str, str]:
        """Return what every cell came to, by name."""
        ...

    async def numbers(self, run_id: str, names: Sequence[str]) -> dict[str, int]:
        """Return the numbers of cells by name."""
        ...

    async def failures(self, run_id: str, *, limit: int = 60) -> list[Failures]:
        """Return failures by sort, the most frequent first, each with one of them."""
        ...

    async def marks(self, subjects: Sequence[str]) -> dict[str, FailureMark]:
        """Return what people made of failures, by what these are called in the audit log."""
        ...

    async def trend(self, story: str, subject: str, *, limit: int = 24) -> list[Trend]:
        """Return the newest runs of a story and subject, the oldest of them first."""
        ...


class ProbeJobs(Protocol):
    """The queue of jobs that wake workers; what there is to do stands with the runs, and not in it."""

    async def serve(
        self, help_with: Callable[[str], Awaitable[None]], *, at_once: int, until: Callable[[], Awaitable[object]]
    ) -> None:
        """Help with a run for each job, so many at once, until `until` returns; those under way are ended first."""
        ...
