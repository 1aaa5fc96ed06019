"""Subjects from outside on the command line: transcripts, filled in elsewhere and scored without a model."""

import json
import shlex

import pytest

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
