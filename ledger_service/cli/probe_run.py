"""`continuity probe run` and its kin that ask: resume, work, rerun-failed."""

from pathlib import Path

import click

from ledger_service.bootstrap import Application, find_story
from ledger_service.cli.probe_budget import Budget, budget_options
from ledger_service.cli.probe_desk import SUBJECTS, at_once_option, gate_option, lines_of, only_option, subject_name
from ledger_service.cli.probe_transcript import with_transcript
from ledger_service.cli.probe_verdict import Asked, finish
from ledger_service.cli.probe_work import ask_all, helped, offer, work_on
from ledger_service.cli.run import FILE, console, json_option
from ledger_service.domain.probe_runs import RunSettings, RunState
from ledger_service.domain.probes import ResultState
from ledger_service.probing.summary import NOTHING, Verdict
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.stopping import Stop

detach_option = click.option(
    "--detach", is_flag=True, help="Leave it to `continuity worker`, on whatever machine, and return (with 4)."
)


@click.command("run")
@click.argument("story")
@click.option("--subject", type=click.Choice(SUBJECTS), default="template", show_default=True, help="Who is asked.")
@click.option(
    "--lines", type=FILE, help="What a scripted subject says (JSON, by line or by packet hash); or a transcript."
)
@only_option
@click.option("--repeats", type=click.IntRange(1, 100), help="How often each cell is asked; else what the matrix says.")
@click.option("--adaptive", is_flag=True, help="Repeat a cell only until it is decided.")
@gate_option
@at_once_option
@budget_options
@detach_option
@click.option("--fresh", is_flag=True, help="Begin anew, also where a run of the same is not finished.")
@json_option
def run_command(
    story: str,
    subject: str,
    lines: Path | None,
    only: tuple[str, ...],
    repeats: int | None,
    adaptive: bool,
    gate: float,
    at_once: int,
    budget: Budget,
    detach: bool,
    fresh: bool,
    as_json: bool,
) -> None:
    """Ask a story's matrix of a subject; the same command goes on with a run that is not finished.

    Subjects: the template; scripted and faulty lines (of a file, of the matrix); http_chat, the model behind
    CONTINUITY_CHAT_URL; a transcript of what was said elsewhere (`probe transcript-template`); http_memory, the memory
    system behind CONTINUITY_MEMORY_URL (`schema memory`), on whose items the template speaks.

    Exit codes: 0 gates met, 1 missed, 2 bad input, 3 not trustworthy, 4 incomplete (says how to go on), 5 nothing
    selected. Ctrl-C stops after the cell under way.

    Example: continuity probe run maelin --only two_scenes/plain --json
    """

    async def use(app: Application) -> Asked:
        found = find_story(story)
        settings = RunSettings(
            subject=subject_name(app, subject),
            only=only,
            repeats=repeats or found.matrix.repeats.most,
            adaptive=adaptive or found.matrix.repeats.adaptive,
            lines=lines_of(subject, lines, found.matrix),
        )
        settings = with_transcript(settings, lines, found.world, found.history, found.matrix)
        planned, cells = probe_runs.plan(found.world, found.history, found.matrix, settings)
        if not cells:
            there = ", ".join(d.id for d in found.matrix.distances)
            reason = f"nothing is selected by {' '.join(only)}; the distances are {there}"
            return Asked(verdict=Verdict(code=NOTHING, reason=reason))
        run, is_known = await probe_runs.find_or_add(
            found.world, planned, cells, runs=app.stores.probe_runs, open_uow=app.open_uow, fresh=fresh
        )
        if is_known and not as_json:
            console.print(f"going on with run {run.run_id}")
        if detach:
            return await offer(app, run, budget)
        return await work_on(app, run, gate=gate, at_once=at_once, budget=budget, quiet=as_json)

    finish(use, as_json=as_json)


@click.command("resume")
@click.argument("run_id", metavar="RUN")
@gate_option
@at_once_option
@budget_options
@detach_option
@json_option
def resume(run_id: str, gate: float, at_once: int, budget: Budget, detach: bool, as_json: bool) -> None:
    """Go on with a run that was stopped or paused, as `probe run` does.

    Example: continuity probe resume r0123456789ab
    """

    async def use(app: Application) -> Asked:
        run = await probe_runs.run_of(run_id, app.stores.probe_runs)
        await app.stores.probe_runs.set_state(run_id, RunState.ACTIVE)
        if detach:
            return await offer(app, run, budget)
        return await work_on(app, run, gate=gate, at_once=at_once, budget=budget, quiet=as_json)

    finish(use, as_json=as_json)


@click.command("work")
@click.argument("run_id", metavar="RUN")
@at_once_option
@json_option
def work(run_id: str, at_once: int, as_json: bool) -> None:
    """Help with a run, from this machine or another one, until nothing is left of it; it judges nothing.

    Example: CONTINUITY_POSTGRES_URL=postgresql://app@db/continuity continuity probe work r0123456789ab
    """

    async def use(app: Application) -> Asked:
        run = await probe_runs.run_of(run_id, app.stores.probe_runs)
        stop = Stop()
        await ask_all(app, run, stop, at_once=at_once, quiet=as_json)
        return await helped(app, run, stop)

    finish(use, as_json=as_json)


@click.command("rerun-failed")
@click.argument("run_id", metavar="RUN")
@gate_option
@json_option
def rerun_failed(run_id: str, gate: float, as_json: bool) -> None:
    """Ask what broke once more; where none did, ask the failed cells in a run of their own.

    A failed cell keeps its failure: the new run says what it comes to now.

    Example: continuity probe rerun-failed r0123456789ab
    """

    async def use(app: Application) -> Asked:
        runs = app.stores.probe_runs
        run = await probe_runs.run_of(run_id, runs)
        if await runs.ask_again(run_id, [ResultState.ERROR]):
            await runs.set_state(run_id, RunState.ACTIVE)
            return await work_on(app, run, gate=gate, at_once=1, quiet=as_json)
        cells = await probe_runs.all_cells(run_id, runs)
        failed = tuple(c.cell.name for c in cells if c.state is ResultState.FAIL)
        if not failed:
            return Asked(verdict=Verdict(code=NOTHING, reason=f"nothing of run {run_id} failed"), run=run)
        again = await probe_runs.rerun(run, failed, runs=runs)
        return await work_on(app, again, gate=gate, at_once=1, quiet=as_json)

    finish(use, as_json=as_json)
