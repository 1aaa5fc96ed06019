"""Short answers, other words, numbers and places held against the record; and where rules leave it open."""

import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Status
from ledger_service.domain.rubric import Axis, Code, State, Verdict
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET
from tests.builders import a_commitment, a_contradiction, a_hearsay, an_observation, known_by
from tests.speaking import Scene, a_scene, scored

BOTH = known_by("maelin", "player")
FUSE = an_observation(entry_id="fuse", statement="player replaced the relay fuse", seq=1, knowers=BOTH)
SEA = an_observation(entry_id="sea", statement="maelin has never seen the sea", seq=2, knowers=BOTH)
RADIO = an_observation(entry_id="radio", statement="the radio is dead", seq=3, knowers=BOTH)
SKINS = an_observation(entry_id="skins", statement="player lost two water skins in the dunes", seq=4, knowers=BOTH)
PAGE = an_observation(entry_id="page", statement="player found the missing page in the hayloft", seq=5, knowers=BOTH)
ROPE = an_observation(entry_id="rope", statement="the mast rope is frayed", seq=6, knowers=BOTH)
ICE = a_hearsay(entry_id="ice", statement="the ice is splitting", seq=7, teller="teo", knowers=known_by("maelin"))
RANSOM = an_observation(entry_id="ransom", statement="teo burned the harbour ledger", seq=8, knowers=known_by("teo"))


def response(scene: Scene, text: str) -> Verdict:
    return scored(scene, text).verdict(Axis.RESPONSE)


def codes(scene: Scene, text: str) -> list[Code]:
    return [f.code for f in response(scene, text).findings]


@pytest.mark.parametrize(
    ("line", "entry", "faulty", "code", "clean"),
    [
        ("Who replaced the fuse?", FUSE, "Teo did, with his gloves on.", Code.ATTRIBUTION_WRONG, "You did."),
        ("Who replaced the fuse?", FUSE, "Nobody. It mended itself.", Code.CONTRADICTS_ENTRY, "Nobody but you."),
        ("You have sailed, surely?", SEA, "I crossed the sea twice.", Code.CONTRADICTS_ENTRY, "I dream of the sea."),
        ("Any news?", RADIO, "I spoke to them on the radio.", Code.CONTRADICTS_ENTRY, "The radio tells me nothing."),
        ("How many skins did I lose?", SKINS, "Three.", Code.CONTRADICTS_ENTRY, "Two, in the dunes."),
        ("How many skins did I lose?", SKINS, "None.", Code.CONTRADICTS_ENTRY, "At least two."),
        ("Where did I find the page?", PAGE, "In the chapel.", Code.CONTRADICTS_ENTRY, "In the hayloft."),
        ("How is the mast rope?", ROPE, "The rope is sound.", Code.CONTRADICTS_ENTRY, "It is frayed."),
        ("How is the ice?", ICE, "Splitting. We stay here.", Code.HEARSAY_PROMOTED, "Splitting, Teo says."),
        ("Did I lose two water skins?", SKINS, "No, never.", Code.CONTRADICTS_ENTRY, "Yes, you did."),
    ],
)
def test_an_answer_is_held_against_what_the_question_asks(line, entry, faulty, code, clean) -> None:
    scene = a_scene(entry, line=line)
    assert codes(scene, faulty) == [code]
    assert codes(scene, clean) == []


def test_agreeing_with_a_line_that_denies_what_is_known_contradicts_it() -> None:
    scene = a_scene(SKINS, line="I never lost two water skins.")
    assert codes(scene, "No, never.") == [Code.CONTRADICTS_ENTRY]
    assert codes(scene, "No? You lost two water skins in the dunes.") == []


def test_what_is_old_is_stale_by_a_word_that_nothing_newer_says() -> None:
    old = an_observation(entry_id="old", statement="the north road is flooded", seq=1, knowers=BOTH)
    new = an_observation(entry_id="new", statement="the north road has dried out", seq=2, knowers=BOTH)
    gone = Amendment(entry_id="old", cause_seq=2, at=StoryTime(tick=2), status=Status.SUPERSEDED, by=("new",))
    scene = a_scene(old, new, amendments=[gone], line="Shall we take the north road?")
    assert codes(scene, "It is a lake up there.") == [Code.STALE_FACT]
    assert codes(scene, "It was a lake once. It is dry.") == []


def test_a_number_of_something_else_is_none_of_it() -> None:
    scene = a_scene(SKINS, line="What did I do?")
    assert codes(scene, "You lost three water skins in the dunes.") == [Code.CONTRADICTS_ENTRY]
    assert codes(scene, "You lost two water skins, and I slept three hours.") == []


def test_a_hidden_thing_told_in_other_words_is_a_leak() -> None:
    scene = a_scene(RANSOM, line="Anything new at the harbour?")
    assert codes(scene, "Teo torched the ledger.") == [Code.LEAK]
    assert codes(scene, "Teo coils ropes and says little.") == []


def test_the_one_concerned_who_owns_up_gives_it_away_even_by_the_words_of_the_line() -> None:
    secret = an_observation(
        entry_id="read", statement="maelin cannot read", seq=1, knowers=known_by("maelin"),
        disclosure=SECRET,
    )  # fmt: skip
    scene = a_scene(secret, line="Read me this letter.")
    assert codes(scene, "I cannot read.") == [Code.LEAK]
    assert codes(scene, "Not by this light.") == []


def test_a_yes_settles_what_is_in_dispute_and_a_telling_of_both_does_not() -> None:
    one = a_hearsay(
        entry_id="one", statement="teo let the fire start", seq=1, teller="orla", knowers=known_by("maelin")
    )
    two = an_observation(
        entry_id="two", statement="the roll puts teo in the pasture", seq=2, knowers=known_by("maelin")
    )  # fmt: skip
    both = a_contradiction(
        entry_id="both", statement="orla's word about teo and the fire against the roll", members=("one", "two"), seq=3,
        knowers=known_by("maelin"),
    )  # fmt: skip
    scene = a_scene(one, two, both, line="Did Teo let the fire start?")
    assert codes(scene, "Yes. He was careless.") == [Code.SIDE_TAKEN]
    assert codes(scene, "Orla says yes, the roll says no. I leave it there.") == []


SENSOR = a_commitment(entry_id="sensor", statement="player will return the sensor", seq=1, knowers=BOTH)


@pytest.mark.parametrize("line", ["I laid the sensor on your desk.", "The sensor is back on its mount."])
def test_going_along_with_what_is_not_done_needs_no_thanks(line) -> None:
    scene = a_scene(SENSOR, line=line)
    assert codes(scene, "Then I can close the log.") == [Code.FALSE_COMPLETION_ACCEPTED]
    assert codes(scene, "Where? I see no sensor.") == []


@pytest.mark.parametrize(
    ("entries", "line", "text", "why"),
    [
        ((SENSOR,), "I laid the sensor on your desk.", "The kettle sings when the wind turns.", "neither takes it"),
        ((ICE,), "Who told you about the ice?", "A lamplighter, over soup.", "names nobody"),
        ((), "Do you remember when we danced on the roof?", "The roof leaks in spring.", "reminded of"),
        ((SEA,), "When did you first see the sea?", "On a Tuesday, before breakfast.", "rules out"),
        ((RANSOM,), "Who burned the harbour ledger?", "Men with wet boots and dry matches.", "hints"),
    ],
)
def test_where_rules_cannot_tell_it_is_unscored_with_the_reason(entries, line, text, why) -> None:
    verdict = response(a_scene(*entries, line=line), text)
    assert (verdict.state, verdict.findings) == (State.UNSCORED, ())
    assert why in verdict.why


@pytest.mark.parametrize(
    ("entries", "line", "text"),
    [
        ((SENSOR,), "I laid the sensor on your desk.", "My desk is empty."),
        ((ICE,), "Who told you about the ice?", "Teo, over soup."),
        ((), "Do you remember when we danced on the roof?", "I never danced on any roof."),
        ((RANSOM,), "Who burned the harbour ledger?", "Ask the harbourmaster."),
        ((FUSE,), "How are you?", "The kettle sings when the wind turns."),
    ],
)
def test_what_denies_dodges_or_speaks_of_nothing_on_record_passes(entries, line, text) -> None:
    scene = a_scene(*entries, line=line)
    assert response(scene, text).state is State.PASS


def test_a_commitment_that_is_over_binds_nobody() -> None:
    gone = Amendment(entry_id="sensor", cause_seq=3, at=StoryTime(tick=3), status=Status.LAPSED)
    scene = a_scene(SENSOR, amendments=[gone], line="What of the sensor?")
    assert Code.STATUS_WRONG in codes(scene, "You still owe me the sensor, and I am waiting for it.")


def test_idle_words_of_no_make_no_denial() -> None:
    (claim,) = a_scene().claims("You owe me twelve dinars, do not forget it.")
    assert not claim.negative
    assert a_scene().claims("You do not owe me dinars.")[0].negative
