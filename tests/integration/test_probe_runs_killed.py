"""Workers and runners killed at random moments: nothing is lost, nothing is kept twice, and the end is the same."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import psycopg
import pytest

from ledger_service.domain.probes import ResultState
from ledger_service.services.probes.probe_runs import all_cells
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.work_run import work
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.stores.probe_files import ProbeFiles, Story
from tests.integration.conftest import Database
from tests.probing import FOLDER, a_desk, a_large_story, a_run, essence

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
WAIT_SECONDS = 900
"""Of a machine that is busy with other things."""
AN_HOUR_BACK = "import runpy, time; now = time.time; time.time = lambda: now() - 3600; runpy.run_module('ledger_service', run_name='__main__')"  # noqa: E501


def command(database: Database, home: Path, *words: str, python: tuple[str, ...] = ("-m", "ledger_service")):
    """Start a command on a run in a process of its own, on the stores of the test."""
    env = os.environ | {
        "CONTINUITY_POSTGRES_URL": database.app_url,
        "CONTINUITY_FALKORDB_URL": database.servers.falkordb_url or "unix:///nowhere",
        "CONTINUITY_HOME": str(home),
    }
    return subprocess.Popen(
        [sys.executable, *python, "probe", *words, "--json"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


async def until_tries(stores: PostgresStores, run_id: str, tries: int, *workers: subprocess.Popen[bytes]) -> None:
    """Wait until so many tries have been kept, or the run is over."""
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        far = await stores.probe_runs.progress(run_id)
        if far.tries >= tries or not far.counts[ResultState.PENDING]:
            return
        await anyio.sleep(0.01)
    said = [w.communicate() for w in workers if w.poll() is not None]
    raise AssertionError(f"nobody works: {said}")


async def killed_again_and_again(
    stores: PostgresStores, database: Database, home: Path, story: Story, *, only: tuple[str, ...], rounds: int
) -> None:
    """Kill a worker and a runner at drawn moments, in turns; let another finish, and hold it against a quiet run."""
    draws = random.Random(7)
    whole = await a_run(stores, story, only=only)
    await work(whole, a_desk(stores), Stop())
    run = await a_run(stores, story, only=only)
    for turn in range(rounds):
        there = (await stores.probe_runs.progress(run.run_id)).tries
        both = [command(database, home, name, run.run_id) for name in ("work", "resume")]
        await until_tries(stores, run.run_id, there + draws.randint(1, max(2, run.planned // (rounds + 2))), *both)
        await anyio.sleep(draws.random() * 0.1)
        for process in (both[turn % 2], both[1 - turn % 2]):
            process.send_signal(signal.SIGKILL)
            process.communicate()
            await anyio.sleep(draws.random() * 0.1)
        assert (await stores.probe_runs.progress(run.run_id)).adds_up
    await work(run, a_desk(stores), Stop())
    progress = await stores.probe_runs.progress(run.run_id)
    assert progress.adds_up
    assert progress.tries == progress.planned - progress.counts["skipped"], "each cell is kept once"
    assert essence(await all_cells(run.run_id, stores.probe_runs)) == essence(
        await all_cells(whole.run_id, stores.probe_runs)
    )


async def test_a_run_whose_worker_and_runner_are_killed_comes_to_the_same(
    stores: PostgresStores, database: Database, tmp_path: Path
):
    story = ProbeFiles(FOLDER).load("maelin")
    await killed_again_and_again(
        stores, database, tmp_path, story, only=("next_turn", "two_scenes", "other_branch"), rounds=1
    )  # fmt: skip


@pytest.mark.slow
async def test_two_thousand_cells_whose_workers_are_killed_ten_times_come_to_the_same(
    stores: PostgresStores, database: Database, tmp_path: Path
):
    story = ProbeFiles(tmp_path).load(a_large_story(tmp_path).name)
    await killed_again_and_again(stores, database, tmp_path, story, only=(), rounds=10)


async def test_a_worker_whose_clock_is_an_hour_back_works_beside_one_whose_clock_is_right(
    stores: PostgresStores, database: Database, tmp_path: Path
):
    run = await a_run(stores, only=("*/plain", "*/owner_swap"))
    behind = command(database, tmp_path, "work", run.run_id, python=("-c", AN_HOUR_BACK))
    await until_tries(stores, run.run_id, 1, behind)
    await work(run, a_desk(stores), Stop())
    out, err = await anyio.to_thread.run_sync(behind.communicate)
    assert behind.returncode == 0, (out, err)
    progress = await stores.probe_runs.progress(run.run_id)
    assert progress.tries == progress.counts["pass"] == progress.planned


async def test_a_worker_whose_connection_is_cut_cannot_write_and_goes_on_with_another(
    stores: PostgresStores, database: Database, tmp_path: Path
):
    run = await a_run(stores, only=("next_turn",))
    worker = command(database, tmp_path, "work", run.run_id)
    await until_tries(stores, run.run_id, 1, worker)
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
        )
    out, err = await anyio.to_thread.run_sync(worker.communicate)
    progress = await stores.probe_runs.progress(run.run_id)
    assert progress.counts["pass"] == progress.planned == progress.tries, (out, err)
