"""What cannot be told, or cannot go by, is a named error, and nothing of it is written."""

import asyncio
import itertools

import pytest

from ledger_service.domain.errors import (
    ContentError,
    EmptyScopeError,
    LedgerError,
    UndeclaredError,
    UnknownPlaythroughError,
)
from ledger_service.domain.events import Deed, Died, FellUnconscious, GameEvent, HourPassed, Outcome, Told, Woke
from ledger_service.domain.rumours import TellingOutcome
from ledger_service.domain.worlds import Character, Stay, World
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from tests.playing import Play
from tests.villages import CHAIN, RUNGS, a_village, somebody, worked


@pytest.fixture
def play() -> Play:
    return Play(worked())


def theft(play: Play) -> str:
    deed = Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=("tomas", "pip"), ladder="theft")
    return play.left_by(deed)[0].entry_id


FATES = [
    (FellUnconscious(who="tomas"), "teller: tomas is unconscious"),
    (Died(who="tomas"), "teller: tomas is dead"),
    (FellUnconscious(who="bertha"), "listener: bertha is unconscious"),
    (Died(who="bertha"), "listener: bertha is dead"),
]


@pytest.mark.parametrize(("fate", "said"), FATES, ids=lambda x: x if isinstance(x, str) else "")
@pytest.mark.parametrize("recorded", [True, False])
def test_the_dead_and_the_unconscious_neither_tell_nor_listen(
    play: Play, fate: FellUnconscious | Died, said: str, *, recorded: bool
) -> None:
    entry_id = theft(play)
    play.record(fate)
    before = play.state().seq
    told = Told(teller="tomas", listener="bertha", statement=RUNGS[0], entry_id=entry_id if recorded else None)
    with pytest.raises(ContentError, match=said):
        play.record(told)
    assert play.state().seq == before
    assert play.tellings() == []


def test_the_dead_do_not_wake_and_who_wakes_tells_again(play: Play) -> None:
    entry_id = theft(play)
    play.record(Died(who="pip"), FellUnconscious(who="tomas"), Woke(who="tomas"))
    with pytest.raises(ContentError, match="pip is dead"):
        play.record(Woke(who="pip"))
    play.record(Told(teller="tomas", listener="bertha", statement=RUNGS[0], entry_id=entry_id))
    assert [t.listener for t in play.tellings()] == ["bertha"]


@pytest.mark.parametrize("event", [Died(who="pip"), FellUnconscious(who="pip"), Woke(who="pip")])
def test_nothing_more_comes_over_the_dead(play: Play, event: GameEvent) -> None:
    play.record(Died(who="pip", key="first"))
    with pytest.raises(ContentError, match="who: pip is dead"):
        play.record(event)
    assert play.state().seq == 1
    (again,) = play.record(Died(who="pip", key="first"))
    assert again.outcome is Outcome.UNCHANGED


def test_two_deaths_of_one_in_a_batch_are_refused_together(play: Play) -> None:
    with pytest.raises(ContentError, match="pip is dead already") as refused:
        play.record(Died(who="pip"), Died(who="pip"))
    assert (refused.value.position, play.state().seq) == (1, 0)


def test_a_story_told_back_by_the_game_is_an_echo_and_makes_no_circle(play: Play) -> None:
    play = Play(a_village(tuple(somebody(w) for w in ("tomas", "pip", "bertha", "ilsa")), CHAIN))
    (root,) = play.left_by(Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=("tomas",), ladder="theft"))
    told = root.entry_id
    way = ("tomas", "pip", "bertha", "ilsa")
    for teller, listener in itertools.pairwise(way):
        (entry,) = play.left_by(Told(teller=teller, listener=listener, entry_id=told, statement=RUNGS[0]))
        told = entry.entry_id
    before = len(play.ledger().entries)
    for listener in ("bertha", "pip", "tomas"):
        (receipt,) = play.record(Told(teller="ilsa", listener=listener, entry_id=told, statement=RUNGS[4]))
        assert receipt.entries == ()
    echoes = [t for t in play.tellings() if t.teller == "ilsa"]
    assert {(t.outcome, t.to_entry) for t in echoes} == {(TellingOutcome.ECHO, None)}
    assert len(play.ledger().entries) == before


@pytest.mark.parametrize("hours", [0, -1, -10_000_000, 10_001, 10_000_000])
def test_hours_that_cannot_go_by(play: Play, hours: int) -> None:
    async def advance() -> None:
        async for _ in advance_gossip(play.playthrough_id, Passing(hours=hours), open_uow=play.stores.open_uow):
            pass

    with pytest.raises(ContentError, match="hours: from 1 to 10,000 can go by at once"):
        asyncio.run(advance())
    assert play.state().seq == 0


def test_hours_in_a_list_of_no_regions_are_a_slip(play: Play) -> None:
    async def advance() -> None:
        async for _ in advance_gossip(play.playthrough_id, Passing(regions=()), open_uow=play.stores.open_uow):
            pass

    with pytest.raises(EmptyScopeError, match="regions"):
        asyncio.run(advance())
    assert play.state().seq == 0


def test_hours_of_a_playthrough_that_is_not_there(play: Play) -> None:
    async def advance() -> None:
        async for _ in advance_gossip("pnone", Passing(), open_uow=play.stores.open_uow):
            pass

    with pytest.raises(UnknownPlaythroughError):
        asyncio.run(advance())


@pytest.mark.parametrize("event", [HourPassed(regions=("atlantis",)), HourPassed(regions=("", "atlantis"))])
def test_a_region_that_is_nowhere(play: Play, event: GameEvent) -> None:
    with pytest.raises(UndeclaredError, match="region 'atlantis' is declared nowhere"):
        play.record(event)
    assert play.state().seq == 0


def at_two_places() -> World:
    someone = somebody("pip", ("inn", 8), ("well", 8))
    return a_village((someone, somebody("ilsa")), {})


def at_hour_24() -> World:
    night = (Stay(place="inn", from_hour=24, until_hour=6),)
    return a_village((somebody("pip"), Character(id="ada", name="Ada", schedule=night)), {})


def believing_nobody() -> World:
    return a_village((somebody("pip"), somebody("ilsa")), {("pip", "nobody"): 0.5})


@pytest.mark.parametrize(
    ("world", "said"),
    [
        (at_two_places, r"cast\[0\].schedule\[1\].from_hour: `pip` is at two places at 8: `inn` and `well`"),
        (at_hour_24, r"cast\[1\].schedule\[0\].from_hour: hours are 0 to 23"),
        (believing_nobody, r"trust\[0\].teller: unknown character `nobody`"),
    ],
)
def test_a_world_that_cannot_be_is_not_kept_whoever_hands_it_in(world, said) -> None:
    with pytest.raises(LedgerError, match=said):
        Play(world())
