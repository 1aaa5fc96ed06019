"""Hearsay: a doubt or a teller stands with it, or it is told as fact."""

import pytest

from ledger_service.domain.entries import Source, SourceKind
from ledger_service.domain.rubric import Code
from ledger_service.domain.visibility import Knower
from tests.builders import a_hearsay, an_observation
from tests.speaking import a_scene
from tests.unit.test_scoring_response import codes

CRATER = a_hearsay(
    entry_id="crater", statement="the sensor lies in the south crater", teller="teo", seq=7,
    source=Source(kind=SourceKind.TOLD_BY, by="teo"), knowers=(Knower(who="maelin", how="told_by", from_whom="teo"),),
)  # fmt: skip
BREAD = an_observation(entry_id="bread", statement="the bread oven has been repaired", seq=8)
SCENE = a_scene(CRATER, BREAD, line="What do we know of the sensor?")


@pytest.mark.parametrize(
    "text",
    [
        "It lies down in the south crater, under a yard of drift.",
        "Bring a rope. The thing is lying in the south crater. The stew might want salt, I suppose.",
        "I'm no judge of ovens, but the sensor lies in the south crater.",
        "I lay flat at the rim and saw it in the south crater with these eyes.",
        "The south crater has it. I counted the bolts on it myself.",
        "Everybody says the sensor lies in the south crater.",
        "Whoever says otherwise is wrong: the sensor's in the south crater.",
    ],
)
def test_what_is_only_heard_and_told_without_doubt_or_teller_is_promoted(text: str) -> None:
    assert Code.HEARSAY_PROMOTED in codes(SCENE, text)


@pytest.mark.parametrize(
    "text",
    [
        "Teo had a tale of the sensor lying in the south crater.",
        "South crater, if the haulers have it right. Take it for what it's worth.",
        "That the sensor lies in the south crater. So he says, and he's the only one.",
        "The sensor lies in the south crater. I've not been out to look.",
        "The sensor lies in the south crater. One voice, no second.",
        "The sensor lies in the south crater; it's in pencil until I see it.",
        "In the south crater, I'd guess, and I wouldn't swear to that.",
        "My old hauler puts the sensor in the south crater.",
        "Should you find the sensor in the south crater, bring it home.",
        "I've never looked into the south crater myself.",
        "I checked the oven with my own eyes, and it's repaired.",
    ],
)
def test_a_doubt_or_a_teller_that_a_listener_would_hear_keeps_it_hearsay(text: str) -> None:
    assert codes(SCENE, text) == []


OUT = an_observation(entry_id="out", statement="the player left with the sensor still out on the ice", seq=9)
BESIDE = a_scene(CRATER, BREAD, OUT, line="Tell me all that happened.")


def test_what_is_certain_anyway_is_not_told_as_hearsay() -> None:
    assert codes(BESIDE, "You went off, and my sensor lies out there still.") == []
    assert Code.HEARSAY_PROMOTED in codes(BESIDE, "You went off, and my sensor lies in the south crater.")


def test_an_oath_beside_it_makes_it_the_speakers_own() -> None:
    assert Code.HEARSAY_PROMOTED in codes(SCENE, "South crater, I'd swear to it on my mother's grave.")


@pytest.mark.parametrize(
    "text",
    [
        "I saw the hauler's sledge go by, and nothing on it but ice.",
        "There's a story. The sensor in the south crater, and a ghost beside it. Eat your stew.",
        "Here is what Teo told me. The sensor lies in the south crater.",
        "That it lies in the south crater for anybody to find, I've one hauler's breath for.",
    ],
)
def test_something_else_seen_or_a_tale_announced_promotes_nothing(text: str) -> None:
    assert Code.HEARSAY_PROMOTED not in codes(SCENE, text)
