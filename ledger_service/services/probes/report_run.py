"""A run of probes as one report: what it comes to, a heat map of every verdict, and what fails with its evidence."""

from msgspec import Struct

from ledger_service.ports import ProbeBrowser
from ledger_service.services.probes.show_run import MAPS, HeatMap, RunView, heat_map, show_run
from ledger_service.services.probes.triage_run import Triaged, triage_run


class RunReport(Struct, frozen=True, kw_only=True):
    """All of a run that goes onto one page."""

    view: RunView
    maps: tuple[HeatMap, ...]
    """Of the whole card, and of every verdict that was reached anywhere."""
    groups: tuple[Triaged, ...]


async def report_run(run_id: str, *, probes: ProbeBrowser, gate: float = 1.0) -> RunReport:
    """Add a run up for a report.

    Raises:
        UnknownRunError: there is none, or it may not be seen.
    """
    view = await show_run(run_id, probes=probes, gate=gate)
    squares = await probes.squares(run_id)
    verdicts = (heat_map(squares, axis) for axis in MAPS[1:])
    board = await triage_run(run_id, probes=probes)
    return RunReport(view=view, maps=(view.heat, *(m for m in verdicts if _is_judged(m))), groups=board.groups)


def _is_judged(found: HeatMap) -> bool:
    return any(square.rate.judged for square in found.below)
