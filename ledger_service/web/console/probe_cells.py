"""The cells of a run of probes: those that fit, one with its tries and evidence, and the same once more."""

import shlex
from collections.abc import Iterable
from typing import Annotated

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery, QueryParameter

from ledger_service.bootstrap import desk_of
from ledger_service.domain.probe_runs import KeptCell
from ledger_service.domain.probe_views import CellFilter
from ledger_service.domain.probes import ResultState
from ledger_service.services.probes.replay_cell import replay
from ledger_service.services.probes.show_cell import evidence_of, held_by
from ledger_service.services.probes.show_run import find_cell, find_run
from ledger_service.web.console.access import TESTERS
from ledger_service.web.console.addresses import onward, with_query
from ledger_service.web.console.desk import AtDesk

After = Annotated[int, QueryParameter(ge=-1, le=100_000_000)]
ROWS = 100


@get("/probes/{run_id:str}/cells", patience=5)
async def list_page(  # noqa: PLR0913  (each is a field of the filter)
    desk: AtDesk,
    run_id: FromPath[str],
    distance: FromQuery[str] = "",
    pressure: FromQuery[str] = "",
    fault: FromQuery[str] = "",
    subtype: FromQuery[str] = "",
    entry: FromQuery[str] = "",
    *,
    came_to: FromQuery[ResultState | None] = None,
    after: After = -1,
) -> Response[str]:
    """List cells; where nothing says which, the failed and broken ones come first."""
    seen = await find_run(run_id, desk.probes)
    query = {
        "distance": distance, "pressure": pressure, "came_to": came_to or "", "fault": fault, "subtype": subtype,
        "entry": entry,
    }  # fmt: skip
    where = CellFilter(
        distance=distance or None, pressure=pressure or None, state=came_to, fault=fault or None,
        subtype=subtype or None, entry=entry or None,
    )  # fmt: skip
    found = await desk.probes.cells(run_id, where, after=after, limit=ROWS + 1)
    shown = found[:ROWS]
    path = f"/probes/{run_id}/cells"
    more = onward(path, query, after=shown[-1].cell_no if len(found) > ROWS else None)
    if after < 0 and more is None:
        shown = sorted(shown, key=_worst_first)
    return desk.page(
        "probes/cells.html.jinja", run=seen.row, plan=seen.plan, found=shown, more=more,
        first=with_query(path, query) if after >= 0 else None, query=query,
        distances=_choices(d.id for d in seen.plan.matrix.distances),
        pressures=_choices(p.id for p in seen.plan.matrix.pressures), states=_choices(ResultState),
    )  # fmt: skip


def _choices(names: Iterable[str]) -> list[tuple[str, str]]:
    return [("", "any"), *((str(name), str(name).replace("_", " ")) for name in names)]


def _worst_first(cell: KeptCell) -> tuple[int, int]:
    order = (ResultState.FAIL, ResultState.ERROR, ResultState.UNSCORED, ResultState.PENDING, ResultState.PASS)
    return order.index(cell.state) if cell.state in order else len(order), cell.cell_no


@get("/probes/{run_id:str}/cells/{cell_no:str}")
async def cell_page(desk: AtDesk, run_id: FromPath[str], cell_no: FromPath[str]) -> Response[str]:
    """Show a cell: what was asked and expected, and each try with its verdicts and what would have been."""
    seen = await find_run(run_id, desk.probes)
    cell = await find_cell(run_id, cell_no, desk.probes)
    return desk.page(
        "probes/cell.html.jinja", run=seen.row, plan=seen.plan, cell=cell, evidence=evidence_of(seen.plan, cell),
        command=_command(run_id, cell), may_replay=desk.account.role in TESTERS,
    )  # fmt: skip


def _command(run_id: str, cell: KeptCell) -> str:
    return shlex.join(("continuity", "probe", "replay", run_id, cell.cell.name))


@post("/probes/{run_id:str}/cells/{cell_no:str}/replay", open_to=TESTERS, patience=20)
async def replay_page(desk: AtDesk, run_id: FromPath[str], cell_no: FromPath[str]) -> Response[str]:
    """Build the cell's branch anew and ask it once more; nothing of the run changes."""
    seen = await find_run(run_id, desk.probes)
    cell = await find_cell(run_id, cell_no, desk.probes)
    again = await replay(seen.plan, cell, desk_of(desk.application, seen.plan))
    return desk.page(
        "probes/replay.html.jinja", run=seen.row, plan=seen.plan, cell=cell, again=again,
        evidence=evidence_of(seen.plan, cell, again.attempt), held=held_by(again.frozen),
    )  # fmt: skip


HANDLERS = (list_page, cell_page, replay_page)
