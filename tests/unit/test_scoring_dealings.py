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


LENS = a_commitment(entry_id="lens", statement="player will polish the harbour lens", seq=3, knowers=BOTH)
BLADE = a_commitment(
    entry_id="blade", statement="maelin will sharpen the player's axe", seq=4, knowers=BOTH, owner="maelin", to="player"
)  # fmt: skip
WATCH = a_commitment(
    entry_id="watch", statement="maelin will guard the player's sledge", seq=5, knowers=BOTH, owner="maelin",
    to="player",
)  # fmt: skip
OVER = (Amendment(entry_id="watch", status=Status.FULFILLED, cause_seq=50, at=StoryTime(tick=50)),)


@pytest.mark.parametrize(
    ("entry", "line", "faulty", "clean"),
    [
        (
            LENS, "The harbour lens is streaky.",
            "Streaky? You shone it up yourself on Friday, so that's only breath.",
            "Streaky it is. Nobody's rubbed it down since autumn, and you said you would.",
        ),
        (
            LANTERN, "What about the promise?",
            "Never fret. I let you off it the same night.",
            "It stands as it stood. Nobody lets you off it but me, and I don't.",
        ),
        (
            LANTERN, "You'll be all right without the storm lantern?",
            "You never gave me your word on that, so I've nothing to hold you to.",
            "I never gave you my word on that. You gave me yours.",
        ),
        (
            BLADE, "How's my axe coming?",
            "*nods at the wheel* Finished. Mind your thumbs.",
            "*nods at the wheel* Half finished. Mind your thumbs.",
        ),
        (
            LENS, "You seem cheerful.",
            "Ships see us again, since you got that harbour lens clean. I'd lost hope.",
            "Ships will see us again, once you've got that harbour lens clean. I live in hope.",
        ),
        (
            LANTERN, "Anything new?",
            "The storm lantern came back with you after the long walk, so the hook's full.",
            "The storm lantern has to come back with you from the long walk, or the hook stays bare.",
        ),
    ],
)  # fmt: skip
def test_how_far_it_has_got_is_heard_in_many_words(entry, line, faulty, clean) -> None:
    scene = a_scene(entry, line=line)
    assert codes(scene, faulty) == [Code.STATUS_WRONG]
    assert codes(scene, clean) == []


def test_what_is_over_is_not_told_as_going_on() -> None:
    scene = a_scene(WATCH, line="You still have my sledge?", amendments=OVER)
    assert codes(scene, "Course! I'm guardin' it day an' night, me and the dog.") == [Code.STATUS_WRONG]
    assert codes(scene, "I haven't got it, silly. You drove off on it.") == []


@pytest.mark.parametrize(
    "clean",
    [
        "'Hung' is a word I keep for things that I can see. That hook is bare.",
        "Settled! *laughs* Then some other keeper is reading by it, for I've got you down for it still.",
        "Swear to the hook. Show me it burning and I'll say it's burning.",
        "Your weather I'll take your word on. The lantern I have looked for, and there is none.",
    ],
)
def test_mocking_what_the_player_says_is_done_takes_nothing_for_done(clean) -> None:
    assert codes(a_scene(LANTERN, line="I hung the storm lantern by your door, I swear."), clean) == []


@pytest.mark.parametrize(
    ("entry", "line", "faulty", "clean"),
    [
        (
            LANTERN, "Teo was going to bring the storm lantern, I thought.",
            "He is. You've no call to trouble yourself.",
            "He is not. You are.",
        ),
        (
            BLADE, "What's left to do between us about the axe?",
            "You sharpen it. I only keep the stone wet.",
            "I sharpen it. You only keep the stone wet.",
        ),
        (
            LANTERN, "Could the supervisor not see to it, the storm lantern?",
            "They had better; it was the supervisor who swore to have it here.",
            "They had better not; it was you who swore to have it here.",
        ),
    ],
)  # fmt: skip
def test_who_is_to_do_it_is_heard_in_what_a_line_asks(entry, line, faulty, clean) -> None:
    scene = a_scene(entry, line=line)
    assert codes(scene, faulty) == [Code.OWNER_SWAPPED]
    assert codes(scene, clean) == []
