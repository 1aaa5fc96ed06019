"""Notices: up by a rule, read once by whoever passes, down again; all of it in the event that causes it."""

import asyncio

import msgspec
import pytest

from ledger_service.domain.entries import Observation, SourceKind, Status
from ledger_service.domain.events import (
    Deed,
    Died,
    FellUnconscious,
    GameEvent,
    Happened,
    HourPassed,
    Moved,
    StateSet,
    TimePassed,
    Told,
    WorldChanged,
)
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.worlds import DeclaredEvent, Notice, World, version_of
from ledger_service.rumours.provenance import in_words
from ledger_service.services.gossip.explain_belief import Question, answer_why
from ledger_service.services.playthroughs.open_playthrough import add_world
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough
from tests.playing import Play
from tests.villages import RUNGS, a_village, somebody

WANTED = Notice(
    id="wanted", place="gate", ladder="theft", rung=3, subject="player", by="ilsa",
    post_when="opinion('ilsa') <= -0.3", remove_when="happened('pardon')",
)  # fmt: skip
ROBBED = Deed(
    actor="player", statement=RUNGS[2], place="market", witnesses=("ilsa",), ladder="theft", subject="player"
)  # fmt: skip
PARDON = Happened(name="pardon", witnesses=())


def the_village(*notices: Notice) -> World:
    cast = (
        somebody("ilsa", ("gate", 9)), somebody("odo", ("gate", 3), ("inn", 4)), somebody("pip", ("inn", 4)),
        somebody("rex", ("gate", 3), can_testify=False), somebody("mira", ("gate", 5)),
    )  # fmt: skip
    return a_village(
        cast, {("pip", "odo"): 0.9}, notices=notices, events=(DeclaredEvent(name="pardon"),), state={"alarm": False}
    )  # fmt: skip


def the_play(*notices: Notice) -> Play:
    return Play(the_village(*(notices or (WANTED,))))


def hung(play: Play) -> list[Observation]:
    return play.ask(lambda uow: uow.ledger.find_notices())


def readings(play: Play) -> dict[str, list[int]]:
    """Who read what hangs, and at which tick."""
    found: dict[str, list[int]] = {}
    for entry in play.ledger().entries.values():
        if entry.source.kind is SourceKind.DOCUMENT:
            found.setdefault(entry.knowers[0].who, []).append(entry.at.tick)
    return found


def test_it_goes_up_in_the_very_event_by_which_its_rule_becomes_true():
    play = the_play()
    (receipt,) = play.record(ROBBED)
    deed, notice = receipt.entries
    (there,) = hung(play)
    assert there.entry_id == notice.entry_id != deed.entry_id
    assert there.statement == f"Ilsa put up a notice at gate: {RUNGS[2]}"
    assert (there.seq, there.notice, there.subject, there.ladder) == (1, "wanted", "player", None)
    assert [k.who for k in there.knowers] == ["ilsa"]


def test_below_its_threshold_nothing_goes_up():
    play = the_play()
    play.record(msgspec.structs.replace(ROBBED, statement=RUNGS[0]))
    assert hung(play) == []


def test_the_dead_put_nothing_up():
    play = the_play()
    play.record(Died(who="ilsa"), ROBBED)
    assert hung(play) == []


def test_who_passes_reads_it_once_and_has_a_copy_of_their_own():
    play = the_play()
    play.record(ROBBED, *(HourPassed() for _ in range(27)))
    assert readings(play) == {"odo": [3], "mira": [5]}
    copy = next(e for e in play.ledger().entries.values() if [k.who for k in e.knowers] == ["odo"])
    assert (copy.statement, copy.source.by, copy.confidence) == (RUNGS[2], "wanted", 1.0)
    assert (copy.ladder, copy.subject, copy.place, copy.root) == ("theft", "player", "gate", hung(play)[0].entry_id)


def test_who_put_it_up_does_not_read_it_and_thinks_no_worse_for_it():
    play = the_play()
    play.record(ROBBED, Moved(who="ilsa", to="gate"), TimePassed(hours=1))
    assert "ilsa" not in readings(play)


@pytest.mark.parametrize(
    ("events", "who_reads"),
    [
        ((TimePassed(hours=3),), {"odo"}),
        ((TimePassed(hours=500),), {"odo", "mira"}),
        ((Moved(who="pip", to="gate"),), {"pip"}),
        ((Moved(who="player", to="gate"),), {"player"}),
        ((Moved(who="odo", to="well"), TimePassed(hours=4)), set()),
        ((Died(who="odo"), TimePassed(hours=4)), set()),
        ((FellUnconscious(who="odo"), TimePassed(hours=4)), set()),
        ((HourPassed(tick=4),), {"odo", "mira"}),
        ((StateSet(state_key="alarm", value=True),), set()),
    ],
)
def test_whoever_is_there_awake_while_time_goes_by_or_comes_there_passes(
    events: tuple[GameEvent, ...], who_reads: set[str]
):
    play = the_play()
    play.record(ROBBED, *events)
    assert set(readings(play)) == who_reads


def test_what_was_read_travels_on_by_word_of_mouth():
    play = the_play()
    play.record(ROBBED, *(HourPassed() for _ in range(4)))
    (telling,) = [t for t in play.tellings() if t.listener == "pip"]
    assert (telling.teller, telling.statement, telling.tick) == ("odo", RUNGS[3], 4)


def test_why_goes_back_to_who_read_it_on_the_rung_that_it_says():
    play = the_play()
    play.record(ROBBED, *(HourPassed() for _ in range(4)))
    question = Question(holder="pip")
    found = asyncio.run(answer_why(play.playthrough_id, question, open_uow=play.stores.open_uow))
    told, read = in_words(found.chain, naming=found.naming)
    assert "Odo told Pip: the player ransacked the whole market" in told
    assert f"at gate: Odo read it: {RUNGS[2]} (confirmed, 1.00, rung 3 of 5)" in read


def test_taken_down_nobody_reads_it_and_who_has_read_it_keeps_what_they_know():
    play = the_play()
    play.record(ROBBED, TimePassed(hours=3))
    (receipt,) = play.record(PARDON)
    play.record(TimePassed(hours=24))
    assert hung(play) == []
    assert len(receipt.ended) == 1
    assert set(readings(play)) == {"odo"}
    ledger = play.ledger()
    (put_up,) = [e for e in ledger.entries.values() if getattr(e, "notice", None)]
    (read,) = [e for e in ledger.entries.values() if e.source.kind is SourceKind.DOCUMENT]
    assert (ledger.status_of(put_up), ledger.status_of(read)) == (Status.ENDED, Status.ACTIVE)
    assert [a.reason for a in ledger.amendments_of(put_up.entry_id)] == ["the notice was taken down"]


def test_it_goes_up_again_only_when_its_rule_becomes_true_again():
    flag = Notice(id="alarm", place="gate", text="stay indoors", post_when="state.alarm", remove_when="hour == 6")
    play = the_play(flag)
    on, off = StateSet(state_key="alarm", value=True), StateSet(state_key="alarm", value=False)
    play.record(on, TimePassed(hours=6))
    assert hung(play) == []
    play.record(TimePassed(hours=6), on)
    assert hung(play) == [], "the alarm has not been off meanwhile"
    play.record(off, on)
    assert [e.statement for e in hung(play)] == ["a notice went up at gate: stay indoors"]
    play.record(TimePassed(hours=16))
    assert len(readings(play)["odo"]) == 2, "the second is another notice, with the same words"


def test_an_event_that_both_asks_for_it_and_ends_it_leaves_none():
    play = the_play(msgspec.structs.replace(WANTED, post_when="event.name == 'pardon'"))
    play.record(PARDON)
    assert hung(play) == []


def test_it_goes_up_by_a_rumour_that_arrives_and_by_time():
    late = Notice(id="late", place="gate", text="the gate is shut", post_when="tick >= 30")
    play = the_play(WANTED, late)
    heard = Told(teller="odo", listener="ilsa", statement=RUNGS[4], confidence=0.9, ladder="theft", subject="player")
    play.record(heard, TimePassed(hours=30))
    assert sorted(e.notice or "" for e in hung(play)) == ["late", "wanted"]


def test_a_correction_brings_it_down_where_its_rule_says_so():
    play = the_play(msgspec.structs.replace(WANTED, remove_when="opinion('ilsa') > -0.3"))
    tale = play.left_by(msgspec.structs.replace(ROBBED, witnesses=("odo",), statement=RUNGS[4]))[0]
    play.record(Told(teller="odo", listener="ilsa", entry_id=tale.entry_id, statement=RUNGS[4]))
    assert len(hung(play)) == 1
    play.record(Deed(actor="player", statement="the player paid", witnesses=("ilsa",), corrects=tale.entry_id))
    assert hung(play) == []


def test_a_notice_that_a_new_world_has_goes_up_if_its_rule_holds_and_one_that_it_lacks_comes_down():
    play = the_play(WANTED)
    play.record(ROBBED)
    other = the_village(msgspec.structs.replace(WANTED, id="reward", text="a reward is out", ladder=None))
    asyncio.run(add_world(other, open_uow=play.stores.open_uow))
    play.record(WorldChanged(world_version=version_of(other)))
    assert [e.notice for e in hung(play)] == ["reward"]
    play.record(WorldChanged(world_version=version_of(the_village(WANTED))))
    assert [e.notice for e in hung(play)] == ["wanted"]


def test_a_branch_has_the_notices_of_its_point_and_keeps_its_own():
    play = the_play()
    play.record(ROBBED, TimePassed(hours=1), PARDON)
    branch = play.fork(at_seq=2)
    assert ([e.notice for e in hung(branch)], hung(play)) == (["wanted"], [])
    branch.record(TimePassed(hours=3))
    assert (set(readings(branch)), readings(play)) == ({"odo"}, {})


def test_an_import_goes_on_with_what_hangs_and_who_has_read_it():
    play = the_play()
    play.record(ROBBED, TimePassed(hours=3))
    document = asyncio.run(export_playthrough(play.playthrough_id, open_uow=play.stores.open_uow))
    made = asyncio.run(import_playthrough(document, open_uow=play.stores.open_uow, embedder=play.embedder))
    again = Play(stores=play.stores, playthrough_id=made.playthrough_id)
    for run in (play, again):
        run.record(TimePassed(hours=4))
    assert readings(again) == readings(play) == {"odo": [3], "mira": [7]}
    assert again.all() == play.all()


def test_the_same_events_at_once_or_one_by_one_leave_the_same():
    events = (ROBBED, *(HourPassed() for _ in range(6)), PARDON, TimePassed(hours=12))
    at_once, one_by_one = the_play(), the_play()
    at_once.record(*events)
    for event in events:
        one_by_one.record(event)
    assert at_once.all() == one_by_one.all()


def test_in_a_batch_that_fails_nothing_goes_up():
    play = the_play()
    with pytest.raises(Exception, match=r"tick 1 cannot follow"):
        play.record(ROBBED, TimePassed(hours=2), HourPassed(tick=1))
    assert (hung(play), play.state().at) == ([], StoryTime())
