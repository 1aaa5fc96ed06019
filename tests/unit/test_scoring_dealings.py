"""What is owed, in the long lines that people say: whose it is, how far it has got, and who takes it for done."""

import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Status
from ledger_service.domain.rubric import Axis, Code
from ledger_service.domain.story_time import StoryTime
from tests.builders import a_commitment, known_by
from tests.speaking import Scene, a_scene, scored

BOTH = known_by("maelin", "player")
LANTERN = a_commitment(entry_id="lantern", statement="player will bring maelin the storm lantern", seq=1, knowers=BOTH)
COAT = a_commitment(
    entry_id="coat", statement="maelin will mend the player's coat", seq=2, knowers=BOTH, owner="maelin", to="player"
)  # fmt: skip
KEPT = (Amendment(entry_id="lantern", status=Status.FULFILLED, cause_seq=50, at=StoryTime(tick=50)),)
BROKEN = (Amendment(entry_id="lantern", status=Status.BROKEN, cause_seq=50, at=StoryTime(tick=50)),)


def codes(scene: Scene, text: str) -> list[Code]:
    return [f.code for f in scored(scene, text).verdict(Axis.RESPONSE).findings]


@pytest.mark.parametrize(
    "faulty",
    [
        "You were as good as your word about the storm lantern, and I'll say so to anybody who asks.",
        "Sit, warm your hands. The storm lantern came up with the mail, so that account is closed.",
        "I've crossed the storm lantern off, and I sleep the better for it.",
        "The storm lantern's back on its hook, and the hut looks like home again.",
        "You went back on your word about the storm lantern, and I don't forget that.",
        "The storm lantern? I let you off that one when the road went.",
    ],
)
def test_what_is_open_is_not_told_as_done_broken_or_called_off(faulty) -> None:
    scene = a_scene(LANTERN, line="Anything new up here?")
    assert codes(scene, faulty) == [Code.STATUS_WRONG]


@pytest.mark.parametrize(
    "clean",
    [
        "Once the storm lantern is back on its hook we're square, and not before.",
        "You still owe me the storm lantern, and I'm not a patient woman.",
        "Bring the storm lantern first. Then we're square.",
        "If you had brought the storm lantern I could read by it.",
        "No storm lantern yet, so mind the step.",
    ],
)
def test_a_condition_a_wish_and_what_is_missing_say_nothing_of_done(clean) -> None:
    scene = a_scene(LANTERN, line="Anything new up here?")
    assert codes(scene, clean) == []


def test_what_is_kept_is_not_told_as_waited_for() -> None:
    scene = a_scene(LANTERN, line="How are you?", amendments=KEPT)
    assert codes(scene, "Cold, and still waiting for that storm lantern.") == [Code.STATUS_WRONG]
    assert codes(scene, "Cold, but the storm lantern you brought burns all night.") == []


def test_what_is_broken_is_not_told_as_kept() -> None:
    scene = a_scene(LANTERN, line="Can I be trusted?", amendments=BROKEN)
    assert codes(scene, "You kept your word about the storm lantern, to the hour.") == [Code.STATUS_WRONG]
    assert codes(scene, "You never brought the storm lantern, so ask somebody else.") == []


@pytest.mark.parametrize(
    ("line", "faulty", "clean"),
    [
        (
            "I hung the storm lantern by your door.",
            "*She chalks a stroke on the board.* Then you're free to go, and mind the ice.",
            "*She lifts her lamp to the door.* I see a nail, and a nail is all I see.",
        ),
        (
            "The storm lantern's up here at last, all in one piece.",
            "Bless you, that's one thing less to fret about before the snow.",
            "So you say. Show me, and I'll pour you something hot.",
        ),
    ],
)
def test_the_word_that_it_is_done_is_not_taken(line, faulty, clean) -> None:
    scene = a_scene(LANTERN, line=line)
    assert codes(scene, faulty) == [Code.FALSE_COMPLETION_ACCEPTED]
    assert codes(scene, clean) == []


@pytest.mark.parametrize(
    ("entry", "line", "faulty", "clean"),
    [
        (
            LANTERN,
            "What about the storm lantern?",
            "I gave you my word I'd fetch it up for you, and I will.",
            "You gave me your word you'd fetch it up, and I hold you to it.",
        ),
        (
            LANTERN,
            "Who's bringing up the storm lantern?",
            "Teo is, poor lad, with his bad knee.",
            "You are, and before dark if you please.",
        ),
        (
            COAT,
            "What about my coat?",
            "It's your job to mend it, and the needle is in the drawer.",
            "It's my job to mend it, and I've not begun.",
        ),
        (
            COAT,
            "Any word on the coat?",
            "You're the one who's meant to mend that, friend.",
            "I'm the one who's meant to mend that, I know.",
        ),
    ],
)
def test_a_duty_stays_with_the_one_who_has_it(entry, line, faulty, clean) -> None:
    scene = a_scene(entry, line=line)
    assert codes(scene, faulty) == [Code.OWNER_SWAPPED]
    assert codes(scene, clean) == []
