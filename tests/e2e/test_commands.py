"""The `continuity` command as a person runs it: real processes, a home of their own, nothing left behind."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import httpx
import pytest

from ledger_service.bootstrap import open_application
from ledger_service.services.gossip.mirror_rumours import NEVER_PROJECTED, verify_mirror

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


def test_cases_print_one_object_a_line_and_say_by_the_exit_code_whether_all_pass(here, tmp_path):
    code, out, _ = here("case", "run", CASES, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert len(lines) == 32
    assert set(lines[0]) == {"id", "pass", "included", "withheld", "flags", "missing", "leaked"}
    broken = tmp_path / "broken.yaml"
    broken.write_text(CASES.read_text().replace("  - e2\n  - flag:no_record:toll_keeper_death", "  - e1"))
    assert here("case", "run", broken, "--only", "kn-01")[0] == 1


def test_a_story_goes_through_the_commands(here):
    assert here("world", "load", ROOT / "probes/maelin/world.yaml")[0] == 0
    opened = here("playthrough", "open", "maelin", "--history", ROOT / "probes/maelin/history.yaml", "--json")
    mine = json.loads(opened[1])["playthrough_id"]
    found = json.loads(here("packet", mine, "--speaker", "maelin", "--line", "May I use the transmitter?", "--json")[1])
    assert found["counts"]["not_visible"] >= 1
    scored = here("reply", mine, found["packet_id"], "--speak", "template", "--json")
    assert json.loads(scored[1])["scorecard"]["fault"] == "none"
    posted = here("event", "post", mine, "-", "--json", stdin='[{"kind": "time_passed", "hours": 2, "key": "k"}]')
    assert json.loads(posted[1])[0]["outcome"] == "created"
    assert here("why", mine, "--as", "maelin")[0] == 0
    assert here("mirror", "verify", mine)[0] == 0
    assert mine in here("playthrough", "list")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("playthrough", "open", "nowhere"), "no world named"),
        (("packet", "pnone", "--speaker", "maelin"), "no playthrough named"),
        (("case", "run", ROOT / "README.md"), "README.md"),
        (("world", "validate", CASES), "cases.yaml"),
    ],
)
def test_bad_input_is_one_line_and_never_a_stack_trace(here, arguments, said):
    code, out, err = here(*arguments)
    assert (code, said in f"{out}{err}") == (2, True)


def test_a_store_that_is_away_is_one_line_with_a_cure(here, monkeypatch):
    monkeypatch.setenv("CONTINUITY_POSTGRES_URL", "postgresql://x@127.0.0.1:1/y")
    monkeypatch.setenv("CONTINUITY_FALKORDB_URL", "redis://127.0.0.1:1")
    code, _, err = here("playthrough", "list")
    assert code == 3
    assert "try: check CONTINUITY_POSTGRES_URL and" in err


@pytest.fixture
def mine(here):
    assert here("world", "load", ROOT / "probes/maelin/world.yaml")[0] == 0
    return here("playthrough", "open", "maelin")[1].strip()


def test_the_same_body_is_posted_by_command_and_over_http(here, mine):
    body = {"events": [{"kind": "time_passed", "hours": 2, "key": "k"}], "expected_seq": 0}
    assert here("event", "post", mine, "-", stdin=json.dumps(body))[0] == 0
    again = {"events": [{"kind": "time_passed", "hours": 2}], "expected_seq": 0}
    code, _, err = here("event", "post", mine, "-", stdin=json.dumps(again))
    assert (code, "expected the last event to be 0" in err) == (2, True)
    assert here("event", "post", mine, "-", stdin=json.dumps(body["events"][0]))[0] == 0
    assert "stand beside" in here("event", "post", mine, "-", stdin='{"events": [], "other": 1}')[2]


def test_an_error_of_a_batch_names_file_and_line(here, mine, tmp_path):
    file = tmp_path / "events.yaml"
    file.write_text("- {kind: time_passed, hours: 1}\n\n- {kind: moved, who: zog, to: mast}\n")
    code, _, err = here("event", "post", mine, file)
    assert (code, "events.yaml:3: [1]: unknown who 'zog'" in err) == (2, True), err


@pytest.mark.parametrize("deep", ["[" * 1_000, "[" * 1_000 + "]" * 1_000, '{"a":' * 1_000])
def test_what_is_nested_too_deeply_is_one_line(here, mine, tmp_path, deep):
    file = tmp_path / "deep.json"
    file.write_text(deep)
    for command in (("event", "post", mine), ("playthrough", "import"), ("world", "load"), ("case", "run")):
        assert here(*command, file)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("world", "show", "nope"), "no world named 'nope'"),
        (("playthrough", "open", "nope"), "continuity world load"),
        (("playthrough", "saves", "nope"), "continuity playthrough list"),
        (("key", "revoke", "nope"), "no key in use named 'nope'"),
        (("why", "{p}"), "nobody was told anything here yet"),
        (("why", "{p}", "--as", "zog"), "unknown character 'zog'"),
        (("why", "{p}", "--holder", "maelin"), "maelin holds no belief"),
        (("playthrough", "save", "{p}", "a/b"), "no slash"),
        (("playthrough", "export", "{p}", "/nowhere/x.json"), "/nowhere/x.json: cannot be written"),
    ],
)
def test_what_is_not_there_is_an_error_with_a_name(here, mine, arguments, said):
    code, out, err = here(*(a.replace("{p}", mine) for a in arguments))
    assert (code, out) == (2, "")
    assert said in err


def test_everything_that_has_an_answer_gives_it_as_json(here, mine, tmp_path):
    assert json.loads(here("world", "show", "maelin", "--json")[1])["id"] == "maelin"
    file = tmp_path / "x.json"
    assert json.loads(here("playthrough", "export", mine, file, "--json")[1]) == {
        "file": str(file), "bytes": file.stat().st_size,
    }  # fmt: skip
    here("key", "add", "a key", "--role", "game")
    assert json.loads(here("key", "revoke", "a key", "--json")[1]) == {"label": "a key", "revoked": True}
    broken = tmp_path / "broken.yaml"
    broken.write_text("cast: [")
    code, out, _ = here("world", "validate", broken, "--json")
    assert (code, json.loads(out)["ok"]) == (2, False)


def test_nothing_is_erased_where_nobody_can_be_asked(here, mine):
    assert here("playthrough", "erase", mine)[0] == 1
    assert here("playthrough", "saves", mine)[0] == 0
    assert here("playthrough", "erase", mine, "--yes")[0] == 0


def test_a_graph_is_asked_only_once_it_is_whole(here):
    here("world", "load", ROOT / "probes/maelin/world.yaml")
    mine = here("playthrough", "open", "maelin", "--history", ROOT / "probes/maelin/history.yaml")[1].strip()
    code, out, err = here("why", mine, "--graph")
    assert (code, "answered by graph" in out) == (0, True), err
    assert here("mirror", "verify", mine)[:2] == (0, "no difference\n")


def test_verifying_what_was_never_projected_says_so(settings, places, here, mine):
    async def verify():
        async with open_application(settings, places) as app:
            await app.graph.drop(mine)
            return await verify_mirror(mine, open_uow=app.open_uow, graph=app.graph)

    assert [d.name for d in anyio.run(verify)] == [NEVER_PROJECTED]


@contextlib.contextmanager
def serving(home, *arguments):
    environment = os.environ | {"CONTINUITY_HOME": str(home), "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        [sys.executable, "-m", "ledger_service", "serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment, cwd=home,
    )  # fmt: skip
    with server:
        try:
            yield server
        finally:
            server.kill()


def test_serve_says_where_it_is_once_it_can_be_reached_and_ctrl_c_ends_it(settings, places):
    with serving(settings.home, "--port", "0", "--json") as server:
        url = json.loads(server.stdout.readline())["serving"]
        assert httpx.get(f"{url}/health").json()["record"] is True
        taken = httpx.URL(url).port
        with serving(settings.home, "--port", str(taken)) as second:
            out, err = second.communicate(timeout=60)
            assert (second.returncode, out, "cannot be listened on" in err) == (2, "", True), err
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=30) == 0
        assert server.stderr.read() == ""


def test_an_address_open_to_others_needs_a_key_that_is_in_use(here, monkeypatch):
    here("key", "add", "gone", "--role", "game")
    here("key", "revoke", "gone")
    code, out, err = here("serve", "--host", "0.0.0.0", "--port", "0")
    assert (code, out, "no key in use" in err) == (2, "", True)
