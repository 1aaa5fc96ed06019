"""Passing things on."""

import pytest

from ledger_service.domain.entries import Hearsay, Source, SourceKind
from ledger_service.domain.errors import ContentError, UnknownEntryError
from ledger_service.domain.events import Deed, EntriesPosted, EntryDraft, FellUnconscious, Outcome, Told
from ledger_service.domain.rumours import TellingOutcome
from tests.builders import a_slot
from tests.playing import Play, who

SAW = Deed(actor="maelin", statement="tovi took an apple", witnesses=(), slot=a_slot("apple", "killed_by", "tovi"))


def told(play: Play, teller: str, listener: str, entry_id: str, statement: str = "tovi took an apple") -> list[Hearsay]:
    left = play.left_by(Told(teller=teller, listener=listener, entry_id=entry_id, statement=statement))
    return [e for e in left if isinstance(e, Hearsay)]


def outcomes(play: Play) -> list[TellingOutcome]:
    return [t.outcome for t in play.tellings()]


def test_the_listener_holds_their_own_copy_worth_teller_times_trust_times_nine_tenths() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    (heard,) = told(play, "maelin", "orla", seen.entry_id)
    assert (who(heard), heard.confidence, heard.hops, heard.origin) == ({"orla"}, 0.45, 1, seen.entry_id)
    assert (heard.source.kind, heard.teller, heard.knowers[0].from_whom) == (SourceKind.TOLD_BY, "maelin", "maelin")
    (row,) = play.tellings()
    assert (row.from_entry, row.to_entry, row.offered_millionths) == (seen.entry_id, heard.entry_id, 450_000)


def test_where_nobody_trusts_anybody_in_particular_half_is_believed() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    (heard,) = told(play, "maelin", "brun", seen.entry_id)
    assert heard.confidence == 0.45


def test_the_origin_stays_the_root_however_far_a_story_travels() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    (first,) = told(play, "maelin", "orla", seen.entry_id)
    (second,) = told(play, "orla", "tovi", first.entry_id, "tovi stole a basket")
    assert (second.origin, second.hops, second.confidence) == (seen.entry_id, 2, pytest.approx(0.45 * 0.8 * 0.9))


def test_the_same_words_make_the_same_claim_and_other_words_make_none() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    assert told(play, "maelin", "orla", seen.entry_id)[0].slot == SAW.slot
    assert told(play, "maelin", "brun", seen.entry_id, "tovi robbed the stall")[0].slot is None


def test_a_story_never_goes_back_to_anyone_it_came_through() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    (first,) = told(play, "maelin", "orla", seen.entry_id)
    (second,) = told(play, "orla", "tovi", first.entry_id)
    assert told(play, "tovi", "orla", second.entry_id) == []
    assert told(play, "tovi", "maelin", second.entry_id) == []
    assert outcomes(play)[-2:] == [TellingOutcome.ECHO, TellingOutcome.ECHO]
    assert [t.to_entry for t in play.tellings()][-2:] == [None, None]


def test_the_same_teller_again_changes_nothing() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    told(play, "maelin", "orla", seen.entry_id)
    assert told(play, "maelin", "orla", seen.entry_id, "with more colour") == []
    assert outcomes(play) == [TellingOutcome.BELIEVED, TellingOutcome.UNCHANGED]


def test_a_different_teller_bears_it_out_once_and_leaves_the_first_wording() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    (first,) = told(play, "maelin", "orla", seen.entry_id)
    (other,) = told(play, "maelin", "brun", seen.entry_id)
    assert told(play, "brun", "orla", other.entry_id, "tovi robbed the stall") == []
    assert told(play, "brun", "orla", other.entry_id) == []
    assert outcomes(play)[-2:] == [TellingOutcome.CORROBORATED, TellingOutcome.UNCHANGED]
    assert play.tellings()[-2].to_entry == first.entry_id


def test_what_was_never_recorded_leaves_a_copy_and_no_row() -> None:
    play = Play()
    (heard,) = play.left_by(Told(teller="orla", listener="tovi", statement="a ship came", confidence=0.4))
    assert (heard.confidence, heard.origin) == (0.4, None)
    assert play.tellings() == []


def test_the_player_makes_a_claim_however_sure_they_sound() -> None:
    (heard,) = Play().left_by(Told(teller="player", listener="orla", statement="I fixed it", confidence=1.0))
    assert (heard.source.kind, heard.confidence) == (SourceKind.PLAYER_CLAIM, 0.3)


def test_nobody_passes_on_what_they_do_not_know() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    with pytest.raises(ContentError, match="brun does not know it"):
        told(play, "brun", "orla", seen.entry_id)
    with pytest.raises(UnknownEntryError):
        told(play, "brun", "orla", "e" + "0" * 20)


def test_nobody_is_told_what_they_must_not_learn_and_the_copy_keeps_it_from_them() -> None:
    play = Play()
    (seen,) = play.left_by(Deed(actor="maelin", statement="a surprise is planned", witnesses=(), unaware=("orla",)))
    (heard,) = told(play, "maelin", "brun", seen.entry_id, "there will be a surprise")
    for teller, entry in (("maelin", seen), ("brun", heard)):
        with pytest.raises(ContentError, match="must not learn it"):
            told(play, teller, "orla", entry.entry_id)


def test_an_animal_tells_nobody_and_the_unconscious_hear_nothing() -> None:
    play = Play()
    play.record(FellUnconscious(who="brun"))
    with pytest.raises(ContentError, match="cannot testify"):
        play.record(Told(teller="rex", listener="orla", statement="woof"))
    with pytest.raises(ContentError, match="unconscious"):
        play.record(Told(teller="orla", listener="brun", statement="wake up"))


def test_the_same_teller_of_what_was_posted_changes_nothing_either() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    draft = EntryDraft(
        kind="hearsay", statement="tovi stole", knowers=("orla",), origin=seen.entry_id,
        source=Source(kind=SourceKind.TOLD_BY, by="maelin"),
    )  # fmt: skip
    play.record(EntriesPosted(entries=(draft,)))
    assert told(play, "maelin", "orla", seen.entry_id) == []
    assert outcomes(play) == [TellingOutcome.UNCHANGED]


def test_what_was_heard_in_the_same_words_before_is_what_the_telling_leads_to() -> None:
    play = Play()
    (seen,) = play.left_by(SAW)
    (before,) = play.left_by(Told(teller="maelin", listener="orla", statement=SAW.statement, slot=SAW.slot))
    (receipt,) = play.record(
        Told(teller="maelin", listener="orla", entry_id=seen.entry_id, statement=SAW.statement, slot=SAW.slot)
    )
    assert [(r.entry_id, r.outcome) for r in receipt.entries] == [(before.entry_id, Outcome.UNCHANGED)]
    (row,) = play.tellings()
    assert (row.to_entry, row.outcome) == (before.entry_id, TellingOutcome.UNCHANGED)
