"""Who told the speaker what: whoever else is named as the teller, by whatever way of saying so, is the wrong one."""

import pytest

from ledger_service.domain.entries import Source, SourceKind
from ledger_service.domain.rubric import Code
from ledger_service.domain.visibility import Knower
from tests.builders import a_hearsay, an_observation
from tests.speaking import a_scene
from tests.unit.test_scoring_response import codes


def told(entry_id: str, statement: str, by: str, seq: int):
    knowers = (Knower(who="maelin", how="told_by", from_whom=by),)
    source = Source(kind=SourceKind.TOLD_BY, by=by)
    return a_hearsay(entry_id=entry_id, statement=statement, teller=by, seq=seq, source=source, knowers=knowers)


BARGE = told("barge", "a barge sank in the mill pond", "teo", 7)
TAXES = told("taxes", "the taxes will double after the harvest", "supervisor", 8)
STOVE = an_observation(entry_id="stove", statement="the stove was mended on Monday", seq=9)
ASKED = a_scene(BARGE, STOVE, line="Who told you that a barge sank in the pond?")
TALK = a_scene(BARGE, TAXES, STOVE, line="Any news from the mill?")


@pytest.mark.parametrize(
    "text",
    [
        "The supervisor let it slip over dinner. Might be nothing.",
        "It was the supervisor who came to me about it. I've not been to look.",
        "Oh, that's the supervisor. He says it went down like a stone, and he does exaggerate.",
        "From Fennimore, on the ferry. Take it as you like.",
        "Fennimore told me, so I'd not swear to it.",
        "Supervisor. *shrugs* Down in one gulp, he says.",
        "Only the supervisor's word for it.",
        "The supervisor shouted it across the yard, for what it's worth.",
        "The supervisor breathed it in my ear at the pump. I've seen nothing.",
        "Teo? No. It was the supervisor, all of a tremble.",
        "Fennimore, it was him that told me. I only pass it on.",
    ],
)
def test_another_named_as_the_teller_is_the_wrong_one(text: str) -> None:
    assert codes(ASKED, text) == [Code.ATTRIBUTION_WRONG]


@pytest.mark.parametrize(
    "text",
    [
        "I had it from the supervisor that a barge sank in the mill pond.",
        "The supervisor put it about that some barge has sunk in the pond.",
        "A barge may have sunk in the mill pond. That's the supervisor's notion, and I've not looked.",
    ],
)
def test_nobody_need_have_asked_who(text: str) -> None:
    assert codes(TALK, text) == [Code.ATTRIBUTION_WRONG]


@pytest.mark.parametrize(
    "text",
    [
        "Teo let it slip over dinner. Might be nothing.",
        "It was Teo who came to me about it.",
        "Teo. Down in one gulp, he says.",
        "Not the supervisor, for once. Teo had it from nobody but himself.",
        "I couldn't tell you. Ask the supervisor, he keeps the pond.",
        "Nobody told me outright.",
        "Teo shouted it across the yard, for what it's worth.",
        "The supervisor? No. It was Teo, all of a tremble.",
    ],
)
def test_the_speakers_own_teller_may_be_named(text: str) -> None:
    assert codes(ASKED, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The supervisor told me the taxes may double after the harvest, and Teo has a tale of a barge in the pond.",
        "The supervisor says the stew wants salt.",
        "I had the flour from the supervisor, and the stove was mended on Monday.",
    ],
)
def test_somebody_may_say_something_else(text: str) -> None:
    assert codes(TALK, text) == []
