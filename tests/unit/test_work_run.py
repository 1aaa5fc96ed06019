"""A worker on a run: a record that is away for a while, tries that are written down together."""

from collections import Counter

import anyio
import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import StoreUnavailableError
from ledger_service.domain.probe_runs import Attempt, distances_of
from ledger_service.domain.probes import Cell, Expectation, ResultState
from ledger_service.services.probes import tray as tray_of_tries
from ledger_service.services.probes import work_run
from ledger_service.services.probes.probe_runs import MOST_IN_A_BATCH, batched
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.tray import Tray
from ledger_service.services.probes.work_run import work
from ledger_service.stores.memory import MemoryStores
from tests.probing import AwayFor, a_desk, a_run

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_record_that_is_away_for_a_moment_is_waited_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(work_run, "LOOK_SECONDS", 0.01)
    stores = MemoryStores()
    run = await a_run(stores, only=("next_turn/plain",))
    runs = AwayFor(stores.probe_runs, times=3)
    await work(run, replace(a_desk(stores), runs=runs), Stop())
    progress = await stores.probe_runs.progress(run.run_id)
    assert (runs.times, progress.tries) == (0, progress.planned)


async def test_a_record_that_stays_away_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(work_run, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(work_run, "AWAY_SECONDS", 0.05)
    stores = MemoryStores()
    run = await a_run(stores, only=("next_turn/plain",))
    with pytest.raises(StoreUnavailableError):
        await work(run, replace(a_desk(stores), runs=AwayFor(stores.probe_runs, times=1_000)), Stop())


class Kept:
    """A lease that counts how often it is written to."""

    def __init__(self) -> None:
        self.times: list[int] = []

    async def keep(self, came) -> None:
        self.times.append(len(came))


async def test_quick_tries_are_written_down_together_and_a_slow_one_at_once(monkeypatch: pytest.MonkeyPatch):
    stores = MemoryStores()
    run = await a_run(stores, only=("next_turn/plain",))
    async with stores.probe_runs.claim(run.run_id) as lease:
        (cell, *_) = await lease.open_cells()
    lease, attempt = Kept(), Attempt(repeat=1, state=ResultState.PASS)
    monkeypatch.setattr(tray_of_tries, "KEEP_SECONDS", 60)
    tray = Tray(lease)
    for _ in range(3):
        await tray.put(cell, attempt)
    assert lease.times == []
    monkeypatch.setattr(tray_of_tries, "KEEP_SECONDS", 0.01)
    await anyio.sleep(0.02)
    await tray.put(cell, attempt)
    assert lease.times == [4]
    await tray.empty()
    assert lease.times == [4], "what is written down once is not written down again"


def cells_at(*distances: str) -> list[Cell]:
    return [
        Cell(distance=d, pressure="plain", paraphrase=i, line=f"{i}?", expect=Expectation())
        for i, d in enumerate(distances)
    ]


def test_a_batch_is_of_one_distance_and_none_is_very_large():
    kept = batched(cells_at(*["near"] * (2 * MOST_IN_A_BATCH + 1), *["far"] * 3))
    assert [c.cell_no for c in kept] == list(range(len(kept)))
    assert distances_of(kept) == [(0, "near"), (1, "near"), (2, "near"), (3, "far")]
    assert Counter(c.batch_no for c in kept) == {0: MOST_IN_A_BATCH, 1: MOST_IN_A_BATCH, 2: 1, 3: 3}


def test_cells_of_a_distance_are_together_wherever_they_stood():
    kept = batched(cells_at("near", "far", "near", "far"))
    assert [(c.cell.distance, c.batch_no) for c in kept] == [("near", 0), ("near", 0), ("far", 1), ("far", 1)]
