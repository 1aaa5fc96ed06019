"""What a run of probes says besides: beside another run, as the accepted baseline, what is weak, and every report."""

import io
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from litestar import Response, get, post
from litestar.params import FromPath, FromQuery
from litestar.response import Redirect

from ledger_service.bootstrap import (
    baseline_file,
    honest_speaker,
    new_record,
    open_judging,
    open_reading,
    reload_process,
    write_run_reports,
    write_whole,
)
from ledger_service.domain.errors import ContentError
from ledger_service.domain.probe_runs import KeptCell, RunPlan
from ledger_service.probing.baseline import decode_baseline, encode_baseline
from ledger_service.probing.summary import summarise
from ledger_service.services.probes.audit_matrix import Tools, audit_matrix
from ledger_service.services.probes.report_run import report_run
from ledger_service.services.probes.run_ground import history_of
from ledger_service.services.probes.show_run import all_cells, compare_runs, find_run, hold_against_baseline, to_accept
from ledger_service.services.probes.triage_run import note
from ledger_service.web.console.access import TESTERS
from ledger_service.web.console.desk import AtDesk
from ledger_service.web.console.reports import run_html

REPORTS: Final = {
    "junit.xml": "application/xml", "run.json": "application/json", "tries.ndjson": "application/x-ndjson",
    "tries.csv": "text/csv", "summary.md": "text/markdown", "html.zip": "application/zip", "report.html": "text/html",
}  # fmt: skip
LONGEST_WHY = 500


@get("/probes/{run_id:str}/compare", patience=5)
async def compare_page(desk: AtDesk, run_id: FromPath[str], against: FromQuery[str] = "") -> Response[str]:
    """Hold a run against an earlier one, or against the accepted baseline where none is named."""
    seen = await find_run(run_id, desk.probes)
    others = [r for r in await desk.probes.runs(story=seen.row.story, limit=30) if r.run_id != run_id]
    if against.strip():
        two = await compare_runs(against.strip(), run_id, probes=desk.probes)
    else:
        file = baseline_file(desk.application.settings, seen.row.story, seen.row.subject)
        content = await anyio.to_thread.run_sync(lambda: file.read_bytes() if file.exists() else b"")
        if not content:
            return desk.page("probes/compare.html.jinja", run=seen.row, others=others, two=None, against="")
        two = await hold_against_baseline(run_id, decode_baseline(content, file.name), probes=desk.probes)
    return desk.page("probes/compare.html.jinja", run=seen.row, others=others, two=two, against=against.strip())


@post("/probes/{run_id:str}/baseline", open_to=TESTERS, patience=5)
async def accept(desk: AtDesk, run_id: FromPath[str]) -> Redirect:
    """Accept a run as what later ones are held against, for a reason."""
    why = desk.form.get("why", "").strip()
    if not why or len(why) > LONGEST_WHY:
        raise ContentError("why", f"who accepts a baseline says why, in at most {LONGEST_WHY} letters")
    seen = await find_run(run_id, desk.probes)
    accepted = to_accept(seen, await desk.probes.states(run_id))
    file = baseline_file(desk.application.settings, accepted.story, accepted.subject)
    noted = desk.writing("baseline accepted", run_id, world_id=seen.row.world_id, why=why, file=file.name)
    await anyio.to_thread.run_sync(write_whole, file, [encode_baseline(accepted)])
    await note(noted)
    return desk.done(f"/probes/{run_id}", f"It is the baseline of {accepted.story} × {accepted.subject} now.")


@get("/probes/{run_id:str}/reports/{name:str}", patience=20)
async def report(desk: AtDesk, run_id: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    """Return a report of a run as a file."""
    if name not in REPORTS:
        raise ContentError("report", f"there is no {name!r}; there are {', '.join(REPORTS)}")
    seen = await find_run(run_id, desk.probes)
    if name == "report.html":
        content = run_html(await report_run(run_id, probes=desk.probes)).encode()
    else:
        cells = await all_cells(run_id, probes=desk.probes)
        content = await anyio.to_thread.run_sync(partial(_written, seen.plan, cells, name))
    headers = {"Content-Disposition": f'attachment; filename="{seen.row.story}-{run_id}-{name}"'}
    return Response(content, media_type=REPORTS[name], headers=headers)


def _written(run: RunPlan, cells: list[KeptCell], name: str) -> bytes:
    """Write all reports where nobody else looks, and return one of them; the pages are several and come packed."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_run_reports(folder, run, cells, summarise(run.planned, cells))
        return _packed(folder) if name == "html.zip" else (folder / name).read_bytes()


def _packed(folder: Path) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for page in sorted(folder.glob("*.html")):
            archive.write(page, page.name)
    return out.getvalue()


@post("/probes/{run_id:str}/doubts", open_to=TESTERS, patience=20)
async def doubts_page(desk: AtDesk, run_id: FromPath[str]) -> Response[str]:
    """Ask the run's own matrix of the reference speaker, with packets and without: what is unsound, what is weak."""
    seen = await find_run(run_id, desk.probes)
    async with desk.reading() as uow:
        world = await uow.worlds.get(seen.plan.world_version)
    asked = partial(audit_matrix, seen.plan.matrix, world, history_of(seen.plan), _tools())
    found = await anyio.to_thread.run_sync(partial(anyio.run, asked))
    return desk.page("probes/doubts.html.jinja", run=seen.row, found=found)


def _tools() -> Tools:
    """Return what a matrix is audited with: a record of its own in memory, and a loop of its own in a thread."""
    reading = open_reading()
    return Tools(
        open_uow=new_record(), reading=reading, reference=honest_speaker(), afresh=reload_process(shares_record=False),
        judging=open_judging(reading),
    )  # fmt: skip


HANDLERS = (compare_page, accept, report, doubts_page)
