"""How far runs of probes are, and what is to become of them: status, pause, cancel."""

from typing import Any

import click

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.probe_desk import desk_of
from ledger_service.cli.probe_progress import said
from ledger_service.cli.run import console, emit, in_application, json_option
from ledger_service.domain.probe_runs import RunState
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.run_ground import clear_ground


@click.command("status")
@click.argument("run_id", metavar="[RUN]", required=False)
@json_option
def status(run_id: str | None, as_json: bool) -> None:
    """Say how far a run is, or list the newest runs.

    Example: continuity probe status --json
    """

    async def use(app: Application) -> list[dict[str, Any]]:
        runs = app.stores.probe_runs
        chosen = [await probe_runs.run_of(run_id, runs)] if run_id else await runs.list_newest(limit=20)
        found = []
        for run in chosen:
            far = await runs.progress(run.run_id)
            found.append(
                {
                    "run": run.run_id, "story": run.story, "subject": run.settings.subject, "state": str(run.state),
                    "planned": far.planned, "done": far.done, "counts": far.counts, "faults": far.faults,
                    "tries": far.tries, "spent": round(far.spent, 6), "adds_up": far.adds_up,
                }
            )  # fmt: skip
        return found

    found = in_application(use, graph=False)
    if as_json:
        emit(found)
        return
    rows = (
        (r["run"], r["story"], r["subject"], r["state"], f"{r['done']} / {r['planned']}", said(r["counts"]))
        for r in found
    )
    console.print(show.rows("Runs", ("run", "story", "subject", "state", "done", "came to"), rows))


def _state_command(name: str, state: RunState, says: str, example: str) -> click.Command:
    @click.command(name, help=f"{says}\n\nExample: {example}")
    @click.argument("run_id", metavar="RUN")
    @json_option
    def command(run_id: str, as_json: bool) -> None:
        async def use(app: Application) -> None:
            run = await probe_runs.run_of(run_id, app.stores.probe_runs)
            await app.stores.probe_runs.set_state(run_id, state)
            if state is RunState.CANCELLED:
                await clear_ground(run, desk_of(app, run))

        in_application(use, graph=False)
        emit({"run": run_id, "state": state}) if as_json else console.print(f"run {run_id} is {state}")

    return command


pause = _state_command(
    "pause", RunState.PAUSED, "Let no worker claim more of a run; `probe resume` goes on.",
    "continuity probe pause r0123456789ab",
)  # fmt: skip
cancel = _state_command(
    "cancel", RunState.CANCELLED, "End a run; what it came to so far is kept.", "continuity probe cancel r0123456789ab"
)
