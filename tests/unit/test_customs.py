"""Customs: what some witnesses take an event for, and what follows from that."""

import msgspec
import pytest

from ledger_service.domain.entries import Channel, LedgerEntry
from ledger_service.domain.events import Deed, GameEvent, Happened, HourPassed, Told
from ledger_service.domain.slots import Slot
from ledger_service.domain.worlds import Custom, DeclaredEvent, Ladder, World
from tests.playing import Play, who
from tests.villages import RUNGS, a_village, somebody

BRIBES = Ladder(id="bribes", rungs=("{actor} offers bribes", "the player buys the whole watch"), weights=(-0.3, -0.6))
CUSTOM = Custom(
    id="bribe", event="gift", when="opinion(witness, event.actor) <= -0.3", reads_as="{actor} offered {target} a bribe",
    ladder="bribes",
)  # fmt: skip
SWEETS = Custom(id="sweets", when="event.actor == 'player' && witness == 'pip'", reads_as="{actor} is after something")
GIFT = Happened(
    name="gift", actor="player", target="ilsa", statement="the player gave Ilsa a ham", place="gate",
    witnesses=("ilsa", "pip"), slot=Slot(subject="player", predicate="gave", object="ham"),
)  # fmt: skip
THEFT = Deed(
    actor="player", statement=RUNGS[2], place="market", witnesses=("ilsa",), ladder="theft", subject="player"
)  # fmt: skip


def the_village(*customs: Custom) -> World:
    cast = (somebody("ilsa", ("gate", 9)), somebody("pip", ("gate", 9)), somebody("bertha", ("gate", 9)))
    trust = {("bertha", "ilsa"): 1.0, ("bertha", "pip"): 1.0, ("pip", "ilsa"): 1.0, ("ilsa", "pip"): 1.0}
    world = a_village(cast, trust, customs=customs, events=(DeclaredEvent(name="gift"), DeclaredEvent(name="storm")))
    return msgspec.structs.replace(world, ladders=(*world.ladders, BRIBES))


def told(*events: GameEvent, customs: tuple[Custom, ...] = (CUSTOM,)) -> list[LedgerEntry]:
    play = Play(the_village(*customs))
    return [entry for event in events for entry in play.left_by(event)]


def test_a_gift_from_one_already_distrusted_reads_as_a_bribe_to_who_distrusts_them():
    _, plain, bribe = told(THEFT, GIFT)
    assert (plain.statement, who(plain)) == ("the player gave Ilsa a ham", {"player", "pip"})
    assert (bribe.statement, who(bribe)) == ("the player offered Ilsa a bribe", {"ilsa"})
    assert (bribe.ladder, bribe.subject, bribe.root, bribe.slot) == ("bribes", "player", plain.entry_id, None)
    assert (bribe.source.by, bribe.place, bribe.confidence) == ("player", "gate", 1.0)


def test_from_anybody_else_a_gift_is_a_gift():
    (plain,) = told(GIFT)
    assert who(plain) == {"player", "ilsa", "pip"}


def test_the_opinion_is_that_of_before_the_event():
    own = msgspec.structs.replace(CUSTOM, event="deed")
    first, second, third = told(THEFT, THEFT, customs=(own,))
    assert [first.statement, second.statement] == [RUNGS[2]] * 2
    assert who(second) == {"player"}
    assert third.statement == "the player offered somebody a bribe"


def test_a_custom_is_of_its_own_event_and_may_ask_for_what_it_says_and_who_saw_it():
    shared = Deed(actor="player", statement="the player hands out sweets", place="gate", witnesses=("pip", "ilsa"))
    plain, otherwise = told(shared, customs=(SWEETS, CUSTOM))
    assert (who(plain), who(otherwise)) == ({"player", "ilsa"}, {"pip"})
    assert otherwise.statement == "the player is after something"
    assert len(told(Happened(name="storm", witnesses=("pip",)), customs=(SWEETS, CUSTOM))) == 1


def test_of_several_customs_the_first_that_holds_counts():
    every = Custom(id="every", event="gift", when="true", reads_as="{actor} shows off")
    _, plain, *others = told(THEFT, GIFT, customs=(CUSTOM, every))
    assert who(plain) == {"player"}
    assert {e.statement: who(e) for e in others} == {
        "the player offered Ilsa a bribe": {"ilsa"}, "the player shows off": {"pip"},
    }  # fmt: skip


def test_where_nobody_takes_it_as_it_was_and_nobody_did_it_only_the_reading_is_left():
    omen = Custom(id="omen", event="storm", when="true", reads_as="the sky is angry")
    (left,) = told(Happened(name="storm", witnesses=("pip", "ilsa"), statement="a storm"), customs=(omen,))
    assert (left.statement, who(left), left.root) == ("the sky is angry", {"ilsa", "pip"}, left.entry_id)


def test_a_condition_that_cannot_be_judged_changes_nothing():
    broken = msgspec.structs.replace(CUSTOM, when="event.nothing == 1")
    _, plain = told(THEFT, GIFT, customs=(broken,))
    assert plain.statement == "the player gave Ilsa a ham"


@pytest.mark.parametrize("channel", [Channel.PRIVATE, Channel.MUFFLED])
def test_who_hears_it_only_muffled_takes_it_for_nothing(channel):
    quiet = Happened(
        name="gift", actor="player", target="ilsa", statement="a ham", place="gate", channel=channel, tick=9
    )
    _, plain, bribe, *muffled = told(THEFT, quiet)
    assert (who(plain), who(bribe)) == ({"player"}, {"ilsa"})
    assert all("out of sight" in e.statement for e in muffled)


def test_a_bribe_is_told_on_as_a_bribe_and_not_back_to_who_saw_a_gift():
    play = Play(the_village(CUSTOM))
    play.record(THEFT, GIFT, Happened(name="storm", tick=8), HourPassed())
    held = {(t.teller, t.listener, t.statement) for t in play.tellings()}
    assert ("ilsa", "bertha", "the player buys the whole watch") in held
    assert not any(listener == "pip" and "buys" in said for _, listener, said in held)


def test_who_takes_a_correction_for_something_else_is_not_set_right_by_it():
    play = Play(the_village(msgspec.structs.replace(CUSTOM, event="deed", when="witness == 'ilsa'")))
    (theft,) = play.left_by(msgspec.structs.replace(THEFT, witnesses=("pip",)))
    play.record(Told(teller="pip", listener="ilsa", entry_id=theft.entry_id, statement=RUNGS[2]))
    play.record(Deed(actor="player", statement="the player paid", witnesses=("ilsa",), corrects=theft.entry_id))
    (hers,) = [e for e in play.ledger().entries.values() if e.origin == theft.entry_id]
    assert play.ledger().belief_of(hers.entry_id) is None
