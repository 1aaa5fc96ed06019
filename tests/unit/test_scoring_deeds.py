"""Whose deed it was: another, a stranger or the speaker given what the record has somebody else do."""

import pytest

from ledger_service.domain.rubric import Code
from tests.builders import an_observation
from tests.speaking import a_scene
from tests.unit.test_scoring_response import codes

ROPE = an_observation(entry_id="rope", statement="player hauled the broken sledge up from the gully", seq=7)
STEW = an_observation(entry_id="stew", statement="teo cooked the supper for the survey party", seq=8)
SCENE = a_scene(ROPE, STEW, line="That gully looks deep.")


@pytest.mark.parametrize(
    "text",
    [
        "Deep enough. Teo dragged the sledge up from that gully, and grumbled for a week.",
        "It is. I hauled the broken sledge out of that gully myself.",
        "It was the shepherd who pulled the sledge up out of the gully.",
        "Fennimore hauled that sledge up from the gully, bless his back.",
    ],
)
def test_a_deed_given_to_another_is_the_wrong_ones(text: str) -> None:
    assert Code.ATTRIBUTION_WRONG in codes(SCENE, text)


@pytest.mark.parametrize(
    "text",
    [
        "Deep enough. You dragged that sledge up from it.",
        "You and Teo hauled the broken sledge up from the gully, as I recall.",
        "Teo cooked the supper for the survey party.",
        "Teo painted the sledge afterwards.",
        "The sledge came up from the gully on your shoulders.",
    ],
)
def test_the_deed_of_the_one_who_did_it_and_other_deeds_are_not(text: str) -> None:
    assert Code.ATTRIBUTION_WRONG not in codes(SCENE, text)
