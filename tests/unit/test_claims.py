"""Reading a reply into claims."""

import pytest

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.worlds import Character, Thing, World
from ledger_service.readers.claims import PatternClaimReader

WORLD = World(
    id="w",
    title="",
    cast=(
        Character(id="maelin", name="Maelin Voss"),
        Character(id="supervisor", name="the supervisor"),
        Character(id="teo", name="Teo"),
        Character(id="ilsa", name="Ilsa", aliases=("captain",)),
    ),
    things=(Thing(id="sensor", name="the missing sensor"),),
)


def read(text: str) -> tuple[Claim, ...]:
    return PatternClaimReader().read(text, world=WORLD, speaker="maelin", audience=("player",))


def stances(text: str) -> list[str]:
    return [str(c.stance) for c in read(text)]


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("You replaced the relay fuse.", Stance.ASSERT),
        ("Teo told me that the sensor lies in the south crater.", Stance.ATTRIBUTE),
        ("The sensor may lie in the south crater.", Stance.HEDGE),
        ("I think the antenna went first.", Stance.HEDGE),
        ("I did not see that.", Stance.DENY),
        ("That isn't so.", Stance.DENY),
        ("Who told you that?", Stance.ASK),
        ("I'll bring the tables tomorrow.", Stance.PROMISE),
        ("You have my word on it.", Stance.PROMISE),
        ("On my mother's grave, yes.", Stance.PROMISE),
        ("Not today.", Stance.REFUSE),
        ("The gate stays shut.", Stance.REFUSE),
        ("I won't open the cabinet.", Stance.REFUSE),
        ("Take the key off the hook.", Stance.GRANT),
        ("Here you are.", Stance.GRANT),
        ("Thank you for the bread.", Stance.THANK),
        ("“You thanked me for it.”", Stance.QUOTE),
        ("*hands the key across to you*", Stance.GRANT),
        ("*looks away*", Stance.UNKNOWN),
    ],
)
def test_a_sentence_has_the_stance_that_a_listener_hears(text: str, stance: Stance) -> None:
    assert stances(text) == [stance]


def test_a_grant_on_a_condition_is_no_grant() -> None:
    assert Stance.GRANT not in stances("Take it once the sensor is back.")
    assert Stance.GRANT not in stances("If you bring the sensor, the transmitter is yours.")


def test_abbreviations_do_not_end_a_sentence() -> None:
    assert len(read("Dr. Voss and Capt. Teo left at noon.")) == 1


def test_stage_directions_stand_apart_and_keep_their_place() -> None:
    text = "No. *shuts the drawer* Not today."
    claims = read(text)
    assert [c.text for c in claims] == ["No.", "*shuts the drawer*", "Not today."]
    assert all(text[c.start : c.end] == c.text for c in claims)


def test_clauses_are_held_apart_so_that_a_hedge_covers_its_own_only() -> None:
    claims = read("I may be wrong about the hour, but the western antenna failed first.")
    assert [str(c.stance) for c in claims] == ["hedge", "assert"]


def test_a_doubt_that_trails_belongs_to_what_came_before() -> None:
    (claim,) = read("The sensor lies in the crater; I can't swear to it.")
    assert claim.stance is Stance.HEDGE
    (claim,) = read("The sensor lies in the crater, or so Teo says.")
    assert claim.attributed_to == "teo"


def test_the_teller_is_whoever_the_words_name() -> None:
    assert read("The supervisor told me that the antenna failed.")[0].attributed_to == "supervisor"
    assert read("I have the captain's word for it.")[0].attributed_to == "ilsa"
    assert read("You told me nothing came.")[0].attributed_to == "player"
    assert read("The antenna failed.")[0].attributed_to is None


def test_persons_are_speaker_and_listener() -> None:
    assert read("I repaired the heater.")[0].person == "speaker"
    assert read("You repaired the heater.")[0].person == "listener"
    assert read("Teo repaired the heater.")[0].person == "teo"
    assert read("The heater works.")[0].person == ""


def test_mentions_go_by_name_and_alias() -> None:
    assert read("The captain has the sensor.")[0].mentions == ("ilsa", "sensor")


def test_negation_is_noted() -> None:
    assert read("You never told me.")[0].negative
    assert not read("You told me.")[0].negative


def test_other_scripts_are_cut_at_their_own_full_stops() -> None:
    assert len(read("继电器的事我记着。柜子我不能开。")) == 2


def test_nothing_and_mere_marks_hold_no_claim() -> None:
    assert read("") == ()
    assert read("... ?!") == ()


def test_reading_twice_gives_the_same() -> None:
    text = "Teo says it's in the crater. I don't know, but you owe me a sensor."
    assert read(text) == read(text)
