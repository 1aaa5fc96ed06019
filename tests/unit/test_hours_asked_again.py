"""Hours under a key: asked for again they are the same hours; broken off they are ended; anything else is refused."""

import asyncio

import msgspec
import pytest

from ledger_service.domain.errors import DuplicateKeyError, SequenceTakenError
from ledger_service.domain.events import Deed, EventReceipt, HourPassed, HoursAsked, Moved, Outcome, TimePassed
from ledger_service.recording.chain import canonical
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from tests.playing import Play
from tests.unit.test_regions import a_country
from tests.unit.test_regions import begun as in_a_country
from tests.villages import RUNGS, worked

EVENING = Passing(hours=5, key="evening")


@pytest.fixture
def play() -> Play:
    return begun()


def begun() -> Play:
    play = Play(worked(), seed=3)
    play.record(
        Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player"),
        Moved(who="player", to="inn"),
    )
    return play


def advance(play: Play, passing: Passing, *, stop_after: int | None = None) -> list[EventReceipt]:
    """Let hours go by; with `stop_after`, whoever asked is gone when so many have."""

    async def go() -> list[EventReceipt]:
        found: list[EventReceipt] = []
        async for receipt in advance_gossip(play.playthrough_id, passing, open_uow=play.stores.open_uow):
            found.append(receipt)
            if len(found) == stop_after:
                break
        return found

    return asyncio.run(go())


def as_unchanged(receipts: list[EventReceipt]) -> list[EventReceipt]:
    """What is kept of receipts, as it comes back: each refusal is told once, to who lets the hour go by."""
    return [msgspec.structs.replace(r, outcome=Outcome.UNCHANGED, refusals=()) for r in receipts]


@pytest.mark.parametrize(
    "passing",
    [EVENING, msgspec.structs.replace(EVENING, regions=("",)), msgspec.structs.replace(EVENING, every=2)],
    ids=["everywhere", "a region", "by level of detail"],
)
def test_the_same_hours_again_are_unchanged_with_the_same_receipts_whatever_came_since(
    play: Play, passing: Passing
) -> None:
    first = advance(play, passing)
    assert any(r.tellings for r in first)
    play.record(Moved(who="player", to="gate"), HourPassed())
    seq = play.state().seq
    assert advance(play, passing) == as_unchanged(first)
    assert play.state().seq == seq


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"hours": 6}, "already used for 5 hours, not 6"),
        ({"hours": 4}, "already used for 5 hours, not 4"),
        ({"hours": 1}, "already used for 5 hours, not 1"),
        ({"regions": ("",)}, "for other regions"),
        ({"every": 2}, "for other regions"),
    ],
)
@pytest.mark.parametrize("gone", [2, None], ids=["broken off", "whole"])
def test_the_same_key_with_other_hours_is_refused_and_nothing_is_written(
    play: Play, other: dict[str, object], said: str, gone: int | None
) -> None:
    advance(play, EVENING, stop_after=gone)
    seq = play.state().seq
    with pytest.raises(DuplicateKeyError, match=said) as refused:
        advance(play, msgspec.structs.replace(EVENING, **other))
    assert refused.value.cure
    assert play.state().seq == seq


@pytest.mark.parametrize("gone", [1, 2, 4, 5])
@pytest.mark.parametrize("every", [None, 2])
def test_hours_that_were_broken_off_are_ended_by_asking_again(gone: int, every: int | None) -> None:
    whole, broken = begun(), begun()
    passing = msgspec.structs.replace(EVENING, every=every)
    undisturbed = advance(whole, passing)
    early = advance(broken, passing, stop_after=gone)
    again = advance(broken, passing)
    assert again[: len(early)] == as_unchanged(early)
    assert [r.seq for r in again] == [r.seq for r in undisturbed]
    assert broken.all() == whole.all()
    assert broken.history() == whole.history()


@pytest.mark.parametrize("gone", [1, 2, 3, 5, 8])
def test_regions_that_were_caught_up_with_belong_to_their_hour(gone: int) -> None:
    whole, broken = in_a_country(a_country(2)), in_a_country(a_country(2))
    passing = Passing(hours=6, every=2, key="journey")
    undisturbed = advance(whole, passing)
    assert {r.kind for r in undisturbed} == {"hour_passed", "regions_caught_up"}
    early = advance(broken, passing, stop_after=gone)
    again = advance(broken, passing)
    assert again[:gone] == as_unchanged(early)
    assert [(r.seq, r.kind) for r in again] == [(r.seq, r.kind) for r in undisturbed]
    assert broken.history() == whole.history()
    assert advance(whole, passing) == as_unchanged(undisturbed)


def test_hours_broken_off_can_no_longer_be_ended_when_time_went_on_without_them(play: Play) -> None:
    advance(play, EVENING, stop_after=2)
    play.record(TimePassed(hours=1))
    seq = play.state().seq
    with pytest.raises(DuplicateKeyError, match="for 5 hours, of which 2 went by before time went on") as refused:
        advance(play, EVENING)
    assert refused.value.cure == "let the 3 that are left go by under a new key"
    assert play.state().seq == seq
    assert [r.outcome for r in advance(play, Passing(hours=3, key="rest"))] == [Outcome.CREATED] * 3


def test_what_happened_within_the_hour_that_was_broken_off_after_does_not_keep_the_rest_away(play: Play) -> None:
    advance(play, EVENING, stop_after=2)
    play.record(Moved(who="player", to="gate"))
    assert [r.outcome for r in advance(play, EVENING)] == [Outcome.UNCHANGED] * 2 + [Outcome.CREATED] * 3


def test_hours_broken_off_are_ended_on_a_branch_too(play: Play) -> None:
    first = advance(play, EVENING)
    branch = play.fork(at_seq=first[1].seq)
    again = advance(branch, EVENING)
    assert [r.outcome for r in again] == [Outcome.UNCHANGED] * 2 + [Outcome.CREATED] * 3
    assert as_unchanged(again) == as_unchanged(first)


def test_who_expects_where_the_history_ends_may_ask_again_with_the_same_words(play: Play) -> None:
    passing = msgspec.structs.replace(EVENING, expected_seq=play.state().seq)
    advance(play, passing, stop_after=2)
    assert len(advance(play, passing)) == 5
    other = msgspec.structs.replace(passing, key="night")
    with pytest.raises(SequenceTakenError):
        advance(play, other)


def test_a_key_that_an_event_has_is_no_key_for_hours(play: Play) -> None:
    play.record(HourPassed(key="evening:0"))
    with pytest.raises(DuplicateKeyError, match="for something else than hours"):
        advance(play, EVENING)


def test_an_hour_without_a_key_is_written_and_sealed_as_it_always_was() -> None:
    assert canonical(HourPassed()) == b'{"kind":"hour_passed","key":null,"tick":null,"regions":null}'
    asked = canonical(HourPassed(key="evening:0", asked=HoursAsked(hours=2)))
    assert b'"asked":{"hours":2,"regions":null,"every":null}' in asked
