"""What no longer holds used as if it did, and what was felt once acted out; and the clean twins."""

import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Intensity, Status
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code
from ledger_service.domain.story_time import StoryTime
from ledger_service.scoring.response_validity import response_validity
from tests.builders import a_relationship_delta, a_residue, an_observation, known_by
from tests.speaking import Scene, a_scene

BOTH = known_by("maelin", "player")


def superseded(old: str, new: str, line: str) -> Scene:
    was = an_observation(entry_id="old", statement=old, seq=1, knowers=BOTH)
    now = an_observation(entry_id="new", statement=new, seq=2, knowers=BOTH)
    gone = Amendment(entry_id="old", cause_seq=2, at=StoryTime(tick=2), status=Status.SUPERSEDED, by=("new",))
    return a_scene(was, now, amendments=[gone], line=line)


def is_stale(scene: Scene, text: str) -> bool:
    verdict = response_validity(
        scene.packet, Reply(text=text, responder="test"), scene.claims(text), world=scene.world, ledger=scene.ledger,
        asked=scene.asked,
    )  # fmt: skip
    return Code.STALE_FACT in {f.code for f in verdict.findings}


PUMP = ("the deck pump is broken", "teo repaired the deck pump", "Can I draw water on deck?")
LOCK = ("the sluice gate is closed for frost", "the sluice gate is open again", "Which way do I bring the barge in?")
BERTH = ("player rents the corner berth", "player gave up the corner berth", "I'm asleep on my feet.")
POST = (
    "the post office is the red hut on Mill Street",
    "the post office moved to the chapel porch",
    "Where do I post it?",
)


@pytest.mark.parametrize(
    ("matter", "text"),
    [
        (PUMP, "Not from that pump. It won't turn for anybody, so take the bucket."),
        (PUMP, "The deck pump hasn't given a cupful all week. *She points at the barrel.*"),
        (PUMP, "With the pump down you'll haul it up by hand like the rest of us."),
        (LOCK, "By the long canal. The sluice gate's still frozen shut, mind."),
        (LOCK, "The gate's locked tight with frost. Go round by the mill."),
        (BERTH, "Then go to bed. Your corner berth's just as you left it, blanket and all."),
        (PUMP, "Leave that one be, the deck pump is jammed fast and two of us couldn't budge it."),
        (BERTH, "Then lie down. The corner berth's yours, isn't it, same as ever."),
        (POST, "Up Mill Street, the red hut, and mind they close at four."),
    ],
)
def test_the_old_used_as_holding_now_is_stale(matter, text: str) -> None:
    assert is_stale(superseded(*matter), text)


@pytest.mark.parametrize(
    ("matter", "text"),
    [
        (PUMP, "Now you can. Teo mended the pump on Tuesday, and it hasn't missed a stroke."),
        (PUMP, "The pump was broken, true. These days it sings."),
        (PUMP, "It was. Dead as a stone for a month. Help yourself."),
        (PUMP, "If the pump were still broken, I would send you to the well."),
        (LOCK, "Straight in. The frost had the gate shut, but that's history."),
        (LOCK, "The gate stands open. Keep left of the buoy."),
        (BERTH, "You gave your berth up, remember? There's the bench."),
        (BERTH, "Your old berth's let. The bench is dry."),
        (POST, "The chapel porch. It used to be the red hut on Mill Street."),
    ],
)
def test_the_old_told_as_past_or_beside_the_new_is_not(matter, text: str) -> None:
    assert not is_stale(superseded(*matter), text)


def test_what_was_so_between_two_and_has_ended_is_stale_as_theirs_now() -> None:
    bond = a_relationship_delta(entry_id="bond", statement="maelin and the player climb as a team", seq=1)
    ended = Amendment(entry_id="bond", cause_seq=2, at=StoryTime(tick=2), status=Status.RETRACTED)
    scene = a_scene(bond, amendments=[ended], line="What will you do tomorrow?")
    assert is_stale(scene, "What we always do. We climb, the two of us, and you carry the rope.")
    assert not is_stale(scene, "I climb alone. We used to do it as a team.")


def spent(emotion: str, statement: str, line: str = "Good morning.") -> Scene:
    felt = a_residue(
        entry_id="felt", emotion=emotion, statement=statement, intensity=Intensity.MEDIUM, seq=1, holder="maelin"
    )  # fmt: skip
    eased = Amendment(entry_id="felt", cause_seq=2, at=StoryTime(tick=2), status=Status.EASED)
    return a_scene(felt, amendments=[eased], line=line)


CROSS = ("cross", "maelin is cross that the player broke the barometer")


@pytest.mark.parametrize(
    "text",
    [
        "Is it? I'm still fuming about that barometer.",
        "*She turns her back.* It still rankles, if you want to know.",
        "Every time I look at the barometer I want to throw you out of the window.",
        "I haven't forgiven you for the barometer, so keep your good mornings.",
    ],
)
def test_a_feeling_that_has_passed_acted_out_is_stale(text: str) -> None:
    assert is_stale(spent(*CROSS), text)


@pytest.mark.parametrize(
    "text",
    [
        "I was cross about the barometer. It wore off.",
        "Morning. The barometer is mended, and I'm over it.",
        "You can still hear the wind in the mast. Sit.",
        "*She hums.* Are you still cross with yourself over the barometer?",
    ],
)
def test_a_feeling_told_as_past_is_not(text: str) -> None:
    assert not is_stale(spent(*CROSS), text)
