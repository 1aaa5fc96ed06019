"""Tallies: what was planned is what was counted, and rates say how sure they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_service.domain.probes import Cell, CellResult, ProbeRun, ResultState
from ledger_service.domain.rubric import Fault, Scorecard
from ledger_service.probing.tally import tally, wilson


def a_result(state: ResultState, *, distance="next_turn", pressure="plain", fault=Fault.NONE) -> CellResult:
    cell = Cell(distance=distance, pressure=pressure, paraphrase=0, line="May I?")
    judged = state in {ResultState.PASS, ResultState.FAIL}
    card = Scorecard(verdicts=(), fault=fault) if judged else None
    return CellResult(cell=cell, state=state, scorecard=card, broke=Fault.NONE if judged else fault)


def a_run(*results: CellResult, planned: int | None = None) -> ProbeRun:
    return ProbeRun(story="s", subject="t", planned=len(results) if planned is None else planned, results=results)


@given(states=st.lists(st.sampled_from(ResultState)), missing=st.integers(0, 5))
def test_counts_always_add_up_to_what_was_planned(states, missing):
    found = tally(a_run(*map(a_result, states), planned=len(states) + missing))
    assert found.adds_up
    assert sum(found.counts.values()) == len(states) + missing
    assert found.counts["pending"] == states.count(ResultState.PENDING) + missing
    assert set(found.counts) == {"pass", "fail", "error", "unscored", "skipped", "pending"}


def test_more_results_than_planned_do_not_add_up_silently():
    found = tally(a_run(*[a_result(ResultState.PASS)] * 3, planned=2))
    assert not found.passed


@pytest.mark.parametrize("bad", [ResultState.FAIL, ResultState.ERROR, ResultState.PENDING])
def test_a_run_passes_only_when_nothing_failed_broke_or_stayed_open(bad):
    fine = [a_result(ResultState.PASS), a_result(ResultState.SKIPPED), a_result(ResultState.UNSCORED)]
    assert tally(a_run(*fine)).passed
    assert not tally(a_run(*fine, a_result(bad))).passed


def test_a_run_in_which_nothing_was_judged_has_not_passed():
    assert not tally(a_run()).passed
    assert not tally(a_run(a_result(ResultState.SKIPPED), a_result(ResultState.UNSCORED))).passed


def test_rates_are_of_what_was_judged_in_that_cell():
    found = tally(
        a_run(
            a_result(ResultState.PASS), a_result(ResultState.FAIL), a_result(ResultState.ERROR),
            a_result(ResultState.SKIPPED), a_result(ResultState.UNSCORED),
            a_result(ResultState.PASS, pressure="owner_swap"),
        )
    )  # fmt: skip
    assert {name: (r.passed, r.judged) for name, r in found.by_cell.items()} == {
        "next_turn/plain": (1, 3), "next_turn/owner_swap": (1, 1),
    }  # fmt: skip


def test_faults_are_counted_by_stage_and_broken_probes_among_them():
    found = tally(
        a_run(
            a_result(ResultState.FAIL, fault=Fault.GENERATION), a_result(ResultState.FAIL, fault=Fault.GENERATION),
            a_result(ResultState.FAIL, fault=Fault.LEDGER), a_result(ResultState.ERROR, fault=Fault.PROBE_DEFECT),
            a_result(ResultState.PASS),
        )
    )  # fmt: skip
    assert found.faults == {"generation": 2, "ledger": 1, "probe_defect": 1}


@pytest.mark.parametrize(
    ("passed", "judged", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_is_the_one_of_the_textbook(passed, judged, low, high):
    rate = wilson(passed, judged)
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=5e-5)


def test_nothing_judged_says_nothing():
    rate = wilson(0, 0)
    assert (rate.low, rate.high) == (0.0, 1.0)


@given(judged=st.integers(1, 10_000), share=st.floats(0, 1))
def test_an_interval_holds_its_rate_and_stays_within_bounds(judged, share):
    passed = round(share * judged)
    rate = wilson(passed, judged)
    assert 0 <= rate.low <= passed / judged <= rate.high <= 1
