"""Step 1: what time or an event has ended."""

import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.expiry import AfterScenes, AfterTurns, AllOf, AnyOf, AtTick, Expiry, OnEvent
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import Occurrence
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Roster
from ledger_service.reconcile.expire import expire
from tests.builders import a_commitment, a_contradiction, a_hearsay, a_relationship_delta, a_residue, an_observation

WRITTEN = StoryTime(tick=10, scene=2, turn=5)


def ended(
    entry: LedgerEntry, *occurrences: Occurrence, amendments: tuple[Amendment, ...] = (), **now: int
) -> list[Amendment]:
    at = StoryTime(**{"tick": 10, "scene": 2, "turn": 5, **now})
    ledger = Ledger([entry], amendments, roster=Roster(), at_seq=99)
    return expire([entry], ledger, now=at, seq=99, occurrences=occurrences)


def is_over(expires: Expiry, *occurrences: Occurrence, **now: int) -> bool:
    return bool(ended(an_observation(at=WRITTEN, seq=4, expires=expires), *occurrences, **now))


@pytest.mark.parametrize(("tick", "over"), [(19, False), (20, True), (21, True)])
def test_a_tick_ends_it_at_that_tick_and_not_before(tick: int, over: bool) -> None:
    assert is_over(AtTick(20), tick=tick) is over


@pytest.mark.parametrize(("scene", "over"), [(2, False), (3, False), (4, True)])
def test_scenes_are_counted_from_when_it_was_written(scene: int, over: bool) -> None:
    assert is_over(AfterScenes(2), scene=scene) is over


@pytest.mark.parametrize(("turn", "over"), [(5, False), (7, False), (8, True)])
def test_turns_are_counted_from_when_it_was_written(turn: int, over: bool) -> None:
    assert is_over(AfterTurns(3), turn=turn) is over


@pytest.mark.parametrize(("seq", "over"), [(3, False), (4, False), (5, True)])
def test_only_an_event_after_it_was_written_ends_it(seq: int, over: bool) -> None:
    assert is_over(OnEvent("storm"), Occurrence(name="storm", seq=seq)) is over


def test_an_event_must_have_the_fields_that_were_asked_for() -> None:
    asked = OnEvent("storm", {"force": 9})
    assert not is_over(asked, Occurrence(name="storm", seq=9, fields={"force": 3}))
    assert is_over(asked, Occurrence(name="storm", seq=9, fields={"force": 9, "wind": "west"}))
    assert not is_over(asked, Occurrence(name="calm", seq=9, fields={"force": 9}))


def test_after_a_private_debrief_or_two_scenes() -> None:
    expires = AnyOf((OnEvent("private_debrief"), AfterScenes(2)))
    assert not is_over(expires, scene=3)
    assert is_over(expires, scene=4)
    assert is_over(expires, Occurrence(name="private_debrief", seq=5))


def test_all_of_several_must_have_come() -> None:
    expires = AllOf((OnEvent("storm"), AtTick(20)))
    assert not is_over(expires, tick=20)
    assert not is_over(expires, Occurrence(name="storm", seq=5), tick=19)
    assert is_over(expires, Occurrence(name="storm", seq=5), tick=20)


@pytest.mark.parametrize(
    ("make", "status"),
    [
        (an_observation, Status.EXPIRED),
        (a_hearsay, Status.EXPIRED),
        (a_commitment, Status.LAPSED),
        (a_residue, Status.LAPSED),
        (a_relationship_delta, Status.ENDED),
    ],
)
def test_each_kind_ends_in_its_own_way(make, status: Status) -> None:  # type: ignore[no-untyped-def]
    (amendment,) = ended(make(at=WRITTEN, expires=AtTick(11)), tick=11)
    assert (amendment.status, amendment.cause_seq, amendment.knowers, amendment.by) == (status, 99, None, ())


def test_an_open_contradiction_does_not_end_by_itself() -> None:
    assert ended(a_contradiction(at=WRITTEN, expires=AtTick(11)), tick=11) == []


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.RETRACTED, Status.EXPIRED])
def test_what_is_over_does_not_end_again(status: Status) -> None:
    entry = an_observation(at=WRITTEN, expires=AtTick(11))
    over = Amendment(entry_id=entry.entry_id, status=status, cause_seq=50, at=WRITTEN)
    assert ended(entry, amendments=(over,), tick=11) == []


def test_a_promise_that_was_kept_does_not_lapse() -> None:
    promise = a_commitment(at=WRITTEN, expires=AtTick(11))
    kept = Amendment(entry_id=promise.entry_id, status=Status.FULFILLED, cause_seq=50, at=WRITTEN)
    assert ended(promise, amendments=(kept,), tick=11) == []
