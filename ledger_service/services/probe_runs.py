"""Runs of probes: planned as rows, resumed by the same command, worked on by as many workers as there are."""

import secrets
from collections.abc import Sequence
from fnmatch import fnmatchcase

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError, LedgerError, PlaythroughHasForksError, StoryFileError
from ledger_service.domain.ids import PlaythroughId, digest
from ledger_service.domain.probe_runs import (
    Attempt,
    Branch,
    KeptCell,
    KeptStep,
    LostLease,
    RunPlan,
    RunSettings,
    RunState,
)
from ledger_service.domain.probes import Cell, Matrix, ResultState
from ledger_service.domain.rubric import Fault
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import NewProcess, OpenUnitOfWork, ProbeLease, ProbeRuns, Responder, RumourGraph
from ledger_service.probing.documents import History, Step
from ledger_service.probing.matrix import expand
from ledger_service.probing.source import Source
from ledger_service.probing.statistics import is_decided
from ledger_service.recording.chain import canonical
from ledger_service.services.ask_cell import NONDETERMINISM, PROVIDER, Frozen, ask, broken, freeze
from ledger_service.services.build_packet import Reading
from ledger_service.services.open_playthrough import add_world, erase_playthrough, open_playthrough
from ledger_service.services.play_story import play_history
from ledger_service.services.run_probes import Ground, pass_distance
from ledger_service.services.score_reply import Judging

TRIES = 3
BREAKS_AFTER = 5
"""So many provider errors in a row, and nobody is asked further."""
LOST_IN_A_ROW = 20
LOOK_SECONDS = 0.5
_PAGE = 500


class Desk(Struct, frozen=True, kw_only=True):
    """What a worker asks with."""

    runs: ProbeRuns
    open_uow: OpenUnitOfWork
    reading: Reading
    judging: Judging
    graph: RumourGraph
    responder: Responder
    reference: Responder | None = None
    """Another speaker, whose line on a failed cell's packet shows where the fault is; None where it is the subject."""
    repeatable: bool = False
    """The subject says the same on the same packet, or something is wrong with it."""
    afresh: NewProcess | None = None
    """Loads what a distance saved, in a new process; None loads it in this one."""


class Stop:
    """When a worker claims no more: asked to, out of budget, or because the provider is away."""

    def __init__(self, *, most_tries: int | None = None, most_seconds: float | None = None) -> None:
        self.reason = ""
        self._most_tries = most_tries
        self._until = None if most_seconds is None else anyio.current_time() + most_seconds
        self.tries = 0
        self.broken_in_a_row = 0

    def ask(self, reason: str) -> None:
        """Stop after the try under way; the first reason counts."""
        self.reason = self.reason or reason

    def count(self, attempt: Attempt) -> None:
        """Count a try."""
        self.tries += 1
        is_away = attempt.state is ResultState.ERROR and attempt.subtype == PROVIDER
        self.broken_in_a_row = self.broken_in_a_row + 1 if is_away else 0

    @property
    def is_set(self) -> bool:
        """Say whether to claim no more."""
        if self.broken_in_a_row >= BREAKS_AFTER:
            self.ask("provider")
        if self._most_tries is not None and self.tries >= self._most_tries:
            self.ask("budget")
        if self._until is not None and anyio.current_time() >= self._until:
            self.ask("budget")
        return bool(self.reason)


def plan(world: World, history: History, matrix: Matrix, settings: RunSettings) -> tuple[RunPlan, list[KeptCell]]:
    """Lay a run out; no cells where nothing is selected."""
    distances = [d.id for d in matrix.distances]
    chosen = [c for c in expand(matrix) if is_selected(c, settings.only)]
    cells = [
        KeptCell(
            cell_no=i,
            batch_no=distances.index(c.distance),
            cell=c,
            state=ResultState.SKIPPED if c.skipped else ResultState.PENDING,
        )
        for i, c in enumerate(chosen)
    ]
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
    await runs.add(run, [d.id for d in run.matrix.distances], cells)
    return run, False


async def rerun(run: RunPlan, names: Sequence[str], *, runs: ProbeRuns) -> RunPlan:
    """Keep a new run of some cells of another, with its world, matrix and subject."""
    there = [c for c in await all_cells(run.run_id, runs) if c.cell.name in set(names)]
    cells = [KeptCell(cell_no=i, batch_no=c.batch_no, cell=c.cell) for i, c in enumerate(there)]
    again = replace(
        run,
        run_id=_new_id(),
        settings=replace(run.settings, only=tuple(names)),
        planned=len(cells),
        state=RunState.ACTIVE,
    )
    await runs.add(again, [d.id for d in run.matrix.distances], cells)
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


async def work(run: RunPlan, desk: Desk, stop: Stop) -> None:
    """Claim batch after batch until nothing is left of the run, or until asked to stop; wait for what others hold.

    Raises:
        StoreError: a store is away; what was kept is kept.
    """
    lost = 0
    while not stop.is_set and lost < LOST_IN_A_ROW:
        async with desk.runs.claim(run.run_id) as lease:
            if lease is not None:
                try:
                    await _ask_batch(run, lease, desk, stop)
                    lost = 0
                except LostLease:
                    lost += 1
                continue
        if await _is_over(run, desk.runs):
            return
        await anyio.sleep(LOOK_SECONDS)


async def _is_over(run: RunPlan, runs: ProbeRuns) -> bool:
    now = await runs.find(run.run_id)
    found = await runs.progress(run.run_id)
    return now is None or now.state is not RunState.ACTIVE or found.batches_done == found.batches


async def watch_state(run: RunPlan, runs: ProbeRuns, stop: Stop) -> None:
    """Look now and then whether the run is still wanted."""
    while not stop.is_set:
        await anyio.sleep(LOOK_SECONDS)
        now = await runs.find(run.run_id)
        if now is None or now.state is not RunState.ACTIVE:
            stop.ask(str(now.state) if now else "gone")


async def _ask_batch(run: RunPlan, lease: ProbeLease, desk: Desk, stop: Stop) -> None:
    cells = await lease.open_cells()
    if cells and lease.branch is None:
        ground = await _ground(run, desk)
        branch = await pass_distance(
            run.matrix, lease.distance, ground, open_uow=desk.open_uow, reading=desk.reading, afresh=desk.afresh
        )
        await lease.keep_branch(branch)
    for cell in cells:
        if stop.is_set:
            return
        await _ask_cell(run, cell, lease, desk, stop)
    if not stop.is_set or not await lease.open_cells():
        done = lease.branch
        await lease.finish()
        if done is not None and done.playthrough_id:
            await _erase(done.playthrough_id, desk)


async def _ask_cell(run: RunPlan, cell: KeptCell, lease: ProbeLease, desk: Desk, stop: Stop) -> None:
    first = 1 + max((a.repeat for a in cell.counted), default=0)
    try:
        frozen = await _frozen(run, cell, lease.branch, desk)
    except ContentError as error:
        tried = 1 + max((a.attempt for a in cell.attempts if a.repeat == first), default=0)
        attempt = broken(error, repeat=first, attempt=tried, responder=desk.responder.name, defect=True)
        await lease.keep(replace(cell, state=ResultState.ERROR), attempt)
        return
    cell = replace(cell, packet_hash=cell.packet_hash or frozen.packet.hash)
    allowed = TRIES
    while cell.state is ResultState.PENDING:
        attempt = await _try(cell, frozen, desk, allowed=allowed)
        allowed = allowed - 1 if attempt.state is ResultState.ERROR else TRIES
        cell = came_to(cell, attempt, run.settings, again=allowed > 0)
        await lease.keep(cell, attempt)
        stop.count(attempt)
        if stop.is_set:
            return


async def _frozen(run: RunPlan, kept: KeptCell, branch: Branch | None, desk: Desk) -> Frozen:
    """Freeze a cell on its branch.

    Raises:
        ContentError: the distance could not pass, or the cell expects what is not there.
    """
    if branch is None or branch.error:
        raise ContentError("distance", branch.error if branch else "the batch has no branch")
    return await freeze(
        kept.cell, run.matrix, branch, open_uow=desk.open_uow, reading=desk.reading, judging=desk.judging,
        earlier=kept.packet_hash or branch.packets.get(kept.cell.name, ""),
    )  # fmt: skip


async def _try(cell: KeptCell, frozen: Frozen, desk: Desk, *, allowed: int) -> Attempt:
    """Ask the next repeat, or the last one again where it broke."""
    last = cell.last[-1] if cell.last else None
    is_again = last is not None and last.state is ResultState.ERROR
    repeat = 1 if last is None else last.repeat + (0 if is_again else 1)
    number = last.attempt + 1 if last is not None and is_again else 1
    if number > 1 and allowed < TRIES:
        await anyio.sleep(0.05 * 2 ** (TRIES - allowed))
    found = await ask(
        frozen, desk.responder, judging=desk.judging, repeat=repeat, attempt=number, reference=desk.reference
    )
    flipped = next((a for a in cell.counted if desk.repeatable and found.line and a.line != found.line), None)
    if flipped is None:
        return found
    why = f"said “{flipped.line}” the first time and “{found.line}” now, on the same packet"
    return replace(found, state=ResultState.FAIL, fault=Fault.HARNESS, subtype=NONDETERMINISM, why=why)


def came_to(cell: KeptCell, attempt: Attempt, settings: RunSettings, *, again: bool) -> KeptCell:
    """Return the cell with a further try, and the state that it comes to by it; pending while more is to be asked."""
    after = replace(cell, attempts=(*cell.attempts, attempt))
    if attempt.state is ResultState.ERROR:
        return after if again else replace(after, state=ResultState.ERROR)
    asked = len([a for a in after.last if a.state is not ResultState.ERROR])
    passed = sum(a.state is ResultState.PASS for a in after.counted)
    is_enough = asked >= settings.repeats or (
        settings.adaptive and is_decided(passed, len(after.counted), settings.repeats)
    )
    return replace(after, state=_state_of(after)) if is_enough else after


def _state_of(cell: KeptCell) -> ResultState:
    """A cell passes where every repeat that was judged does."""
    if not cell.counted:
        return ResultState.UNSCORED
    is_failed = any(a.state is ResultState.FAIL for a in cell.counted)
    return ResultState.FAIL if is_failed else ResultState.PASS


async def _ground(run: RunPlan, desk: Desk) -> Ground:
    """Return the story of a run as it was played, playing it where nobody has."""
    source = Source(file=f"{run.story}/history.yaml", values=[], lines={})
    history = History(source=source, steps=tuple(Step(raw=s.raw, label=s.label, path=s.path) for s in run.steps))
    async with desk.runs.hold_ground(run.run_id) as hold:
        if hold.ground is None:
            opened = await open_playthrough(run.world_version, open_uow=desk.open_uow, title=f"probe run {run.run_id}")
            labels = await play_history(
                opened.playthrough_id, history, open_uow=desk.open_uow, embedder=desk.reading.embedder
            )
            await hold.keep(Branch(playthrough_id=opened.playthrough_id, labels=labels))
        there = hold.ground
    if there is None:
        raise AssertionError("a kept ground is there")
    return Ground(playthrough_id=there.playthrough_id, history=history, labels=there.labels)


async def clear_ground(run: RunPlan, desk: Desk) -> None:
    """Erase the played story of a run and what is left of its branches; a replay plays it anew."""
    async with desk.runs.hold_ground(run.run_id) as hold:
        if hold.ground is None:
            return
        for left in await _forks_of(hold.ground.playthrough_id, run.run_id, desk.open_uow):
            await _erase(left, desk)
        await hold.keep(None)


async def _forks_of(ground: PlaythroughId, run_id: str, open_uow: OpenUnitOfWork) -> list[PlaythroughId]:
    """Return the branches of a ground, those that killed workers left too, and the ground itself as the last."""
    found: list[PlaythroughId] = []
    title = f"probe run {run_id}"
    others: list[PlaythroughId] = []
    after: PlaythroughId | None = None
    async with open_uow() as uow:
        while page := await uow.playthroughs.list_all(limit=_PAGE, after=after):
            found += [p.playthrough_id for p in page if p.parent_id == ground]
            others += [p.playthrough_id for p in page if p.parent_id is None and p.title == title]
            after = page[-1].playthrough_id
    return [*found, *dict.fromkeys((*others, ground))]


async def _erase(playthrough_id: PlaythroughId, desk: Desk) -> None:
    try:
        await erase_playthrough(playthrough_id, open_uow=desk.open_uow, graph=desk.graph)
    except (PlaythroughHasForksError, ContentError):
        return
    except LedgerError as error:
        if type(error).__name__ != "UnknownPlaythroughError":
            raise


class Replayed(Struct, frozen=True, kw_only=True):
    """A cell, asked once more on a branch of its own."""

    kept: KeptCell
    attempt: Attempt
    frozen: Frozen


async def replay(run: RunPlan, kept: KeptCell, desk: Desk) -> Replayed:
    """Play the story anew up to a cell and ask it again; nothing of the run changes."""
    source = Source(file=f"{run.story}/history.yaml", values=[], lines={})
    history = History(source=source, steps=tuple(Step(raw=s.raw, label=s.label, path=s.path) for s in run.steps))
    opened = await open_playthrough(run.world_version, open_uow=desk.open_uow, title=f"replay of {kept.cell.name}")
    mine, branch = opened.playthrough_id, Branch()
    try:
        labels = await play_history(mine, history, open_uow=desk.open_uow, embedder=desk.reading.embedder)
        ground = Ground(playthrough_id=mine, history=history, labels=labels)
        branch = await pass_distance(
            run.matrix, kept.cell.distance, ground, open_uow=desk.open_uow, reading=desk.reading, afresh=desk.afresh
        )
        frozen = await _frozen(run, kept, branch, desk)
        attempt = await ask(frozen, desk.responder, judging=desk.judging, repeat=1, attempt=1, reference=desk.reference)
    finally:
        for left in (branch.playthrough_id, mine):
            if left:
                await _erase(left, desk)
    return Replayed(kept=kept, attempt=attempt, frozen=frozen)
