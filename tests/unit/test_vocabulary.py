"""Conditions against a world: what is unknown there, or of the wrong sort, is refused; the rest fails closed."""

import pytest

from ledger_service.domain.conditions import Scope
from ledger_service.domain.entries import Status
from ledger_service.domain.errors import (
    ConditionError,
    ContentError,
    LedgerError,
    UndeclaredError,
    UnknownCharacterError,
)
from ledger_service.domain.events import CommitmentMade, StateSet, TimePassed
from ledger_service.domain.visibility import Disclosure, DisclosureMode
from ledger_service.domain.vocabulary import check_in_world, declared_by, fault_of, names_in
from tests.builders import a_world
from tests.playing import Play
from tests.unit.test_recording_checks import a_deed, a_post, a_promise, refused

WORLD = a_world(state={"power": True, "alarm": 2, "level": 0.5, "note": "calm"})

UNANSWERABLE = [
    "10 / state.alarm > 9",
    "10 % state.alarm > 9",
    "tick * 9223372036854775807 > 5",
    "present[100] == 'a'",
    "event.amount > 3",
    "state.note.size() / state.alarm > 100",
]


@pytest.mark.parametrize("source", [*UNANSWERABLE, "1 / 0 == 1", "[1][5] == 1", "state.zog == 1"])
def test_whatever_goes_wrong_in_a_condition_is_not_true(source):
    scope = Scope({"state": {"alarm": 0, "note": "x"}, "tick": 4, "present": ["a"]}, {})
    assert not scope.holds(source)
    assert not scope.holds(f"!({source})")
    assert scope.number(source) is None


@pytest.mark.parametrize("source", UNANSWERABLE)
def test_a_condition_that_could_hold_is_let_in_and_never_stops_the_story(source):
    play = Play(WORLD)
    play.record(a_promise(fulfilled_when=source), a_promise(broken_when=source))
    play.record(StateSet(state_key="alarm", value=0), TimePassed(hours=5), StateSet(state_key="alarm", value=7))
    assert {play.status(e) for e in play.all()[0] if e.statement.startswith("player will")} == {Status.OPEN}


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        ("knows('zog', 'x')", UnknownCharacterError, "zog"),
        ('opinion( "zog" ) > 0.5', UnknownCharacterError, "zog"),
        ("standing('orla', 'zog', 's') > 0.5", UnknownCharacterError, "zog"),
        ("felt('zog', 'zog')", UnknownCharacterError, "zog"),
        ("false && felt('zog', 'joy')", UnknownCharacterError, "zog"),
        ("happened('zog')", UndeclaredError, "zog"),
        ("state.zog == 1", UndeclaredError, "zog"),
        ("state['zog'] == 1", UndeclaredError, "zog"),
        ("has(state.zog)", UndeclaredError, "zog"),
        ("state.alarm > 'a'", ConditionError, "different sorts"),
        ("state.power && state.alarm > 'a'", ConditionError, "different sorts"),
        ("!state.power && state.alarm > 'a'", ConditionError, "different sorts"),
        ("state.level + 1 > 2.0", ConditionError, "different sorts"),
        ("standing(1, 2, 3) > 1.0", ConditionError, "names as text"),
        ("standing('orla') > 1.0", ConditionError, "takes 3 arguments, not 1"),
        ("happened('storm', 'storm')", ConditionError, "takes 1 argument, not 2"),
        ("size(state.alarm) > 1", ConditionError, "size"),
        ("1 + 1", ConditionError, "comes to 2, which is neither true nor false"),
        ("state.alarm", ConditionError, "neither true nor false"),
        ("open('x') ? 1 : 2", ConditionError, "neither true nor false"),
        ("5 % 0 == 1", ConditionError, "can never be worked out"),
        ("[1][5] == 1", ConditionError, "can never be worked out"),
        ("9223372036854775807 * 2 > 5", ConditionError, "can never be worked out"),
    ],
)
def test_what_can_never_hold_in_a_world_is_refused_wherever_it_stands(source, error, said):
    gate = Disclosure(mode=DisclosureMode.GUARDED, when=source)
    for event in (
        a_promise(fulfilled_when=source), a_promise(broken_when=source), a_promise(disclosure=gate),
        a_deed(disclosure=gate), a_post(disclosure=gate),
        a_post(kind="commitment", owner="player", to="maelin", fulfilled_when=source),
    ):  # fmt: skip
        found = refused(event, play=Play(WORLD))
        assert isinstance(found, error)
        assert said in str(found)


@pytest.mark.parametrize(
    "source",
    [
        "standing('maelin', 'player', 'reliability') >= 1.0 && !open('sensor')",
        "state.power || state.alarm > 1 && state.level < 3.5",
        "state.alarm > 1.5",
        "state.note == 'wild' || state.note.startsWith('w')",
        "present.exists(p, knows(p, 'sensor'))",
        "present.size() > 3 && present[3] == 'orla'",
        "event.name == 'deed' && event.actor == player && event.weight >= 3",
        "opinion(listener) > -0.3 || felt(speaker, 'joy')",
        "happened('storm') && hour >= 22",
        "true",
        "false",
    ],
)
def test_what_can_hold_is_let_in(source):
    check_in_world(source, WORLD)


def test_names_in_texts_and_fields_are_no_names_of_the_world():
    found = list(names_in("state.note == \"felt('zog', 'joy')\" && event.state.zog == 1 && state.alarm == 1"))
    assert found == [("state key", "note"), ("state key", "alarm")]


def test_a_number_is_asked_for_where_a_price_is():
    declared = declared_by(WORLD)
    assert fault_of("1.0 + state.level", declared, number=True) is None
    assert "no number" in (fault_of("state.power", declared, number=True) or "")


def test_true_is_not_taken_for_one():
    assert fault_of("state.x > 1", declared_by(a_world(state={"x": 1}))) is None
    assert fault_of("state.x > 1", declared_by(a_world(state={"x": True}))) is not None


@pytest.mark.parametrize(
    ("key", "value"),
    [("power", 3), ("power", "abc"), ("power", 1.5), ("alarm", "abc"), ("alarm", 2.5), ("alarm", True), ("level", "x"),
     ("level", False), ("note", 1), ("note", True)],
)  # fmt: skip
def test_a_state_key_keeps_its_sort(key, value):
    error: LedgerError = refused(StateSet(state_key=key, value=value), play=Play(WORLD))
    assert isinstance(error, ContentError)
    assert key in str(error)


def test_a_number_is_kept_as_its_key_was_declared():
    play = Play(WORLD)
    play.record(StateSet(state_key="level", value=3), StateSet(state_key="alarm", value=4.0))
    values = play.state().values
    assert (values["level"], type(values["level"])) == (3.0, float)
    assert (values["alarm"], type(values["alarm"])) == (4, int)
    promise = play.left_by(
        CommitmentMade(owner="player", to="maelin", statement="x", fulfilled_when="state.level + 1.0 > 3.5")
    )[0]
    assert play.status(promise) is Status.FULFILLED
