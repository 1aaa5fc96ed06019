"""Subjects from outside on the command line: transcripts, memory systems, chat models that cost or do not answer."""

import json
import shlex

import pytest

from tests.memory_server import WordsInCommon, memory_server
from tests.probing import FOLDER
from tests.providers import BROKEN, completion, says, serving

ONLY = ("--only", "next_turn/plain", "--only", "two_scenes/false_completion")


@pytest.fixture
def rows(here) -> list[dict]:
    code, out, _ = here("probe", "transcript-template", "maelin", *ONLY)
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def run(here, file, *more) -> tuple[dict, str]:
    words = ("probe", "run", "maelin", "--subject", "transcript", "--lines", file, *ONLY, *more, "--json")
    code, out, err = here(*words)
    record = json.loads(out.splitlines()[-1])
    assert record["exit"] == code
    return record, err


def test_a_template_is_filled_in_and_scored_and_a_cell_of_it_replayed(here, rows, tmp_path):
    assert {row["line"] for row in rows} == {""}
    assert all("You are Maelin" in row["prompt"] for row in rows)
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(json.dumps(row | {"line": "No. The sensor is not back on its mount."}) for row in rows))
    record, _ = run(here, file, "--gate", "0")
    assert record["exit"] == 0
    assert record["counts"]["pass"] + record["counts"]["fail"] == len(rows)
    code, out, _ = here("probe", "replay", record["run"], rows[0]["cell"], "--json")
    assert (code, json.loads(out)["attempt"]["line"]) == (0, "No. The sensor is not back on its mount.")


def test_a_spreadsheets_rows_are_taken_as_well(here, tmp_path):
    code, out, _ = here("probe", "transcript-template", "maelin", "--only", "next_turn/plain/0", "--csv")
    assert code == 0
    assert out.startswith("cell,line,repeat,packet,responder,speaker,listener,asked,prompt")
    file = tmp_path / "lines.csv"
    file.write_text(out.replace("next_turn/plain/0,,", "next_turn/plain/0,Not before the sensor is back.,"))
    words = ("probe", "run", "maelin", "--subject", "transcript", "--lines", file, "--only", "next_turn/plain/0")
    assert here(*words, "--gate", "0")[0] == 0


def test_missing_lines_are_counted_and_the_run_is_not_to_be_trusted(here, rows, tmp_path):
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(json.dumps(row | {"line": "No."}) for row in rows[1:]))
    record, err = run(here, file)
    assert (record["exit"], record["counts"]["error"]) == (3, 1)
    assert f"1 of {len(rows)} lines are missing: {rows[0]['cell']}" in " ".join(err.split())


@pytest.mark.parametrize("damage", ["surplus", "twice", "cut off"])
def test_what_is_no_transcript_of_this_matrix_is_bad_input(here, rows, tmp_path, damage):
    more = {"surplus": {"cell": "on_mars/plain/0", "line": "No."}, "twice": rows[0], "cut off": "{"}[damage]
    file = tmp_path / "lines.jsonl"
    lines = [*(json.dumps(row) for row in rows), more if isinstance(more, str) else json.dumps(more)]
    file.write_text("\n".join(lines))
    record, err = run(here, file)
    assert (record["exit"], record["run"]) == (2, None)
    assert f"lines.jsonl:{len(lines)}:" in "".join(err.split())


def test_a_transcript_without_a_file_and_a_template_of_nothing(here):
    assert here(*shlex.split("probe run maelin --subject transcript"))[0] == 2
    assert here(*shlex.split("probe transcript-template maelin --only nowhere"))[0] == 5
    code, out, _ = here("schema", "transcript")
    assert (code, json.loads(out)["$defs"]["Recorded"]["required"]) == (0, ["cell"])


def outcome(here, *words) -> tuple[dict, str]:
    code, out, err = here(*words, "--json")
    record = json.loads(out.splitlines()[-1])
    assert record["exit"] == code
    return record, err


def test_an_outside_memory_is_asked_through_its_three_calls_and_a_cell_replayed(here, monkeypatch):
    with memory_server(WordsInCommon(leaks=True)) as url:
        monkeypatch.setenv("CONTINUITY_MEMORY_URL", url)
        monkeypatch.setenv("CONTINUITY_MEMORY_NAME", "all")
        record, _ = outcome(here, "probe", "run", "maelin", "--subject", "http_memory", *ONLY)
        assert (record["exit"], record["counts"]["pass"]) == (1, 0)
        code, out, _ = here("probe", "replay", record["run"], "next_turn/plain/0", "--json")
        assert json.loads(out)["attempt"]["subtype"] == "secret_selected"
        code, out, _ = here("probe", "peers", "maelin", *ONLY, "--peer", "http_memory", "--json")
        ours, theirs = json.loads(out)
        assert (code, ours["memory"], ours["passed"], theirs["memory"]) == (
            0,
            "this ledger",
            ours["cells"],
            "http_memory:all",
        )
        assert (theirs["hidden"], theirs["passed"]) == (theirs["cells"], 0)
        code, out, _ = here("probe", "peers", "maelin", *ONLY, "--peer", "http_memory")
        assert "What memories return" in out


def test_a_memory_that_nobody_named_is_bad_input(here):
    record, err = outcome(here, "probe", "run", "maelin", "--subject", "http_memory", *ONLY)
    assert (record["exit"], record["run"]) == (2, None)
    assert "CONTINUITY_MEMORY_URL" in err


def test_a_provider_that_answers_500_to_everything_exits_3_with_the_count(here, monkeypatch):
    with serving(BROKEN) as url:
        monkeypatch.setenv("CONTINUITY_CHAT_URL", f"{url}/v1")
        record, _ = outcome(here, "probe", "run", "maelin", "--subject", "http_chat", *ONLY)
    assert record["exit"] == 3
    assert "the provider does not answer: 5 of 5 tries broke" in record["reason"]


def test_money_is_a_budget_too_and_what_is_left_can_be_resumed(here, monkeypatch):
    with serving(says(completion("Hm.", usage={"prompt_tokens": 1_000, "completion_tokens": 0}))) as url:
        monkeypatch.setenv("CONTINUITY_CHAT_URL", f"{url}/v1")
        monkeypatch.setenv("CONTINUITY_CHAT_MODEL", "priced")
        monkeypatch.setenv("CONTINUITY_CHAT_PRICE_IN", "1000")
        words = ("probe", "run", "maelin", "--subject", "http_chat", *ONLY)
        first, _ = outcome(here, *words, "--most-spend", "1.5")
        assert (first["exit"], first["counts"]["pending"] > 0) == (4, True)
        again, _ = outcome(here, "probe", "resume", first["run"], "--most-spend", "1.5")
        assert (again["exit"], again["counts"]) == (4, first["counts"])
        _, out, _ = here("probe", "status", first["run"], "--json")
        assert json.loads(out)[0]["spent"] >= 1.5


def test_what_a_model_says_beyond_its_packet_is_dropped_and_said(here, monkeypatch):
    assert here("world", "load", FOLDER / "maelin" / "world.yaml")[0] == 0
    playthrough = json.loads(here("playthrough", "open", "maelin", "--json")[1])["playthrough_id"]
    words = ("packet", playthrough, "--speaker", "maelin", "--line", "Who broke the relay?", "--json")
    packet = json.loads(here(*words)[1])["packet_id"]
    with serving(says(completion("It was old Marchegus, I saw him."))) as url:
        monkeypatch.setenv("CONTINUITY_CHAT_URL", f"{url}/v1")
        code, out, _ = here("reply", playthrough, packet, "--speak", "http_chat")
    assert code == 0
    assert "spoke of “Marchegus”, which the packet does not hold; the template spoke" in " ".join(out.split())
