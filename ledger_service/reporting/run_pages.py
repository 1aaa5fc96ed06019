"""A run of probes as HTML pages without outside assets or scripts: an overview, and pages of cells by distance."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ledger_service.domain.probe_runs import KeptCell, RunPlan
from ledger_service.domain.probes import ResultState
from ledger_service.probing.summary import Summary
from ledger_service.reporting.pages import template

ON_A_PAGE = 400


class Square(Struct, frozen=True, kw_only=True):
    """One distance and pressure: how many pass, with a sign besides the colour."""

    passed: int
    judged: int
    sign: str
    shade: str


class Page(Struct, frozen=True, kw_only=True):
    """Cells that are shown together."""

    file: str
    title: str
    cells: tuple[KeptCell, ...]


def pages(run: RunPlan, cells: Sequence[KeptCell], summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield every page with its file's name; the overview stays small, however many cells there are."""
    parts = _parts(cells)
    pressures = tuple(dict.fromkeys(c.cell.pressure for c in cells))
    heat = {
        d: [_square([c for c in there if c.cell.pressure == p]) for p in pressures]
        for d, there in _by_distance(cells).items()
    }
    overview = template("probe_run.html.jinja").render(
        run=run, summary=summary, parts=parts, pressures=pressures, heat=heat
    )
    yield "index.html", overview
    of_cells = template("probe_cells.html.jinja")
    for part in parts:
        yield part.file, of_cells.render(run=run, part=part)


def _by_distance(cells: Sequence[KeptCell]) -> dict[str, list[KeptCell]]:
    found: dict[str, list[KeptCell]] = {}
    for cell in cells:
        found.setdefault(cell.cell.distance, []).append(cell)
    return found


def _parts(cells: Sequence[KeptCell]) -> list[Page]:
    parts = []
    for distance, there in _by_distance(cells).items():
        for i in range(0, len(there), ON_A_PAGE):
            number = i // ON_A_PAGE + 1
            more = f" ({number})" if len(there) > ON_A_PAGE else ""
            shown = tuple(there[i : i + ON_A_PAGE])
            title = f"{distance.replace('_', ' ')}{more}"
            parts.append(Page(file=f"{distance}-{number}.html", title=title, cells=shown))
    return parts


def _square(cells: Sequence[KeptCell]) -> Square:
    judged = [c for c in cells if c.state in {ResultState.PASS, ResultState.FAIL, ResultState.ERROR}]
    passed = sum(c.state is ResultState.PASS for c in judged)
    if not judged:
        return Square(passed=0, judged=0, sign="–", shade="none")
    sign, shade = ("✔", "pass") if passed == len(judged) else ("✘", "fail") if not passed else ("◐", "unscored")
    return Square(passed=passed, judged=len(judged), sign=sign, shade=shade)
