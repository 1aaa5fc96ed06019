"""What becomes of entries: settled, corrected, reviewed, resolved."""

import re
from typing import Any

import pytest

from ledger_service.domain.entries import Commitment, Contradiction, Hearsay, LedgerEntry, Status
from ledger_service.domain.errors import ContentError, LedgerError
from ledger_service.domain.events import (
    Access,
    CommitmentBroken,
    CommitmentFulfilled,
    CommitmentMade,
    CommitmentReleased,
    Confirmed,
    ContradictionResolved,
    Corrected,
    Deed,
    DocumentRead,
    Eased,
    EntriesPosted,
    EntryDraft,
    FellUnconscious,
    Felt,
    GroupJoined,
    Happened,
    Outcome,
    RelationshipChanged,
    Reviewed,
    StateSet,
    Told,
    Utterance,
)
from ledger_service.domain.visibility import Disclosure, DisclosureMode
from tests.builders import a_slot
from tests.playing import Play, who

PROMISE = CommitmentMade(owner="player", to="maelin", name="sensor", statement="player will bring it back")


def test_both_parties_and_who_was_there_can_tell_that_a_promise_was_kept() -> None:
    play = Play()
    (promise,) = play.left_by(
        CommitmentMade(owner="player", to="maelin", statement="x", name="s", witnesses=("brun", "tovi"))
    )
    play.record(CommitmentFulfilled(commitment="s", witnesses=("brun",)))
    assert play.status(promise) is Status.FULFILLED
    told = {viewer: play.status(promise, viewer=viewer) for viewer in ("player", "maelin", "brun", "tovi")}
    assert [v for v, status in told.items() if status is Status.OPEN] == ["tovi"]


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (CommitmentFulfilled(commitment="sensor"), Status.FULFILLED),
        (CommitmentBroken(commitment="sensor"), Status.BROKEN),
        (CommitmentReleased(commitment="sensor"), Status.RELEASED),
    ],
)
def test_a_promise_is_settled_once(event: Any, status: Status) -> None:
    play = Play()
    (promise,) = play.left_by(PROMISE)
    (receipt,) = play.record(event)
    assert play.status(promise) is status
    assert receipt.ended == (promise.entry_id,)
    with pytest.raises(ContentError, match=f"is not open, it is {status}"):
        play.record(event)


def test_a_name_stands_for_the_promise_that_is_open() -> None:
    play = Play()
    (first,) = play.left_by(PROMISE)
    play.record(CommitmentBroken(commitment="sensor"))
    (second,) = play.left_by(PROMISE)
    play.record(CommitmentFulfilled(commitment="sensor"))
    assert (play.status(first), play.status(second)) == (Status.BROKEN, Status.FULFILLED)


def test_a_correction_supersedes_for_everybody_who_knew_and_never_raises_confidence() -> None:
    play = Play()
    (old,) = play.left_by(Deed(actor="maelin", statement="the mast stands"))
    (new,) = play.left_by(Corrected(entry_id=old.entry_id, statement="the mast leans", confidence=0.6, reason="typo"))
    assert (new.statement, new.confidence, new.supersedes, who(new)) == (
        "the mast leans",
        0.6,
        (old.entry_id,),
        who(old),
    )
    assert play.status(old, viewer="orla") is Status.SUPERSEDED
    (newer,) = play.left_by(Corrected(entry_id=new.entry_id, statement="it leans", confidence=0.9, reason="again"))
    assert (newer.confidence, newer.root, newer.corrects) == (0.6, newer.entry_id, old.entry_id)


def test_only_who_was_there_learns_of_a_correction() -> None:
    play = Play()
    (old,) = play.left_by(Deed(actor="maelin", statement="the mast stands"))
    (new,) = play.left_by(
        Corrected(entry_id=old.entry_id, statement="it fell", reason="seen", witnesses=("orla", "brun"))
    )
    assert who(new) == {"orla", "brun"}
    assert play.status(old, viewer="orla") is Status.SUPERSEDED
    assert play.status(old, viewer="maelin") is Status.ACTIVE


def test_a_correction_without_words_takes_it_back() -> None:
    play = Play()
    (old,) = play.left_by(Deed(actor="maelin", statement="the mast stands"))
    assert play.left_by(Corrected(entry_id=old.entry_id, reason="never happened")) == []
    assert play.status(old) is Status.RETRACTED
    with pytest.raises(ContentError, match="cannot be corrected"):
        play.record(Corrected(entry_id=old.entry_id, statement="it stands", reason="back"))


SECRET = Disclosure(mode=DisclosureMode.SECRET)


def test_a_correction_of_who_knows_it_takes_it_from_some_and_gives_it_to_others() -> None:
    play = Play()
    (old,) = play.left_by(Deed(actor="maelin", statement="the mast stands", witnesses=("orla",), ladder=None))
    access = Access(knowers=("maelin", "tovi"), unaware=("brun",), disclosure=SECRET)
    (new,) = play.left_by(Corrected(entry_id=old.entry_id, access=access, reason="orla was away", author="wren"))
    assert (who(new), new.unaware, new.disclosure, new.statement) == (
        {"maelin", "tovi"},
        ("brun",),
        SECRET,
        old.statement,
    )
    assert {k.who: k.how for k in new.knowers} == {"maelin": "witnessed", "tovi": "engine"}
    assert (new.root, new.corrects) == (old.entry_id, None), "it is the same story, and makes nobody doubt it"
    assert [play.status(old, viewer=v) for v in ("orla", "maelin", "tovi")] == [Status.SUPERSEDED] * 3
    assert not play.ledger().knows("orla", new.entry_id)


@pytest.mark.parametrize(
    ("access", "more", "said"),
    [
        (Access(knowers=("nobody_here",)), {}, "nobody_here"),
        (Access(knowers=("orla",), unaware=("orla",)), {}, "cannot both know it"),
        (Access(knowers=("public",), unaware=("orla",)), {}, "cannot both know it"),
        (Access(knowers=("orla",), disclosure=Disclosure(mode=DisclosureMode.GUARDED, when="nope(")), {}, "nope("),
        (Access(knowers=("orla",)), {"witnesses": ("orla",)}, "by itself"),
    ],
)
def test_who_knows_it_is_held_against_the_world(access: Access, more: dict[str, Any], said: str) -> None:
    play = Play()
    (old,) = play.left_by(Deed(actor="maelin", statement="the mast stands"))
    with pytest.raises(LedgerError, match=re.escape(said)):
        play.record(Corrected(entry_id=old.entry_id, access=access, reason="x", **more))


def test_whose_hearsay_it_is_and_who_knows_of_a_kept_promise_stand() -> None:
    play = Play()
    (told,) = play.left_by(Told(teller="orla", listener="maelin", statement="it fell"))
    with pytest.raises(ContentError, match="own copy"):
        play.record(Corrected(entry_id=told.entry_id, access=Access(knowers=("tovi",)), reason="x"))
    hidden = Access(knowers=("maelin",), disclosure=SECRET)
    (mine,) = play.left_by(Corrected(entry_id=told.entry_id, access=hidden, reason="between them"))
    assert (who(mine), mine.disclosure, mine.root) == ({"maelin"}, SECRET, told.root)
    (promise,) = play.left_by(PROMISE)
    play.record(CommitmentFulfilled(commitment="sensor"))
    with pytest.raises(ContentError, match="open again"):
        play.record(Corrected(entry_id=promise.entry_id, access=Access(knowers=("maelin",)), reason="x"))


def test_a_draft_is_confirmed_once_and_is_then_held_against_the_record() -> None:
    play = Play()
    play.record(
        DocumentRead(reader="maelin", document="log", statement="by tovi", slot=a_slot("a", "killed_by", "tovi"))
    )
    draft = EntryDraft(
        kind="observation",
        statement="by brun",
        knowers=("maelin",),
        quarantined=True,
        slot=a_slot("a", "killed_by", "brun"),
    )
    (held,) = play.left_by(EntriesPosted(entries=(draft,)))
    assert not [e for e in play.all()[0] if isinstance(e, Contradiction)]
    (receipt,) = play.record(Confirmed(entry_id=held.entry_id))
    assert play.status(held) is Status.ACTIVE
    (found,) = [e for e in play.all()[0] if isinstance(e, Contradiction)]
    assert held.entry_id in found.members
    assert found.entry_id in [r.entry_id for r in receipt.entries]
    with pytest.raises(ContentError, match="cannot be confirmed"):
        play.record(Confirmed(entry_id=held.entry_id))


def test_what_is_resumed_is_what_it_was_before_it_was_set_aside() -> None:
    play = Play()
    (promise,) = play.left_by(PROMISE)
    play.record(
        CommitmentFulfilled(commitment="sensor"),
        Reviewed(entry_id=promise.entry_id, outcome=Status.SUSPENDED, reason="unsure"),
    )
    assert play.status(promise) is Status.SUSPENDED
    play.record(Reviewed(entry_id=promise.entry_id, outcome=Status.ACTIVE, reason="sure"))
    assert play.status(promise) is Status.FULFILLED


def test_a_dropped_entry_is_kept_and_no_longer_drawn_on() -> None:
    play = Play()
    (seen,) = play.left_by(Deed(actor="maelin", statement="the mast stands"))
    play.record(Reviewed(entry_id=seen.entry_id, outcome=Status.RETRACTED, reason="wrong", author="ada"))
    assert play.status(seen, viewer="orla") is Status.RETRACTED
    assert seen in play.all()[0]


def test_a_feeling_is_eased_by_name_and_only_that_one() -> None:
    play = Play()
    (shame,) = play.left_by(Felt(who="maelin", emotion="shame", statement="shame"))
    (anger,) = play.left_by(Felt(who="maelin", emotion="anger", statement="anger"))
    (theirs,) = play.left_by(Felt(who="orla", emotion="shame", statement="shame"))
    play.record(Eased(who="maelin", emotion="shame"))
    assert [play.status(e) for e in (shame, anger, theirs)] == [Status.EASED, Status.FELT, Status.FELT]
    play.record(Eased(who="maelin"))
    assert play.status(anger) is Status.EASED


def in_conflict(
    play: Play, *, second_reader: str = "maelin", **more: Any
) -> tuple[LedgerEntry, LedgerEntry, LedgerEntry]:
    (first,) = play.left_by(
        Deed(actor="maelin", statement="tovi did it", witnesses=(), slot=a_slot("apple", "killed_by", "tovi"), **more)
    )
    second, contradiction = play.left_by(
        DocumentRead(
            reader=second_reader, document="log", statement="brun did", slot=a_slot("apple", "killed_by", "brun")
        )
    )
    return first, second, contradiction


def test_what_cannot_both_hold_stays_open_and_is_never_settled_by_being_newer() -> None:
    play = Play()
    first, second, contradiction = in_conflict(play)
    assert isinstance(contradiction, Contradiction)
    assert contradiction.members == (first.entry_id, second.entry_id)
    assert [play.status(e) for e in (first, second, contradiction)] == [Status.ACTIVE, Status.ACTIVE, Status.UNRESOLVED]
    assert who(contradiction) == {"maelin"}


def test_a_conflict_is_in_the_receipt_with_the_other_side() -> None:
    play = Play()
    (first,) = play.left_by(Deed(actor="maelin", statement="tovi did it", slot=a_slot("apple", "killed_by", "tovi")))
    (receipt,) = play.record(
        DocumentRead(reader="maelin", document="log", statement="brun did", slot=a_slot("apple", "killed_by", "brun"))
    )
    assert receipt.outcome is Outcome.CONFLICT
    assert (receipt.entries[0].outcome, receipt.entries[0].others) == (Outcome.CONFLICT, (first.entry_id,))


def test_a_contradiction_that_nobody_can_see_whole_is_the_engines() -> None:
    _, _, contradiction = in_conflict(Play(), second_reader="brun")
    assert who(contradiction) == {"engine"}


def test_a_contradiction_is_no_more_open_than_its_sides() -> None:
    secret = Disclosure(mode=DisclosureMode.SECRET)
    _, _, contradiction = in_conflict(Play(), disclosure=secret)
    assert contradiction.disclosure == secret


def test_a_settled_contradiction_leaves_the_loser_superseded_for_who_can_see_the_winner() -> None:
    play = Play()
    first, second, contradiction = in_conflict(play)
    play.record(ContradictionResolved(contradiction=contradiction.entry_id, winner=second.entry_id, reason="checked"))
    assert play.status(contradiction) is Status.RESOLVED
    assert play.status(first, viewer="maelin") is Status.SUPERSEDED
    assert play.status(second) is Status.ACTIVE
    with pytest.raises(ContentError, match="is resolved already"):
        play.record(ContradictionResolved(contradiction=contradiction.entry_id, reason="again"))


def test_who_cannot_see_the_winner_goes_on_believing_the_loser() -> None:
    play = Play()
    first, second, contradiction = in_conflict(play, second_reader="brun")
    play.record(ContradictionResolved(contradiction=contradiction.entry_id, winner=second.entry_id, reason="checked"))
    assert play.status(first) is Status.SUPERSEDED
    assert play.status(first, viewer="maelin") is Status.ACTIVE


def test_a_dismissed_contradiction_lets_both_stand() -> None:
    play = Play()
    first, second, contradiction = in_conflict(play)
    play.record(ContradictionResolved(contradiction=contradiction.entry_id, reason="both may be", author="ada"))
    assert [play.status(e) for e in (first, second, contradiction)] == [Status.ACTIVE, Status.ACTIVE, Status.DISMISSED]


def test_only_a_side_can_win_and_only_a_contradiction_be_settled() -> None:
    play = Play()
    first, _, contradiction = in_conflict(play)
    for wrong in (
        ContradictionResolved(contradiction=contradiction.entry_id, winner=contradiction.entry_id, reason="x"),
        ContradictionResolved(contradiction=first.entry_id, reason="x"),
    ):
        with pytest.raises(ContentError):
            play.record(wrong)


def test_what_is_seen_of_what_may_change_is_an_update() -> None:
    play = Play()
    (lit,) = play.left_by(Deed(actor="maelin", statement="the lamp is lit", slot=a_slot("lamp", "is", "lit")))
    (receipt,) = play.record(
        Deed(actor="maelin", statement="the lamp is out", witnesses=(), slot=a_slot("lamp", "is", "out"))
    )
    assert (receipt.outcome, receipt.entries[0].others, receipt.ended) == (
        Outcome.SUPERSEDED, (lit.entry_id,), (lit.entry_id,),
    )  # fmt: skip
    assert play.status(lit, viewer="maelin") is Status.SUPERSEDED
    assert play.status(lit, viewer="orla") is Status.ACTIVE, "she did not see it go out"


def test_a_saying_updates_nothing_and_both_stand() -> None:
    play = Play()
    (lit,) = play.left_by(Deed(actor="maelin", statement="the lamp is lit", slot=a_slot("lamp", "is", "lit")))
    (said,) = play.left_by(
        Told(teller="orla", listener="maelin", statement="it is out", slot=a_slot("lamp", "is", "out"))
    )
    assert isinstance(said, Hearsay)
    assert [play.status(e) for e in (lit, said)] == [Status.ACTIVE, Status.ACTIVE]


def test_the_same_again_is_unchanged() -> None:
    play = Play()
    again = Deed(actor="maelin", statement="the lamp is lit", slot=a_slot("lamp", "is", "lit"))
    (first,) = play.left_by(again)
    (receipt,) = play.record(again)
    assert [(r.outcome, r.entry_id) for r in receipt.entries] == [(Outcome.UNCHANGED, first.entry_id)]
    assert len(play.all()[0]) == 1


def test_the_same_before_somebody_new_is_another_entry() -> None:
    play = Play()
    lit = {"actor": "maelin", "statement": "the lamp is lit", "slot": a_slot("lamp", "is", "lit")}
    play.record(Deed(**lit, witnesses=()), Deed(**lit, witnesses=("brun",)))
    assert len(play.all()[0]) == 2


def test_what_went_out_can_be_lit_again() -> None:
    play = Play()
    lit = Deed(actor="maelin", statement="the lamp is lit", slot=a_slot("lamp", "is", "lit"))
    play.record(lit, Deed(actor="maelin", statement="the lamp is out", slot=a_slot("lamp", "is", "out")), lit)
    assert [play.status(e) for e in play.all()[0]] == [Status.SUPERSEDED, Status.SUPERSEDED, Status.ACTIVE]


def test_a_promise_broken_can_be_made_again_in_the_same_words() -> None:
    play = Play()
    promise = CommitmentMade(
        owner="player",
        to="maelin",
        statement="I will be at the mast",
        name="mast",
        slot=a_slot("player", "is_at", "mast"),
    )
    play.record(promise, CommitmentBroken(commitment="mast"))
    (made,) = play.left_by(promise)
    assert play.status(made) is Status.OPEN


def test_a_promise_is_not_superseded_by_how_things_stand() -> None:
    play = Play()
    (promise,) = play.left_by(
        CommitmentMade(owner="player", to="maelin", statement="I will go", slot=a_slot("player", "is_at", "mast"))
    )
    play.record(Deed(actor="player", statement="player is at the harbour", slot=a_slot("player", "is_at", "harbour")))
    assert play.status(promise) is Status.OPEN


def test_predicates_that_exclude_each_other_contradict() -> None:
    play = Play()
    play.record(Deed(actor="maelin", statement="orla owns the boat", slot=a_slot("orla", "owns", "boat")))
    left = play.left_by(Deed(actor="maelin", statement="orla sold the boat", slot=a_slot("orla", "sold", "boat")))
    assert [type(e) for e in left][1:] == [Contradiction]


def test_a_symmetric_claim_contradicts_from_either_end() -> None:
    play = Play()
    play.record(Deed(actor="maelin", statement="a wed c", slot=a_slot("ann", "married_to", "cid")))
    left = play.left_by(Deed(actor="maelin", statement="b wed a", slot=a_slot("bea", "married_to", "ann")))
    assert [type(e) for e in left][1:] == [Contradiction]


def test_a_predicate_that_is_not_declared_neither_updates_nor_contradicts() -> None:
    play = Play()
    play.record(Deed(actor="maelin", statement="x", slot=a_slot("lamp", "shines", "red")))
    (left,) = play.left_by(Deed(actor="maelin", statement="y", slot=a_slot("lamp", "shines", "blue")))
    assert play.status(left) is Status.ACTIVE


def watched(play: Play, **conditions: Any) -> Commitment:
    (made,) = play.left_by(
        CommitmentMade(owner="player", to="maelin", name="watch", statement="player will", **conditions)
    )
    assert isinstance(made, Commitment)
    return made


@pytest.mark.parametrize(
    ("condition", "event"),
    [
        ("state.alarm == 2", StateSet(state_key="alarm", value=2)),
        ("happened('storm')", Happened(name="storm")),
        ("event.name == 'storm'", Happened(name="storm")),
        ("felt('maelin', 'joy')", Felt(who="maelin", emotion="joy", statement="joy")),
        ("turn >= 1", Utterance(speaker="player", to=("maelin",), text="hello")),
        ("broken('other')", CommitmentBroken(commitment="other")),
        ("!open('other')", CommitmentReleased(commitment="other")),
        ("knows('maelin', 'third')", CommitmentMade(owner="player", to="maelin", name="third", statement="third")),
    ],
)
def test_a_condition_settles_a_promise_in_the_event_that_makes_it_true(condition: str, event: Any) -> None:
    play = Play()
    play.record(CommitmentMade(owner="player", to="maelin", name="other", statement="other"))
    promise = watched(play, fulfilled_when=condition)
    play.record(Deed(actor="maelin", statement="nothing of note"))
    assert play.status(promise) is Status.OPEN
    (receipt,) = play.record(event)
    assert play.status(promise) is Status.FULFILLED
    assert promise.entry_id in receipt.ended


def test_standing_settles_once_its_sum_is_reached() -> None:
    play = Play()
    promise = watched(play, fulfilled_when="standing('maelin', 'player', 'honesty') >= 2.0")
    change = RelationshipChanged(who="maelin", towards="player", statement="better", scope="honesty", amount=1)
    play.record(change)
    assert play.status(promise) is Status.OPEN
    play.record(change)
    assert play.status(promise) is Status.FULFILLED


def test_broken_outranks_fulfilled() -> None:
    play = Play()
    promise = watched(play, fulfilled_when="state.alarm > 0", broken_when="state.alarm > 1")
    play.record(StateSet(state_key="alarm", value=2))
    assert play.status(promise) is Status.BROKEN


def test_who_saw_what_settled_it_can_tell() -> None:
    play = Play()
    promise = watched(play, fulfilled_when="event.name == 'deed'", witnesses=("orla", "tovi"))
    play.record(Deed(actor="brun", statement="brun waves", witnesses=("orla",)))
    told = [v for v in ("player", "maelin", "orla", "tovi") if play.status(promise, viewer=v) is Status.FULFILLED]
    assert told == ["player", "maelin", "orla"]


def test_both_parties_can_tell_even_who_was_out_cold() -> None:
    play = Play()
    (promise,) = play.left_by(PROMISE)
    play.record(FellUnconscious(who="maelin"), CommitmentFulfilled(commitment="sensor"))
    assert play.status(promise, viewer="maelin") is Status.FULFILLED


def test_a_draft_replaces_nothing_before_it_is_confirmed() -> None:
    play = Play()
    (old,) = play.left_by(Deed(actor="maelin", statement="the mast stands"))
    draft = EntryDraft(
        kind="observation", statement="it fell", knowers=("maelin",), supersedes=(old.entry_id,), quarantined=True
    )
    (held,) = play.left_by(EntriesPosted(entries=(draft,)))
    assert play.status(old) is Status.ACTIVE
    play.record(Confirmed(entry_id=held.entry_id))
    assert play.status(old, viewer="maelin") is Status.SUPERSEDED
    assert play.status(old, viewer="orla") is Status.ACTIVE


def test_who_must_not_learn_it_does_not_learn_it_by_joining_those_who_know() -> None:
    play = Play()
    draft = EntryDraft(kind="observation", statement="a surprise", knowers=("group:crew",), unaware=("brun",))
    (secret,) = play.left_by(EntriesPosted(entries=(draft,)))
    play.record(GroupJoined(who="brun", group="crew"), GroupJoined(who="tovi", group="crew"))
    assert play.ledger().knows("tovi", secret.entry_id)
    assert not play.ledger().knows("brun", secret.entry_id)
