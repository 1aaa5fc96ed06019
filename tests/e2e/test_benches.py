"""The benches as commands: what they print is what a program reads; a long day does not make the service grow."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.falkordb]


def bench(home: Path, *arguments: str) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "ledger_service", "bench", *arguments, "--json"]
    environment = {**os.environ, "CONTINUITY_HOME": str(home)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)["rows"]


def test_a_packet_is_measured_in_process_and_over_http_beside_a_route_that_does_nothing(tmp_path):
    rows = bench(tmp_path, "packet", "--sizes", "100,1000", "--rounds", "10")
    over_http = [(row["case"], row["n"]) for row in rows if "over HTTP" in str(row["case"])]
    assert over_http == [
        ("a route that does nothing, over HTTP", 1),
        ("packet, over HTTP", 100),
        ("packet, over HTTP", 1000),
    ]


def test_the_service_stays_under_300_mb_and_a_day_does_not_make_it_grow(tmp_path):
    rows = bench(tmp_path, "memory", "--events", "10000", "--packets", "2000")
    assert [row["n"] for row in rows] == [0, 2000, 4000, 6000, 8000, 10000]
    resident = [float(str(row["resident_mb"])) for row in rows]
    assert max(resident) < 300
    assert resident[-1] - resident[-3] < 10  # by then every cache is full


def test_a_reply_is_read_and_scored_in_fifteen_milliseconds_and_the_reader_starts_in_two_seconds(tmp_path):
    (row,) = bench(tmp_path, "reader", "--rounds", "100")
    assert row["entries"] == 200
    assert float(str(row["cpu_p95_ms"])) < 15
    assert float(str(row["start_cpu_s"])) < 2
    assert float(str(row["resident_mb"])) < 250


def test_a_matrix_is_asked_by_one_worker_and_by_two_and_a_large_run_laid_out_and_reported(tmp_path):
    small = ("--only", "next_turn", "--only", "two_scenes", "--laid-out", "2000", "--reported", "1000")
    bare, one, two, laid_out, reported = bench(tmp_path, "probes", *small)
    assert bare["ratio"] == one["ratio"] == 1
    assert "one worker" in str(one["case"])
    assert "2 workers" in str(two["case"])
    assert all(float(str(row["per_s"])) > 0 for row in (one, two))
    assert int(str(laid_out["n"])) >= 2000
    assert float(str(laid_out["seconds"])) < 10
    assert int(str(reported["n"])) >= 1000


def test_pages_of_the_console_are_measured_on_what_is_large_and_nothing_of_it_is_left(tmp_path):
    small = ("--entries", "1000", "--tries", "500", "--people", "320", "--rounds", "3")
    bare, *pages = bench(tmp_path, "console", *small)
    assert bare["ratio"] == 1
    measured = {str(row["page"]): (row["n"], float(str(row["kb"]))) for row in pages}
    assert measured["entries"][0] == 1000
    assert measured["run with its heat map"][0] == 500
    assert measured["spyglass"][0] == 320
    assert all(0 < kb < 300 for _, kb in measured.values())
    assert list(tmp_path.iterdir()) == [], "it is measured in a home of its own"
