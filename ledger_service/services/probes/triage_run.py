"""The triage board: what fails in a run, what people made of it, and how runs of the same went before."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ledger_service.domain.errors import ContentError
from ledger_service.domain.probe_runs import RunPlan
from ledger_service.domain.probe_views import MARKS, FailureMark, Failures, RunRow, SeenRun, Trend
from ledger_service.ports import OpenUnitOfWork, ProbeBrowser
from ledger_service.services.probes.show_cell import Evidence, evidence_of
from ledger_service.services.probes.show_run import find_run

LONGEST_WHY = 500
_NEED_WORDS = frozenset({"accepted", "wontfix"})


class Triaged(Struct, frozen=True, kw_only=True):
    """Failures of one sort, with evidence of one of them and what people made of them."""

    failures: Failures
    evidence: Evidence
    subject: str
    """What they are called in the audit log: the same in every run of the same story and subject."""
    mark: FailureMark


class Board(Struct, frozen=True, kw_only=True):
    """What fails in a run."""

    seen: SeenRun
    groups: tuple[Triaged, ...]
    trend: tuple[Trend, ...]


def subject_of(row: RunRow, key: str) -> str:
    """Return what failures are called in the audit log."""
    return f"{row.story} × {row.subject}: {key}"


async def triage_run(run_id: str, *, probes: ProbeBrowser) -> Board:
    """Group a run's failures by fault, what was found and entry, the most frequent first.

    Raises:
        UnknownRunError: there is no such run, or it may not be seen.
    """
    seen = await find_run(run_id, probes)
    failures = await probes.failures(run_id)
    marks = await probes.marks([subject_of(seen.row, one.key) for one in failures])
    trend = await probes.trend(seen.row.story, seen.row.subject)
    groups = tuple(_triaged(seen.plan, seen.row, one, marks) for one in failures)
    return Board(seen=seen, groups=groups, trend=tuple(trend))


def _triaged(plan: RunPlan, row: RunRow, one: Failures, marks: Mapping[str, FailureMark]) -> Triaged:
    subject = subject_of(row, one.key)
    return Triaged(
        failures=one, evidence=evidence_of(plan, one.cell, one.attempt), subject=subject,
        mark=marks.get(subject, FailureMark()),
    )  # fmt: skip


def check_mark(mark: str, why: str) -> None:
    """Refuse a mark that there is not, and one that needs a reason without one.

    Raises:
        ContentError: why.
    """
    if mark not in MARKS:
        raise ContentError("mark", f"{mark!r} is none of {', '.join(MARKS)}")
    if mark in _NEED_WORDS and not why:
        raise ContentError("why", f"is blank; who marks failures as {mark} says why")
    if len(why) > LONGEST_WHY:
        raise ContentError("why", f"has {len(why):,} letters, and at most {LONGEST_WHY} are kept")


async def note(open_uow: OpenUnitOfWork) -> None:
    """Write a row of the audit log, which is all that is written."""
    async with open_uow() as uow:
        await uow.commit()


class Point(Struct, frozen=True, kw_only=True):
    """A run in the drawing of the trend."""

    trend: Trend
    x: float
    y: float
    share: float
    failed: int


def drawn(trend: Sequence[Trend], *, width: float, height: float) -> tuple[Point, ...]:
    """Lay runs out from left to right, those that judged nothing left out; all pass at the top.

    >>> points = drawn([Trend(run_id=r, begun_at="", passed=p, judged=4) for r, p in (("a", 1), ("b", 4))],
    ...     width=100, height=40)
    >>> [(p.x, p.y) for p in points]
    [(0.0, 30.0), (100.0, 0.0)]
    """
    judged = [t for t in trend if t.judged]
    step = width / max(len(judged) - 1, 1)
    return tuple(
        Point(
            trend=t, x=i * step, y=height * (1 - t.passed / t.judged), share=t.passed / t.judged,
            failed=t.judged - t.passed,
        )
        for i, t in enumerate(judged)
    )  # fmt: skip
