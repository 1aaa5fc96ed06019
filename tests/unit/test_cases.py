"""The shipped cases pass for the right reason, and a case that should fail does."""

import copy
from pathlib import Path

import pytest

from ledger_service.bootstrap import open_reading
from ledger_service.domain.errors import MalformedError
from ledger_service.probing.cases import decode_case
from ledger_service.probing.source import read_source
from ledger_service.services.probes.run_cases import run_case

FOLDER = Path(__file__).parents[2] / "probes" / "cases"
CASES = {
    raw["id"]: raw
    for name in ("cases.yaml", "further.yaml")
    for raw in read_source((FOLDER / name).read_bytes(), name).values
}
READING = open_reading()


def ran(raw):
    return run_case(decode_case(raw), reading=READING)


def changed(name, **changes):
    return {**copy.deepcopy(CASES[name]), **changes}


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_shipped_case_passes_with_every_paraphrase(name):
    result = ran(CASES[name])
    assert (result.missing, result.leaked) == ((), ())
    assert result.passed


def test_a_missing_include_fails():
    assert ran(changed("kn-01", packet_must_include=["e1"])).missing == ("e1",)


def test_a_leak_fails():
    assert ran(changed("ct-01", packet_must_exclude=["e1"], exclude_because={})).leaked == ("e1",)


def test_the_wrong_reason_fails():
    assert ran(changed("kn-01", exclude_because={"e1": "expired"})).leaked == (
        "e1 (withheld as not_visible, not expired)",
    )


def test_a_member_knows_from_the_tick_of_joining_and_not_before():
    early = changed("kn-05", groups={"inner_table": [{"who": "dov", "since": 42}]}, packet_must_include=[])
    early |= {"packet_must_exclude": ["e1"], "exclude_because": {"e1": "not_visible"}}
    assert ran(early).passed
    assert not ran({**early, "groups": {"inner_table": [{"who": "dov", "since": 41}]}}).passed


def test_an_entry_of_an_abandoned_future_is_withheld_as_such():
    raw = changed("kn-03", packet_must_include=[], packet_must_exclude=["e2"], exclude_because={"e2": "off_branch"})
    raw["entries"][1]["at"] = 40
    assert ran(raw).passed


def test_a_stance_with_an_end_of_its_own_has_expired():
    raw = changed("cm-04", packet_must_include=[], packet_must_exclude=["e3"], exclude_because={"e3": "expired"})
    raw["entries"][2]["expires"] = "tick:52"
    assert ran(raw).passed


@pytest.mark.parametrize("form", ["brin", ["brin"]])
def test_one_who_must_not_learn_it_may_be_named_alone(form):
    raw = changed("kn-07", audience=["brin"], packet_must_include=[], packet_must_exclude=["e1"], exclude_because={})
    raw["entries"][0]["unaware"] = form
    assert ran(raw).passed


def test_a_flag_may_go_by_the_name_that_other_tools_give_it():
    assert ran(changed("cr-02", packet_must_include=["e2", "flag:no_suspect:poacher"])).passed


def test_a_flag_that_must_not_be_raised_fails():
    assert ran(changed("ct-06", flags_must_exclude=["contradiction"])).leaked == ("flag:contradiction",)


def test_a_flag_about_something_else_does_not_match():
    assert ran(changed("ct-06", packet_must_include=["flag:contradiction:lantern"])).missing == (
        "flag:contradiction:lantern",
    )


def test_a_field_that_is_not_printed_fails():
    assert ran(changed("tm-04", packet_must_include=["field:e1.said_by"])).missing == ("field:e1.said_by",)


def test_hiding_what_the_speaker_cannot_see_changes_nothing():
    whole = ran(CASES["cr-02"])
    raw = copy.deepcopy(CASES["cr-02"])
    raw["entries"] = [e for e in raw["entries"] if e["key"] != "e1"]
    raw["packet_must_exclude"], raw["exclude_because"] = [], {}
    bare = ran(raw)
    assert (bare.included, bare.flags) == (whole.included, whole.flags)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"speaker": None}, "speaker: must be str"),
        ({"entries": "none"}, "entries: must be list"),
        ({"now": {"tick": "noon"}}, "now: Expected"),
    ],
)
def test_a_case_that_cannot_be_read_names_the_path(change, said):
    with pytest.raises(MalformedError, match=said):
        decode_case(changed("ct-01", **change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "gossip"}, "no kind"),
        ({"confidence": 1.2}, "confidence"),
        ({"expires": "someday"}, "no expiry"),
        ({"visible_to": []}, "names nobody"),
        ({"source": {"kind": "dreamt"}}, "dreamt"),
        ({"disclose_when": {"weather": "fair"}}, "no `weather`"),
        ({"disclose_when": {}}, "a gate is"),
        ({"disclose_when": "when the player pays"}, "condition"),
        ({"disclosure": {"mode": "hushed"}}, "hushed"),
        ({"status": "asleep"}, "no status"),
    ],
)
def test_an_entry_that_cannot_be_read_names_the_path(change, said):
    raw = changed("ct-01")
    raw["entries"][0] |= change
    with pytest.raises(MalformedError, match=said):
        decode_case(raw)
