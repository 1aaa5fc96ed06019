"""Begin a run of probes: of a shipped matrix or one's own, of whom, how much of it, and what it may use up."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError, MalformedError
from ledger_service.domain.probe_runs import KeptCell, RunPlan, RunSettings, RunState
from ledger_service.domain.probe_views import SeenRun
from ledger_service.domain.probes import Budgets, Cover, Coverage, Matrix
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, ProbeRuns
from ledger_service.probing.coverage import covered
from ledger_service.probing.documents import History
from ledger_service.probing.matrix import decode_matrix, expand
from ledger_service.services.playthroughs.open_playthrough import add_world
from ledger_service.services.probes.probe_runs import is_selected, plan

LARGEST_MATRIX = 2_000_000


class Wish(Struct, frozen=True, kw_only=True):
    """What somebody wants asked, and of whom."""

    who: str
    subject: str
    only: tuple[str, ...] = ()
    coverage: Coverage | None = None
    """None is what the matrix says."""
    repeats: int = 0
    """0 is what the matrix says."""
    budgets: Budgets = Budgets()


def faulty_lines(matrix: Matrix) -> dict[str, str]:
    """Return what the deliberately faulty speaker says to each line."""
    return {line: p.faulty for p in matrix.pressures for line in (p.anchor, *p.paraphrases)}


def own_matrix(content: bytes, name: str, *, world: World, history: History) -> Matrix:
    """Read somebody's own matrix of a shipped story.

    Raises:
        StoryFileError: with line and path.
        MalformedError: it is too large.
    """
    if len(content) > LARGEST_MATRIX:
        raise MalformedError(name, f"has {len(content):,} bytes, and at most {LARGEST_MATRIX:,} are read")
    return decode_matrix(content, name, world=world, history=history)


def plan_run(world: World, history: History, matrix: Matrix, wish: Wish) -> tuple[RunPlan, list[KeptCell]]:
    """Lay a run out as it is wished for.

    Raises:
        ContentError: nothing is selected.
    """
    only, whole = wish.only, matrix
    if wish.coverage is not None and wish.coverage != matrix.coverage:
        only, whole = _chosen(matrix, wish), replace(matrix, coverage=Coverage())
    settings = RunSettings(
        subject=wish.subject,
        only=only,
        repeats=wish.repeats or matrix.repeats.most,
        adaptive=matrix.repeats.adaptive,
        lines=faulty_lines(matrix) if wish.subject == "faulty" else {},
    )
    run, cells = plan(world, history, whole, settings)
    if not cells:
        there = ", ".join(d.id for d in matrix.distances)
        raise ContentError("only", f"nothing is selected by {' '.join(wish.only)}; the distances are {there}")
    hashed = plan(world, history, matrix, settings)[0].matrix_hash
    return replace(run, matrix=replace(matrix, budgets=wish.budgets), matrix_hash=hashed, begun_by=wish.who), cells


def _chosen(matrix: Matrix, wish: Wish) -> tuple[str, ...]:
    """Return the cells of another coverage by name; the matrix stays the same, so that its runs can be compared."""
    if wish.coverage is None or wish.coverage.mode is Cover.FULL:
        return wish.only
    cells = (c for c in expand(matrix) if is_selected(c, wish.only))
    return tuple(c.name for c in covered(tuple(cells), wish.coverage))


async def begin(
    run: RunPlan, cells: Sequence[KeptCell], world: World, *, runs: ProbeRuns, open_uow: OpenUnitOfWork
) -> None:
    """Keep a run and offer it to whatever workers there are; `open_uow` keeps its world, and notes who began it."""
    await add_world(world, open_uow=open_uow)
    await runs.add(run, cells)
    await runs.offer(run.run_id)


async def steer(seen: SeenRun, to: RunState, *, runs: ProbeRuns, open_uow: OpenUnitOfWork) -> None:
    """Pause a run, let it go on, or end it; what was asked is kept. `open_uow` notes who wanted it.

    Raises:
        ContentError: it is over or was ended.
    """
    if seen.row.is_over or seen.row.state is RunState.CANCELLED:
        raise ContentError("run", f"{seen.row.run_id} is over; there is nothing to {to.value}")
    await runs.set_state(seen.row.run_id, to)
    if to is RunState.ACTIVE:
        await runs.offer(seen.row.run_id)
    async with open_uow() as uow:
        await uow.commit()
