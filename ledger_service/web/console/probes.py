"""Runs of probes: the list, to begin one, and one with its heat map, verdict and progress as it goes on."""

from collections.abc import AsyncIterator, Mapping
from typing import Annotated

import anyio
import anyio.to_thread
from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response import Redirect, ServerSentEvent

from ledger_service.bootstrap import NAMED_BY, load_story, shipped_matrices
from ledger_service.domain.errors import MalformedError
from ledger_service.domain.probe_runs import RunState
from ledger_service.domain.probe_views import EVERY_AXIS
from ledger_service.domain.probes import Budgets, Cover, Coverage
from ledger_service.probing.tally import wilson
from ledger_service.services.probes.begin_run import Wish, begin, own_matrix, plan_run, steer
from ledger_service.services.probes.show_run import MAPS, find_run, show_run
from ledger_service.web.console import live
from ledger_service.web.console.access import TESTERS
from ledger_service.web.console.addresses import onward, with_query
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.fields import one_of
from ledger_service.web.console.rendering import render

Place = Annotated[int | None, QueryParameter(ge=1)]
Gate = Annotated[float, QueryParameter(ge=0, le=1)]
ROWS = 50
LOOK_SECONDS = 1.0
COVERAGES = (
    ("", "as the matrix says"), ("full", "every cell"), ("pairwise", "every pair of them once"),
    ("sample", "so many, drawn by a seed"),
)  # fmt: skip
STEPS = {"pause": RunState.PAUSED, "resume": RunState.ACTIVE, "cancel": RunState.CANCELLED}
SAID = {"pause": "It is paused; what was asked is kept.", "resume": "It goes on.", "cancel": "It is ended for good."}


@get("/probes")
async def list_page(
    desk: AtDesk, story: FromQuery[str] = "", subject: FromQuery[str] = "", before: Place = None
) -> Response[str]:
    """List runs, newest first."""
    query = {"story": story.strip(), "subject": subject.strip()}
    found = await desk.probes.runs(
        story=query["story"] or None, subject=query["subject"] or None, limit=ROWS + 1, before=before
    )
    more = onward("/probes", query, before=found[ROWS - 1].run_no if len(found) > ROWS else None)
    first = None if before is None else with_query("/probes", query)
    return desk.page(
        "probes/list.html.jinja", found=found[:ROWS], more=more, first=first, may_begin=desk.account.role in TESTERS,
        matrices=_matrices(), subjects=_subjects(desk), coverages=COVERAGES, wilson=wilson, story=query["story"],
        subject=query["subject"],
    )  # fmt: skip


def _matrices() -> list[tuple[str, str]]:
    return [
        (f"{story}/{file}", f"{story} · {file.removesuffix('.yaml')}")
        for story, files in shipped_matrices().items()
        for file in files
    ]


def _subjects(desk: Desk) -> list[tuple[str, str]]:
    settings = desk.application.settings
    found = [("template", "template: says what the packet holds"), ("faulty", "faulty: breaks everything, on purpose")]
    found += [("http_chat", f"http_chat: {settings.chat_model}")] if settings.chat_url else []
    found += [("http_memory", f"http_memory: {settings.memory_name}")] if settings.memory_url else []
    return found


@post("/probes", open_to=TESTERS, patience=20)
async def begin_one(desk: AtDesk) -> Redirect:
    """Begin a run and offer it to workers."""
    story, _, file = desk.form.get("matrix", "").partition("/")
    if file not in shipped_matrices().get(story, ()):
        raise MalformedError("matrix", f"{story}/{file} is no shipped matrix")
    found = await anyio.to_thread.run_sync(lambda: load_story(story, matrix=file))
    uploaded = (await desk.request.form()).get("own")
    matrix = found.matrix
    if isinstance(uploaded, UploadFile) and uploaded.filename:
        content = await uploaded.read()
        matrix = own_matrix(content, uploaded.filename, world=found.world, history=found.history)
    run, cells = await anyio.to_thread.run_sync(lambda: plan_run(found.world, found.history, matrix, _wish(desk)))
    runs = desk.application.stores.probe_runs
    noted = desk.writing(
        "run of probes begun", run.run_id, world_id=found.world.id, story=run.story, asked=run.settings.subject
    )
    await begin(run, cells, found.world, runs=runs, open_uow=noted)
    _wake(desk)
    return desk.done(f"/probes/{run.run_id}", f"The run has begun: {len(cells):,} cells.")


def _wish(desk: Desk) -> Wish:
    form = desk.form
    subject = form.get("subject", "template")
    if subject not in dict(_subjects(desk)):
        raise MalformedError("subject", f"{subject!r} cannot be asked here")
    mode = form.get("coverage", "")
    coverage = None
    if mode:
        coverage = Coverage(
            mode=one_of(Cover, mode, "coverage"), cells=_whole(form, "cells"), seed=_whole(form, "seed")
        )
    if coverage is not None and coverage.mode is Cover.SAMPLE and not coverage.cells:
        raise MalformedError("cells", "say how many cells the sample has")
    return Wish(
        who=desk.account.name,
        subject=desk.application.responder(subject).name if subject in NAMED_BY else subject,
        only=tuple(form.get("only", "").split()),
        coverage=coverage,
        repeats=_whole(form, "repeats", most=100),
        budgets=Budgets(tries=_whole(form, "tries"), minutes=_amount(form, "minutes"), spend=_amount(form, "spend")),
    )


def _whole(form: Mapping[str, str], name: str, *, most: int = 1_000_000) -> int:
    given = form.get(name, "").strip()
    if not given:
        return 0
    if not given.isdecimal() or int(given[:12]) > most:
        raise MalformedError(name, f"{given!r} is no number from 0 to {most:,}")
    return int(given)


def _amount(form: Mapping[str, str], name: str) -> float:
    given = form.get(name, "").strip()
    try:
        found = float(given or 0)
    except ValueError:
        found = -1
    if not 0 <= found <= 1e9:  # noqa: PLR2004
        raise MalformedError(name, f"{given!r} is no amount")
    return found


def _wake(desk: Desk) -> None:
    """Let the service's own worker look; other workers are woken by jobs."""
    if desk.application.worker is not None:
        desk.application.worker.wake()


@get("/probes/{run_id:str}", patience=10)
async def run_page(
    desk: AtDesk, run_id: FromPath[str], axis: FromQuery[str] = EVERY_AXIS, gate: Gate = 1.0
) -> Response[str]:
    """Show what a run comes to."""
    if axis not in MAPS:
        raise MalformedError("axis", f"{axis!r} is none of {', '.join(MAPS)}")
    view = await show_run(run_id, probes=desk.probes, axis=axis, gate=gate)
    return desk.page(
        "probes/run.html.jinja", view=view, run=view.seen.row, plan=view.seen.plan, maps=MAPS, axis=axis, gate=gate,
        may_steer=desk.account.role in TESTERS,
    )  # fmt: skip


@post("/probes/{run_id:str}/state", open_to=TESTERS)
async def steer_one(desk: AtDesk, run_id: FromPath[str]) -> Redirect:
    """Pause, resume or cancel."""
    step = desk.form.get("step", "")
    if step not in STEPS:
        raise MalformedError("step", f"{step!r} is none of {', '.join(STEPS)}")
    seen = await find_run(run_id, desk.probes)
    noted = desk.writing(f"run of probes: {step}", run_id, world_id=seen.row.world_id)
    await steer(seen, STEPS[step], runs=desk.application.stores.probe_runs, open_uow=noted)
    if STEPS[step] is RunState.ACTIVE:
        _wake(desk)
    return desk.done(f"/probes/{run_id}", SAID[step])


@get("/probes/{run_id:str}/live", patience=live.PATIENCE)
async def watch(desk: AtDesk, run_id: FromPath[str]) -> ServerSentEvent:
    """Say how far a run is, until it is over."""
    await find_run(run_id, desk.probes)
    return live.stream(_progress(desk, run_id))


async def _progress(desk: Desk, run_id: str) -> AsyncIterator[str]:
    shown = None
    began, done_then = anyio.current_time(), None
    while (row := await desk.probes.row(run_id)) is not None:
        done_then = row.done if done_then is None else done_then
        rate = (row.done - done_then) / max(anyio.current_time() - began, 0.001)
        if row != shown:
            yield render("probes/_progress.html.jinja", run=row, rate=rate, is_live=True)
            shown = row
        if row.is_over or row.state is RunState.CANCELLED:
            return
        await anyio.sleep(LOOK_SECONDS)


HANDLERS = (list_page, begin_one, run_page, steer_one, watch)
