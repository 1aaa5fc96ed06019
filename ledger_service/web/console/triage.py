"""The triage board: failures of a run by fault, what was found and entry, with evidence, marks and the trend."""

from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.params import FromQuery
from litestar.response import Redirect

from ledger_service.domain.errors import MalformedError
from ledger_service.domain.probe_views import ASSIGNED, MARKED, MARKS
from ledger_service.services.probes.show_run import find_run
from ledger_service.services.probes.triage_run import check_mark, drawn, note, subject_of, triage_run
from ledger_service.web.console.access import TESTERS
from ledger_service.web.console.desk import AtDesk, Desk

WIDE, HIGH = 760.0, 150.0
LONGEST_KEY = 300


@get("/triage", patience=5)
async def board_page(desk: AtDesk, run: FromQuery[str] = "", fault: FromQuery[str] = "") -> Response[str]:
    """Show what fails in a run, or in the newest one."""
    runs = await desk.probes.runs(limit=30)
    chosen = run.strip() or next((r.run_id for r in runs if r.is_over), "") or (runs[0].run_id if runs else "")
    if not chosen:
        return desk.page("triage/none.html.jinja")
    board = await triage_run(chosen, probes=desk.probes)
    people = sorted(a.name for a in await desk.application.accounts.list_all() if not a.is_disabled)
    return desk.page(
        "triage/board.html.jinja", board=board, run=board.seen.row, runs=runs, fault=fault, marks=MARKS,
        groups=[g for g in board.groups if fault in {"", g.failures.fault}], people=people,
        points=drawn(board.trend, width=WIDE, height=HIGH), may_mark=desk.account.role in TESTERS,
    )  # fmt: skip


@post("/triage/assign", open_to=TESTERS)
async def assign(desk: AtDesk) -> Redirect:
    """Say who looks after failures of one sort; nobody, where no name is given."""
    to = desk.form.get("to", "")
    if to and to not in {a.name for a in await desk.application.accounts.list_all()}:
        raise MalformedError("to", f"{to!r} is nobody's name")
    return await _noted(desk, ASSIGNED, f"It is {to}'s now." if to else "It is nobody's now.", to=to)


@post("/triage/mark", open_to=TESTERS)
async def mark(desk: AtDesk) -> Redirect:
    """Say what became of failures of one sort, and why."""
    given, why = desk.form.get("mark", ""), desk.form.get("why", "").strip()
    check_mark(given, why)
    return await _noted(desk, MARKED, f"It is marked: {given}.", mark=given, why=why)


async def _noted(desk: Desk, action: str, said: str, **detail: str) -> Redirect:
    run_id, key = desk.form.get("run", ""), desk.form.get("key", "")
    seen = await find_run(run_id, desk.probes)
    if not key or len(key) > LONGEST_KEY:
        raise MalformedError("key", "names no failures")
    noted = desk.writing(action, subject_of(seen.row, key), world_id=seen.row.world_id, run=run_id, **detail)
    await note(noted)
    return desk.done(f"/triage?{urlencode({'run': run_id})}", said)


HANDLERS = (board_page, assign, mark)
