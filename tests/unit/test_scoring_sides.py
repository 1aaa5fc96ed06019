"""What the record leaves open: leaning is allowed where the other version stays open in the same line."""

import pytest

from ledger_service.domain.entries import Source, SourceKind
from ledger_service.domain.rubric import Code
from ledger_service.domain.visibility import Knower
from tests.builders import a_contradiction, a_hearsay, an_observation
from tests.speaking import a_scene
from tests.unit.test_scoring_response import codes


def told(entry_id: str, statement: str, by: str, seq: int):
    knowers = (Knower(who="maelin", how="told_by", from_whom=by),)
    source = Source(kind=SourceKind.TOLD_BY, by=by)
    return a_hearsay(entry_id=entry_id, statement=statement, teller=by, seq=seq, source=source, knowers=knowers)


BURNT = told("burnt", "the granary burned because of a dropped pipe", "teo", 7)
STRUCK = told("struck", "the granary burned because lightning hit the roof", "supervisor", 8)
STOVE = an_observation(entry_id="stove", statement="the stove was mended on Monday", seq=9)
DISPUTE = a_contradiction(
    "burnt", "struck", entry_id="dispute", statement="teo's dropped pipe against the supervisor's lightning", seq=10
)
SCENE = a_scene(BURNT, STRUCK, DISPUTE, STOVE, line="So why did the granary burn?")


@pytest.mark.parametrize(
    "text",
    [
        "Somebody dropped a pipe in the straw, and that's flat.",
        "Lightning hit it. Teo is a drunk who never looked up from his cup.",
        "I've heard the two of them out. But it was a dropped pipe that did it, and I'll not pretend otherwise.",
        "It went as the supervisor tells it, a bolt through the roof.",
        "Whatever Teo says, the roof took lightning.",
        "A dropped pipe. The supervisor can take his story elsewhere.",
    ],
)
def test_one_version_told_as_settled_takes_a_side(text: str) -> None:
    assert Code.SIDE_TAKEN in codes(SCENE, text)


@pytest.mark.parametrize(
    "text",
    [
        "Teo says a dropped pipe, the supervisor says lightning. I'm not choosing.",
        "Teo has a dropped pipe in his tale. So he says, and I write it down.",
        "Could be a dropped pipe, could be lightning. Nobody has shown me which.",
        "The supervisor, who sleeps badly, says lightning hit the roof.",
        "Ask me when the assessor has been.",
        "The stove was mended on Monday, and that's flat.",
        "I lean to the pipe, but the roof may have been hit for all I know.",
    ],
)
def test_what_is_kept_open_takes_none(text: str) -> None:
    assert Code.SIDE_TAKEN not in codes(SCENE, text)


def test_versions_told_beside_each_other_leave_open_what_comes_before() -> None:
    text = "The roof fell in at midnight, so much is known. Teo cries pipe and the supervisor cries lightning."
    assert codes(SCENE, text) == []


WHOSE = a_scene(BURNT, STRUCK, DISPUTE, STOVE, line="So whose story of the granary holds, Teo's or the supervisor's?")
BELIEVED = a_scene(BURNT, STRUCK, DISPUTE, STOVE, line="So you believe Teo about the pipe?")


@pytest.mark.parametrize("text", ["Teo's, every time. Pass the salt.", "His does. I've no more to say of it."])
def test_whose_word_holds_may_be_answered_by_a_name(text: str) -> None:
    assert codes(WHOSE, text) == [Code.SIDE_TAKEN]


@pytest.mark.parametrize("text", ["Neither, till I'm shown a pipe.", "His, or the other's. It depends on the day."])
def test_or_by_neither(text: str) -> None:
    assert codes(WHOSE, text) == []


def test_a_yes_to_whom_one_believes_takes_a_side() -> None:
    assert codes(BELIEVED, "I do. Pass the salt.") == [Code.SIDE_TAKEN]
    assert codes(BELIEVED, "I might, on a Sunday. I've not seen a pipe.") == []


PITIED = a_scene(BURNT, STRUCK, DISPUTE, STOVE, line="I feel sorry for whoever dropped that pipe.")


def test_what_it_was_settles_it_where_the_line_speaks_of_it() -> None:
    assert codes(PITIED, "Save your tears, lightning it was, and a big one.") == [Code.SIDE_TAKEN]
    assert codes(PITIED, "Save your tears for the supper, it's burnt as well.") == []
