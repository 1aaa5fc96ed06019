"""A run of probes whose PostgreSQL is killed under it: it waits, the server comes back, and the end is the same."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from ledger_service.stores.embedded import EmbeddedStores, embedded_stores

pytestmark = pytest.mark.postgres
WAIT_SECONDS = 60


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ledger_service", *words, "--json"],
        env=os.environ | {"CONTINUITY_HOME": str(home)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def said(process: subprocess.Popen[str]) -> dict:
    out, err = process.communicate(timeout=300)
    assert out, err
    return json.loads(out.splitlines()[-1])


def head_of(stores: EmbeddedStores) -> int:
    return int(stores.folders.postgres_pid.read_text().split(maxsplit=1)[0])


def kill_postgres(stores: EmbeddedStores) -> None:
    """Kill the server and every process of it at once, as a machine that loses its power would."""
    head = head_of(stores)
    below = Path(f"/proc/{head}/task/{head}/children").read_text().split()
    for pid in (head, *map(int, below)):
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


def killed_under_it(home: Path, *only: str, kills: int) -> None:
    draws = random.Random(11)
    words = ("probe", "run", "maelin", *(word for name in only for word in ("--only", name)))
    with embedded_stores(home, graph=False) as stores:
        runner, heads = start(home, *words), {head_of(stores)}
        for _ in range(kills):
            until_tries(stores, tries_of(stores) + draws.randint(5, 40))
            time.sleep(draws.random() * 0.1)
            kill_postgres(stores)
            until_tries(stores, 1)
            heads.add(head_of(stores))
        record = said(runner)
        assert (record["exit"], record["counts"]["pending"], record["counts"]["error"]) == (0, 0, 0), record
        assert len(heads) == kills + 1, "each time a new server was started"
        assert tries_of(stores) == record["counts"]["pass"], "no cell is lost, and none is kept twice"


def test_a_run_outlives_its_server(home):
    killed_under_it(home, "next_turn", "two_scenes", kills=1)


def test_a_worker_that_stays_outlives_its_server(home):
    with embedded_stores(home, graph=False) as stores:
        worker = start(home, "worker")
        left = said(start(home, "probe", "run", "maelin", "--only", "next_turn", "--detach"))
        until_tries(stores, 5)
        kill_postgres(stores)
        until_tries(stores, cells_of(stores))
        worker.send_signal(signal.SIGINT)
        out, err = worker.communicate(timeout=60)
        assert worker.returncode == 0, (out, err)
        record = said(start(home, "probe", "report", left["run"]))
        assert (record["exit"], record["counts"]["pass"]) == (0, tries_of(stores))


@pytest.mark.slow
def test_a_whole_matrix_outlives_its_server_ten_times(home):
    killed_under_it(home, kills=10)
