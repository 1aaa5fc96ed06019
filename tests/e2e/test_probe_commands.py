"""`continuity probe` as a person and a build server meet it: exit codes, the last record, Ctrl-C, replay, baselines."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

ONLY = ("--only", "next_turn/plain/0", "--only", "two_scenes/false_completion/*")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home of probes")


def start(home: Path, *words: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ledger_service", *words],
        env=os.environ | {"CONTINUITY_HOME": str(home)} | env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def said(process: subprocess.Popen[str]) -> dict:
    out, err = process.communicate(timeout=300)
    assert out, err
    record = json.loads(out.splitlines()[-1])
    assert record["exit"] == process.returncode, (out, err)
    return record


def test_a_run_that_meets_its_gates_and_one_that_does_not(home):
    good = said(start(home, "probe", "run", "maelin", *ONLY, "--json"))
    assert (good["exit"], good["counts"]["fail"], good["counts"]["pending"]) == (0, 0, 0)
    assert all(Path(file).is_file() for file in good["reports"].values())
    bad = said(start(home, "probe", "run", "maelin", *ONLY, "--subject", "faulty", "--json"))
    assert bad["exit"] == 1
    out, _ = start(home, "triage", bad["run"], "--json").communicate(timeout=300)
    groups = json.loads(out)
    assert sum(g["group"]["count"] for g in groups) == bad["counts"]["fail"]
    beside = groups[0]["group"]["beside"]
    assert (beside["reference"]["passed"], beside["gold"]["passed"], beside["confirmed"]) == (True, False, True)
    again = start(home, *groups[0]["replay"].split()[1:], "--json")
    replayed = json.loads(again.communicate(timeout=300)[0])
    assert (again.returncode, replayed["same_packet"], replayed["attempt"]["line"]) == (
        0,
        True,
        groups[0]["group"]["line"],
    )
    compared = start(home, "probe", "compare", bad["run"], good["run"], "--json")
    assert json.loads(compared.communicate(timeout=300)[0])["both"] == bad["counts"]["fail"] + bad["counts"]["pass"]


def test_what_selects_nothing_and_what_is_bad_input(home):
    assert said(start(home, "probe", "run", "maelin", "--only", "nowhere", "--json"))["exit"] == 5
    nobody = said(start(home, "probe", "run", "nobody", "--json"))
    assert (nobody["exit"], nobody["run"]) == (2, None)
    assert said(start(home, "probe", "resume", "r0", "--json"))["exit"] == 2


def test_a_budget_and_ctrl_c_leave_what_can_be_resumed(home):
    first = said(start(home, "probe", "run", "maelin", "--most-tries", "2", "--json"))
    assert (first["exit"], first["counts"]["pass"]) == (4, 2)
    assert f"continuity probe resume {first['run']}" in first["reason"]
    running = start(home, "probe", "run", "maelin")
    assert running.stdout is not None
    assert running.stdout.readline().strip() == f"going on with run {first['run']}"
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=300)
    assert running.returncode == 4, (out, err)
    assert "stopped" in out
    assert f"continuity probe resume {first['run']}" in " ".join(out.split())


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A story of one's own: the station, with a small matrix."""
    there = Path(__file__).parents[2] / "probes" / "maelin"
    for name in ("world.yaml", "history.yaml"):
        (tmp_path / name).write_bytes((there / name).read_bytes())
    more = "\ncoverage: {mode: pairwise}\nrepeats: {reply: 2}\nbudgets: {tries: 3}\n"
    (tmp_path / "matrix.yaml").write_text((there / "demo.yaml").read_text() + more)
    return tmp_path


def test_a_matrix_says_how_much_is_asked_how_often_and_when_to_stop(home, own):
    half = said(start(home, "probe", "run", f"{own}/", "--json"))
    assert half["exit"] == 4
    assert "budget" in half["reason"]
    assert sum(half["counts"].values()) == 12, "every distance with every pressure, and each wording with each"
    again = said(start(home, "probe", "run", f"{own}/", "--json", "--most-tries", "100"))
    assert (again["exit"], again["run"], again["counts"]["pass"]) == (0, half["run"], 12)
    assert json.loads(Path(again["reports"]["run.json"]).read_text())["summary"]["tries"] == 24


def test_a_world_that_is_edited_between_two_halves_of_a_run_is_refused_with_the_differing_hash(home, own):
    first = said(start(home, "probe", "run", f"{own}/", "--json"))
    world = own / "world.yaml"
    world.write_text(world.read_text().replace("title:", "title: Another", 1))
    refused = said(start(home, "probe", "run", f"{own}/", "--json"))
    assert (refused["exit"], refused["run"]) == (2, None)
    was, became = re.findall(r"maelin@\w+", refused["reason"])
    assert was != became
    assert first["run"] in refused["reason"]


def test_a_baseline_of_another_matrix_is_refused_and_a_deep_report_names_what_is_weak(home, own, tmp_path):
    run = said(start(home, "probe", "run", f"{own}/", "--json", "--most-tries", "100", "--fresh"))
    file = tmp_path / "baseline.json"
    head = json.loads(Path(run["reports"]["run.json"]).read_text())["run"]
    before = {"story": head["story"], "subject": "template", "matrix_hash": "another", "run_id": "r0", "cells": {},
              "world_version": head["world_version"]}  # fmt: skip
    file.write_text(json.dumps(before))
    compared = start(home, "probe", "compare", run["run"], str(file))
    _, err = compared.communicate(timeout=300)
    assert compared.returncode == 2
    assert f"is of another matrix: maelin another, and this run is of maelin {head['matrix_hash']}" in " ".join(
        err.split()
    )
    deep = said(start(home, "probe", "report", run["run"], "--deep", "--json"))
    summary = json.loads(Path(deep["reports"]["run.json"]).read_text())["summary"]
    assert (summary["weak"], summary["unsound"]) == (
        ["plain", "false_completion", "owner_swap", "provenance_promotion"],
        [],
    )


class _Broken(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(500)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


def test_a_provider_that_answers_500_to_everything_is_no_verdict(home):
    with HTTPServer(("127.0.0.1", 0), _Broken) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        record = said(
            start(home, "probe", "run", "maelin", "--subject", "http_chat", "--json",
                  CONTINUITY_CHAT_URL=url, CONTINUITY_CHAT_DEADLINE_S="1")
        )  # fmt: skip
        server.shutdown()
    assert record["exit"] == 3
    assert "5 of 5 tries broke" in record["reason"]
    assert record["counts"]["pass"] + record["counts"]["fail"] == 0
