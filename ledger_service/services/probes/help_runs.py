"""A worker that stays: it helps with runs that are offered, batch by batch, and goes on to the next."""

from collections.abc import Callable
from functools import partial

import anyio

from ledger_service.domain.errors import LedgerError, StoreUnavailableError
from ledger_service.domain.probe_runs import RunPlan, RunState
from ledger_service.domain.probes import Budgets, ResultState
from ledger_service.ports import ProbeRuns
from ledger_service.services.probes.desk import Desk
from ledger_service.services.probes.run_ground import clear_ground
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.work_run import Came, is_over, watch_state, work_batch

SWEEP_SECONDS = 5.0
"""How often it looks for what no job told it of: a job may be lost, a run is not."""
REST_SECONDS = 60.0
"""How long it leaves a run alone that it could not ask."""


class Helper:
    """Helps with so many batches at once, whoever says that there are some."""

    def __init__(
        self, runs: ProbeRuns, desk_of: Callable[[RunPlan], Desk], *, at_once: int, say: Callable[[str, str], None]
    ) -> None:
        self._runs, self._desk_of, self._say = runs, desk_of, say
        self._hands = anyio.CapacityLimiter(at_once)
        self._stops: set[Stop] = set()
        self._rests_until: dict[str, float] = {}
        self._since: dict[str, float] = {}
        self.stopped = anyio.Event()

    def drain(self) -> None:
        """Claim nothing more; what is under way ends after its try."""
        self.stopped.set()
        for stop in self._stops:
            stop.ask("stopped")

    async def look_again(self) -> None:
        """Help with every offered run until it is over, look again a while later, and so on until told to stop."""
        while not self.stopped.is_set():
            await self.sweep()
            with anyio.move_on_after(SWEEP_SECONDS):
                await self.stopped.wait()

    async def sweep(self) -> None:
        """Help with what is offered, until nothing of it is free."""
        try:
            for run in await self._runs.offered():
                while await self.help_with(run.run_id) is Came.DONE and not self.stopped.is_set():
                    pass
        except StoreUnavailableError as error:
            self._say("", f"{error}; looked for again in {SWEEP_SECONDS:.0f} s")

    async def help_with(self, run_id: str) -> Came:
        """Ask one batch of a run, where it is offered and one is free."""
        if anyio.current_time() < self._rests_until.get(run_id, 0):
            return Came.NOTHING
        async with self._hands:
            try:
                run = next((r for r in await self._runs.offered() if r.run_id == run_id), None)
                return Came.NOTHING if run is None or self.stopped.is_set() else await self._help(run)
            except StoreUnavailableError:
                raise
            except LedgerError as error:
                self._rest(run_id, f"cannot be asked here: {error}")
                return Came.NOTHING

    async def _help(self, run: RunPlan) -> Came:
        desk, stop = self._desk_of(run), await self._stop_of(run)
        if stop.is_set:
            return await self._used_up(run)
        self._stops.add(stop)
        try:
            came = await self._watched(run, desk, stop)
        finally:
            self._stops.discard(stop)
        if stop.reason == "budget":
            return await self._used_up(run)
        if stop.reason == "provider":
            self._rest(run.run_id, "its provider does not answer")
        if came is Came.DONE:
            await self._tell(run, desk)
        return came

    async def _watched(self, run: RunPlan, desk: Desk, stop: Stop) -> Came:
        """Work on a batch while the run is wanted; an error comes out as it is, and not as one of a group."""
        came: Came | LedgerError = Came.NOTHING
        async with anyio.create_task_group() as beside:
            beside.start_soon(partial(watch_state, run, self._runs, stop))
            try:
                came = await work_batch(run, desk, stop)
            except LedgerError as error:
                came = error
            beside.cancel_scope.cancel()
        if isinstance(came, LedgerError):
            raise came
        return came

    async def _stop_of(self, run: RunPlan) -> Stop:
        """Return what stops on what the run may still use up of its budget; its minutes count from the first look."""
        may = run.matrix.budgets
        if may == Budgets():
            return Stop()
        far, begun = await self._runs.progress(run.run_id), self._since.setdefault(run.run_id, anyio.current_time())
        left = may.minutes * 60 - (anyio.current_time() - begun) if may.minutes else None
        tries = may.tries - far.tries if may.tries else None
        return Stop(most_tries=tries, most_seconds=left, most_spent=may.spend or None, spent=far.spent)

    async def _used_up(self, run: RunPlan) -> Came:
        await self._runs.set_state(run.run_id, RunState.PAUSED)
        self._since.pop(run.run_id, None)
        self._say(run.run_id, "its budget is used up; it is paused")
        return Came.NOTHING

    async def _tell(self, run: RunPlan, desk: Desk) -> None:
        far = await self._runs.progress(run.run_id)
        self._say(run.run_id, f"{far.done} / {far.planned} cells, {far.batches_done} of {far.batches} batches")
        if await is_over(run, self._runs) and not far.counts[ResultState.PENDING]:
            await self._runs.withdraw(run.run_id)
            await clear_ground(run, desk)

    def _rest(self, run_id: str, why: str) -> None:
        self._rests_until[run_id] = anyio.current_time() + REST_SECONDS
        self._say(run_id, f"{why}; left alone for {REST_SECONDS:.0f} s")
