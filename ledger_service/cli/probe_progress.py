"""How far a run of probes is, shown while it is asked: done of planned, states, rate, time left, faults."""

import contextlib

import anyio
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar

from ledger_service.cli.run import console
from ledger_service.domain.errors import StoreUnavailableError
from ledger_service.domain.probe_runs import Progress, RunPlan
from ledger_service.ports import ProbeRuns

LOOK_SECONDS = 0.5


async def show_progress(run: RunPlan, runs: ProbeRuns) -> None:
    """Show how far a run is, until cancelled: done / planned, rate, time left, what cells came to, faults, spend."""
    bar = ProgressBar(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(), TextColumn("{task.fields[states]}"), console=console, transient=True,
    )  # fmt: skip
    first = (await runs.progress(run.run_id)).done
    begun = anyio.current_time()
    with bar:
        task = bar.add_task(run.run_id, total=run.planned, completed=first, rate="", states="")
        while True:
            with contextlib.suppress(StoreUnavailableError):  # whoever works says so, if it lasts
                far = await runs.progress(run.run_id)
                rate = (far.done - first) / max(anyio.current_time() - begun, 0.001)
                bar.update(task, completed=far.done, rate=f"{rate:.0f}/s", states=came_to(far))
            await anyio.sleep(LOOK_SECONDS)


def came_to(far: Progress) -> str:
    """Say what cells came to, whose fault the failures are, and what it cost."""
    parts = [said(far.counts), *(f"{n} at {fault}" for fault, n in far.faults.items())]
    return "; ".join([*parts, f"spent {far.spent:.4f}"] if far.spent else parts)


def said(counts: dict[str, int]) -> str:
    """Say what cells came to, without what none did."""
    return ", ".join(f"{n} {state}" for state, n in counts.items() if n)
