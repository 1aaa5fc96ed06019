"""`continuity probe run` and what belongs to it: work, status, pause, resume, cancel, rerun-failed, replay."""

import contextlib
import shlex
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click
import msgspec
from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from ledger_service.bootstrap import Application, find_story, reports_folder, write_run_reports
from ledger_service.cli import show
from ledger_service.cli.run import FILE, code_of, console, emit, emit_line, in_application, json_option, say_error
from ledger_service.domain.errors import ContentError, LedgerError, MalformedError
from ledger_service.domain.probe_runs import KeptCell, RunPlan, RunSettings, RunState
from ledger_service.domain.probes import Matrix, ResultState
from ledger_service.domain.rubric import Scorecard
from ledger_service.probing.summary import INCOMPLETE, NOTHING, Summary, Verdict, summarise, verdict
from ledger_service.services import probe_runs

SUBJECTS = ("template", "scripted", "faulty", "http_chat")
LOOK_SECONDS = 0.5
_decode_lines = msgspec.json.Decoder(dict[str, str]).decode


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a command on a run came to."""

    verdict: Verdict
    run: RunPlan | None = None
    summary: Summary | None = None
    reports: dict[str, str] = {}

    def record(self) -> dict[str, object]:
        """Return the one record for programs."""
        return {
            "exit": self.verdict.code,
            "reason": self.verdict.reason,
            "run": self.run.run_id if self.run else None,
            "counts": self.summary.counts if self.summary else {},
            "reports": self.reports,
        }


@click.command("run")
@click.argument("story")
@click.option("--subject", type=click.Choice(SUBJECTS), default="template", show_default=True, help="Who is asked.")
@click.option("--lines", type=FILE, help="What a scripted subject says: a JSON object by line or by packet hash.")
@click.option("--only", multiple=True, help="DISTANCE, DISTANCE/PRESSURE or a pattern of them; repeatable.")
@click.option(
    "--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="How often each cell is asked."
)
@click.option("--adaptive", is_flag=True, help="Repeat a cell only until it is decided.")
@click.option(
    "--gate", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="Share of cells that must pass."
)
@click.option("--at-once", type=click.IntRange(1, 12), default=1, show_default=True, help="Batches asked side by side.")
@click.option("--most-tries", type=click.IntRange(1), help="Budget: after so many tries it stops, to be resumed.")
@click.option("--most-minutes", type=click.FloatRange(0, min_open=True), help="Budget in time.")
@click.option("--fresh", is_flag=True, help="Begin anew, also where a run of the same is not finished.")
@json_option
def run_command(
    story: str,
    subject: str,
    lines: Path | None,
    only: tuple[str, ...],
    repeats: int,
    adaptive: bool,
    gate: float,
    at_once: int,
    most_tries: int | None,
    most_minutes: float | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Ask a story's matrix of a subject; the same command goes on with a run that is not finished.

    Exit codes: 0 gates met, 1 missed, 2 bad input, 3 not trustworthy, 4 incomplete (says how to go on), 5 nothing
    selected. Ctrl-C stops after the cell under way.

    Example: continuity probe run maelin --only two_scenes/plain --json
    """

    async def use(app: Application) -> Asked:
        found = find_story(story)
        settings = RunSettings(
            subject=_subject_name(app, subject),
            only=only,
            repeats=repeats,
            adaptive=adaptive,
            lines=_lines(subject, lines, found.matrix),
        )
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
        return await _work(app, run, gate=gate, at_once=at_once, budget=(most_tries, most_minutes), quiet=as_json)

    finish(use, as_json=as_json)


@click.command("resume")
@click.argument("run_id", metavar="RUN")
@click.option(
    "--gate", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="Share of cells that must pass."
)
@click.option("--at-once", type=click.IntRange(1, 12), default=1, show_default=True, help="Batches asked side by side.")
@click.option("--most-tries", type=click.IntRange(1), help="Budget: after so many tries it stops, to be resumed.")
@json_option
def resume(run_id: str, gate: float, at_once: int, most_tries: int | None, as_json: bool) -> None:
    """Go on with a run that was stopped or paused, as `probe run` does.

    Example: continuity probe resume r0123456789ab
    """

    async def use(app: Application) -> Asked:
        run = await probe_runs.run_of(run_id, app.stores.probe_runs)
        await app.stores.probe_runs.set_state(run_id, RunState.ACTIVE)
        return await _work(app, run, gate=gate, at_once=at_once, budget=(most_tries, None), quiet=as_json)

    finish(use, as_json=as_json)


@click.command("work")
@click.argument("run_id", metavar="RUN")
@click.option("--at-once", type=click.IntRange(1, 12), default=1, show_default=True, help="Batches asked side by side.")
@json_option
def work(run_id: str, at_once: int, as_json: bool) -> None:
    """Help with a run, from this machine or another one, until nothing is left of it; it writes no reports.

    Example: CONTINUITY_POSTGRES_URL=postgresql://app@db/continuity continuity probe work r0123456789ab
    """

    async def use(app: Application) -> Asked:
        run = await probe_runs.run_of(run_id, app.stores.probe_runs)
        stop = probe_runs.Stop()
        await _ask_all(app, run, stop, at_once=at_once, quiet=as_json)
        return await _judged(app, run, stop, gate=0.0)

    finish(use, as_json=as_json)


@click.command("rerun-failed")
@click.argument("run_id", metavar="RUN")
@click.option(
    "--gate", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="Share of cells that must pass."
)
@json_option
def rerun_failed(run_id: str, gate: float, as_json: bool) -> None:
    """Ask what broke once more; where none did, ask the failed cells in a run of their own.

    A failed cell keeps its failure: the new run says what it comes to now.

    Example: continuity probe rerun-failed r0123456789ab
    """

    async def use(app: Application) -> Asked:
        runs = app.stores.probe_runs
        run = await probe_runs.run_of(run_id, runs)
        cells = await probe_runs.all_cells(run_id, runs)
        if await runs.ask_again(run_id, [ResultState.ERROR]):
            await runs.set_state(run_id, RunState.ACTIVE)
            return await _work(app, run, gate=gate, at_once=1, budget=(None, None), quiet=as_json)
        failed = tuple(c.cell.name for c in cells if c.state is ResultState.FAIL)
        if not failed:
            return Asked(verdict=Verdict(code=NOTHING, reason=f"nothing of run {run_id} failed"), run=run)
        again = await probe_runs.rerun(run, failed, runs=runs)
        return await _work(app, again, gate=gate, at_once=1, budget=(None, None), quiet=as_json)

    finish(use, as_json=as_json)


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
                    "tries": far.tries, "adds_up": far.adds_up,
                }
            )  # fmt: skip
        return found

    found = in_application(use, graph=False)
    if as_json:
        emit(found)
        return
    rows = (
        (r["run"], r["story"], r["subject"], r["state"], f"{r['done']} / {r['planned']}", _said(r["counts"]))
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
                await probe_runs.clear_ground(run, desk_of(app, run))

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


@click.command("replay")
@click.argument("run_id", metavar="RUN")
@click.argument("cell")
@json_option
def replay(run_id: str, cell: str, as_json: bool) -> None:
    """Build a cell's branch anew and show its packet, the line and the scorecard; the run stays as it is.

    Exits with 0 where the packet is the same as in the run, with 3 where it is not.

    Example: continuity probe replay r0123456789ab two_scenes/owner_swap/0
    """

    async def use(app: Application) -> probe_runs.Replayed:
        run = await probe_runs.run_of(run_id, app.stores.probe_runs)
        cells = await probe_runs.all_cells(run_id, app.stores.probe_runs)
        kept = next((c for c in cells if cell in {c.cell.name, str(c.cell_no)}), None)
        if kept is None:
            raise ContentError("cell", f"run {run_id} has no cell {cell!r}; a cell is distance/pressure/wording")
        return await probe_runs.replay(run, kept, desk_of(app, run))

    again = in_application(use, graph=False)
    is_same = not again.frozen.flipped
    if as_json:
        packet = again.frozen.packet
        emit({"cell": again.kept.cell, "same_packet": is_same, "packet": packet, "attempt": again.attempt})
    else:
        console.print(show.packet(again.frozen.packet, (), {}))
        _print_try(again.attempt.line, again.attempt.responder, again.attempt.scorecard)
        console.print(again.frozen.flipped or "the packet is the same as in the run")
    raise SystemExit(0 if is_same else 3)


def _print_try(line: str, responder: str, card: Scorecard | None) -> None:
    console.print(Text(f"“{line}”", style="italic"), Text(f"— by {responder}\n"))
    if card is not None:
        console.print(show.scorecard(card))


def desk_of(app: Application, run: RunPlan) -> probe_runs.Desk:
    """Return what a run is asked with.

    Raises:
        ContentError: the model that this machine would ask is another than the run's.
    """
    name = run.settings.subject
    kind = "scripted" if name == "faulty" else name.partition(":")[0]
    responder = app.responder(kind, run.settings.lines)
    if kind == "http_chat" and responder.name != name:
        raise ContentError("subject", f"the run asks {name}, and CONTINUITY_CHAT_MODEL here says {responder.name}")
    return probe_runs.Desk(
        runs=app.stores.probe_runs,
        open_uow=app.open_uow,
        reading=app.reading,
        judging=app.judging,
        graph=app.graph,
        responder=responder,
        reference=None if kind == "template" else app.responder("template"),
        repeatable=kind != "http_chat",
    )


def _subject_name(app: Application, subject: str) -> str:
    return app.responder(subject).name if subject == "http_chat" else subject


def _lines(subject: str, file: Path | None, matrix: Matrix) -> dict[str, str]:
    if subject == "faulty":
        return {line: p.faulty for p in matrix.pressures for line in (p.anchor, *p.paraphrases)}
    if file is None:
        if subject == "scripted":
            raise MalformedError("--lines", "a scripted subject says what stands in a file, and none is named")
        return {}
    try:
        return _decode_lines(file.read_bytes())
    except (msgspec.MsgspecError, OSError) as error:
        raise MalformedError(str(file), f"is no JSON object of lines: {error}") from error


async def _work(
    app: Application,
    run: RunPlan,
    *,
    gate: float,
    at_once: int,
    budget: tuple[int | None, float | None],
    quiet: bool,
) -> Asked:
    """Work on a run until it is over or stopped, then judge it and write its reports."""
    most_tries, minutes = budget
    stop = probe_runs.Stop(most_tries=most_tries, most_seconds=None if minutes is None else minutes * 60)
    await _ask_all(app, run, stop, at_once=at_once, quiet=quiet)
    return await _judged(app, run, stop, gate=gate)


async def _judged(app: Application, run: RunPlan, stop: probe_runs.Stop, *, gate: float) -> Asked:
    runs = app.stores.probe_runs
    cells = await probe_runs.all_cells(run.run_id, runs)
    summary = summarise((await runs.progress(run.run_id)).planned, cells)
    if not summary.counts[ResultState.PENDING]:
        await probe_runs.clear_ground(run, desk_of(app, run))
    found = verdict(
        summary, stopped=stop.reason, gate=gate, resume=shlex.join(("continuity", "probe", "resume", run.run_id))
    )
    return Asked(verdict=found, run=run, summary=summary, reports=write_all(app, run, cells, summary))


def write_all(app: Application, run: RunPlan, cells: list[KeptCell], summary: Summary) -> dict[str, str]:
    """Write every report of a run."""
    return write_run_reports(reports_folder(app.settings) / f"{run.story}-{run.run_id}", run, cells, summary)


async def _ask_all(app: Application, run: RunPlan, stop: probe_runs.Stop, *, at_once: int, quiet: bool) -> None:
    desk = desk_of(app, run)
    async with _drained(stop), anyio.create_task_group() as beside:
        beside.start_soon(probe_runs.watch_state, run, desk.runs, stop)
        if not quiet:
            beside.start_soon(_show, run, desk)
        async with anyio.create_task_group() as tasks:
            for _ in range(at_once):
                tasks.start_soon(partial(probe_runs.work, run, desk, stop))
        beside.cancel_scope.cancel()


@contextlib.asynccontextmanager
async def _drained(stop: probe_runs.Stop) -> AsyncIterator[None]:
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


async def _show(run: RunPlan, desk: probe_runs.Desk) -> None:
    """Show how far it is: done / planned, what it came to, rate, time left, faults."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(), TextColumn("{task.fields[states]}"), console=console, transient=True,
    )  # fmt: skip
    first = (await desk.runs.progress(run.run_id)).done
    begun = anyio.current_time()
    with bar:
        task = bar.add_task(run.run_id, total=run.planned, completed=first, rate="", states="")
        while True:
            far = await desk.runs.progress(run.run_id)
            rate = (far.done - first) / max(anyio.current_time() - begun, 0.001)
            faults = ", ".join(f"{n} at {fault}" for fault, n in far.faults.items())
            states = f"{_said(far.counts)}{'; ' if faults else ''}{faults}"
            bar.update(task, completed=far.done, rate=f"{rate:.0f}/s", states=states)
            await anyio.sleep(LOOK_SECONDS)


def _said(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {state}" for state, n in counts.items() if n)


def finish(use: Callable[[Application], Awaitable[Asked]], *, as_json: bool) -> None:
    """Run a command on a run, say what it came to, and leave with its code."""
    try:
        asked = in_application(use, graph=False)
    except LedgerError as error:
        if not as_json:
            raise
        say_error(str(error), error.cure)
        asked = Asked(verdict=Verdict(code=code_of(error), reason=str(error)))
    if as_json:
        emit_line(asked.record())
    else:
        _print(asked)
    raise SystemExit(asked.verdict.code)


def _print(asked: Asked) -> None:
    if asked.summary is not None:
        console.print(groups_of(asked.summary)) if asked.summary.groups else None
        a = asked.summary.anchor
        console.print(f"anchor: {a.passed} of {a.judged} pass (95 %: {a.low:.3f} to {a.high:.3f})")
        console.print(asked.summary.identity)
    if asked.reports:
        console.print(f"reports: {Path(asked.reports['index.html']).parent}", soft_wrap=True, markup=False)
    style = "green" if asked.verdict.code == 0 else "yellow" if asked.verdict.code == INCOMPLETE else "red"
    console.print(Text(asked.verdict.reason, style=style), soft_wrap=True)


def groups_of(summary: Summary, *, limit: int = 12) -> RenderableType:
    """Lay failures out, the most frequent first."""
    rows = (
        (str(g.count), g.fault, g.subtype.replace("_", " "), g.entry, g.example, g.line or g.why)
        for g in summary.groups[:limit]
    )
    return show.rows("What fails", ("count", "at fault", "what", "entry", "one of them", "said"), rows)
