"""Step 2: promises that a condition now settles."""

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.conditions import Scope
from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Roster
from ledger_service.reconcile.settle import settle
from tests.builders import a_commitment

NOW = StoryTime(tick=9)


def settled(commitment: Commitment, *became: Amendment, tick: int = 9) -> list[Amendment]:
    ledger = Ledger([commitment], became, roster=Roster(), at_seq=9)
    scope = Scope({"tick": tick, "state": {"a": 1}}, {})
    return settle([commitment], ledger, scope=scope, seq=9, at=NOW, witnesses=frozenset({"brun"}))


def test_a_condition_that_holds_settles_and_both_parties_and_witnesses_can_tell() -> None:
    (amendment,) = settled(a_commitment(fulfilled_when="tick >= 9"))
    assert (amendment.status, amendment.knowers, amendment.reason) == (
        Status.FULFILLED, ("brun", "maelin", "player"), "tick >= 9",
    )  # fmt: skip


def test_one_that_does_not_hold_yet_settles_nothing() -> None:
    assert settled(a_commitment(fulfilled_when="tick >= 10", broken_when="tick > 9")) == []


def test_a_broken_word_cannot_be_kept() -> None:
    (amendment,) = settled(a_commitment(fulfilled_when="tick >= 9", broken_when="tick >= 9"))
    assert amendment.status is Status.BROKEN


def test_what_cannot_be_evaluated_settles_nothing() -> None:
    assert settled(a_commitment(fulfilled_when="state.missing == 1", broken_when="state.a")) == []


def test_what_is_settled_is_not_settled_again() -> None:
    promise = a_commitment(fulfilled_when="tick >= 9")
    released = Amendment(entry_id=promise.entry_id, status=Status.RELEASED, cause_seq=5, at=NOW)
    assert settled(promise, released) == []
