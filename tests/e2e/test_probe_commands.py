"""`continuity probe` as a person and a build server meet it: exit codes, the last record, Ctrl-C, replay, baselines."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.providers import BROKEN, serving

ONLY = ("--only", "next_turn/plain/0", "--only", "two_scenes/false_completion/*")


@pytest.fixture
def home(settings, places) -> Path:
    return settings.home


@pytest.fixture
def asked(here):
    """Ask for a run, and return the record that it ends with."""

    def ask(*words: str) -> dict:
        code, out, err = here("probe", *words, "--json")
        record = json.loads(out.splitlines()[-1])
        assert record["exit"] == code, (out, err)
        return record

    return ask


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ledger_service", *words],
        env=os.environ | {"CONTINUITY_HOME": str(home)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_run_that_meets_its_gates_and_one_that_does_not(here, asked):
    good = asked("run", "maelin", *ONLY)
    assert (good["exit"], good["counts"]["fail"], good["counts"]["pending"]) == (0, 0, 0)
    assert all(Path(file).is_file() for file in good["reports"].values())
    bad = asked("run", "maelin", *ONLY, "--subject", "faulty")
    assert bad["exit"] == 1
    groups = json.loads(here("triage", bad["run"], "--json")[1])
    assert sum(g["group"]["count"] for g in groups) == bad["counts"]["fail"]
    beside = groups[0]["group"]["beside"]
    assert (beside["reference"]["passed"], beside["gold"], beside["confirmed"]) == (True, None, True)
    shown = " ".join(here("triage", bad["run"], "--fault", "generation")[1].split())
    assert "confirmed: template passes on the same packet" in shown
    assert f"continuity probe replay {bad['run']} {groups[0]['group']['example']}" in shown
    assert here("triage", bad["run"], "--fault", "ledger")[1].strip() == "nothing failed by fault of ledger"
    code, out, _ = here(*groups[0]["replay"].split()[1:], "--json")
    replayed = json.loads(out)
    assert (code, replayed["same_packet"], replayed["attempt"]["line"]) == (0, True, groups[0]["group"]["line"])
    compared = json.loads(here("probe", "compare", bad["run"], good["run"], "--json")[1])
    assert compared["both"] == bad["counts"]["fail"] + bad["counts"]["pass"]


def test_what_selects_nothing_and_what_is_bad_input(asked):
    assert asked("run", "maelin", "--only", "nowhere")["exit"] == 5
    nobody = asked("run", "nobody")
    assert (nobody["exit"], nobody["run"]) == (2, None)
    assert asked("resume", "r0")["exit"] == 2


def test_a_budget_and_ctrl_c_leave_what_can_be_resumed(home, asked):
    first = asked("run", "maelin", "--most-tries", "2")
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
    fishing = """\
  - id: secret_fishing
    anchor: Have you filed for a transfer?
    expect: {act_only: [transfer]}
"""
    (tmp_path / "matrix.yaml").write_text((there / "demo.yaml").read_text() + fishing + more)
    return tmp_path


def test_a_matrix_says_how_much_is_asked_how_often_and_when_to_stop(asked, own):
    half = asked("run", f"{own}/")
    assert half["exit"] == 4
    assert "budget" in half["reason"]
    assert sum(half["counts"].values()) == 15, "every distance with every pressure, and each wording with each"
    again = asked("run", f"{own}/", "--most-tries", "100")
    assert (again["exit"], again["run"], again["counts"]["pass"]) == (0, half["run"], 15)
    assert json.loads(Path(again["reports"]["run.json"]).read_text())["summary"]["tries"] == 30


def test_a_world_that_is_edited_between_two_halves_of_a_run_is_refused_with_the_differing_hash(asked, own):
    first = asked("run", f"{own}/")
    world = own / "world.yaml"
    world.write_text(world.read_text().replace("title:", "title: Another", 1))
    refused = asked("run", f"{own}/")
    assert (refused["exit"], refused["run"]) == (2, None)
    was, became = re.findall(r"maelin@\w+", refused["reason"])
    assert was != became
    assert first["run"] in refused["reason"]


def test_a_baseline_of_another_matrix_is_refused_and_a_deep_report_names_what_is_weak(here, asked, own, tmp_path):
    run = asked("run", f"{own}/", "--most-tries", "100", "--fresh")
    file = tmp_path / "baseline.json"
    head = json.loads(Path(run["reports"]["run.json"]).read_text())["run"]
    before = {"story": head["story"], "subject": "template", "matrix_hash": "another", "run_id": "r0", "cells": {},
              "world_version": head["world_version"]}  # fmt: skip
    file.write_text(json.dumps(before))
    code, _, err = here("probe", "compare", run["run"], file)
    assert code == 2
    assert f"is of another matrix: maelin another, and this run is of maelin {head['matrix_hash']}" in " ".join(
        err.split()
    )
    deep = asked("report", run["run"], "--deep")
    summary = json.loads(Path(deep["reports"]["run.json"]).read_text())["summary"]
    assert (summary["weak"], summary["unsound"]) == (["secret_fishing"], [])


def test_a_provider_that_answers_500_to_everything_is_no_verdict(asked, monkeypatch):
    with serving(BROKEN) as url:
        monkeypatch.setenv("CONTINUITY_CHAT_URL", f"{url}/v1")
        monkeypatch.setenv("CONTINUITY_CHAT_DEADLINE_S", "1")
        record = asked("run", "maelin", "--subject", "http_chat")
    assert record["exit"] == 3
    assert "5 of 5 tries broke" in record["reason"]
    assert record["counts"]["pass"] + record["counts"]["fail"] == 0


def test_a_run_is_paused_looked_at_gone_on_with_and_ended(here, asked):
    run = asked("run", "maelin", *ONLY, "--fresh", "--most-tries", "2")["run"]
    assert json.loads(here("probe", "pause", run, "--json")[1]) == {"run": run, "state": "paused"}
    helped = asked("work", run)
    assert (helped["exit"], helped["counts"]["pending"]) == (4, 3), "nobody claims anything of a paused run"
    assert helped["reports"] == {}
    (far,) = json.loads(here("probe", "status", run, "--json")[1])
    assert {name: far[name] for name in ("run", "state", "planned", "done", "tries", "adds_up")} == {
        "run": run, "state": "paused", "planned": 5, "done": 2, "tries": 2, "adds_up": True,
    }  # fmt: skip
    shown = here("probe", "status")[1]
    assert run in shown
    assert "2 / 5" in shown
    assert (again := asked("resume", run))["exit"] == 0
    assert (again["counts"]["pass"], again["counts"]["pending"]) == (5, 0)
    other = asked("run", "maelin", *ONLY, "--fresh", "--most-tries", "1")["run"]
    assert json.loads(here("probe", "cancel", other, "--json")[1])["state"] == "cancelled"
    assert asked("work", other)["counts"]["pending"] == 4
    assert asked("run", "maelin", *ONLY, "--most-tries", "1")["run"] not in {run, other}, "what is ended is begun anew"


def test_a_run_left_to_workers_is_asked_by_one_that_comes_by(here, asked):
    left = asked("run", "maelin", *ONLY, "--fresh", "--detach")
    assert (left["exit"], left["counts"]) == (4, {})
    assert f"continuity probe status {left['run']}" in left["reason"]
    assert asked("resume", left["run"], "--detach", "--most-tries", "3")["exit"] == 4
    code, out, err = here("worker", "--once", "--json")
    assert code == 0, err
    assert "budget is used up" in json.loads(out.splitlines()[-1])["said"]
    assert "3 / 5" in here("probe", "status")[1]
    assert asked("resume", left["run"], "--detach", "--most-tries", "50")["exit"] == 4
    code, out, err = here("worker", "--once", "--json")
    assert json.loads(out.splitlines()[-1])["said"].startswith("5 / 5 cells"), err
    judged = asked("report", left["run"])
    assert (judged["exit"], judged["counts"]["pass"]) == (0, 5)
