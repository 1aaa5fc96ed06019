"""Runs of probes whose PostgreSQL and workers are killed under them: the end is that of an undisturbed run."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ledger_service.stores.embedded import EmbeddedStores, embedded_stores
from tests.probing import a_large_story

pytestmark = pytest.mark.postgres
WAIT_SECONDS = 900
"""Of a machine that is busy with other things."""
ESSENCE = """
SELECT c.cell_no, c.body::text, c.state, c.packet_hash, a.repeat, a.attempt, a.state, a.fault, a.body ->> 'line'
FROM probe_cell c LEFT JOIN probe_attempt a USING (run_id, cell_no) WHERE run_id = %s ORDER BY cell_no, repeat, attempt
"""
"""What a run came to, without what time leaves in it."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@contextlib.contextmanager
def started(home: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command, and leave none behind whatever comes of the test."""
    process = start(home, *words)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            pipe.close()


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ledger_service", *words, "--json"],
        env=os.environ | {"CONTINUITY_HOME": str(home)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def said(process: subprocess.Popen[str]) -> dict:
    out, err = process.communicate(timeout=3_000)
    assert out, err
    return json.loads(out.splitlines()[-1])


def head_of(stores: EmbeddedStores) -> int:
    return int(stores.folders.postgres_pid.read_text().split(maxsplit=1)[0])


def kill_postgres(stores: EmbeddedStores) -> None:
    """Kill the server and every process of it at once, as a machine that loses its power would."""
    head = head_of(stores)
    below = Path(f"/proc/{head}/task/{head}/children").read_text().split()
    for pid in (head, *map(int, below)):
        with contextlib.suppress(ProcessLookupError):  # a child may end by itself
            os.kill(pid, signal.SIGKILL)


def tries_of(stores: EmbeddedStores) -> int:
    try:
        with psycopg.connect(stores.postgres_url("postgres"), connect_timeout=2) as connection:
            row = connection.execute("SELECT count(*) FROM probe_attempt").fetchone()
    except psycopg.Error:
        return 0
    return row[0] if row else 0


def cells_of(stores: EmbeddedStores) -> int:
    """Return how many cells there are to ask, as soon as the server says so."""
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(psycopg.Error), psycopg.connect(stores.postgres_url("postgres")) as connection:
            row = connection.execute("SELECT count(*) FROM probe_cell WHERE state <> 'skipped'").fetchone()
            return row[0] if row else 0
        time.sleep(0.05)
    raise AssertionError("the server does not come back")


def until_tries(stores: EmbeddedStores, tries: int) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while tries_of(stores) < tries:
        assert time.monotonic() < until, "nobody works"
        time.sleep(0.02)


def essence(stores: EmbeddedStores, run: str) -> list[tuple]:
    with psycopg.connect(stores.postgres_url("postgres")) as connection:
        return connection.execute(ESSENCE, [run]).fetchall()


def test_a_run_outlives_its_server(home):
    with embedded_stores(home, graph=False) as stores:
        before = head_of(stores)
        with started(home, "probe", "run", "maelin", "--only", "next_turn") as runner:
            until_tries(stores, 20)
            kill_postgres(stores)
            record = said(runner)
        assert (record["exit"], record["counts"]["pending"], record["counts"]["error"]) == (0, 0, 0), record
        assert head_of(stores) != before, "a new server was started"
        assert tries_of(stores) == record["counts"]["pass"], "no cell is lost, and none is kept twice"


def test_a_worker_that_stays_outlives_its_server(home):
    with embedded_stores(home, graph=False) as stores, started(home, "worker") as worker:
        left = said(start(home, "probe", "run", "maelin", "--only", "next_turn/plain*", "--detach"))
        until_tries(stores, 5)
        kill_postgres(stores)
        until_tries(stores, cells_of(stores))
        worker.send_signal(signal.SIGINT)
        out, err = worker.communicate(timeout=60)
        assert worker.returncode == 0, (out, err)
        record = said(start(home, "probe", "report", left["run"]))
        assert (record["exit"], record["counts"]["pass"]) == (0, tries_of(stores))


@pytest.mark.slow
def test_two_thousand_cells_whose_worker_runner_and_server_are_killed_ten_times_come_to_the_same(home, tmp_path):
    draws, words = random.Random(11), ("probe", "run", str(a_large_story(tmp_path)))
    with embedded_stores(home, graph=False) as stores:
        run, heads = said(start(home, *words, "--most-tries", "1"))["run"], {head_of(stores)}
        for _ in range(10):
            there = tries_of(stores)
            with started(home, "probe", "resume", run) as runner, started(home, "probe", "work", run) as worker:
                until_tries(stores, there + draws.randint(1, 150))
                heads.add(head_of(stores))
                killing = [runner.kill, worker.kill, lambda: kill_postgres(stores)]
                for kill in draws.sample(killing, k=3):
                    time.sleep(draws.random() * 0.2)
                    kill()
        killed = said(start(home, "probe", "resume", run))
        counts = killed["counts"]
        assert (killed["exit"], counts["pending"], counts["error"], counts["fail"]) == (0, 0, 0, 0), killed
        assert len(heads) == 10, "each time a new server was there"
        assert tries_of(stores) == counts["pass"] > 2_000, "no cell is lost, and none is kept twice"
        undisturbed = said(start(home, *words))
        assert undisturbed["run"] != run
        assert essence(stores, run) == essence(stores, undisturbed["run"])
