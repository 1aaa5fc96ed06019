"""Conditions: what they may say, and that nothing unknown or endless gets in."""

import pytest

from ledger_service.domain.conditions import Scope, check_condition
from ledger_service.domain.errors import ConditionError


@pytest.mark.parametrize(
    "source",
    [
        "standing('maelin', 'player', 'reliability') >= 1.0 && !open('sensor')",
        "state.power == true || tick > 30",
        "event.name == 'storm'",
        "present.exists(p, p == 'orla')",
        "hour >= 22 || hour < 6",
    ],
)
def test_the_vocabulary_compiles(source):
    check_condition(source)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("launch('rockets')", "unknown function `launch`"),
        ("weather == 'rain'", "unknown name `weather`"),
        ("tick >", "parse"),
        ("[1,2,3].map(x, x).size() > 0", "loop without end"),
        ("state.big.exists(x, x > 1)", "loop without end"),
        ("present.exists(a, present.exists(b, a == b))", "one comprehension"),
        ("tick == 1 || " * 300 + "false", "longer than"),
    ],
)
def test_what_is_unknown_or_endless_is_refused(source, said):
    with pytest.raises(ConditionError, match=said):
        check_condition(source)


def test_a_macro_inside_a_text_is_only_text():
    check_condition("state.note == '.map(x, x)'")


def test_what_cannot_be_evaluated_is_not_true():
    scope = Scope({"tick": 4}, {"standing": lambda *_: 1 / 0})
    assert not scope.holds("state.missing == 1")
    assert scope.holds("tick == 4")


def test_a_listener_is_judged_one_at_a_time():
    scope = Scope({"listener": "orla"}, {})
    assert [scope.holds("listener == 'tovi'", listener=who) for who in ("tovi", "orla")] == [True, False]
