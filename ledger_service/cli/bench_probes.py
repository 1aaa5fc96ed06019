"""`continuity bench probes`: cells a second with one worker and with two, a large matrix laid out, a large report."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil
from pathlib import Path
from typing import Final

import anyio
import click
from msgspec import Struct
from msgspec.structs import replace
from rich.console import RenderableType

from ledger_service.bootstrap import Application, Story, bare_round_trip, find_story, write_run_reports
from ledger_service.cli import show
from ledger_service.cli.bench import measure
from ledger_service.cli.probe_desk import desk_of, only_option
from ledger_service.cli.run import console, emit, errors, in_application, json_option
from ledger_service.cli.served import resident_mb
from ledger_service.domain.errors import ContentError
from ledger_service.domain.probe_runs import KeptCell, RunPlan, RunSettings, RunState
from ledger_service.domain.probes import Matrix
from ledger_service.probing.summary import summarise
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.run_ground import clear_ground

LOOK_SECONDS: Final = 0.2
FROM, TO = 0.05, 0.9
"""Between these shares of the cells it is measured: before all are at it, and when one ends alone, says nothing."""
IDLE_SECONDS: Final = 300.0


class ProbeRow(Struct, frozen=True, kw_only=True):
    """One measured case."""

    case: str
    n: int
    seconds: float
    per_s: float
    ratio: float
    """To the same with one worker; of a round trip, to itself."""
    grown_mb: float = 0.0
    """By how much a worker grew between a twentieth and nine tenths of the cells; else this process, by what it did."""


@click.command("probes")
@click.option("--story", default="maelin", show_default=True, help="Whose matrix is asked, of the template speaker.")
@only_option
@click.option(
    "--laid-out", type=click.IntRange(1, 1_000_000), default=100_000, show_default=True, help="Cells of a large matrix."
)
@click.option(
    "--reported", type=click.IntRange(1, 1_000_000), default=50_000, show_default=True, help="Tries of a large report."
)
@json_option
def bench_probes(story: str, only: tuple[str, ...], laid_out: int, reported: int, as_json: bool) -> None:
    """Measure runs of probes: cells a second with one worker process and with two, scored and kept, reload included.

    Beside them a bare round trip, a large matrix laid out as rows, and the reports of a large run.

    Example: continuity bench probes --only 'next_turn' --laid-out 1000 --reported 1000 --json
    """
    rows = in_application(lambda app: _all(app, find_story(story), only, laid_out, reported), graph=False)
    if as_json:
        emit({"bench": "probes", "rows": rows})
    else:
        console.print(table(rows))


def table(rows: list[ProbeRow]) -> RenderableType:
    """Lay the measured cases out."""
    shown = (
        (r.case, f"{r.n:,}", f"{r.seconds:.3f}", f"{r.per_s:,.0f}", f"{r.ratio:.2f}", f"{r.grown_mb:+.0f}")
        for r in rows
    )
    return show.rows("bench probes", ("case", "n", "seconds", "per s", "x one", "grown MB"), shown)


async def _all(
    app: Application, story: Story, only: tuple[str, ...], laid_out: int, reported: int
) -> list[ProbeRow]:  # fmt: skip
    connection = await bare_round_trip(app.places.app_url)
    bare = sum(await measure(lambda _: connection.execute("SELECT 1"), 1_000)) / 1_000
    await connection.close()
    rows = [_row("bare round trips", 1_000, bare)]
    one, _, _ = await _asked(app, story, only, 1)
    two, run, cells = await _asked(app, story, only, 2)
    rows += [one, _row(two.case, two.n, two.seconds, than=one, grown=two.grown_mb)]
    rows.append(await _lay_out(app, story, laid_out))
    rows.append(_report(run, cells, reported))
    return rows


async def _asked(
    app: Application, story: Story, only: tuple[str, ...], workers: int
) -> tuple[ProbeRow, RunPlan, list[KeptCell]]:
    errors.print(f"asking with {workers} ...", style="dim")
    async with _run_of(app, story, only) as run:
        asked, seconds, grown = await _ask(app, run, workers)
        cells = await probe_runs.all_cells(run.run_id, app.stores.probe_runs)
    name = "cells asked, scored and kept, " + ("one worker" if workers == 1 else f"{workers} workers")
    return _row(name, asked, seconds, grown=grown), run, cells


def _row(case: str, n: int, seconds: float, *, than: ProbeRow | None = None, grown: float = 0.0) -> ProbeRow:
    per_s = n / max(seconds, 1e-9)
    ratio = per_s / than.per_s if than is not None else 1.0
    return ProbeRow(
        case=case, n=n, seconds=round(seconds, 3), per_s=round(per_s, 1), ratio=round(ratio, 2),
        grown_mb=round(grown, 1),
    )  # fmt: skip


@asynccontextmanager
async def _run_of(app: Application, story: Story, only: tuple[str, ...]) -> AsyncIterator[RunPlan]:
    """Keep a run to measure on; of its story nothing is left behind."""
    settings = RunSettings(only=only)
    planned, cells = probe_runs.plan(story.world, story.history, story.matrix, settings)
    if not cells:
        raise ContentError("--only", "selects nothing")
    run, _ = await probe_runs.find_or_add(
        story.world, planned, cells, runs=app.stores.probe_runs, open_uow=app.open_uow, fresh=True
    )
    yield run
    await app.stores.probe_runs.set_state(run.run_id, RunState.CANCELLED)
    await clear_ground(run, desk_of(app, run))


async def _ask(app: Application, run: RunPlan, workers: int) -> tuple[int, float, float]:
    """Let worker processes ask a run; return how many cells they asked in how long, and by how much one grew."""
    words = [sys.executable, "-m", "ledger_service", "probe", "work", run.run_id, "--json"]
    processes = [
        await anyio.open_process(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(workers)
    ]
    first, begun = await _tries(app, run, ceil(run.planned * FROM))
    before = sum(resident_mb(p.pid) for p in processes)
    done, ended = await _tries(app, run, ceil(run.planned * TO))
    grown = (sum(resident_mb(p.pid) for p in processes) - before) / workers
    for process in processes:
        await process.wait()
    return done - first, ended - begun, grown


async def _tries(app: Application, run: RunPlan, wanted: int) -> tuple[int, float]:
    """Return how many tries there are, and when, as soon as there are so many."""
    latest = time.perf_counter() + IDLE_SECONDS
    while time.perf_counter() < latest:
        far = await app.stores.probe_runs.progress(run.run_id)
        if far.done - far.counts["skipped"] >= min(wanted, run.planned - far.counts["skipped"]):
            return far.tries, time.perf_counter()
        await anyio.sleep(LOOK_SECONDS)
    raise ContentError("bench", f"the workers asked nothing for {IDLE_SECONDS:.0f} s")


async def _lay_out(app: Application, story: Story, wanted: int) -> ProbeRow:
    """Expand a matrix of so many cells, and keep it as a run."""
    matrix = widened(story.matrix, wanted)
    before, begun = resident_mb(os.getpid()), time.perf_counter()
    run, cells = probe_runs.plan(story.world, story.history, matrix, RunSettings())
    await app.stores.probe_runs.add(run, cells)
    seconds = time.perf_counter() - begun
    await app.stores.probe_runs.set_state(run.run_id, RunState.CANCELLED)
    return _row("cells laid out as rows", len(cells), seconds, grown=resident_mb(os.getpid()) - before)


def widened(matrix: Matrix, wanted: int) -> Matrix:
    """Return a matrix of at least so many cells: its own pressures, over and over under other names."""
    each = len(matrix.distances) * sum(1 + len(p.paraphrases) for p in matrix.pressures)
    times = range(ceil(wanted / each))
    return replace(matrix, pressures=tuple(replace(p, id=f"{p.id}_{i}") for i in times for p in matrix.pressures))


def _report(run: RunPlan, cells: list[KeptCell], wanted: int) -> ProbeRow:
    """Write the reports of a run with so many tries: those that there are, over and over as repeats."""
    tried = sum(len(c.attempts) for c in cells)
    times = ceil(wanted / max(tried, 1))
    many = [
        replace(c, attempts=tuple(replace(a, repeat=i + 1) for i in range(times) for a in c.attempts)) for c in cells
    ]
    before, begun = resident_mb(os.getpid()), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        written = write_run_reports(Path(folder), run, many, summarise(len(many), many))
        seconds = time.perf_counter() - begun
        largest = max((Path(f).stat().st_size / 1e6, Path(f).name) for f in written.values())
        pages = sum(f.stat().st_size for f in Path(folder).glob("*.html")) / 1e6
    case = f"tries reported (pages {pages:.1f} MB, {largest[1]} {largest[0]:.1f} MB)"
    return _row(case, tried * times, seconds, grown=resident_mb(os.getpid()) - before)
