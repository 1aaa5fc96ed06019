"""Faults told in words that are not the record's own: by who must do what, what was done, by whom, and when."""

import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Source, SourceKind, Status
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET, Knower
from ledger_service.scoring.response_validity import response_validity
from tests.builders import a_commitment, a_hearsay, an_observation
from tests.speaking import Scene, a_scene

SENSOR = a_commitment(entry_id="sensor", statement="player will return the missing sensor", seq=5)
LANTERN = a_commitment(entry_id="lantern", statement="maelin will mend the lantern", owner="maelin", to="player", seq=6)
CRATER = a_hearsay(
    entry_id="crater", statement="the sensor lies in the south crater", teller="teo", seq=7,
    source=Source(kind=SourceKind.TOLD_BY, by="teo"), knowers=(Knower(who="maelin", how="told_by", from_whom="teo"),),
)  # fmt: skip
ERASED = an_observation(entry_id="erased", statement="maelin erased the distress message", disclosure=SECRET, seq=8)
SHIP = an_observation(entry_id="ship", statement="the supply ship lands on Friday at eight o'clock", seq=3)
DRILL = an_observation(entry_id="drill", statement="player lost the drill on the north ledge", seq=4)
STOVE = an_observation(entry_id="stove", statement="the mason replaced the stove", seq=9)
LOCK = an_observation(entry_id="lock", statement="player repaired the airlock", seq=10)
ALL = (SENSOR, LANTERN, CRATER, ERASED, SHIP, DRILL, STOVE, LOCK)


def codes(line: str, text: str, *entries: object, amendments: tuple[Amendment, ...] = ()) -> set[Code]:
    scene: Scene = a_scene(*(entries or ALL), line=line, amendments=amendments)
    reply = Reply(text=text, responder="test")
    verdict = response_validity(
        scene.packet, reply, scene.claims(text), world=scene.world, ledger=scene.ledger, asked=scene.asked
    )  # fmt: skip
    return {f.code for f in verdict.findings}


FAULTS = [
    ("How do you know about the crater?", "The supervisor let it slip.", Code.ATTRIBUTION_WRONG),
    ("Whatever became of the distress message?", "I burned it myself.", Code.LEAK),
    ("Who got rid of the distress message?", "Me. Now pass the flask.", Code.LEAK),
    ("When does the supply ship land?", "At half past six.", Code.CONTRADICTS_ENTRY),
    ("Which day does the ship come in?", "Monday.", Code.CONTRADICTS_ENTRY),
    ("Have you got my drill?", "The drill is in the locker.", Code.CONTRADICTS_ENTRY),
    ("Who replaced the stove?", "Teo did, with his own hands.", Code.ATTRIBUTION_WRONG),
    ("Is the airlock working?", "It is still broken.", Code.CONTRADICTS_ENTRY),
    ("I could use a sledge.", "I'll build you one next week, no charge.", Code.PROMISE_INVENTED),
    ("What about the sensor?", "I still have to return the missing sensor to you.", Code.OWNER_SWAPPED),
    ("And the lantern?", "You were supposed to repair the lantern.", Code.OWNER_SWAPPED),
    ("Is there anything I still owe?", "Nothing. We are even.", Code.STATUS_WRONG),
    ("The lantern, Maelin.", "I never promised to mend the lantern.", Code.STATUS_WRONG),
    ("I brought the missing sensor back.", "Right. So you did.", Code.FALSE_COMPLETION_ACCEPTED),
]
HARMLESS = [
    ("How do you know about the crater?", "Teo let it slip."),
    ("How do you know about the crater?", "Ask the supervisor, if you must."),
    ("Whatever became of the distress message?", "I never touched it."),
    ("Whatever became of the distress message?", "I heard it, like everybody."),
    ("When does the supply ship land?", "At eight."),
    ("When does the supply ship land?", "I do not know."),
    ("Which day does the ship come in?", "Not Monday, that much I know."),
    ("Have you got my drill?", "The drill is not in the locker."),
    ("I could use a sledge.", "If the storm passes, I'll build you one next week."),
    ("Who replaced the stove?", "The mason did."),
    ("Is the airlock working?", "It is not broken."),
    ("I could use a sledge.", "I'll tell you tomorrow."),
    ("And the lantern?", "I'll mend your lantern tomorrow."),
    ("What about the sensor?", "You still have to return the missing sensor."),
    ("What about the sensor?", '"You must return the sensor to me," you say. That is rich.'),
    ("Is there anything I still owe?", "The sensor."),
    ("The lantern, Maelin.", "I never promised to polish your boots."),
    ("I brought the missing sensor back.", "Right. And where is it?"),
]


@pytest.mark.parametrize(("line", "text", "code"), FAULTS)
def test_a_fault_is_found_by_what_it_says(line: str, text: str, code: Code) -> None:
    assert code in codes(line, text)


@pytest.mark.parametrize(("line", "text"), HARMLESS)
def test_what_only_looks_like_it_is_none(line: str, text: str) -> None:
    assert not codes(line, text)


def test_what_is_done_is_not_on_the_list_of_what_is_left() -> None:
    fuse = a_commitment(entry_id="fuse", statement="player will replace the relay fuse", seq=2)
    kept = (Amendment(entry_id="fuse", status=Status.FULFILLED, cause_seq=50, at=StoryTime(tick=50)),)
    assert codes("What is left for me to do?", "The relay fuse.", fuse, SENSOR, amendments=kept) == {Code.STATUS_WRONG}
    assert not codes("What is left for me to do?", "The sensor. You replaced the fuse.", fuse, SENSOR, amendments=kept)
