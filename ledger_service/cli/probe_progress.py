"""How far a run of probes is, shown while it is asked: done of planned, states, rate, time left, faults."""

import anyio
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ledger_service.cli.run import console
from ledger_service.domain.probe_runs import RunPlan
from ledger_service.ports import ProbeRuns

LOOK_SECONDS = 0.5


async def show_progress(run: RunPlan, runs: ProbeRuns) -> None:
    """Show how far it is: done / planned, what it came to, rate, time left, faults."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(), TextColumn("{task.fields[states]}"), console=console, transient=True,
    )  # fmt: skip
    first = (await runs.progress(run.run_id)).done
    begun = anyio.current_time()
    with bar:
        task = bar.add_task(run.run_id, total=run.planned, completed=first, rate="", states="")
        while True:
            far = await runs.progress(run.run_id)
            rate = (far.done - first) / max(anyio.current_time() - begun, 0.001)
            faults = ", ".join(f"{n} at {fault}" for fault, n in far.faults.items())
            states = f"{said(far.counts)}{'; ' if faults else ''}{faults}"
            states += f"; spent {far.spent:.4f}" if far.spent else ""
            bar.update(task, completed=far.done, rate=f"{rate:.0f}/s", states=states)
            await anyio.sleep(LOOK_SECONDS)


def said(counts: dict[str, int]) -> str:
    """Say what cells came to, without what none did."""
    return ", ".join(f"{n} {state}" for state, n in counts.items() if n)
