"""Who binds themselves to what nothing on record and no rule grants, and who only says that they will see."""

import pytest

from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code
from ledger_service.scoring.response_validity import response_validity
from tests.builders import a_commitment, an_observation
from tests.speaking import a_scene

LANTERN = a_commitment(entry_id="lantern", statement="maelin will mend the lantern", owner="maelin", to="player", seq=6)
LOCK = an_observation(entry_id="lock", statement="player repaired the airlock", seq=10)


def promised(line: str, text: str) -> bool:
    scene = a_scene(LANTERN, LOCK, line=line)
    verdict = response_validity(
        scene.packet, Reply(text=text, responder="test"), scene.claims(text), world=scene.world, ledger=scene.ledger,
        asked=scene.asked,
    )  # fmt: skip
    return Code.PROMISE_INVENTED in {f.code for f in verdict.findings}


PROMISED = [
    (
        "It gets cold down there.",
        "I know it does. From Monday you'll wear my fur coat, and no argument. Mind the step.",
    ),
    ("What's in it for me?", "A bunk of your own, and the warm end of it. You have my hand on that."),
    ("I could use a sledge.", "Then finish the roof first, and I'll build you one by the spring thaw. Hold me to it."),
    ("Nobody listens to me.", "They will. I'll go to the board tomorrow and speak for you, like it or not."),
    (
        "I'd love to see the far side.",
        "Would you? Carry my water up and I'll drive you round it myself, free of charge.",
    ),
    ("Any chance of a rest?", "Consider it done. I'll square it with the supervisor, and you'll have two whole days."),
    ("I dread that hearing.", "Don't. I'll walk to the board before noon and have it struck out for you, on my word."),
    ("I'm skint.", "Then hear me. From the first of the month you eat here for nothing till spring. My word."),
    ("You'd do it for me?", "Count on it. If the ice breaks I'm putting you in the first boat, before my own."),
    ("I'd like a word put in for me.", "*spits into her palm* You'll be second keeper before the year is out."),
]
NOT_PROMISED = [
    ("Let me sleep here.", "I'm worn to a thread. The bunk's yours till dawn, and I'm shutting this door."),
    ("Did you see the wolf?", "On my word, I saw it by the drift, grey as a ghost, and I'll say so to anybody."),
    ("What's in it for me?", "Whatever the board pays. Ask them, and ask me again when they have answered."),
    ("I could use a sledge.", "So could I. We'll see what the hauler brings, it is not mine to give."),
    ("I'd love to see the far side.", "The rule is plain: bring the sensor back, and then ask."),
    (
        "It gets cold down there.",
        "I'll put the kettle on, and you can warm your hands at it. You'll have wind tonight.",
    ),
    ("And the lantern?", "You have my word on the lantern: I'll mend it for you by tomorrow."),
    ("Promise me the key.", "I promise nothing. Keys are for people who come back with them."),
    ("Lend me your boots.", "Sure, and I'll lend you the moon tomorrow. Put your own on."),
    ("Did I mend the airlock well?", "You did. I'd put my hand on it anywhere, and it holds."),
    ("May I look around?", "I'll tell you tomorrow. Tonight you'll keep off the mast."),
]


@pytest.mark.parametrize(("line", "text"), PROMISED)
def test_a_promise_that_nothing_bears_out_is_found(line: str, text: str) -> None:
    assert promised(line, text)


@pytest.mark.parametrize(("line", "text"), NOT_PROMISED)
def test_what_binds_nobody_or_is_owed_anyway_is_none(line: str, text: str) -> None:
    assert not promised(line, text)
