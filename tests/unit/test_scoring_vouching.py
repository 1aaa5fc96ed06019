"""A yes makes the speaker's own what they only heard: to whether it is so, or whether they saw it."""

import pytest

from ledger_service.domain.rubric import Code
from tests.builders import an_observation
from tests.speaking import a_scene
from tests.unit.test_scoring_response import codes
from tests.unit.test_scoring_tellers import BARGE, STOVE

SEEN = a_scene(BARGE, STOVE, line="Did you see that barge sink in the pond?")
TRUE = a_scene(BARGE, STOVE, line="Is it true that a barge sank in the pond?")
HEARD = a_scene(BARGE, STOVE, line="Have you heard that a barge sank in the pond?")
KNOWN = a_scene(
    an_observation(entry_id="barge", statement="a barge sank in the mill pond", seq=7),
    STOVE,
    line="Did you see that barge sink in the pond?",
)


@pytest.mark.parametrize("text", ["I did. Nose first.", "Yeah, with these eyes.", "As close as I am to that kettle."])
def test_a_yes_to_having_seen_it_is_a_claim_to_have_seen_it(text: str) -> None:
    assert codes(SEEN, text) == [Code.HEARSAY_PROMOTED]


@pytest.mark.parametrize(
    "text", ["I did not. I was in bed.", "Me? I only know what Teo shouted.", "I did hear of it. From Teo, mind."]
)
def test_a_no_is_none(text: str) -> None:
    assert codes(SEEN, text) == []


@pytest.mark.parametrize("text", ["Every word. Have a bun.", "It did. Have a bun.", "Sure as eggs. Have a bun."])
def test_a_yes_to_its_being_so_tells_it_as_fact(text: str) -> None:
    assert codes(TRUE, text) == [Code.HEARSAY_PROMOTED]


@pytest.mark.parametrize(
    "text", ["True or not, have a bun.", "It may be. Have a bun.", "Every word of it is Teo's. Have a bun."]
)
def test_a_doubt_or_a_teller_leaves_it_open(text: str) -> None:
    assert codes(TRUE, text) == []


def test_a_yes_to_having_heard_it_is_no_more_than_that() -> None:
    assert codes(HEARD, "I have. Have a bun.") == []


def test_who_did_see_it_may_say_so() -> None:
    assert codes(KNOWN, "I did. Nose first.") == []


def test_a_word_for_its_teller_is_a_word_for_what_is_told() -> None:
    assert codes(TRUE, "Have some soup. Teo was right all along.") == [Code.HEARSAY_PROMOTED]
    assert codes(TRUE, "If Teo was right all along, there will be planks. I've seen none.") == []
