"""Branches and named points: nothing is copied, and nothing of one future shows in another."""

import asyncio

import pytest

from ledger_service.domain.entries import Status
from ledger_service.domain.errors import (
    ContentError,
    DuplicateNameError,
    PlaythroughHasForksError,
    UnknownPlaythroughError,
    UnknownSaveError,
)
from ledger_service.domain.events import CommitmentFulfilled, CommitmentMade, Deed, GroupJoined, Outcome, TimePassed
from ledger_service.recording.chain import check_chain
from ledger_service.services.playthroughs.open_playthrough import load_save, save_point
from tests.playing import Play


def a_deed(what: str, key: str | None = None) -> Deed:
    return Deed(key=key, actor="maelin", statement=what)


def statements(play: Play) -> list[str]:
    return [e.statement for e in play.all()[0]]


def test_a_branch_shares_its_past_and_not_its_future() -> None:
    play = Play()
    play.record(a_deed("one"), a_deed("two"))
    branch = play.fork(at_seq=1)
    play.record(a_deed("three"))
    branch.record(a_deed("other"))
    assert statements(play) == ["one", "two", "three"]
    assert statements(branch) == ["one", "other"]
    assert [e.seq for e in branch.history()] == [1, 2]


def test_a_branch_stands_where_the_story_stood() -> None:
    play = Play()
    play.record(TimePassed(hours=3), GroupJoined(who="brun", group="crew"), TimePassed(hours=4))
    then = play.state(at_seq=2)
    assert play.fork(at_seq=2).state() == then
    assert then.at.tick == 3


def test_a_branch_goes_on_with_the_chain_of_its_past() -> None:
    play = Play()
    play.record(a_deed("one"), a_deed("two"))
    branch = play.fork(at_seq=1)
    branch.record(a_deed("other"))
    assert check_chain(branch.history()) == branch.state().head


def test_the_same_events_on_a_branch_are_the_same_to_the_last_hash() -> None:
    play = Play()
    play.record(a_deed("one"))
    branch = play.fork()
    play.record(a_deed("two"))
    branch.record(a_deed("two"))
    assert branch.history() == play.history()
    assert branch.all() == play.all()


def test_what_became_of_an_entry_in_one_future_is_unknown_in_the_other() -> None:
    play = Play()
    (promise,) = play.left_by(CommitmentMade(owner="player", to="maelin", name="s", statement="will"))
    branch = play.fork()
    play.record(CommitmentFulfilled(commitment="s"))
    assert (play.status(promise), branch.status(promise)) == (Status.FULFILLED, Status.OPEN)
    branch.record(CommitmentFulfilled(commitment="s"))


def test_a_key_counts_in_the_shared_past_and_is_free_beyond_it() -> None:
    play = Play()
    play.record(a_deed("one", key="k1"), a_deed("two", key="k2"))
    branch = play.fork(at_seq=1)
    receipts = branch.record(a_deed("one", key="k1"), a_deed("other", key="k2"))
    assert [r.outcome for r in receipts] == [Outcome.UNCHANGED, Outcome.CREATED]


def test_a_branch_of_a_branch_reads_through_both() -> None:
    play = Play()
    play.record(a_deed("one"), a_deed("two"))
    branch = play.fork(at_seq=1)
    branch.record(a_deed("other"), a_deed("more"))
    twig = branch.fork(at_seq=2)
    stump = branch.fork(at_seq=0)
    assert (statements(twig), statements(stump)) == (["one", "other"], [])


def test_a_point_outside_the_history_is_none() -> None:
    play = Play()
    play.record(a_deed("one"))
    for at_seq in (-1, 2):
        with pytest.raises(ContentError):
            play.fork(at_seq=at_seq)
        with pytest.raises(ContentError):
            asyncio.run(save_point(play.playthrough_id, "x", open_uow=play.stores.open_uow, at_seq=at_seq))


def load(play: Play, name: str) -> Play:
    loaded = asyncio.run(load_save(play.playthrough_id, name, open_uow=play.stores.open_uow))
    return Play(stores=play.stores, playthrough_id=loaded.playthrough_id)


def save(play: Play, name: str, at_seq: int | None = None) -> None:
    asyncio.run(save_point(play.playthrough_id, name, open_uow=play.stores.open_uow, at_seq=at_seq))


def test_a_save_at_the_end_is_gone_on_from_where_it_is() -> None:
    play = Play()
    play.record(a_deed("one"))
    save(play, "door")
    assert load(play, "door").playthrough_id == play.playthrough_id


def test_an_old_save_branches_there_by_itself() -> None:
    play = Play()
    play.record(a_deed("one"))
    save(play, "door")
    play.record(a_deed("two"))
    loaded = load(play, "door")
    assert loaded.playthrough_id != play.playthrough_id
    assert statements(loaded) == ["one"]
    assert load(loaded, "door").playthrough_id == loaded.playthrough_id


def test_a_name_stands_for_one_point() -> None:
    play = Play()
    play.record(a_deed("one"))
    save(play, "door")
    save(play, "door")
    play.record(a_deed("two"))
    with pytest.raises(DuplicateNameError):
        save(play, "door")
    save(play, "door", at_seq=1)
    with pytest.raises(UnknownSaveError):
        load(play, "window")
    with pytest.raises(ContentError):
        save(play, "  ")


def test_a_history_that_others_read_is_not_erased() -> None:
    play = Play()
    play.record(a_deed("one"))
    branch = play.fork()

    async def erase(of: Play) -> int:
        async with of.stores.open_uow(of.playthrough_id) as uow:
            rows = await uow.playthroughs.erase()
            await uow.commit()
            return rows

    with pytest.raises(PlaythroughHasForksError):
        asyncio.run(erase(play))
    assert asyncio.run(erase(branch)) > 0
    assert asyncio.run(erase(play)) > 0
    with pytest.raises(UnknownPlaythroughError):
        play.state()
