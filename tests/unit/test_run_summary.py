"""What a run of probes comes to, its exit code, its reports and its baseline."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from ledger_service.cli.probe_verdict import figures
from ledger_service.domain.counterfactuals import Counterfactuals, Said
from ledger_service.domain.errors import MalformedError
from ledger_service.domain.probe_runs import Attempt, KeptCell, RunPlan, RunSettings
from ledger_service.domain.probes import Cell, ResultState
from ledger_service.domain.rubric import Axis, Fault, Scorecard
from ledger_service.probing.baseline import baseline_of, decode_baseline, encode_baseline, hold_against
from ledger_service.probing.summary import Verdict, summarise, verdict
from ledger_service.reporting.run_files import write_reports
from tests.probing import a_story

PASS, FAIL, ERROR = ResultState.PASS, ResultState.FAIL, ResultState.ERROR
NASTY = '<b>\x1b[31m & "quoted" \x00 ]]> =1+1'


def a_cell(number: int, *states: ResultState, state: ResultState | None = None, line: str = "No.", **more) -> KeptCell:
    attempts = tuple(
        Attempt(
            repeat=i, state=s, line=line, fault=Fault.NONE if s is PASS else Fault.GENERATION,
            subtype="" if s is PASS else "leak", entry="" if s is PASS else "antenna",
            why="" if s is PASS else "it leaked",
            beside=Counterfactuals(confirmed={FAIL: True, ERROR: False}.get(s), reference=Said(by="ref", passed=True)),
        )
        for i, s in enumerate(states, start=1)
    )  # fmt: skip
    came = state or (FAIL if FAIL in states else states[0] if states else ResultState.PENDING)
    cell = Cell(distance=f"d{number // 4}", pressure=f"p{number % 4}", paraphrase=0, line=line, **more)
    return KeptCell(cell_no=number, batch_no=number // 4, cell=cell, state=came, packet_hash="h", attempts=attempts)


def a_plan(planned: int) -> RunPlan:
    return RunPlan(
        run_id="r1", story="maelin", world_version="maelin@1", matrix_hash="m1", settings=RunSettings(),
        matrix=a_story().matrix, steps=(), planned=planned,
    )  # fmt: skip


def code(*cells: KeptCell, planned: int | None = None, **more) -> int:
    return verdict(summarise(len(cells) if planned is None else planned, cells), **more).code


def test_exit_codes():
    good, bad = a_cell(0, PASS), a_cell(1, FAIL)
    assert code(good) == 0
    assert code(good, bad) == 1
    assert code(good, bad, gate=0.5) == 0
    assert code(good, a_cell(1, ERROR)) == 3
    assert code(good, a_cell(1)) == 4
    assert code() == 5
    assert code(good, planned=2) == 3, "the totals do not add up"
    assert code(a_cell(0, state=ResultState.SKIPPED), a_cell(1, ResultState.UNSCORED)) == 3, "nothing was judged"
    assert code(good, a_cell(1), stopped="provider") == 3


def test_an_incomplete_run_says_the_command_that_goes_on():
    found = verdict(summarise(2, [a_cell(0, PASS), a_cell(1)]), resume="continuity probe resume r1")
    assert found.reason.endswith("go on with: continuity probe resume r1")


def test_what_should_be_the_same_each_time_and_is_not_is_no_verdict():
    cell = a_cell(0, PASS, FAIL)
    flipped = replace(cell, attempts=(cell.attempts[0], replace(cell.attempts[1], subtype="nondeterminism")))
    assert code(flipped, gate=0.0) == 3


def test_the_identity_is_said_and_an_error_counts_by_its_last_try():
    cell = a_cell(0, PASS)
    retried = replace(cell, attempts=(replace(cell.attempts[0], state=ERROR), replace(cell.attempts[0], attempt=2)))
    found = summarise(2, [retried, a_cell(1)])
    assert found.adds_up
    assert found.identity == "2 planned = 1 pass + 0 fail + 0 error + 0 unscored + 0 skipped + 1 pending"
    assert (found.faults, found.tries, found.used) == ({}, 2, "2 tries")


def test_what_was_spent_is_said_and_stands_with_each_try(tmp_path):
    found = [with_try(a_cell(0, PASS), cost=0.0125), with_try(a_cell(1, FAIL), cost=0.0125)]
    summary = summarise(2, found)
    assert summary.used == "2 tries, 0.0250 spent"
    files = write_reports(tmp_path / "run", a_plan(2), found, summary)
    table = csv.DictReader(io.StringIO(Path(files["tries.csv"]).read_text()))
    assert [row["cost"] for row in table] == ["0.0125", "0.0125"]
    for name in ("summary.md", "index.html"):
        assert "2 tries, 0.0250 spent" in Path(files[name]).read_text()


def test_repeats_give_pass_k_and_flaky_cells():
    found = summarise(2, [a_cell(0, PASS, PASS), a_cell(1, PASS, FAIL)])
    assert found.pass_hat == {"1": 0.75, "2": 0.5}
    assert found.flaky == ("d0/p1/0",)


def with_try(cell: KeptCell, **fields) -> KeptCell:
    return replace(cell, attempts=(*cell.attempts[:-1], replace(cell.attempts[-1], **fields)))


def test_a_stage_that_flips_is_on_the_flaky_list_whatever_it_came_to_before():
    steady = a_cell(0, FAIL, FAIL)
    flips = with_try(a_cell(1, FAIL, FAIL), subtype="nondeterminism")
    found = summarise(2, [steady, flips])
    assert (found.flaky, found.nondeterministic) == (("d0/p1/0",), ("d0/p1/0",))
    assert verdict(found, gate=0.0).code == 3
    shaky = summarise(1, [a_cell(2, PASS, FAIL)])
    assert (shaky.flaky, shaky.nondeterministic) == (("d0/p2/0",), ())


def test_what_the_reference_fails_too_is_unsound():
    failing = Counterfactuals(reference=Said(by="template", passed=False))
    cells = [
        a_cell(0, FAIL),
        with_try(a_cell(1, FAIL), beside=failing),
        with_try(a_cell(2, FAIL), beside=Counterfactuals(), responder="template"),
        with_try(a_cell(3, FAIL), beside=Counterfactuals(), responder="another"),
        with_try(a_cell(4, FAIL), beside=failing, subtype="nondeterminism"),
        with_try(a_cell(5, PASS), beside=Counterfactuals(), responder="template"),
    ]
    assert summarise(6, cells).unsound == ("d0/p1/0", "d0/p2/0")


def test_signals_are_counted_by_stage_and_fail_nothing(tmp_path):
    card = Scorecard(verdicts=(), fault=Fault.NONE, signals=(Axis.VOICE,))
    cells = [with_try(a_cell(i, PASS), scorecard=card) for i in range(3)]
    found = replace(summarise(3, cells), weak=("secret_fishing",))
    assert (found.signals, found.counts["pass"], verdict(found).code) == ({"voice_continuity": 3}, 3, 0)
    assert "signals: voice_continuity 3" in list(figures(found))
    write_reports(tmp_path, a_plan(3), cells, found)
    for name in ("index.html", "summary.md", "run.json"):
        text = (tmp_path / name).read_text().replace("_", " ")
        assert "voice continuity" in text
        assert "secret fishing" in text


def test_the_headline_stands_beside_every_wording_and_the_sum():
    cells = [
        replace(c, cell=replace(c.cell, paraphrase=i % 2)) for i, c in enumerate([a_cell(0, PASS), a_cell(1, FAIL)])
    ]
    lines = list(figures(summarise(2, cells)))
    assert lines[0].startswith("anchor: 1 of 1 pass (95 %: 0.207 to 1.000)")
    assert "the anchor 1.000, the wordings 0.000 to 1.000" in lines[1]
    assert lines[-1] == "2 planned = 1 pass + 1 fail + 0 error + 0 unscored + 0 skipped + 0 pending"


def test_where_the_sum_does_not_hold_there_is_no_verdict():
    found = summarise(3, [a_cell(0, PASS), a_cell(1, PASS)])
    assert found.identity.startswith("3 planned ≠ 2 pass")
    assert verdict(found, gate=0.0) == Verdict(code=3, reason=f"the totals do not add up: {found.identity}")


def test_failures_are_grouped_most_frequent_first():
    other = replace(a_cell(2, FAIL), attempts=(Attempt(repeat=1, state=FAIL, fault=Fault.LEDGER, subtype="bad_owner"),))
    found = summarise(3, [other, a_cell(0, FAIL), a_cell(1, FAIL)])
    assert [(g.count, g.fault, g.subtype, g.entry, g.example) for g in found.groups] == [
        (2, "generation", "leak", "antenna", "d0/p0/0"),
        (1, "ledger", "bad_owner", "", "d0/p2/0"),
    ]


def test_cells_that_agree_within_their_row_count_for_less():
    cells = [a_cell(i, PASS if i % 4 < 2 else FAIL) for i in range(16)]
    found = summarise(16, cells)
    assert found.suite.design_effect > 4
    assert found.suite.rate.low < found.anchor.low
    by_distance = summarise(16, [a_cell(i, PASS if i < 8 else FAIL) for i in range(16)])
    assert by_distance.suite.design_effect == 1.0, "a distance is no cluster"


def test_every_report_is_well_formed_whatever_was_said(tmp_path):
    skipped = a_cell(3, state=ResultState.SKIPPED, skipped="makes no sense")
    cells = [a_cell(0, PASS), a_cell(1, FAIL, line=NASTY), a_cell(2, ERROR), skipped, a_cell(4)]
    summary = summarise(5, cells)
    files = write_reports(tmp_path / "a run", a_plan(5), cells, summary)
    suites = ET.parse(files["junit.xml"]).getroot()
    cases = {f"{c.get('classname')}.{c.get('name')}": [e.tag for e in c] for c in suites.iter("testcase")}
    assert cases == {
        "maelin.template.d0.p0/0": [], "maelin.template.d0.p1/0": ["failure"], "maelin.template.d0.p2/0": ["error"],
        "maelin.template.d0.p3/0": ["skipped"], "maelin.template.d1.p0/0": ["skipped"],
    }  # fmt: skip
    assert json.loads((tmp_path / "a run/run.json").read_text())["adds_up"] is True
    rows = [json.loads(line) for line in (tmp_path / "a run/tries.ndjson").read_text().splitlines()]
    assert len(rows) == 5
    table = list(csv.DictReader(io.StringIO((tmp_path / "a run/tries.csv").read_text())))
    assert [row["state"] for row in table] == [str(c.state) for c in cells]
    page = (tmp_path / "a run/index.html").read_text()
    assert "continuity probe replay r1 d0/p1/0" in page
    assert "<b>" not in page
    assert "ref passes" in page
    for name in tmp_path.glob("a run/*.html"):
        assert not any(word in name.read_text() for word in ("<script", "http://", "https://", "src="))
    assert "| 2 | generation | leak | antenna | 1 of 2 |" in (tmp_path / "a run/summary.md").read_text()
    assert not list(tmp_path.glob("a run/*.partial"))


def test_a_baseline_comes_back_and_is_held_against_a_run_of_its_own_matrix_only():
    run = a_plan(12)
    before = baseline_of(run, [a_cell(i, PASS) for i in range(12)])
    assert decode_baseline(encode_baseline(before).encode(), "b.json") == before
    now = baseline_of(run, [a_cell(i, FAIL if i < 9 else PASS) for i in range(12)])
    found = hold_against(before, now)
    assert (len(found.worse), found.is_worse, round(found.p, 4)) == (9, True, 0.0039)
    with pytest.raises(MalformedError, match="another matrix"):
        hold_against(before, baseline_of(replace(run, matrix_hash="m2"), []))
    with pytest.raises(MalformedError, match="is no baseline"):
        decode_baseline(b"{}", "b.json")


def test_a_spreadsheet_is_given_no_formula(tmp_path):
    files = write_reports(tmp_path, a_plan(1), [a_cell(0, FAIL, line="=cmd()")], summarise(1, [a_cell(0, FAIL)]))
    (row,) = csv.DictReader(io.StringIO(Path(files["tries.csv"]).read_text()))
    assert row["said"] == "'=cmd()"
