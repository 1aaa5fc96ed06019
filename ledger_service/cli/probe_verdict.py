"""What a command on a run of probes came to: printed, or the one last record for programs, and the exit code."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from rich.console import RenderableType
from rich.text import Text

from ledger_service.bootstrap import Application, reports_folder, write_run_reports
from ledger_service.cli import show
from ledger_service.cli.run import code_of, console, emit_line, in_application, say_error
from ledger_service.domain.errors import LedgerError
from ledger_service.domain.probe_runs import KeptCell, RunPlan
from ledger_service.probing.summary import INCOMPLETE, Group, Summary, Verdict

MOST_GROUPS = 12


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a command on a run came to."""

    verdict: Verdict
    run: RunPlan | None = None
    summary: Summary | None = None
    counts: dict[str, int] = {}
    """What cells came to so far, where nobody summed up more."""
    reports: dict[str, str] = {}

    def record(self) -> dict[str, object]:
        """Return the one record for programs."""
        return {
            "exit": self.verdict.code,
            "reason": self.verdict.reason,
            "run": self.run.run_id if self.run else None,
            "counts": self.summary.counts if self.summary else self.counts,
            "reports": self.reports,
        }


def write_all(app: Application, run: RunPlan, cells: list[KeptCell], summary: Summary) -> dict[str, str]:
    """Write every report of a run."""
    return write_run_reports(reports_folder(app.settings) / f"{run.story}-{run.run_id}", run, cells, summary)


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
        console.print(table_of(asked.summary.groups[:MOST_GROUPS])) if asked.summary.groups else None
        for line in figures(asked.summary):
            console.print(line, soft_wrap=True, markup=False)
    if asked.reports:
        console.print(f"reports: {Path(asked.reports['index.html']).parent}", soft_wrap=True, markup=False)
    style = "green" if asked.verdict.code == 0 else "yellow" if asked.verdict.code == INCOMPLETE else "red"
    console.print(Text(asked.verdict.reason, style=style), soft_wrap=True)


def figures(summary: Summary) -> Iterator[str]:
    """Yield the headline, what stands beside it, and the sum."""
    a, s = summary.anchor, summary.suite
    yield f"anchor: {a.passed} of {a.judged} pass (95 %: {a.low:.3f} to {a.high:.3f})"
    if summary.wording is not None:
        anchor, low, high = summary.wording
        yield (
            f"every wording: {s.rate.passed} of {s.rate.judged} (95 % by row: {s.rate.low:.3f} to {s.rate.high:.3f});"
            f" the anchor {anchor:.3f}, the wordings {low:.3f} to {high:.3f}"
        )
    if len(summary.pass_hat) > 1:
        yield "; ".join(f"pass^{k}: {share:.3f}" for k, share in summary.pass_hat.items())
    if summary.signals:
        yield f"signals: {', '.join(f'{axis} {n}' for axis, n in summary.signals.items())}"
    for what, names in (
        ("flaky", summary.flaky),
        ("not the same each time", summary.nondeterministic),
        ("unsound, for the reference fails too", summary.unsound),
        ("weak, for they pass without a packet", summary.weak),
    ):
        if names:
            more = f" and {len(names) - MOST_GROUPS} more" if len(names) > MOST_GROUPS else ""
            yield f"{what}: {', '.join(names[:MOST_GROUPS])}{more}"
    if summary.spent:
        yield summary.used
    yield summary.identity


def table_of(groups: Sequence[Group]) -> RenderableType:
    """Lay failures out, the most frequent first."""
    rows = (
        (str(g.count), g.fault, g.subtype.replace("_", " "), g.entry, g.borne_out, g.example, g.line or g.why)
        for g in groups
    )
    return show.rows("What fails", ("count", "at fault", "what", "entry", "stands", "one of them", "said"), rows)
