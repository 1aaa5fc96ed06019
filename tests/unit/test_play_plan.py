"""A plan that is played: it comes out as promised, or what came instead is said; and pictures of the record alone."""

import asyncio

import msgspec
import pytest

from ledger_service.domain.errors import ContentError, SequenceTakenError
from ledger_service.domain.events import Deed, HourPassed
from ledger_service.rumours.spymaster import Story
from ledger_service.services.influence.play_plan import Chosen, Played, Stage, play_plan
from ledger_service.stores.rehearsal import rehearse
from tests.playing import Play
from tests.villages import RUNGS, worked


def begun() -> Play:
    play = Play(worked(), seed=5)
    play.record(Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player"))
    return play


def played(play: Play, *, number: int = 0, story: Story | None = None, at_seq: int | None = None) -> Played:
    open_uow = play.stores.open_uow
    stage = Stage(reading=open_uow, writing=open_uow, rehearse=rehearse)
    seq = play.state().seq if at_seq is None else at_seq
    chosen = Chosen(target="ilsa", story=story, number=number, at_seq=seq)
    return asyncio.run(play_plan(play.playthrough_id, chosen, stage))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_what_was_promised_comes_out(number: int) -> None:
    play = begun()
    found = played(play, number=number)
    assert found.is_kept
    assert found.belief is not None
    assert (found.belief.holder, found.belief.confidence) == ("ilsa", pytest.approx(found.plan.confidence, abs=1e-6))
    assert play.state().at.tick == found.plan.reaches_at
    assert [h.kind for h in found.hours].count("hour_passed") == found.plan.wait_hours + found.plan.then_hours


def test_a_story_of_ones_own_is_told() -> None:
    found = played(begun(), story=Story(statement="the player sang"))
    assert found.belief is not None
    assert found.belief.statement == "the player sang"


def test_what_is_less_sure_or_in_other_words_or_never_came_is_not_kept() -> None:
    found = played(begun())
    assert found.belief is not None
    for belief in (
        None,
        msgspec.structs.replace(found.belief, confidence=found.plan.confidence - 0.01),
        msgspec.structs.replace(found.belief, statement="something else"),
    ):
        assert not msgspec.structs.replace(found, belief=belief).is_kept


def test_a_plan_for_another_hour_is_refused_and_nothing_happens() -> None:
    play = begun()
    before = play.state().seq
    play.record(HourPassed())
    with pytest.raises(SequenceTakenError):
        played(play, at_seq=before)
    assert play.state().seq == before + 1


@pytest.mark.parametrize("number", [-1, 3])
def test_there_are_no_more_plans_than_were_offered(number: int) -> None:
    with pytest.raises(ContentError, match="none has the number"):
        played(begun(), number=number)
