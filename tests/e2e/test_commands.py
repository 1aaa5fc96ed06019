"""The `continuity` command as a person runs it: real processes, a home of their own, nothing left behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]

ROOT = Path(__file__).parents[2]
CASES = ROOT / "probes" / "cases" / "cases.yaml"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("a home with späces")


def run(home, *arguments, stdin="", **more):
    environment = os.environ | {"CONTINUITY_HOME": str(home), "PYTHONPATH": str(ROOT), "COLUMNS": "200"} | more
    return subprocess.run(
        [sys.executable, "-m", "ledger_service", *arguments], input=stdin, capture_output=True, text=True, timeout=120,
        env=environment, check=False, cwd=home,
    )  # fmt: skip


def servers_of(home):
    """Processes that were started for this home and still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            cwd, command = str((entry / "cwd").readlink()), (entry / "cmdline").read_text()
        except OSError:
            continue
        if str(home) in cwd or str(home) in command:
            found.append(command)
    return found


def test_the_demo_does_the_main_job_and_leaves_no_process(home):
    done = run(home, "demo", "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["tallies"]["template"]["counts"]["pass"] == 36
    faulty = shown["tallies"]["scripted"]
    assert faulty["counts"]["fail"] > 30
    assert sum(faulty["counts"].values()) == faulty["planned"]
    page = Path(shown["page"]).read_text()
    assert "<svg" in page
    assert "http" not in page.replace("http_chat", "")
    assert servers_of(home) == []


def test_cases_print_one_object_a_line_and_say_by_the_exit_code_whether_all_pass(home, tmp_path):
    done = run(home, "case", "run", str(CASES), "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert len(lines) == 32
    assert set(lines[0]) == {"id", "pass", "included", "withheld", "flags", "missing", "leaked"}
    broken = tmp_path / "broken.yaml"
    broken.write_text(CASES.read_text().replace("  - e2\n  - flag:no_record:toll_keeper_death", "  - e1"))
    assert run(home, "case", "run", str(broken), "--only", "kn-01").returncode == 1


def test_a_story_goes_through_the_commands(home):
    assert run(home, "world", "load", str(ROOT / "probes/maelin/world.yaml")).returncode == 0
    opened = run(home, "playthrough", "open", "maelin", "--history", str(ROOT / "probes/maelin/history.yaml"), "--json")
    mine = json.loads(opened.stdout)["playthrough_id"]
    packet = run(home, "packet", mine, "--speaker", "maelin", "--line", "May I use the transmitter?", "--json")
    found = json.loads(packet.stdout)
    assert found["counts"]["not_visible"] >= 1
    scored = run(home, "reply", mine, found["packet_id"], "--speak", "template", "--json")
    assert json.loads(scored.stdout)["scorecard"]["fault"] == "none"
    posted = run(home, "event", "post", mine, "-", "--json", stdin='[{"kind": "time_passed", "hours": 2, "key": "k"}]')
    assert json.loads(posted.stdout)[0]["outcome"] == "created"
    assert run(home, "why", mine, "--as", "maelin").returncode == 0
    assert run(home, "mirror", "verify", mine).returncode == 0
    assert mine in run(home, "playthrough", "list").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("playthrough", "open", "nowhere"), 2, "no world named"),
        (("packet", "pnone", "--speaker", "maelin"), 2, "no playthrough named"),
        (("case", "run", str(ROOT / "README.md")), 2, "README.md"),
        (("world", "validate", str(CASES)), 2, "cases.yaml"),
    ],
)
def test_bad_input_is_one_line_and_never_a_stack_trace(home, arguments, code, said):
    done = run(home, *arguments)
    assert done.returncode == code
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_store_that_is_away_is_one_line_with_a_cure(home):
    away = {"CONTINUITY_POSTGRES_URL": "postgresql://x@127.0.0.1:1/y", "CONTINUITY_FALKORDB_URL": "redis://127.0.0.1:1"}
    done = run(home, "playthrough", "list", **away)
    assert done.returncode == 3
    assert "try:" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_open_address_without_a_key_is_refused(home):
    done = run(home, "serve", "--host", "0.0.0.0", "--port", "18322")
    assert done.returncode == 2
    assert "key add" in done.stderr


@pytest.mark.parametrize("command", [(), ("demo",), ("case", "run"), ("playthrough", "fork"), ("bench", "packet")])
def test_every_command_explains_itself(home, command):
    done = run(home, *command, "--help")
    assert done.returncode == 0
    assert "Usage:" in done.stdout
