"""Step 3: what updates what, and what cannot both hold."""

from typing import Any

import pytest

from ledger_service.domain.entries import LedgerEntry, Source, SourceKind, Status
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.visibility import Knower, Membership, Roster
from ledger_service.reconcile.contradict import Outcome, contradict, seen_by_both
from tests.builders import a_commitment, a_hearsay, a_slot, a_world, an_observation, known_by

PREDICATES = a_world().predicates
CREW = Roster(memberships=(Membership(group="group:crew", who="orla"), Membership(group="group:crew", who="maelin")))


def said(entry_id: str, object_: str, predicate: str = "is", *, seq: int, **more: Any) -> LedgerEntry:
    make = more.pop("make", an_observation)
    slot = a_slot("lamp", predicate, object_)
    return make(entry_id=entry_id, slot=slot, seq=seq, statement=f"lamp {predicate} {object_}", **more)  # type: ignore[no-any-return]


def held(new: LedgerEntry, *older: LedgerEntry, roster: Roster = CREW) -> Outcome:
    ledger = Ledger((*older, new), (), roster=roster, at_seq=new.seq)
    return contradict([new], older, ledger, predicates=PREDICATES, seq=new.seq)


def test_what_is_seen_later_supersedes_and_says_by_what() -> None:
    outcome = held(said("e2", "out", seq=2), said("e1", "lit", seq=1))
    (amendment,) = outcome.amendments
    assert (amendment.entry_id, amendment.status, amendment.by) == ("e1", Status.SUPERSEDED, ("e2",))
    assert outcome.clashes == ()


@pytest.mark.parametrize(
    "kind", [SourceKind.TOLD_BY, SourceKind.PLAYER_CLAIM, SourceKind.OVERHEARD, SourceKind.INFERRED]
)
def test_only_what_is_first_hand_updates(kind: SourceKind) -> None:
    new = said("e2", "out", seq=2, source=Source(kind=kind, by="orla"))
    assert held(new, said("e1", "lit", seq=1)) == Outcome()


def test_what_cannot_change_and_differs_is_a_clash_whichever_is_newer() -> None:
    (clash,) = held(said("e2", "tovi", "killed_by", seq=2), said("e1", "brun", "killed_by", seq=1)).clashes
    assert (clash.older.entry_id, clash.newer.entry_id) == ("e1", "e2")


def test_the_same_claim_denied_is_a_clash() -> None:
    older = said("e1", "tovi", "killed_by", seq=1)
    denied = an_observation(entry_id="e2", seq=2, slot=a_slot("lamp", "killed_by", "tovi", polarity=False))
    assert len(held(denied, older).clashes) == 1


def test_claims_about_times_that_do_not_meet_are_both_true() -> None:
    before = an_observation(entry_id="e1", slot=a_slot("lamp", "killed_by", "x", until_tick=5))
    after = an_observation(entry_id="e2", seq=2, slot=a_slot("lamp", "killed_by", "y", from_tick=5))
    assert held(after, before) == Outcome()
    meeting = an_observation(entry_id="e2", seq=2, slot=a_slot("lamp", "killed_by", "y", from_tick=4))
    assert len(held(meeting, before).clashes) == 1


def test_a_promise_and_a_draft_contradict_nothing() -> None:
    older = said("e1", "tovi", "killed_by", seq=1)
    assert held(said("e2", "brun", "killed_by", seq=2, make=a_commitment), older) == Outcome()
    assert held(said("e2", "brun", "killed_by", seq=2, quarantined=True), older) == Outcome()
    assert (
        held(said("e2", "brun", "killed_by", seq=2), said("e1", "tovi", "killed_by", seq=1, quarantined=True))
        == Outcome()
    )


def test_entries_of_one_event_are_held_against_each_other_too() -> None:
    new = [said("e1", "tovi", "killed_by", seq=1), said("e2", "brun", "killed_by", seq=1)]
    ledger = Ledger(new, (), roster=CREW, at_seq=1)
    assert len(contradict(new, (), ledger, predicates=PREDICATES, seq=1).clashes) == 1


def names(a: tuple[Knower, ...], b: tuple[Knower, ...], **unaware: tuple[str, ...]) -> set[str]:
    one = an_observation(knowers=a, unaware=unaware.get("unaware", ()))
    other = a_hearsay(entry_id="e2", knowers=b)
    return {k.who for k in seen_by_both(one, other, roster=CREW, at_seq=9)}


def test_who_knows_both_sees_the_clash_however_they_know() -> None:
    assert names(known_by("maelin", "tovi"), known_by("maelin", "brun")) == {"maelin"}
    assert names(known_by("group:crew"), known_by("orla")) == {"orla"}
    assert names(known_by("public"), known_by("brun")) == {"brun"}
    assert names(known_by("group:crew"), known_by("group:crew")) == {"group:crew", "maelin", "orla"}
    assert names(known_by("maelin"), known_by("brun")) == {"engine"}


def test_who_must_not_learn_one_side_does_not_see_the_clash() -> None:
    assert names(known_by("group:crew"), known_by("orla", "maelin"), unaware=("orla",)) == {"maelin"}
