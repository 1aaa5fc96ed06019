"""Write a run as one HTML page without outside assets: heat maps, triage, and the packet behind one line."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ledger_service.domain.packets import ContextPacket, Withheld
from ledger_service.domain.probes import CellResult, Matrix, ProbeRun, ResultState
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Scorecard
from ledger_service.reporting.pages import template
from ledger_service.reporting.run_files import write_whole

CELL_WIDTH, CELL_HEIGHT, LEFT, TOP = 190, 52, 170, 34


class HeatCell(Struct, frozen=True, kw_only=True):
    """One square of a heat map, with a sign and a count besides its colour."""

    x: int
    y: int
    passed: int
    judged: int
    shade: str
    sign: str
    title: str


class HeatMap(Struct, frozen=True, kw_only=True):
    """A run as squares: distances down, pressures across."""

    subject: str
    width: int
    height: int
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[HeatCell, ...]


class Worked(Struct, frozen=True, kw_only=True):
    """The example at the top of the page."""

    packet: ContextPacket
    withheld: tuple[Withheld, ...]
    """Every entry that the packet does not hold, with its reason."""
    reply: Reply
    scorecard: Scorecard
    statements: dict[str, str]
    chain: tuple[str, ...]


def heat_map(matrix: Matrix, run: ProbeRun) -> HeatMap:
    """Lay a run out as squares."""
    columns = tuple(p.id for p in matrix.pressures)
    rows = tuple(d.id for d in matrix.distances)
    cells = []
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            there = [r for r in run.results if (r.cell.distance, r.cell.pressure) == (row, column)]
            cells.append(_square(there, x, y, f"{row} x {column}"))
    return HeatMap(
        subject=run.subject,
        width=LEFT + CELL_WIDTH * len(columns) + 4,
        height=TOP + CELL_HEIGHT * len(rows) + 4,
        columns=columns,
        rows=rows,
        cells=tuple(cells),
    )


def _square(results: Sequence[CellResult], x: int, y: int, title: str) -> HeatCell:
    judged = [r for r in results if r.state in {ResultState.PASS, ResultState.FAIL, ResultState.ERROR}]
    passed = sum(r.state is ResultState.PASS for r in judged)
    share = passed / len(judged) if judged else None
    sign, shade = (
        ("–", "none") if share is None else ("✔", "all") if share == 1 else ("✘", "no") if share == 0 else ("◐", "some")
    )
    return HeatCell(
        x=LEFT + x * CELL_WIDTH,
        y=TOP + y * CELL_HEIGHT,
        passed=passed,
        judged=len(judged),
        shade=shade,
        sign=sign,
        title=title,
    )


def write_page(folder: Path, name: str, *, matrix: Matrix, runs: Sequence[ProbeRun], worked: Worked) -> Path:
    """Write a page whole or not at all, and return where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    text = template("run.html.jinja").render(
        matrix=matrix,
        maps=[heat_map(matrix, run) for run in runs],
        runs=runs,
        worked=worked,
        failures=[
            (run.subject, r, ask_again(matrix, r))
            for run in runs
            for r in run.results
            if r.state in {ResultState.FAIL, ResultState.ERROR}
        ],
        cell_width=CELL_WIDTH,
        cell_height=CELL_HEIGHT,
        left=LEFT,
        top=TOP,
    )
    target = folder / f"{name}.html"
    write_whole(target, [text], errors="strict")
    return target


def ask_again(matrix: Matrix, result: CellResult) -> str:
    """Return the command that builds a cell's packet again, on its own branch."""
    if not result.playthrough_id:
        return ""
    words = ("continuity", "packet", result.playthrough_id, "--speaker", matrix.speaker, "--line", result.cell.line)
    return shlex.join(words if matrix.listener == "player" else (*words, "--to", matrix.listener))
