"""Runs of probe matrices as they are kept: a run, its batches, its cells, and every try of every repeat."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct

from ledger_service.domain.counterfactuals import UNASKED, Counterfactuals
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.probes import Cell, Matrix, ResultState
from ledger_service.domain.rubric import Fault, Scorecard
from ledger_service.domain.transcripts import Recorded

MOST_REPEATS = 100
NONDETERMINISM = "nondeterminism"
"""The class of failure of what should be the same each time."""
Repeats = Annotated[int, Meta(ge=1, le=MOST_REPEATS)]


class RunState(StrEnum):
    """What a person wants of a run."""

    ACTIVE = "active"
    PAUSED = "paused"
    CANCELLED = "cancelled"


class RunSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run asks, of whom, and how often: two runs of one matrix and world are the same where these are."""

    subject: str = "template"
    only: tuple[str, ...] = ()
    """Patterns of `distance/pressure`; none is everything."""
    repeats: Repeats = 1
    adaptive: bool = False
    """Stop repeating a cell once it is decided."""
    lines: dict[str, str] = {}
    """What a scripted subject says, by packet hash or by line."""
    transcript: dict[str, Recorded] = {}
    """What was said elsewhere, by `cell`, and `cell#2` for a second time."""


class KeptStep(Struct, frozen=True, kw_only=True):
    """An event of the story before the questions, as it is kept with the run."""

    raw: dict[str, Any]
    label: str | None
    path: str


class RunPlan(Struct, frozen=True, kw_only=True):
    """A run: everything that any worker on any machine needs to ask it."""

    run_id: str
    story: str
    world_version: str
    matrix_hash: str
    settings: RunSettings
    matrix: Matrix
    steps: tuple[KeptStep, ...]
    planned: int
    state: RunState = RunState.ACTIVE
    begun_by: str = ""
    """Who began it in the console; empty where a command did."""


class Branch(Struct, frozen=True, kw_only=True):
    """A story played up to where questions are asked, and the entries that each label left; or why it could not be."""

    playthrough_id: PlaythroughId = ""
    labels: dict[str, tuple[EntryId, ...]] = {}
    error: str = ""
    pid: int = 0
    """The process in which it was loaded again; 0 where it was not."""
    packets: dict[str, str] = {}
    """Of each cell, the hash of the packet that this process computed."""


class Attempt(Struct, frozen=True, kw_only=True):
    """One try of one repeat: what was said, what it came to, and what shows why."""

    repeat: int
    attempt: int = 1
    """Which try of the repeat it is; only errors are tried again."""
    state: ResultState
    line: str = ""
    responder: str = ""
    packet_hash: str = ""
    scorecard: Scorecard | None = None
    fault: Fault = Fault.NONE
    subtype: str = ""
    """The first finding of the stage at fault, or what sort of error it is."""
    entry: str = ""
    """The label of the entry that it is about, else its id."""
    why: str = ""
    beside: Counterfactuals = UNASKED
    """What would have been, where it failed."""
    milliseconds: float = 0
    cost: float = 0
    """What the provider takes for it: also where it broke, and for what is asked beside a failure."""


class KeptCell(Struct, frozen=True, kw_only=True):
    """A cell with what it came to so far."""

    cell_no: int
    batch_no: int
    cell: Cell
    state: ResultState = ResultState.PENDING
    packet_hash: str = ""
    attempts: tuple[Attempt, ...] = ()

    @property
    def last(self) -> tuple[Attempt, ...]:
        """The last try of each repeat, by repeat."""
        newest = {a.repeat: a for a in sorted(self.attempts, key=lambda a: (a.repeat, a.attempt))}
        return tuple(newest.values())

    @property
    def counted(self) -> tuple[Attempt, ...]:
        """The repeats that were judged."""
        return tuple(a for a in self.last if a.state in {ResultState.PASS, ResultState.FAIL})


def distances_of(cells: Iterable[KeptCell]) -> list[tuple[int, str]]:
    """Return each batch's number with its distance."""
    return sorted({(c.batch_no, c.cell.distance) for c in cells})


class Progress(Struct, frozen=True, kw_only=True):
    """How far a run is."""

    planned: int
    counts: dict[str, int]
    faults: dict[str, int]
    """Of the failed and broken tries that count."""
    tries: int
    batches: int
    batches_done: int
    spent: float = 0
    """What providers took for all tries."""

    @property
    def done(self) -> int:
        """Cells that have come to something."""
        return sum(n for state, n in self.counts.items() if state != ResultState.PENDING)

    @property
    def adds_up(self) -> bool:
        """Planned is the sum of pass, fail, error, unscored, skipped and pending."""
        return self.planned == sum(self.counts.values())


class LostLease(Exception):  # noqa: N818  (a signal between a store and the service; it never reaches a person)
    """Somebody else has the batch now, or the connection that held it is gone: nothing was written."""
