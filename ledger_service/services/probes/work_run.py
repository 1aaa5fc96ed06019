"""Work on a run of probes, beside as many others as there are: claim a batch, freeze its cells, ask, keep."""

import contextlib
from collections.abc import Sequence
from enum import Enum, auto

import anyio
from msgspec.structs import replace

from ledger_service.domain.errors import (
    ContentError,
    LedgerError,
    StoreError,
    StoreUnavailableError,
    UnknownPlaythroughError,
)
from ledger_service.domain.probe_runs import (
    NONDETERMINISM,
    Attempt,
    Branch,
    KeptCell,
    LostLease,
    RunPlan,
    RunSettings,
    RunState,
)
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Fault
from ledger_service.ports import ProbeLease, ProbeRuns
from ledger_service.probing.statistics import is_decided
from ledger_service.services.probes.ask_cell import PROVIDER, broken
from ledger_service.services.probes.ask_subject import ask_subject, is_hopeless
from ledger_service.services.probes.desk import Desk
from ledger_service.services.probes.freeze_cells import Frozen, freeze_cells
from ledger_service.services.probes.run_ground import erase, ground_of, is_there, title_of
from ledger_service.services.probes.run_probes import pass_distance
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.tray import Tray

TRIES = 3
PAUSE_SECONDS = 0.05
"""Before what broke is asked again; doubled each time."""
PROVIDER_PAUSE_SECONDS = 0.5
"""The same for a provider, so that one that merely stumbled is back."""
LOST_IN_A_ROW = 20
LOOK_SECONDS = 0.5
AWAY_SECONDS = 30.0
"""A record that is started anew is back by then."""
AT_A_TIME = 25
"""Cells that are frozen together, in one transaction."""


async def work(run: RunPlan, desk: Desk, stop: Stop) -> None:
    """Claim batch after batch until nothing is left of the run, or until asked to stop; wait for what others hold.

    A record that is away for a while is waited for: what was kept is kept, and the batch is claimed anew.

    Raises:
        StoreError: a store is away for longer, or cannot be used.
    """
    lost, away = 0, Away()
    while not stop.is_set and lost < LOST_IN_A_ROW:
        try:
            came = await work_batch(run, desk, stop)
            if came is Came.NOTHING and await is_over(run, desk.runs):
                return
        except StoreUnavailableError as error:
            await away.wait(error)
            continue
        away = Away()
        lost = lost + 1 if came is Came.LOST else 0
        if came is Came.NOTHING:
            await anyio.sleep(LOOK_SECONDS)


class Came(Enum):
    """What came of looking for a batch."""

    DONE = auto()
    LOST = auto()
    """Somebody else has it now."""
    NOTHING = auto()
    """None is free."""


class Away:
    """How long a store has been away: patience that ends."""

    def __init__(self) -> None:
        self._since: float | None = None

    async def wait(self, error: StoreUnavailableError) -> None:
        """Wait a moment, or give up.

        Raises:
            StoreUnavailableError: the one given, where the store has been away for too long.
        """
        now = anyio.current_time()
        self._since = now if self._since is None else self._since
        if now - self._since >= AWAY_SECONDS:
            raise error
        await anyio.sleep(LOOK_SECONDS)


async def work_batch(run: RunPlan, desk: Desk, stop: Stop) -> Came:
    """Claim a batch that nobody holds, and ask what is open of it.

    Raises:
        StoreError: a store is away; what was kept is kept.
    """
    async with desk.runs.claim(run.run_id) as lease:
        if lease is None:
            return Came.NOTHING
        try:
            await _ask_batch(run, lease, desk, stop)
        except LostLease:
            return Came.LOST
    return Came.DONE


async def is_over(run: RunPlan, runs: ProbeRuns) -> bool:
    """Say whether nothing is left to ask of a run, or nobody wants it asked any more."""
    now = await runs.find(run.run_id)
    found = await runs.progress(run.run_id)
    return now is None or now.state is not RunState.ACTIVE or found.batches_done == found.batches


async def watch_state(run: RunPlan, runs: ProbeRuns, stop: Stop) -> None:
    """Look now and then whether the run is still wanted."""
    while not stop.is_set:
        await anyio.sleep(LOOK_SECONDS)
        with contextlib.suppress(StoreUnavailableError):  # whoever works says so, if it lasts
            now = await runs.find(run.run_id)
            if now is None or now.state is not RunState.ACTIVE:
                stop.ask(str(now.state) if now else "gone")


async def _ask_batch(run: RunPlan, lease: ProbeLease, desk: Desk, stop: Stop) -> None:
    cells = await lease.open_cells()
    if cells and lease.branch is None:
        await lease.keep_branch(await _branch(run, lease.distance, desk))
    tray = Tray(lease)
    for i in range(0, len(cells), AT_A_TIME):
        if stop.is_set or not await _has_branch(run, lease, desk):
            break
        await _ask_some(run, cells[i : i + AT_A_TIME], tray, lease.branch, desk, stop)
    await tray.empty()
    if not await lease.open_cells():
        done = lease.branch
        await lease.finish()
        if done is not None and done.playthrough_id:
            await erase(done.playthrough_id, desk)


async def _has_branch(run: RunPlan, lease: ProbeLease, desk: Desk) -> bool:
    """Prepare a batch's branch anew where it was erased, unless the whole run was ended; say whether there is one."""
    there = lease.branch
    if there is None or not there.playthrough_id or await is_there(there.playthrough_id, desk):
        return True
    now = await desk.runs.find(run.run_id)
    if now is None or now.state is not RunState.ACTIVE:
        return False
    await lease.keep_branch(await _branch(run, lease.distance, desk))
    return True


async def _branch(run: RunPlan, distance: str, desk: Desk) -> Branch:
    return await pass_distance(
        run.matrix, distance, await ground_of(run, desk), open_uow=desk.open_uow, reading=desk.reading,
        afresh=desk.afresh, title=title_of(run.run_id, distance),
    )  # fmt: skip


async def _ask_some(
    run: RunPlan, cells: Sequence[KeptCell], tray: Tray, branch: Branch | None, desk: Desk, stop: Stop
) -> None:
    frozen = await frozen_cells(run, cells, branch, desk)
    for cell in cells:
        if stop.is_set:
            return
        mine = frozen[cell.cell_no]
        if isinstance(mine, LedgerError):
            await tray.put(*_defect(cell, mine, desk.responder.name))
        else:
            await _ask_cell(run, cell, mine, tray, desk, stop)


def _defect(cell: KeptCell, error: LedgerError, responder: str) -> tuple[KeptCell, Attempt]:
    """Say of a cell that it cannot be asked."""
    first = 1 + max((a.repeat for a in cell.counted), default=0)
    tried = 1 + max((a.attempt for a in cell.attempts if a.repeat == first), default=0)
    attempt = broken(error, repeat=first, attempt=tried, responder=responder, defect=True)
    return replace(cell, state=ResultState.ERROR), attempt


async def _ask_cell(run: RunPlan, cell: KeptCell, frozen: Frozen, tray: Tray, desk: Desk, stop: Stop) -> None:
    cell = replace(cell, packet_hash=cell.packet_hash or frozen.packet.hash)
    allowed = TRIES
    while cell.state is ResultState.PENDING:
        attempt = await _try(cell, frozen, desk, allowed=allowed)
        allowed = TRIES if attempt.state is not ResultState.ERROR else 0 if is_hopeless(attempt) else allowed - 1
        cell = came_to(cell, attempt, run.settings, again=allowed > 0)
        await tray.put(cell, attempt)
        stop.count(attempt)
        if stop.is_set:
            return


async def frozen_cells(
    run: RunPlan, cells: Sequence[KeptCell], branch: Branch | None, desk: Desk
) -> dict[int, Frozen | LedgerError]:
    """Freeze cells on their branch; where one spoils it for those beside it, each alone.

    Raises:
        LostLease: the branch was erased meanwhile.
        StoreError: a store is away.
    """
    if branch is None or branch.error:
        why = ContentError("distance", branch.error if branch else "the batch has no branch")
        return {c.cell_no: why for c in cells}
    try:
        return await freeze_cells(
            cells, run.matrix, branch, open_uow=desk.open_uow, reading=desk.reading, judging=desk.judging,
            reading_again=desk.reading_again,
        )  # fmt: skip
    except StoreError:
        raise
    except UnknownPlaythroughError as gone:
        raise LostLease(str(gone)) from gone
    except LedgerError as error:
        if len(cells) == 1:
            return {cells[0].cell_no: error}
        alone = [await frozen_cells(run, [cell], branch, desk) for cell in cells]
        return {number: frozen for one in alone for number, frozen in one.items()}


async def _try(cell: KeptCell, frozen: Frozen, desk: Desk, *, allowed: int) -> Attempt:
    """Ask the next repeat, or the last one again where it broke."""
    last = cell.last[-1] if cell.last else None
    is_again = last is not None and last.state is ResultState.ERROR
    repeat = 1 if last is None else last.repeat + (0 if is_again else 1)
    number = last.attempt + 1 if last is not None and is_again else 1
    if last is not None and number > 1 and allowed < TRIES:
        await anyio.sleep(_pause_after(last) * 2 ** (TRIES - allowed))
    found = await ask_subject(
        frozen, desk.responder, cell=cell.cell.name, judging=desk.judging, repeat=repeat, attempt=number,
        reference=desk.reference,
    )  # fmt: skip
    flipped = next((a for a in cell.counted if desk.repeatable and found.line and a.line != found.line), None)
    if flipped is None:
        return found
    why = f"said “{flipped.line}” the first time and “{found.line}” now, on the same packet"
    return replace(found, state=ResultState.FAIL, fault=Fault.HARNESS, subtype=NONDETERMINISM, why=why)


def _pause_after(broken_try: Attempt) -> float:
    return PROVIDER_PAUSE_SECONDS if broken_try.subtype == PROVIDER else PAUSE_SECONDS


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
