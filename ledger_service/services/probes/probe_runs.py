"""Runs of probes: planned as rows, found again by the same command, asked anew in part."""

import secrets
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from ledger_service.domain.errors import ContentError, StoryFileError
from ledger_service.domain.ids import digest
from ledger_service.domain.probe_runs import KeptCell, KeptStep, RunPlan, RunSettings, RunState
from ledger_service.domain.probes import Cell, Matrix, ResultState
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import OpenUnitOfWork, ProbeRuns
from ledger_service.probing.coverage import covered
from ledger_service.probing.documents import History
from ledger_service.probing.matrix import expand
from ledger_service.recording.chain import canonical
from ledger_service.services.playthroughs.open_playthrough import add_world

_PAGE = 500
MOST_IN_A_BATCH = 125


def plan(world: World, history: History, matrix: Matrix, settings: RunSettings) -> tuple[RunPlan, list[KeptCell]]:
    """Lay a run out; no cells where nothing is selected."""
    cells = batched(c for c in covered(expand(matrix), matrix.coverage) if is_selected(c, settings.only))
    steps = tuple(KeptStep(raw=s.raw, label=s.label, path=s.path) for s in history.steps)
    run = RunPlan(
        run_id=_new_id(),
        story=matrix.story,
        world_version=version_of(world),
        matrix_hash=digest(canonical(matrix).decode(), canonical(steps).decode()),
        settings=settings,
        matrix=matrix,
        steps=steps,
        planned=len(cells),
    )
    return run, cells


def batched(cells: Iterable[Cell]) -> list[KeptCell]:
    """Number cells and lay them into batches: each of one distance, whose branch it needs, and none very large.

    So many workers can help with a run as it has batches.
    """
    kept: list[KeptCell] = []
    begun, order = 0, dict[str, int]()
    for number, cell in enumerate(sorted(cells, key=lambda c: order.setdefault(c.distance, len(order)))):
        batch = kept[-1].batch_no if kept else 0
        if kept and (kept[-1].cell.distance != cell.distance or number - begun >= MOST_IN_A_BATCH):
            batch, begun = batch + 1, number
        state = ResultState.SKIPPED if cell.skipped else ResultState.PENDING
        kept.append(KeptCell(cell_no=number, batch_no=batch, cell=cell, state=state))
    return kept


def is_selected(cell: Cell, patterns: Sequence[str]) -> bool:
    """Say whether a pattern of `distance`, `distance/pressure` or `distance/pressure/wording` names a cell."""
    names = (cell.distance, f"{cell.distance}/{cell.pressure}", cell.name)
    return not patterns or any(fnmatchcase(name, p) for p in patterns for name in names)


async def find_or_add(
    world: World, run: RunPlan, cells: Sequence[KeptCell], *, runs: ProbeRuns, open_uow: OpenUnitOfWork, fresh: bool
) -> tuple[RunPlan, bool]:
    """Return the unfinished run that this is, and that it is one that goes on; else keep it as a new run.

    Raises:
        StoryFileError: the world or the matrix was edited since an unfinished run of the same settings began.
    """
    for earlier in () if fresh else await runs.list_newest():
        is_same = (earlier.story, earlier.settings) == (run.story, run.settings)
        if is_same and earlier.state is not RunState.CANCELLED and await _is_unfinished(earlier, runs):
            _check_unedited(earlier, run)
            await runs.set_state(earlier.run_id, RunState.ACTIVE)
            return replace(earlier, state=RunState.ACTIVE), True
    await add_world(world, open_uow=open_uow)
    await runs.add(run, cells)
    return run, False


async def rerun(run: RunPlan, names: Sequence[str], *, runs: ProbeRuns) -> RunPlan:
    """Keep a new run of some cells of another, with its world, matrix and subject."""
    wanted = set(names)
    cells = batched(c.cell for c in await all_cells(run.run_id, runs) if c.cell.name in wanted)
    again = replace(
        run,
        run_id=_new_id(),
        settings=replace(run.settings, only=tuple(names)),
        planned=len(cells),
        state=RunState.ACTIVE,
    )
    await runs.add(again, cells)
    return again


def _new_id() -> str:
    return "r" + secrets.token_hex(6)


async def _is_unfinished(run: RunPlan, runs: ProbeRuns) -> bool:
    return (await runs.progress(run.run_id)).counts[ResultState.PENDING] > 0


def _check_unedited(earlier: RunPlan, now: RunPlan) -> None:
    ends = f"`continuity probe cancel {earlier.run_id}` ends the old run"
    cure = f"put it back as it was, or begin anew with --fresh ({ends})"
    for file, was, became in (
        ("world.yaml", earlier.world_version, now.world_version),
        ("matrix.yaml or history.yaml", earlier.matrix_hash, now.matrix_hash),
    ):
        if was != became:
            why = f"was edited since run {earlier.run_id} began: it was {was} and is {became}"
            refused = StoryFileError(f"{now.story}/{file}", why)
            refused.cure = cure
            raise refused


async def run_of(run_id: str, runs: ProbeRuns) -> RunPlan:
    """Return a run by its id.

    Raises:
        ContentError: there is none.
    """
    run = await runs.find(run_id)
    if run is None:
        newest = ", ".join(r.run_id for r in await runs.list_newest(limit=5)) or "none yet"
        raise ContentError("run", f"there is no run {run_id!r} (the newest are {newest})")
    return run


async def all_cells(run_id: str, runs: ProbeRuns) -> list[KeptCell]:
    """Return every cell of a run with its tries."""
    cells: list[KeptCell] = []
    while page := await runs.cells(run_id, after=cells[-1].cell_no if cells else -1, limit=_PAGE):
        cells += page
    return cells
