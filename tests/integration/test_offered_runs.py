"""Runs that are left to workers: woken by jobs where there is a queue, found again where a job is lost."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import LiteralString

import anyio
import psycopg
import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError
from ledger_service.domain.probe_runs import Progress, RunState
from ledger_service.domain.probes import Budgets
from ledger_service.services.probes.help_runs import Helper
from ledger_service.stores.postgres.probe_jobs import PostgresProbeJobs
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.integration.conftest import Database
from tests.probing import Away, AwayFor, a_desk, a_run

pytestmark = pytest.mark.anyio
WORKERS = "SELECT count(*) FROM continuity_queue.procrastinate_workers"
ONLY = ("next_turn", "two_scenes/plain")
SCHEMA_SHA256 = "c70ec4b400a60ad9592787653aae5ae77ae41bf801d56b5bd2712751a07f2009"


def a_helper(stores, said: list[str] | None = None, desk=None) -> Helper:
    heard: list[str] = [] if said is None else said
    return Helper(
        stores.probe_runs, lambda _: desk or a_desk(stores), at_once=1, say=lambda _, what: heard.append(what)
    )


async def test_an_offered_run_is_asked_whole_and_nothing_else_is(record):
    run, other = await a_run(record, only=ONLY), await a_run(record, only=("next_turn/plain",))
    await record.probe_runs.offer(run.run_id)
    await a_helper(record).sweep()
    progress = await record.probe_runs.progress(run.run_id)
    assert progress.tries == progress.counts["pass"] == progress.planned
    assert (await record.probe_runs.progress(other.run_id)).tries == 0
    assert await record.probe_runs.offered() == [], "what is over is offered no longer"
    async with record.open_uow() as uow:
        assert await uow.playthroughs.list_all() == [], "and its ground is cleared away"


async def test_a_paused_run_is_not_offered_and_goes_on_as_it_was(record):
    run = await a_run(record, only=ONLY)
    await record.probe_runs.offer(run.run_id)
    await record.probe_runs.set_state(run.run_id, RunState.PAUSED)
    await a_helper(record).sweep()
    assert (await record.probe_runs.progress(run.run_id)).tries == 0
    await record.probe_runs.set_state(run.run_id, RunState.ACTIVE)
    assert [r.run_id for r in await record.probe_runs.offered()] == [run.run_id]


async def test_a_run_left_with_a_budget_is_paused_there_and_goes_on_with_more(record):
    run, said = await a_run(record, only=ONLY), []
    await record.probe_runs.offer(run.run_id, Budgets(tries=2))
    await a_helper(record, said).sweep()
    assert "its budget is used up; it is paused" in said
    assert (await record.probe_runs.progress(run.run_id)).tries == 2
    assert (await record.probe_runs.find(run.run_id)).state is RunState.PAUSED
    await record.probe_runs.set_state(run.run_id, RunState.ACTIVE)
    await record.probe_runs.offer(run.run_id, Budgets(tries=100))
    await a_helper(record, said).sweep()
    progress = await record.probe_runs.progress(run.run_id)
    assert progress.tries == progress.counts["pass"] == progress.planned
    assert (await record.probe_runs.find(run.run_id)).matrix_hash == run.matrix_hash, "it is the same run"


async def test_a_run_that_cannot_be_asked_here_is_left_to_others_and_said_so(record):
    run, said = await a_run(record, only=ONLY), []
    await record.probe_runs.offer(run.run_id)

    def refuse(_):
        raise ContentError("subject", "there is no such model here")

    helper = Helper(record.probe_runs, refuse, at_once=1, say=lambda _, what: said.append(what))
    await helper.sweep()
    await helper.sweep()
    assert len(said) == 1
    assert "no such model here" in said[0]
    assert [r.run_id for r in await record.probe_runs.offered()] == [run.run_id]


async def test_a_provider_that_is_away_is_left_alone_for_a_while(record):
    run, said = await a_run(record, only=ONLY), []
    await record.probe_runs.offer(run.run_id)
    await a_helper(record, said, a_desk(record, Away())).sweep()
    assert "its provider does not answer; left alone for 60 s" in said
    assert (await record.probe_runs.progress(run.run_id)).counts["pending"] > 0


async def test_a_record_that_is_away_is_looked_for_again(record):
    run, said = await a_run(record, only=ONLY), []
    await record.probe_runs.offer(run.run_id)
    runs = AwayFor(record.probe_runs, times=2)
    desk = replace(a_desk(record), runs=runs)
    helper = Helper(runs, lambda _: desk, at_once=1, say=lambda _, what: said.append(what))
    for _ in range(3):
        await helper.sweep()
    assert sum(what.endswith("the server hung up; looked for again in 5 s") for what in said) == 2
    progress = await record.probe_runs.progress(run.run_id)
    assert progress.tries == progress.counts["pass"] == progress.planned


async def test_a_drained_helper_claims_nothing(record):
    run = await a_run(record, only=ONLY)
    await record.probe_runs.offer(run.run_id)
    helper = a_helper(record)
    helper.drain()
    await helper.look_again()
    await helper.sweep()
    assert (await record.probe_runs.progress(run.run_id)).tries == 0


@pytest.mark.postgres
async def test_jobs_alone_wake_a_worker(stores: PostgresStores, database: Database):
    """Nobody looks at the runs here: what is asked, is asked because a job came."""
    helper, jobs = a_helper(stores), PostgresProbeJobs(database.worker_url)

    async def help_with(run_id: str) -> None:
        await helper.help_with(run_id)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(jobs.serve, help_with, at_once=1, until=helper.stopped.wait))
        await until_in_queue(database, "workers", 1)
        run = await a_run(stores, only=ONLY)
        await stores.probe_runs.offer(run.run_id)
        await until(lambda far: not far.counts["pending"], stores, run.run_id)
        await until_in_queue(database, "jobs", 0)
        helper.drain()
    progress = await stores.probe_runs.progress(run.run_id)
    assert progress.tries == progress.counts["pass"] == progress.planned
    with psycopg.connect(database.superuser_url) as connection:
        assert count(connection, WORKERS) == 0, "who ends in peace signs off"


async def until(so: Callable[[Progress], bool], stores: PostgresStores, run_id: str) -> None:
    with anyio.fail_after(120):
        while not so(await stores.probe_runs.progress(run_id)):  # noqa: ASYNC110  (other processes work)
            await anyio.sleep(0.02)


def count(connection: psycopg.Connection, query: LiteralString) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def start(command: list[str], env: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


async def until_in_queue(
    database: Database, what: LiteralString, number: int, *workers: subprocess.Popen[bytes]
) -> None:
    latest = time.monotonic() + 60
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        while count(connection, f"SELECT count(*) FROM continuity_queue.procrastinate_{what}") != number:
            assert time.monotonic() < latest, [w.communicate() for w in workers if w.poll() is not None]
            await anyio.sleep(0.02)


@pytest.mark.postgres
async def test_workers_that_stay_ask_a_run_that_is_begun_elsewhere_though_one_is_killed(
    stores: PostgresStores, database: Database, tmp_path: Path
):
    env = os.environ | {
        "CONTINUITY_POSTGRES_URL": database.superuser_url, "CONTINUITY_FALKORDB_URL": "unix:///nowhere",
        "CONTINUITY_HOME": str(tmp_path),
    }  # fmt: skip
    command = [sys.executable, "-m", "ledger_service", "worker", "--json"]
    workers = [start(command, env) for _ in range(2)]
    try:
        await until_in_queue(database, "workers", 2, *workers)
        begun = [sys.executable, "-m", "ledger_service", "probe", "run", "maelin", "--detach", "--json"]
        narrowed = [*begun, *(word for name in ("next_turn/plain*", "two_scenes/plain*") for word in ("--only", name))]
        offered = await anyio.run_process(narrowed, env=env, check=False)
        assert offered.returncode == 4, offered
        (run,) = await stores.probe_runs.list_newest()
        await until(lambda far: far.tries > 0, stores, run.run_id)
        workers[0].send_signal(signal.SIGKILL)
        await until(lambda far: not far.counts["pending"], stores, run.run_id)
        workers[1].send_signal(signal.SIGINT)
        out, err = await anyio.to_thread.run_sync(workers[1].communicate)
        assert workers[1].returncode == 0, (out, err)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    progress = await stores.probe_runs.progress(run.run_id)
    assert progress.tries == progress.counts["pass"] == progress.planned - progress.counts["skipped"]


@pytest.mark.postgres
def test_the_queue_is_the_worker_s_alone(database: Database):
    for url, may in ((database.app_url, False), (database.console_url, False), (database.worker_url, True)):
        with psycopg.connect(url, autocommit=True) as connection:
            if may:
                assert count(connection, "SELECT count(*) FROM continuity_queue.procrastinate_jobs") == 0
                continue
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("SELECT * FROM continuity_queue.procrastinate_jobs")


def test_the_queue_that_is_installed_is_the_one_that_was_migrated():
    """Another version of procrastinate comes with a migration of ours; then this hash is the new schema's."""
    there = (files("procrastinate") / "sql" / "schema.sql").read_bytes()
    assert hashlib.sha256(there).hexdigest() == SCHEMA_SHA256
