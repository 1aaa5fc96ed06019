"""`continuity probe zoo`: everything that is broken on purpose, asked a story's matrix, and what it was blamed for."""

from pathlib import Path

import anyio
import click
from rich.progress import Progress
from rich.table import Table

from ledger_service.bootstrap import (
    honest_speaker,
    load_story,
    new_record,
    open_judging,
    open_reading,
    reload_process,
)
from ledger_service.cli.run import FILE, console, emit, json_option, printable
from ledger_service.domain.probes import Matrix
from ledger_service.probing.matrix import decode_matrix, expand
from ledger_service.services.probes.check_matrix import played
from ledger_service.zoo.diagnosis import ZooReport
from ledger_service.zoo.keep import Keeper, run_zoo

_SHOWN = 10


@click.command()
@click.argument("story")
@click.option("--matrix", "file", type=FILE, help="Another matrix of the story than its own.")
@json_option
def zoo(story: str, file: Path | None, as_json: bool) -> None:
    """Let everything that is broken on purpose loose on a story's matrix; all of it in memory.

    Exits with 0 when each is blamed for its own fault in at least 95 % of the cells where its defect is active, is
    active as often as the matrix expects (`zoo`), and the honest speaker passes every cell; with 1 otherwise.

    Example: continuity probe zoo maelin
    """
    found = load_story(story)
    matrix = found.matrix
    if file is not None:
        matrix = decode_matrix(file.read_bytes(), str(file), world=found.world, history=found.history)

    async def run() -> ZooReport:
        open_uow, reading = new_record(), open_reading()
        ground = await played(found.world, found.history, open_uow=open_uow, reading=reading)
        keeper = Keeper(
            open_uow=open_uow, reading=reading, reference=honest_speaker(),
            judging=open_judging(reading),
            afresh=reload_process(shares_record=False),
        )  # fmt: skip
        with Progress(console=console, transient=True, disable=as_json) as bar:
            task = bar.add_task("asking", total=len(expand(matrix)))
            return await run_zoo(matrix, ground, keeper, progress=lambda: bar.advance(task))

    shown = anyio.run(run)
    emit(_plain(shown, matrix)) if as_json else _print(shown)
    raise SystemExit(0 if shown.passed else 1)


def _plain(shown: ZooReport, matrix: Matrix) -> dict[str, object]:
    return {
        "story": shown.story, "planned": len(expand(matrix)), "asked": shown.asked, "passed": shown.passed,
        "diagonal": shown.diagonal, "confusion": shown.confusion,
        "subjects": [{**_fields(s), "share": s.share} for s in shown.shares],
        "reference_failed": shown.reference_failed, "missed": shown.missed, "unmet": shown.unmet,
    }  # fmt: skip


def _fields(share: object) -> dict[str, object]:
    names = ("subject", "means", "injected", "active", "own")
    return {name: getattr(share, name) for name in names}


def _print(shown: ZooReport) -> None:
    console.print(_subjects(shown))
    console.print(_confusion(shown))
    console.print(f"{shown.diagonal:.1%} on the diagonal; the honest speaker failed {len(shown.reference_failed)}"
                  f" of {shown.asked} cells")  # fmt: skip
    for unmet in shown.unmet:
        console.print(f"  [red]✘[/] {printable(unmet)}", soft_wrap=True)
    for failed in shown.reference_failed[:_SHOWN]:
        console.print(f"  [red]✘[/] {printable(failed)}", soft_wrap=True)
    for one in shown.missed[:_SHOWN]:
        why = f"{one.subject} at {one.cell}: blamed {one.found}: {one.evidence} [{one.line}]"
        console.print(f"  [yellow]◐[/] {printable(why)}", soft_wrap=True)


def _subjects(shown: ZooReport) -> Table:
    table = Table(title=f"{shown.story}: {shown.asked} cells", title_justify="left")
    for name in ("subject", "injected", "active", "own fault", "share", "means"):
        table.add_column(name, justify="right" if name in {"active", "own fault", "share"} else "left")
    for s in shown.shares:
        share = f"{s.share:.1%}" if s.active else "–"
        table.add_row(s.subject, str(s.injected), str(s.active), str(s.own), share, s.means)
    return table


def _confusion(shown: ZooReport) -> Table:
    columns = sorted({name for row in shown.confusion.values() for name in row})
    table = Table(title="injected fault × diagnosed fault", title_justify="left")
    table.add_column("injected")
    for name in columns:
        table.add_column(name, justify="right")
    for injected, row in shown.confusion.items():
        table.add_row(injected, *(str(row.get(name, 0)) for name in columns))
    return table
