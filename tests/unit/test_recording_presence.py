"""Who witnesses what."""

import pytest

from ledger_service.domain.entries import Channel
from ledger_service.domain.events import Deed, FellUnconscious, Happened, Moved, TimePassed, Utterance, Woke
from ledger_service.domain.worlds import Character
from tests.builders import a_world
from tests.playing import Play, who


def test_those_at_the_place_and_awake_witness_an_open_deed() -> None:
    play = Play()
    play.record(FellUnconscious(who="orla"), Moved(who="brun", to="station"))
    (seen,) = play.left_by(Deed(actor="maelin", statement="maelin opens the hatch"))
    assert who(seen) == {"maelin", "brun"}


def test_who_wakes_witnesses_again() -> None:
    play = Play()
    play.record(FellUnconscious(who="orla"), Woke(who="orla"))
    (seen,) = play.left_by(Deed(actor="maelin", statement="maelin opens the hatch"))
    assert who(seen) == {"maelin", "orla"}


@pytest.mark.parametrize(("hour", "there"), [(7, False), (8, True), (11, True), (12, False)])
def test_a_schedule_puts_somebody_there_from_its_first_hour_and_before_its_last(hour: int, there: bool) -> None:
    (seen,) = Play().left_by(Deed(tick=hour, actor="maelin", statement="maelin opens the hatch"))
    assert ("tovi" in who(seen)) is there


def test_the_last_move_outranks_the_schedule() -> None:
    play = Play()
    play.record(Moved(who="tovi", to="mast"), TimePassed(hours=9))
    (seen,) = play.left_by(Deed(actor="maelin", statement="maelin opens the hatch"))
    assert "tovi" not in who(seen)


def test_a_private_word_reaches_those_who_take_part_only() -> None:
    (said,) = Play().left_by(Utterance(speaker="player", to=("maelin",), text="hush", channel=Channel.PRIVATE))
    assert who(said) == {"player", "maelin"}


def test_outsiders_of_a_muffled_talk_know_that_they_talked_and_not_what() -> None:
    play = Play()
    play.record(Moved(who="brun", to="station"))
    said, talked = play.left_by(
        Utterance(speaker="maelin", to=("orla",), text="the code is nine", channel=Channel.MUFFLED)
    )
    assert (who(said), who(talked)) == ({"maelin", "orla"}, {"brun"})
    assert "nine" not in talked.statement
    assert talked.source.quote is None


def test_a_broadcast_reaches_the_region_and_stops_at_its_border() -> None:
    (said,) = Play().left_by(
        Utterance(speaker="maelin", to=("player",), text="storm tonight", channel=Channel.BROADCAST)
    )
    assert who(said) == {"maelin", "orla", "player"}


def test_named_witnesses_stand_instead_of_presence() -> None:
    (seen,) = Play().left_by(Deed(actor="maelin", statement="maelin opens the hatch", witnesses=("brun",)))
    assert who(seen) == {"maelin", "brun"}


def test_an_animal_that_looks_on_learns_nothing_that_becomes_knowledge() -> None:
    (seen,) = Play().left_by(Deed(actor="maelin", statement="maelin opens the hatch"))
    assert "rex" not in who(seen)


def test_an_animal_that_is_named_knows_for_itself() -> None:
    (seen,) = Play().left_by(Deed(actor="rex", statement="rex barks at the hatch", witnesses=()))
    assert who(seen) == {"rex"}


def test_without_any_place_only_those_who_take_part_know() -> None:
    drifting = a_world(cast=(*a_world().cast, Character(id="ghost", name="Ghost"), Character(id="wisp", name="Wisp")))
    (seen,) = Play(drifting).left_by(Deed(actor="ghost", target="brun", statement="ghost wails", place=None))
    assert who(seen) == {"ghost", "brun"}
    (said,) = Play(drifting).left_by(
        Utterance(speaker="ghost", to=("wisp",), text="who goes there", channel=Channel.BROADCAST)
    )
    assert who(said) == {"ghost", "wisp"}


def test_what_nobody_is_near_leaves_no_entry() -> None:
    assert Play().left_by(Happened(name="storm")) == []


def test_whoever_must_not_learn_it_is_left_out_of_those_present() -> None:
    (seen,) = Play().left_by(Deed(actor="maelin", statement="maelin hides the key", unaware=("orla",)))
    assert who(seen) == {"maelin"}
    assert seen.unaware == ("orla",)


def test_an_actor_who_is_out_cold_still_did_it() -> None:
    play = Play()
    play.record(FellUnconscious(who="brun"))
    (seen,) = play.left_by(Deed(actor="brun", statement="brun mutters in his sleep"))
    assert who(seen) == {"brun"}
