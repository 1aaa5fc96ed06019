"""Gameplay validity: the outcome spoken agrees with the rules now."""

import pytest

from ledger_service.domain.rubric import Code, State
from ledger_service.scoring.gameplay_validity import gameplay_validity
from tests.builders import a_relationship_delta
from tests.speaking import a_scene

REFUSED = a_scene(line="Lend me the lamp.")
GRANTED = a_scene(a_relationship_delta(scope="reliability", amount=2.0), line="Lend me the lamp.")


def judge(scene, text: str):
    return gameplay_validity(scene.packet, scene.claims(text), world=scene.world)


@pytest.mark.parametrize(
    "text", ["Take it off the hook.", "Here you are.", "*hands the lamp over*", "The lamp is yours."]
)
def test_granting_what_the_rule_refuses_fails(text: str) -> None:
    verdict = judge(REFUSED, text)
    assert verdict.state is State.FAIL
    assert verdict.findings[0].code is Code.OUTCOME_MISMATCH
    assert verdict.findings[0].span in text


@pytest.mark.parametrize("text", ["No.", "Not today.", "I won't lend it.", "It goes to people who bring it back."])
def test_refusing_passes_whatever_the_reason(text: str) -> None:
    assert judge(REFUSED, text).state is State.PASS


def test_refusing_what_the_rule_grants_fails() -> None:
    assert judge(GRANTED, "Not today.").state is State.FAIL
    assert judge(GRANTED, "Take it. Mind the wick.").state is State.PASS


def test_a_later_grant_is_no_outcome_now() -> None:
    assert judge(REFUSED, "If the sensor comes back, the lamp is yours.").state is State.UNSCORED


def test_no_rule_and_no_outcome_are_unscored_and_say_why() -> None:
    assert judge(a_scene(line="Good day."), "Take care.").why == "no rule bears on this line"
    assert judge(REFUSED, "Lamps are heavy.").why == "the line speaks no outcome"


def test_handing_out_by_name_what_nobody_asked_for_is_judged_too() -> None:
    assert judge(a_scene(line="Good day."), "Take the lamp.").state is State.FAIL
