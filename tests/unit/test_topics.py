"""What a clause is about, of everything on record."""

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Status
from ledger_service.domain.replies import Reply
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.heard.topics import place_of, topics
from tests.builders import a_commitment, an_observation
from tests.speaking import a_scene

HEATER = an_observation(entry_id="heater", statement="the mast heater is dead", seq=1)
NEWER = an_observation(entry_id="newer", statement="maelin repaired the mast heater", seq=2)
SENSOR = a_commitment(entry_id="sensor", statement="player will return the missing sensor", seq=3)
HIDDEN = an_observation(entry_id="hidden", statement="maelin has filed for a transfer", disclosure=SECRET, seq=4)
OVER = Amendment(entry_id="heater", cause_seq=2, at=StoryTime(tick=2), status=Status.SUPERSEDED, by=("newer",))


def heard(text: str, *, line: str = "", near: dict[str, int] | None = None) -> Hearing:
    scene = a_scene(HEATER, NEWER, SENSOR, HIDDEN, line=line, amendments=(OVER,))
    return Hearing(
        scene.packet, Reply(text=text, responder="test"), scene.claims(text), world=scene.world, ledger=scene.ledger,
        asked=scene.asked, near=(lambda _: near) if near is not None else None,
    )  # fmt: skip


def first(hearing: Hearing) -> str:
    return topics(hearing, hearing.claims[0])[0].fact.entry_id


def test_what_may_not_be_said_or_no_longer_holds_is_looked_at_too() -> None:
    assert first(heard("I put my name down for a transfer.")) == "hidden"
    assert first(heard("It has been stone dead since noon.")) == "heater"


def test_a_word_that_few_entries_have_tells_more_than_one_that_many_have() -> None:
    hearing = heard("The mast heater was fixed.")
    assert [t.fact.entry_id for t in topics(hearing, hearing.claims[0])][:2] == ["newer", "heater"]


def test_a_short_answer_is_about_what_the_line_asked() -> None:
    assert first(heard("Not yet.", line="Is the missing sensor back?")) == "sensor"


def test_meaning_puts_an_entry_first_where_no_word_is_shared() -> None:
    hearing = heard("That gadget of mine is out there still.", near={"sensor": 600, "heater": 100})
    assert first(hearing) == "sensor"
    assert place_of(hearing, hearing.claims[0], hearing.everything[0]) > 0
