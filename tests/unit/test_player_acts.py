"""What the player can do somewhere, as the world offers it, and the event that each of it is."""

import pytest

from ledger_service.bootstrap import load_story
from ledger_service.domain.entries import Channel
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import Deed, Happened, Moved, Told
from ledger_service.services.play.player_acts import (
    AMENDS,
    LONGEST,
    Clear,
    Do,
    Give,
    Go,
    Spot,
    Whisper,
    deeds_of,
    event_of,
    gifts_of,
    stories_of,
)

WORLD = load_story("village").world
HERE = Spot(place="inn", people=("bertha", "odo"))


def test_the_world_offers_deeds_that_weigh_and_no_reading_of_them():
    assert [(one.ladder, one.weight > 0) for one in deeds_of(WORLD)] == [("theft", False), ("rescue", True)]
    assert [one.ladder for one in stories_of(WORLD)] == ["theft", "rescue", "bribe", "salt"]
    assert gifts_of(WORLD) == ("gift",)


def test_a_world_without_ladders_or_customs_offers_nothing():
    station = load_story("maelin").world
    assert (deeds_of(station), stories_of(station), gifts_of(station)) == ((), (), ())


def test_a_deed_is_seen_by_who_is_here_or_by_nobody():
    seen = event_of(Do(ladder="theft"), HERE, WORLD)
    assert seen == Deed(
        actor="player", place="inn", statement="the player took an apple", ladder="theft", subject="player"
    )
    assert event_of(Do(ladder="theft", is_unseen=True), HERE, WORLD).channel is Channel.PRIVATE


def test_a_gift_is_the_event_that_the_world_declares():
    given = event_of(Give(event="gift", to="bertha", what="  a  ham "), HERE, WORLD)
    assert given == Happened(
        name="gift", actor="player", target="bertha", place="inn", statement="the player gave Bertha Lant a ham"
    )
    assert event_of(Give(event="gift", to="odo"), HERE, WORLD).statement == "the player gave Odo Fenn a gift"


def test_a_whisper_reaches_one_ear_in_the_words_of_a_story_or_in_ones_own():
    story = event_of(Whisper(to="odo", ladder="rescue"), HERE, WORLD)
    assert isinstance(story, Told)
    assert (story.statement, story.ladder, story.subject) == (WORLD.ladders[1].rungs[0], "rescue", "player")
    assert (story.listener, story.channel, story.entry_id) == ("odo", Channel.PRIVATE, None)
    own = event_of(Whisper(to="odo", say="Tomas waters the cider", about="tomas"), HERE, WORLD)
    assert (own.statement, own.ladder, own.subject) == ("Tomas waters the cider", None, "tomas")
    assert event_of(Whisper(to="odo", ladder="salt"), HERE, WORLD).subject is None, "salt is nobody's fault"


def test_a_name_is_cleared_before_everybody_or_before_one():
    everybody = event_of(Clear(origin="e1"), HERE, WORLD)
    assert (everybody.statement, everybody.corrects, everybody.channel) == (AMENDS, "e1", Channel.OPEN)
    one = event_of(Clear(origin="e1", say="the player paid", before="odo"), HERE, WORLD)
    assert (one.statement, one.target, one.channel) == ("the player paid", "odo", Channel.PRIVATE)


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (Do(ladder="arson"), "nothing that the player can do"),
        (Do(ladder="bribe"), "nothing that the player can do"),
        (Give(event="pardon", to="odo"), "gives nobody anything"),
        (Give(event="gift", to="ilsa"), "ilsa is not here"),
        (Give(event="gift", to="odo", what="x" * (LONGEST + 1)), "at most 500"),
        (Whisper(to="", say="psst"), "nobody is not here"),
        (Whisper(to="odo", say="  "), "say what is to be whispered"),
        (Whisper(to="odo", ladder="arson"), "no ladder of this world"),
        (Clear(origin="e1", before="ilsa"), "ilsa is not here"),
    ],
)
def test_what_cannot_be_done_here_says_why(act, why):
    with pytest.raises(ContentError, match=why):
        event_of(act, HERE, WORLD)


def test_from_nowhere_one_can_only_go_somewhere():
    nowhere = Spot(place=None)
    assert event_of(Go(to="inn"), nowhere, WORLD) == Moved(who="player", to="inn")
    with pytest.raises(ContentError, match="nowhere yet"):
        event_of(Do(ladder="theft"), nowhere, WORLD)
