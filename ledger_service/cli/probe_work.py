"""Work on a run of probes from a command: workers side by side, signals that drain, then a verdict and reports."""

import contextlib
import gc
import shlex
import signal
from collections.abc import AsyncIterator, Iterator
from functools import partial

import anyio

from ledger_service.bootstrap import Application, keep_running, single
from ledger_service.cli.probe_budget import UNLIMITED, Budget
from ledger_service.cli.probe_desk import desk_of
from ledger_service.cli.probe_progress import show_progress
from ledger_service.cli.probe_verdict import Asked, write_all
from ledger_service.domain.errors import StoreError
from ledger_service.domain.probe_runs import RunPlan
from ledger_service.domain.probes import ResultState
from ledger_service.probing.summary import INCOMPLETE, MET, UNTRUSTED, Verdict, summarise, verdict
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.run_ground import clear_ground
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.work_run import watch_state, work


async def work_on(
    app: Application,
    run: RunPlan,
    *,
    gate: float,
    at_once: int,
    budget: Budget = UNLIMITED,
    quiet: bool,
) -> Asked:
    """Work on a run until it is over or stopped, then judge it and write its reports."""
    stop = budget.within(run.matrix.budgets).stop(spent=(await app.stores.probe_runs.progress(run.run_id)).spent)
    try:
        await ask_all(app, run, stop, at_once=at_once, quiet=quiet)
        return await _judged(app, run, stop, gate=gate)
    except StoreError as error:
        why = f"{error}; when it is back: {resume_command(run)}"
        return Asked(verdict=Verdict(code=UNTRUSTED, reason=why), run=run)


async def offer(app: Application, run: RunPlan, budget: Budget) -> Asked:
    """Leave a run to the workers that stay, wherever they are, within a budget of all, and say how to hear of it."""
    runs = app.stores.probe_runs
    await runs.offer(run.run_id, None if budget == UNLIMITED else budget.within(run.matrix.budgets).kept)
    left = (await runs.progress(run.run_id)).counts[ResultState.PENDING]
    why = f"{left} cells wait for workers (`continuity worker`); look with `continuity probe status {run.run_id}`"
    return Asked(verdict=Verdict(code=INCOMPLETE, reason=f"{why}; help and judge with: {resume_command(run)}"), run=run)


async def helped(app: Application, run: RunPlan, stop: Stop) -> Asked:
    """Say how far a run is that was helped with; whoever began it judges it."""
    counts = (await app.stores.probe_runs.progress(run.run_id)).counts
    pending = counts[ResultState.PENDING]
    if not pending:
        await clear_ground(run, desk_of(app, run))
    judge = shlex.join(("continuity", "probe", "report", run.run_id))
    why = f"nothing is left to ask; it is judged with: {judge}"
    if pending:
        left = f"{pending} cells are still to be asked ({stop.reason or 'not finished'})"
        why = f"{left}; go on with: {resume_command(run)}"
    code = UNTRUSTED if stop.reason == "provider" else INCOMPLETE if pending else MET
    return Asked(verdict=Verdict(code=code, reason=why), run=run, counts=counts)


async def _judged(app: Application, run: RunPlan, stop: Stop, *, gate: float) -> Asked:
    """Judge what a run came to so far, write its reports, and clear its ground away where nothing is left to ask."""
    runs = app.stores.probe_runs
    cells = await probe_runs.all_cells(run.run_id, runs)
    summary = summarise((await runs.progress(run.run_id)).planned, cells)
    if not summary.counts[ResultState.PENDING]:
        await clear_ground(run, desk_of(app, run))
    found = verdict(summary, stopped=stop.reason, gate=gate, resume=resume_command(run))
    return Asked(verdict=found, run=run, summary=summary, reports=write_all(app, run, cells, summary))


def resume_command(run: RunPlan) -> str:
    """Return what goes on with a run."""
    return shlex.join(("continuity", "probe", "resume", run.run_id))


async def ask_all(app: Application, run: RunPlan, stop: Stop, *, at_once: int, quiet: bool) -> None:
    """Ask with as many workers as are wanted until nothing is left, or until told to stop.

    Raises:
        StoreError: a store is away, and does not come back.
    """
    try:
        with calm_memory():
            await _ask_all(app, run, stop, at_once=at_once, quiet=quiet)
    except BaseExceptionGroup as group:
        raise single(group) from None


@contextlib.contextmanager
def calm_memory() -> Iterator[None]:
    """Look no more for garbage among what is loaded and stays, and seldom among what comes and goes with each cell."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


async def _ask_all(app: Application, run: RunPlan, stop: Stop, *, at_once: int, quiet: bool) -> None:
    desk = desk_of(app, run)
    async with drained(stop), anyio.create_task_group() as beside:
        beside.start_soon(keep_running, app.places)
        beside.start_soon(watch_state, run, desk.runs, stop)
        if not quiet:
            beside.start_soon(show_progress, run, desk.runs)
        async with anyio.create_task_group() as tasks:
            for _ in range(at_once):
                tasks.start_soon(partial(work, run, desk, stop))
        beside.cancel_scope.cancel()


@contextlib.asynccontextmanager
async def drained(stop: Stop) -> AsyncIterator[None]:
    """Let the first signal stop after the cell under way, and the second at once."""

    async def listen(scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                if stop.reason == "stopped":
                    scope.cancel()
                stop.ask("stopped")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listen, tasks.cancel_scope)
        yield
        tasks.cancel_scope.cancel()
