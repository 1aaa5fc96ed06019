"""What a kept run of probes says: reports, triage, comparison, baselines."""

import shlex
from pathlib import Path

import click
from msgspec.structs import replace
from rich.text import Text

from ledger_service.bootstrap import Application, baseline_file, write_whole
from ledger_service.cli.probe_desk import gate_option
from ledger_service.cli.probe_lint import tools_in_memory
from ledger_service.cli.probe_verdict import Asked, finish, table_of, write_all
from ledger_service.cli.run import Group, console, emit, in_application, json_option, printable
from ledger_service.domain.errors import ContentError, MalformedError
from ledger_service.domain.probe_runs import KeptCell, RunPlan
from ledger_service.domain.probes import ResultState
from ledger_service.probing.baseline import Baseline, baseline_of, decode_baseline, encode_baseline, hold_against
from ledger_service.probing.statistics import Comparison
from ledger_service.probing.summary import Group as Failures
from ledger_service.probing.summary import Summary, summarise, verdict
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.audit_matrix import audit_matrix
from ledger_service.services.probes.run_ground import history_of

SHOWN = 20


async def _kept(app: Application, run_id: str) -> tuple[RunPlan, list[KeptCell], Summary]:
    run = await probe_runs.run_of(run_id, app.stores.probe_runs)
    cells = await probe_runs.all_cells(run_id, app.stores.probe_runs)
    return run, cells, summarise(run.planned, cells)


@click.command("report")
@click.argument("run_id", metavar="RUN")
@gate_option
@click.option("--deep", is_flag=True, help="Also find what is weak (passes without a packet) or unsound.")
@json_option
def report(run_id: str, gate: float, deep: bool, as_json: bool) -> None:
    """Write the reports of a run again (HTML, JUnit XML, JSON, NDJSON, CSV, Markdown), and judge it.

    With --deep the reference speaker is asked the run's own matrix, with packets and without, in a record of its own.

    Example: continuity probe report r0123456789ab --deep --json
    """

    async def use(app: Application) -> Asked:
        run, cells, summary = await _kept(app, run_id)
        summary = await _audited(app, run, summary) if deep else summary
        found = verdict(summary, gate=gate, resume=f"continuity probe resume {run_id}")
        return Asked(verdict=found, run=run, summary=summary, reports=write_all(app, run, cells, summary))

    finish(use, as_json=as_json)


async def _audited(app: Application, run: RunPlan, summary: Summary) -> Summary:
    """Add to a summary what an audit of the run's matrix finds."""
    async with app.open_uow() as uow:
        world = await uow.worlds.get(run.world_version)
    audit = await audit_matrix(run.matrix, world, history_of(run), tools_in_memory())
    unsound = dict.fromkeys((*summary.unsound, *(bad.cell for bad in audit.unsound)))
    weak = tuple(row.pressure for row in audit.weak if row.is_everywhere)
    return replace(summary, weak=weak, unsound=tuple(unsound))


@click.command("triage")
@click.argument("run_id", metavar="RUN")
@click.option("--fault", help="Only what this stage is at fault for.")
@json_option
def triage(run_id: str, fault: str | None, as_json: bool) -> None:
    """Group a run's failures by fault, what was found and entry, most frequent first, with an example and its replay.

    Each says what was kept when it failed: what the same subject says given the packet that the matrix expects, what
    the reference says on the very packet, why an expected entry was kept out, what would have come next in rank; and
    whether these bear the fault out.

    Example: continuity triage r0123456789ab --fault selection
    """

    async def use(app: Application) -> Summary:
        return (await _kept(app, run_id))[2]

    groups = [g for g in in_application(use, graph=False).groups if fault in {None, g.fault}]
    replays = [shlex.join(("continuity", "probe", "replay", run_id, g.example)) for g in groups]
    if as_json:
        emit([{"group": g, "replay": replay} for g, replay in zip(groups, replays, strict=True)])
        return
    if not groups:
        console.print("nothing failed" if fault is None else f"nothing failed by fault of {printable(fault)}")
        return
    console.print(table_of(groups[:SHOWN]))
    for group, replay in list(zip(groups, replays, strict=True))[:SHOWN]:
        _print_group(group, replay)
    if len(groups) > SHOWN:
        console.print(f"and {len(groups) - SHOWN} more sorts; --json lists them all")


def _print_group(group: Failures, replay: str) -> None:
    console.print(Text(f"{group.count} × {group.fault}, {group.subtype}: {group.why}"), soft_wrap=True)
    if group.line:
        console.print(Text(f"    said: “{group.line}”"), soft_wrap=True)
    for name, what in group.beside.told():
        console.print(Text(f"    {name}: {what}", style="dim"), soft_wrap=True)
    console.print(Text(f"    {replay}", style="bold"), soft_wrap=True)


@click.command("compare")
@click.argument("run_id", metavar="RUN")
@click.argument("against", required=False)
@json_option
def compare(run_id: str, against: str | None, as_json: bool) -> None:
    """Hold a run against the accepted baseline, a baseline file, or another run, cell by cell (exact McNemar).

    Exits with 1 where it got worse, and not by chance.

    Example: continuity probe compare r0123456789ab r00112233445
    """
    file = Path(against) if against is not None and Path(against).is_file() else None

    async def use(app: Application) -> Comparison:
        run, cells, _ = await _kept(app, run_id)
        now = baseline_of(run, cells)
        if against is not None and file is None:
            other, others, _ = await _kept(app, against)
            before = baseline_of(other, others)
        else:
            before = _read(file or baseline_file(app.settings, now.story, now.subject))
        return hold_against(before, now)

    found = in_application(use, graph=False)
    if as_json:
        emit(found)
    else:
        console.print(
            f"{found.both} cells in both: {len(found.better)} better, {len(found.worse)} worse, p = {found.p:.4f}"
        )
        for sign, names in (("worse", found.worse), ("better", found.better)):
            for name in names[:SHOWN]:
                console.print(f"  {sign} {name}", markup=False)
    raise SystemExit(1 if found.is_worse else 0)


def _read(file: Path) -> Baseline:
    try:
        return decode_baseline(file.read_bytes(), str(file))
    except OSError as error:
        refused = MalformedError(str(file), f"cannot be read: {error.strerror}")
        refused.cure = "`continuity probe baseline accept RUN` makes a baseline of a run"
        raise refused from None


@click.group(cls=Group)
def baseline() -> None:
    """Keep what a run came to, for later ones to be held against."""


@baseline.command("accept")
@click.argument("run_id", metavar="RUN")
@json_option
def accept(run_id: str, as_json: bool) -> None:
    """Accept a finished run as the baseline of its story and subject, under reports/baselines.

    Example: continuity probe baseline accept r0123456789ab
    """

    async def use(app: Application) -> Path:
        run, cells, summary = await _kept(app, run_id)
        left = summary.counts[ResultState.PENDING] + summary.counts[ResultState.ERROR]
        if left or not summary.adds_up:
            raise ContentError("run", f"{left} cells of {run_id} are open or broken; only a whole run is a baseline")
        file = baseline_file(app.settings, run.story, run.settings.subject)
        write_whole(file, [encode_baseline(baseline_of(run, cells))])
        return file

    file = in_application(use, graph=False)
    emit({"baseline": str(file)}) if as_json else console.print(f"accepted: {file}", soft_wrap=True, markup=False)
