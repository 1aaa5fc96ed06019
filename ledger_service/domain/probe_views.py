"""Runs of probes as people look at them: rows of a list, squares of a heat map, cells, and failures of one sort."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ledger_service.domain.ids import WorldId
from ledger_service.domain.probe_runs import Attempt, KeptCell, RunPlan, RunState
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Axis

EVERY_AXIS: Final = "overall"
AXES: Final = tuple(Axis)
"""In the order in which a scorecard holds them."""
ASSIGNED: Final = "failures assigned"
MARKED: Final = "failures marked"
"""What rows of the audit log are called that say what people made of failures."""
MARKS: Final = ("open", "accepted", "fixed", "wontfix")


class RunRow(Struct, frozen=True, kw_only=True):
    """A run as a list shows it."""

    run_id: str
    run_no: int
    """Its place in the order of beginning."""
    world_id: WorldId
    story: str
    subject: str
    state: RunState
    planned: int
    counts: dict[str, int]
    begun_by: str = ""
    """Empty where it was begun by a command."""
    begun_at: str = ""
    """In UTC, to the minute; empty for runs of before that was kept."""

    @property
    def done(self) -> int:
        """Cells that have come to something."""
        return self.planned - self.counts.get(ResultState.PENDING, 0)

    @property
    def passed(self) -> int:
        """Cells that pass."""
        return self.counts.get(ResultState.PASS, 0)

    @property
    def judged(self) -> int:
        """Cells that pass or fail."""
        return self.passed + self.counts.get(ResultState.FAIL, 0)

    @property
    def adds_up(self) -> bool:
        """Planned is the sum of pass, fail, error, unscored, skipped and pending."""
        return self.planned == sum(self.counts.values())

    @property
    def is_over(self) -> bool:
        """Nothing is left to ask."""
        return not self.counts.get(ResultState.PENDING, 0)


class SeenRun(Struct, frozen=True, kw_only=True):
    """A run whole, with what its row says."""

    row: RunRow
    plan: RunPlan


class Square(Struct, frozen=True, kw_only=True):
    """The cells of one distance, pressure and wording, added up."""

    distance: str
    pressure: str
    paraphrase: int
    cells: dict[str, int]
    """How many came to what."""
    passed: tuple[int, ...] = ()
    """Tries that pass each axis, in the order of the axes."""
    failed: tuple[int, ...] = ()
    tries: int = 0
    broken: int = 0
    """Tries that broke."""
    spent: float = 0
    is_flaky: bool = False
    flips: bool = False
    """What should be the same each time was not."""
    is_unsound: bool = False
    """The reference speaker fails too."""

    @property
    def name(self) -> str:
        """The cell as a person types it; there is one of that name."""
        return f"{self.distance}/{self.pressure}/{self.paraphrase}"


class CellFilter(Struct, frozen=True, kw_only=True):
    """Which cells a list shows; None is any."""

    distance: str | None = None
    pressure: str | None = None
    state: ResultState | None = None
    fault: str | None = None
    subtype: str | None = None
    entry: str | None = None


class Failures(Struct, frozen=True, kw_only=True):
    """Failures of one sort: the stage at fault, what was found and which entry it is about, with one of them."""

    fault: str
    subtype: str
    entry: str
    count: int
    cell: KeptCell
    attempt: Attempt
    confirmed: int = 0
    in_doubt: int = 0

    @property
    def key(self) -> str:
        """What it is called from run to run."""
        return "/".join((self.fault, self.subtype or "-", self.entry or "-"))


class FailureMark(Struct, frozen=True, kw_only=True):
    """What people made of failures of one sort: who has it, and what became of it."""

    assignee: str = ""
    mark: str = ""
    why: str = ""
    who: str = ""
    at: str = ""


class Trend(Struct, frozen=True, kw_only=True):
    """A run among those of the same story and subject, oldest first."""

    run_id: str
    begun_at: str
    passed: int
    judged: int
    faults: dict[str, int] = {}
    """Failed and broken tries that count, by the stage at fault."""


def totals(squares: Iterable[Square]) -> dict[str, int]:
    """Return how many cells came to what."""
    found = dict.fromkeys(map(str, ResultState), 0)
    for square in squares:
        for state, count in square.cells.items():
            found[state] += count
    return found
