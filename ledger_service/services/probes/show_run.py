"""A run of probes as a page shows it: what it comes to, its heat map, its failures, and beside another run."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from ledger_service.domain.errors import ContentError, UnknownRunError
from ledger_service.domain.probe_runs import KeptCell, RunPlan
from ledger_service.domain.probe_views import AXES, EVERY_AXIS, CellFilter, Failures, SeenRun, Square, totals
from ledger_service.domain.probes import ResultState
from ledger_service.ports import ProbeBrowser
from ledger_service.probing.baseline import Baseline, hold_against
from ledger_service.probing.statistics import Comparison, clustered, spread
from ledger_service.probing.summary import Group, Summary, Verdict, verdict
from ledger_service.probing.tally import Rate, wilson

JUDGED = (ResultState.PASS, ResultState.FAIL)
MAPS = (EVERY_AXIS, *(str(axis) for axis in AXES))


class Heat(Struct, frozen=True, kw_only=True):
    """One distance and pressure of a heat map: its rate with n and interval, and its sign."""

    rate: Rate
    sign: str
    word: str
    skipped: int = 0
    pending: int = 0
    errors: int = 0

    @property
    def share(self) -> float | None:
        """Passes among what was judged; none where nothing was."""
        return self.rate.passed / self.rate.judged if self.rate.judged else None


class HeatMap(Struct, frozen=True, kw_only=True):
    """Distance x pressure, of one axis or of the whole card."""

    axis: str
    pressures: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Heat, ...], Heat], ...]
    """Each distance with its cells, and the whole of it."""
    below: tuple[Heat, ...]
    """Each pressure over all distances."""


class RunView(Struct, frozen=True, kw_only=True):
    """A run whole, added up."""

    seen: SeenRun
    summary: Summary
    verdict: Verdict
    heat: HeatMap
    wordings: tuple[tuple[int, Rate], ...]
    """Each wording's rate; 0 is the anchor."""
    failures: tuple[Failures, ...]


async def find_run(run_id: str, probes: ProbeBrowser) -> SeenRun:
    """Return a run.

    Raises:
        UnknownRunError: there is none, or it may not be seen.
    """
    found = await probes.find(run_id)
    if found is None:
        raise UnknownRunError(run_id)
    return found


async def find_cell(run_id: str, cell_no: str, probes: ProbeBrowser) -> KeptCell:
    """Return a cell of a run.

    Raises:
        UnknownRunError: there is none.
    """
    is_number = cell_no.isascii() and cell_no.isdecimal() and len(cell_no) <= 9  # noqa: PLR2004  (what a column holds)
    found = await probes.cell(run_id, int(cell_no)) if is_number else None
    if found is None:
        raise UnknownRunError(f"{run_id}/{cell_no}")
    return found


async def show_run(run_id: str, *, probes: ProbeBrowser, axis: str = EVERY_AXIS, gate: float = 1.0) -> RunView:
    """Add a run up for a page; what it holds is counted where it is kept.

    Raises:
        UnknownRunError: there is none, or it may not be seen.
    """
    seen = await find_run(run_id, probes)
    squares = await probes.squares(run_id)
    failures = await probes.failures(run_id)
    summary = summed(seen.row.planned, squares, failures)
    return RunView(
        seen=seen,
        summary=summary,
        verdict=verdict(summary, gate=gate, resume=f"continuity probe resume {run_id}", stopped=_stopped(seen)),
        heat=heat_map(squares, axis),
        wordings=tuple((i, _rate(there)) for i, there in _by_wording(squares)),
        failures=tuple(failures),
    )


def _stopped(seen: SeenRun) -> str:
    return "" if seen.row.state == "active" else seen.row.state.value


def summed(planned: int, squares: Sequence[Square], failures: Sequence[Failures]) -> Summary:
    """Return what `summarise` says of a run, from counts in place of its cells."""
    anchors = [s for s in squares if s.paraphrase == 0]
    rows = dict.fromkeys(s.pressure for s in squares)
    faults: dict[str, int] = {}
    for one in failures:
        faults[one.fault] = faults.get(one.fault, 0) + one.count
    return Summary(
        planned=planned,
        counts=totals(squares),
        tries=sum(s.tries for s in squares),
        broken_tries=sum(s.broken for s in squares),
        anchor=_rate(anchors),
        suite=clustered([_counted([s for s in squares if s.pressure == row]) for row in rows]),
        pass_hat={},
        wording=spread({i: _counted(there) for i, there in _by_wording(squares)}),
        flaky=tuple(s.name for s in squares if s.is_flaky),
        faults=dict(sorted(faults.items())),
        groups=tuple(_group(one) for one in failures),
        spent=sum(s.spent for s in squares),
        nondeterministic=tuple(s.name for s in squares if s.flips),
        unsound=tuple(s.name for s in squares if s.is_unsound),
    )


def _group(one: Failures) -> Group:
    return Group(
        fault=one.fault, subtype=one.subtype, entry=one.entry, count=one.count, example=one.cell.cell.name,
        line=one.attempt.line, why=one.attempt.why, beside=one.attempt.beside, confirmed=one.confirmed,
        in_doubt=one.in_doubt,
    )  # fmt: skip


def _by_wording(squares: Sequence[Square]) -> list[tuple[int, list[Square]]]:
    return [(i, [s for s in squares if s.paraphrase == i]) for i in sorted({s.paraphrase for s in squares})]


def _counted(squares: Iterable[Square]) -> tuple[int, int]:
    found = totals(squares)
    return found[ResultState.PASS], found[ResultState.PASS] + found[ResultState.FAIL]


def _rate(squares: Iterable[Square]) -> Rate:
    return wilson(*_counted(squares))


def heat_map(squares: Sequence[Square], axis: str) -> HeatMap:
    """Lay squares out by distance and pressure, all wordings together."""
    distances = tuple(dict.fromkeys(s.distance for s in squares))
    pressures = tuple(dict.fromkeys(s.pressure for s in squares))
    by_place: dict[tuple[str, str], list[Square]] = {}
    for square in squares:
        by_place.setdefault((square.distance, square.pressure), []).append(square)
    rows = tuple(
        (
            d,
            tuple(_heat(by_place.get((d, p), ()), axis) for p in pressures),
            _heat([s for s in squares if s.distance == d], axis),
        )
        for d in distances
    )
    below = tuple(_heat([s for s in squares if s.pressure == p], axis) for p in pressures)
    return HeatMap(axis=axis, pressures=pressures, rows=rows, below=below)


def _heat(squares: Iterable[Square], axis: str) -> Heat:
    there = list(squares)
    counts = totals(there)
    if axis == EVERY_AXIS:
        passed, judged = _counted(there)
    else:
        place = MAPS.index(axis) - 1
        passed = sum(s.passed[place] for s in there)
        judged = passed + sum(s.failed[place] for s in there)
    sign, word = _sign(passed, judged)
    return Heat(
        rate=wilson(passed, judged), sign=sign, word=word, skipped=counts[ResultState.SKIPPED],
        pending=counts[ResultState.PENDING], errors=counts[ResultState.ERROR],
    )  # fmt: skip


def _sign(passed: int, judged: int) -> tuple[str, str]:
    if not judged:
        return "–", "not judged"
    if passed == judged:
        return "✔", "all pass"
    return ("✘", "none passes") if not passed else ("◐", "some pass")


class TwoRuns(Struct, frozen=True, kw_only=True):
    """Two runs of one matrix beside one another."""

    before: SeenRun | None
    """None is the accepted baseline."""
    after: SeenRun
    compared: Comparison
    flaky: tuple[str, ...]
    """Cells that come out one way and the other within one of the two: neither fixed nor broken."""
    numbers: dict[str, int]


async def compare_runs(before_id: str, after_id: str, *, probes: ProbeBrowser) -> TwoRuns:
    """Pair two runs cell by cell (exact McNemar).

    Raises:
        UnknownRunError: one of them is not there.
        MalformedError: they are of different matrices or worlds.
    """
    before, after = await find_run(before_id, probes), await find_run(after_id, probes)
    old = baseline_of(before.plan, await probes.states(before_id))
    return await _paired(old, after, before=before, probes=probes)


async def hold_against_baseline(run_id: str, accepted: Baseline, *, probes: ProbeBrowser) -> TwoRuns:
    """Pair a run cell by cell with what was accepted.

    Raises:
        UnknownRunError: there is no such run.
        MalformedError: the baseline is of another matrix or world.
    """
    return await _paired(accepted, await find_run(run_id, probes), before=None, probes=probes)


async def _paired(old: Baseline, after: SeenRun, *, before: SeenRun | None, probes: ProbeBrowser) -> TwoRuns:
    run_id = after.row.run_id
    found = hold_against(old, baseline_of(after.plan, await probes.states(run_id)))
    earlier = [] if before is None else await probes.squares(before.row.run_id)
    both = [*earlier, *await probes.squares(run_id)]
    flaky = tuple(dict.fromkeys(s.name for s in both if s.is_flaky))
    named = await probes.numbers(run_id, [*found.better, *found.worse, *flaky])
    return TwoRuns(before=before, after=after, compared=found, flaky=flaky, numbers=named)


async def all_cells(run_id: str, *, probes: ProbeBrowser) -> list[KeptCell]:
    """Return every cell of a run with its tries, a page at a time."""
    cells: list[KeptCell] = []
    while page := await probes.cells(run_id, CellFilter(), after=cells[-1].cell_no if cells else -1, limit=500):
        cells += page
    return cells


def to_accept(seen: SeenRun, states: dict[str, str]) -> Baseline:
    """Return a run as a baseline.

    Raises:
        ContentError: cells of it are open or broken.
    """
    left = seen.row.counts[ResultState.PENDING] + seen.row.counts[ResultState.ERROR]
    if left or not seen.row.adds_up:
        raise ContentError(
            "run", f"{left} cells of {seen.row.run_id} are open or broken; only a whole run is a baseline"
        )
    return baseline_of(seen.plan, states)


def baseline_of(run: RunPlan, states: dict[str, str]) -> Baseline:
    """Return what a run came to, by cell."""
    return Baseline(
        story=run.story, subject=run.settings.subject, matrix_hash=run.matrix_hash, world_version=run.world_version,
        run_id=run.run_id, cells=states,
    )  # fmt: skip
