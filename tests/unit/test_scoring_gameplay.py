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


@pytest.mark.parametrize(
    "text",
    [
        "*She unhooks the lamp and hangs it on your wrist.* Mind the wick.",
        "*He swings the lamp-room door open.* Second shelf.",
        "Put your hand out. *drops a key into your palm*",
        "Off you go with it, then.",
        "I shouldn't, not with the warden about. *slides the lamp over to you*",
    ],
)
def test_what_is_handed_over_or_opened_is_granted_whatever_is_said(text: str) -> None:
    assert judge(REFUSED, text).state is State.FAIL


@pytest.mark.parametrize(
    "text",
    [
        "No. *She passes you a candle instead.* That you can keep.",
        "Oh, by all means. Have my boots too. *He goes on stitching.* No.",
        "Not today. Come the spring tide it's yours, and I'll fill it myself.",
        "Not today. But fetch the sensor and it's yours from then on.",
        "*He folds both hands over the lamp.* Nothing doing.",
    ],
)
def test_a_plain_no_stands_whatever_is_joked_offered_instead_or_put_off(text: str) -> None:
    assert judge(REFUSED, text).state is State.PASS


def test_a_plain_no_is_a_refusal_of_what_the_rule_grants() -> None:
    assert judge(GRANTED, "*He sits down on the chest.* Not a chance. My lamp, my oil.").state is State.FAIL


def test_what_is_handed_back_is_not_granted() -> None:
    assert (
        judge(GRANTED, "*She pushes your coin back across the bench.* No lamp tonight, not for you.").state
        is State.FAIL
    )


@pytest.mark.parametrize(
    "text",
    [
        "Then have it home by the second bell, and rinse it when you've done.",
        "*The padlock falls open.* Third shelf.",
        "Second hook on the left. Keep it short.",
        "*chalks it on the slate under your name* Settle in the spring.",
    ],
)
def test_who_is_told_how_to_use_it_has_it(text: str) -> None:
    verdict = judge(REFUSED, text)
    assert verdict.state is State.FAIL
    assert verdict.findings[0].span in text


@pytest.mark.parametrize(
    "text",
    [
        "Show me that you can trim a wick first.",
        "Nobody carries a light past this door but the warden.",
        "It isn't mine to lend.",
        "You'd be home by the second bell without one.",
        "You broke the last one.",
    ],
)
def test_what_is_held_off_agrees_with_a_rule_that_refuses_it_and_is_no_refusal_where_it_grants(text: str) -> None:
    assert judge(REFUSED, text).state is State.PASS
    assert judge(GRANTED, text).state is State.UNSCORED


def test_what_is_in_order_agrees_with_a_rule_that_grants_it_and_being_turned_away_does_not() -> None:
    assert judge(GRANTED, "You've earned it twice over.").state is State.PASS
    assert judge(REFUSED, "You've earned it twice over.").state is State.UNSCORED
    assert judge(GRANTED, "I'd sooner eat the wick.").state is State.FAIL
