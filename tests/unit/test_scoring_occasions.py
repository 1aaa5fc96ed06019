"""What passed between two people on some occasion: told, and on no record; and what is only colour, or told again."""

import pytest

from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code
from ledger_service.scoring.response_validity import response_validity
from tests.builders import an_observation
from tests.speaking import a_scene

LOCK = an_observation(entry_id="lock", statement="player repaired the airlock on the night of the storm", seq=10)
ALONE = an_observation(entry_id="alone", statement="maelin and the player have talked alone once, in the pantry", seq=3)
THANKS = an_observation(entry_id="thanks", statement="teo thanked the player for the sledge at the depot", seq=4)


def invented(line: str, text: str) -> bool:
    scene = a_scene(LOCK, ALONE, THANKS, line=line)
    verdict = response_validity(
        scene.packet, Reply(text=text, responder="test"), scene.claims(text), world=scene.world, ledger=scene.ledger,
        asked=scene.asked,
    )  # fmt: skip
    return Code.INVENTED_MEMORY in {f.code for f in verdict.findings}


INVENTED = [
    (
        "You are kind today.",
        "I owe it. You held my hair back that first winter, when the fever had me. I forget little.",
    ),
    ("Busy day?", "So so. The supervisor stopped by the greenhouse yesterday and asked me to go gently with you."),
    ("Does anybody here like me?", "*shrugs* Teo went on about you half the ferry ride. Said you were the best of us."),
    (
        "What are you smiling at?",
        "At how you crept into my cabin after the concert and cried on my shoulder. Sit down.",
    ),
    ("Have we ever talked, just us?", "Twice. In the pantry, and once more under the radar mast, with a flask."),
    ("Do they let you drive?", "Teo let me take the wheel last week, and said I had the best hands of anybody."),
    ("Is Teo coming?", "He is. He knelt beside me at the shrine last autumn and begged me to wait for him."),
    (
        "Have you known me long?",
        "Known you! You carried my crate through that blizzard on the ice road and wouldn't hear a word of thanks.",
    ),
    ("You never tease me.", "Don't I? And that night you snored on my table and swore off the gin for good? Ha."),
]
NOT_INVENTED = [
    ("Remember the hut where you fed me?", "That was some other cook, friend. You and I have met since Tuesday."),
    ("Do you know my face?", "Faces run together on the ferry. I look at the luggage."),
    ("Is it far?", "A league. The guard had his hand on the door yesterday, and sleet in his beard."),
    ("Who says the relay failed?", "Teo told me, over the stove last night, with his boots off."),
    ("You are kind today.", "It is the soup. I always talk with people when the pot is full, ask anybody."),
    ("Busy day?", "So so. I scrubbed the greenhouse yesterday and lost a glove in it."),
    ("Does anybody here like me?", "Teo thanked you for the sledge, down at the depot. That is something."),
    ("What are you smiling at?", "At the kettle. It sang in the night like a choir."),
    ("Have we ever talked, just us?", "Once, in the pantry, and you ate all the raisins."),
    ("You told me so in the tower, remember?", "I did not. I have never been in the tower with you."),
    ("Is Teo coming?", "If he had asked me last autumn, I would have gone with him to the shrine."),
    ("Who mended the airlock?", "You did, the night the storm had us all under the tables."),
    ("What now?", "You'd have laughed with me last night: the goat ate the map."),
]


@pytest.mark.parametrize(("line", "text"), INVENTED)
def test_an_occasion_that_nothing_on_record_comes_near_is_found(line: str, text: str) -> None:
    assert invented(line, text)


@pytest.mark.parametrize(("line", "text"), NOT_INVENTED)
def test_colour_and_what_is_on_record_are_none(line: str, text: str) -> None:
    assert not invented(line, text)
