"""The village played in memory, as its page shows it: apple, evening, gate, the way back, and the name cleared."""

import asyncio

import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import (
    ContentError,
    MalformedError,
    SequenceTakenError,
    UnknownCharacterError,
    UnknownWorldError,
)
from ledger_service.domain.events import Deed, Died, FellUnconscious, HourPassed, Moved, Told
from ledger_service.domain.visibility import SECRET, Disclosure, DisclosureMode
from ledger_service.services.play.detective import Trail, follow, may_be_said, read_trail
from ledger_service.services.play.play_village import MORNING, begin, opening_place
from ledger_service.services.play.player_acts import Clear, Do, Give, Go, Whisper
from ledger_service.services.play.village import Village
from ledger_service.stores.memory import MemoryStores
from tests.builders import an_observation
from tests.visiting import SEED, WORLD, Visit


def person(village: Village, who: str):
    return next(one for one in village.people if one.who == who)


def gate(village: Village) -> str:
    return next(a.consequence.outcome for a in person(village, "ilsa").asked if a.action.id == "pass_gate")


def test_a_village_begins_in_the_morning_where_most_people_are():
    visit = Visit()
    village = visit.look()
    assert (village.here.at.tick, village.place, opening_place(WORLD)) == (MORNING, "market", "market")
    assert [one.who for one in village.people] == ["tomas", "pip"]
    assert {room.place.id for room in village.rooms} == {p.id for p in WORLD.places}
    assert [room.place.id for room in village.rooms if room.is_here] == ["market"]
    assert visit.play.state().seed == SEED


def test_the_story_of_the_apple_from_the_stall_to_the_open_gate():
    visit = Visit()
    stolen = visit.do(Do(ladder="theft"))
    origin = stolen.entries[0].entry_id
    seen = visit.look(since=stolen.seq - 1)
    assert seen.since.happenings[0].seen_by == ("Tomas Reed", "Pip")
    assert {c.who for c in seen.since.changes} == {"tomas", "pip"}

    before = visit.seq
    visit.wait(11)
    visit.do(Go(to="gate"))
    evening = visit.look(since=before)
    ilsa = person(evening, "ilsa")
    assert ilsa.opinion.opinion.value <= -0.3
    assert gate(evening) == "refused"
    assert "put up a notice at the north gate" in evening.notices[0]
    assert evening.since.tellings
    assert evening.since.refused
    assert "Ilsa Brandt thought neither well nor ill of you (+0.00), and now ill (-0.36)" in [
        c.said for c in evening.since.changes
    ]

    assert "Ilsa Brandt would no longer let you pass the gate after dark" in [t.said for t in evening.since.turned]

    turn = visit.ask_for("pass_gate", "ilsa")
    asked = visit.look(packet=turn.packet.packet_id)
    assert (asked.said.consequence.action, asked.said.consequence.outcome) == ("pass_gate", "refused")
    assert asked.said.reply.reply.text

    trail, answer = visit.why(Trail(origin=origin), "ilsa")
    assert [s.teller for s in answer.sources] == ["bertha", "anselm"]
    assert not visit.look(trail=trail).traced.is_at_root
    visit.do(Go(to="inn"))
    trail, _ = visit.why(trail, "bertha")
    traced = visit.look(trail=trail).traced
    assert traced.named == ("anselm", "pip", "tomas")
    trail, root = visit.why(trail, "tomas")
    assert (root.is_root, root.first_hand) == (True, "saw it")
    assert visit.look(trail=trail).traced.is_at_root

    cleared = visit.do(Clear(origin=origin))
    after = visit.look(since=cleared.seq - 1, trail=trail)
    changed = {c.who: c for c in after.since.changes}
    assert changed["bertha"].said == "Bertha Lant thought ill of you (-0.31), and now neither well nor ill (+0.00)"
    assert "tomas" not in changed, "what he saw himself stays"
    visit.do(Go(to="gate"))
    assert gate(visit.look()) == "refused", "she has not heard of it yet"

    before = visit.seq
    visit.wait(24)
    at_last = visit.look(since=before)
    assert gate(at_last) == "granted"
    assert "Ilsa Brandt would now let you pass the gate after dark" in [t.said for t in at_last.since.turned]
    assert "Ilsa Brandt thinks less ill of you than before: -0.36 then, -0.10 now" in [
        c.said for c in at_last.since.changes
    ]
    assert at_last.notices == ()
    assert any("no longer so" in notice for one in at_last.since.happenings for notice in one.notices)


def test_before_the_captain_herself_her_gate_opens_at_once():
    visit = Visit()
    origin = visit.do(Do(ladder="theft")).entries[0].entry_id
    visit.wait(11)
    visit.do(Go(to="gate"))
    cleared = visit.do(Clear(origin=origin, say="the player paid for the apple", before="ilsa"))
    after = visit.look(since=cleared.seq - 1)
    assert gate(after) == "granted"
    assert after.since.changes[0].said == "Ilsa Brandt thought ill of you (-0.36), and now neither well nor ill (+0.00)"
    assert after.since.happenings[0].seen_by == ("Ilsa Brandt",)


def test_an_unseen_deed_is_nobodys_story():
    visit = Visit()
    done = visit.do(Do(ladder="theft", is_unseen=True))
    village = visit.look(since=done.seq - 1)
    assert village.since.happenings[0].seen_by == ()
    assert village.since.changes == ()


def test_good_deeds_gifts_and_whispers_come_to_what_the_rules_make_of_them():
    visit = Visit()
    visit.do(Do(ladder="rescue"))
    assert person(visit.look(), "tomas").opinion.opinion.value == pytest.approx(0.2)
    given = visit.do(Give(event="gift", to="tomas", what="a pear"))
    assert visit.look(since=given.seq - 1).since.happenings[0].said == "the player gave Tomas Reed a pear"
    told = visit.do(Whisper(to="pip", ladder="theft"))
    heard = visit.look(since=told.seq - 1).since.happenings[0].heard
    assert [(e.knowers[0].who, e.confidence) for e in heard] == [("pip", 0.3)]
    _, answer = visit.why(Trail(origin=heard[0].root), "pip")
    assert (answer.is_root, answer.sources[0].teller) == (True, "player"), "it began with the player"


def test_who_is_dead_or_asleep_is_on_no_map_and_is_asked_nothing():
    visit = Visit()
    visit.play.record(Died(who="tomas"), FellUnconscious(who="pip"))
    village = visit.look()
    assert (village.people, [room.people for room in village.rooms if room.is_here]) == ((), [()])
    with pytest.raises(ContentError, match="tomas is not here"):
        visit.do(Whisper(to="tomas", say="psst"))


def test_a_page_that_is_out_of_date_does_nothing():
    visit = Visit()
    seq = visit.seq
    visit.play.record(HourPassed())
    for stale in (
        lambda: visit.do(Do(ladder="theft"), at_seq=seq),
        lambda: visit.wait(1, at_seq=seq),
        lambda: visit.ask_for("buy_apples", "tomas", at_seq=seq),
    ):
        with pytest.raises(SequenceTakenError):
            stale()
    assert visit.seq == seq + 1


@pytest.mark.parametrize("hours", [0, 25])
def test_no_more_than_a_day_goes_by_at_once(hours):
    with pytest.raises(ContentError, match="from 1 to 24"):
        Visit().wait(hours)


def test_only_who_is_here_and_can_grant_it_is_asked():
    visit = Visit()
    with pytest.raises(ContentError, match="ilsa is not here"):
        visit.ask_for("pass_gate", "ilsa")
    with pytest.raises(ContentError, match="nothing that tomas could grant"):
        visit.ask_for("pass_gate", "tomas")
    with pytest.raises(ContentError, match="ilsa is not here"):
        visit.why(Trail(origin="e1"), "ilsa")


def test_where_nothing_moved_the_player_they_are_where_they_did_something_last():
    visit = Visit(is_begun=False)
    assert visit.look().place is None
    visit.play.record(Deed(tick=8, actor="player", place="mill", statement="the player whistled"))
    visit.play.record(Deed(actor="dorte", place="quay", statement="dorte counted"))
    assert visit.look().place == "mill"
    visit.play.record(Moved(who="player", to="well"))
    assert visit.look().place == "well"


def test_a_world_without_places_or_that_is_not_there_is_not_begun():
    nowhere = replace(
        WORLD, id="nowhere", places=(), notices=(),
        cast=tuple(replace(c, schedule=(), home=None) for c in WORLD.cast),
    )  # fmt: skip
    with pytest.raises(ContentError, match="no places"):
        Visit(nowhere)
    with pytest.raises(UnknownWorldError):
        asyncio.run(begin("atlantis", seed=1, title="", open_uow=MemoryStores().open_uow))


def test_who_holds_nothing_or_keeps_it_to_themselves_says_so():
    visit = Visit()
    origin = visit.do(Do(ladder="theft", is_unseen=True)).entries[0].entry_id
    _, nothing = visit.why(Trail(origin=origin), "tomas")
    assert (nothing.why_not, nothing.is_root) == ("knows nothing of it", False)
    kept = Deed(
        actor="pip", place="market", statement="pip broke a jar", ladder="theft", witnesses=("pip",), disclosure=SECRET
    )
    secret = visit.play.left_by(kept)[0].entry_id
    _, silent = visit.why(Trail(origin=secret), "pip")
    assert (silent.why_not, silent.statement) == ("says nothing of it", "")


def test_what_may_be_said_to_the_player():
    guarded = DisclosureMode.GUARDED
    assert may_be_said(an_observation())
    assert may_be_said(an_observation(disclosure=Disclosure(mode=guarded, to=("player",))))
    assert not may_be_said(an_observation(disclosure=Disclosure(mode=guarded, to=("player",), when="tick > 9")))
    assert not may_be_said(an_observation(disclosure=Disclosure(mode=guarded, to=("ilsa",))))
    assert not may_be_said(an_observation(unaware=("player",)))


def test_a_trail_is_bounded_and_names_people_of_this_world():
    assert read_trail("") is None
    assert read_trail(str(Trail(origin="e1", asked=("ilsa",)).and_then("ilsa"))).asked == ("ilsa",)
    with pytest.raises(MalformedError, match="at most 30"):
        read_trail("e1" + ".ilsa" * 31)
    visit = Visit()
    with pytest.raises(UnknownCharacterError):
        asyncio.run(follow(visit.id, Trail(origin="e1", asked=("nobody",)), open_uow=visit.stores.open_uow))


def test_only_the_last_events_are_told_and_the_page_knows_how_many_are_not():
    visit = Visit()
    for _ in range(80):
        visit.play.record(Told(teller="player", listener="tomas", statement="it rains"))
    told = visit.look(since=0).since
    assert (len(told.happenings), told.skipped) == (72, visit.seq - 72)
    assert visit.look(since=10_000).since.happenings == ()
