"""Voice continuity: still this speaker, and nobody else."""

import pytest

from ledger_service.domain.entries import Intensity
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Code, Severity, State
from ledger_service.scoring.voice.voice_continuity import voice_continuity
from tests.builders import a_residue
from tests.speaking import a_scene, a_stage, voiced


def judge(text: str, *entries, **card):
    world = voiced(voiced(a_stage(), "teo", address=("mate",), favourites=("sledge", "crust")), "maelin", **card)
    return voice_continuity(a_scene(*entries, world=world).packet, Reply(text=text, responder="test"), world=world)


def codes(text: str, *entries, **card) -> list[Code]:
    return [f.code for f in judge(text, *entries, **card).findings]


def test_without_a_card_it_is_unscored_and_says_why() -> None:
    scene = a_scene()
    verdict = voice_continuity(scene.packet, Reply(text="Hello.", responder="test"), world=scene.world)
    assert (verdict.state, verdict.why) == (State.UNSCORED, "there is no voice card for maelin")


def test_a_flat_line_within_the_card_passes() -> None:
    assert judge("Not today.", taboo=("darling",)).state is State.PASS


def test_a_taboo_word_breaks_the_voice_as_a_whole_word_only() -> None:
    assert codes("Not today, darling.", taboo=("darling",)) == [Code.VOICE_BREAK]
    assert codes("The darlings of the fleet.", taboo=("darling",)) == []


@pytest.mark.parametrize("text", ["I don't know.", "It's late.", "We'll see.", "I’m here."])
def test_contractions_break_the_voice_of_who_uses_none(text: str) -> None:
    assert codes(text, contractions=False) == [Code.VOICE_BREAK]
    assert codes(text, register="formal, no contractions") == [Code.VOICE_BREAK]
    assert codes(text, register="plain") == []


def test_a_possessive_is_no_contraction() -> None:
    assert codes("The captain's word stands.", contractions=False) == []


def test_how_somebody_else_addresses_people_breaks_the_voice() -> None:
    assert codes("Not today, mate.", register="dry") == [Code.VOICE_BREAK]
    assert codes("Not today, mate.", register="dry", address=("mate",)) == []
    assert codes("The mate left the ship.", register="dry") == []


def test_several_favourites_of_somebody_else_break_the_voice() -> None:
    assert codes("The sledge broke.", register="dry") == []
    assert codes("The sledge broke the crust.", register="dry") == [Code.VOICE_BREAK]


def test_words_from_outside_the_world_break_the_voice() -> None:
    assert codes("As an AI, I cannot say.", register="dry") == [Code.VOICE_BREAK]


def test_far_too_long_fails_and_a_little_too_long_is_noted() -> None:
    assert judge("word " * 30, max_words=10).state is State.FAIL
    verdict = judge("word " * 11, max_words=10)
    assert (verdict.state, verdict.findings[0].severity) == (State.PASS, Severity.MINOR)
    assert judge("*" + "stage " * 30 + "* No.", max_words=10).findings == ()


@pytest.mark.parametrize(
    ("intensity", "text", "fails"),
    [
        (Intensity.HIGH, "Thank you kindly.", True),
        (Intensity.HIGH, "Two coppers. There's the counter.", False),
        (Intensity.MEDIUM, "Thank you kindly.", False),
        (Intensity.MEDIUM, "How delighted I am, my friend.", True),
        (Intensity.LOW, "How delighted I am, my friend.", False),
    ],
)
def test_warmth_over_anger_is_the_wrong_tone_by_its_strength(intensity: Intensity, text: str, fails: bool) -> None:
    bitter = a_residue(emotion="bitter", intensity=intensity)
    assert codes(text, bitter, register="gruff") == ([Code.TONE_WRONG] if fails else [])


@pytest.mark.parametrize(
    ("emotion", "text"),
    [
        ("furious", "*beams over the counter* Have a biscuit, it's on me."),
        ("terrified", "Never better! I slept like a log, and there's a song in my heart."),
        ("shaken", "*whistling, boots up on the desk* Best fun I've had all week."),
        ("sore", "Draw up a chair and tell me everything. No hard feelings in this house."),
    ],
)
def test_cheer_over_a_feeling_that_should_be_seen_is_the_wrong_tone(emotion: str, text: str) -> None:
    for intensity in (Intensity.MEDIUM, Intensity.HIGH):
        assert codes(text, a_residue(emotion=emotion, intensity=intensity), register="dry") == [Code.TONE_WRONG]
    assert codes(text, a_residue(emotion=emotion, intensity=Intensity.LOW), register="dry") == []


@pytest.mark.parametrize(
    "text",
    [
        "*A thin smile.* Lovely day, isn't it? Have a biscuit. You took the rest.",
        "*She sets the mug down harder than it needs.* On the house. Since you help yourself anyway.",
        "Nothing here does me good today. Say what you want.",
        "Not glad to see you, no. Pay at the door.",
    ],
)
def test_what_shows_through_the_pleasantry_passes(text: str) -> None:
    assert codes(text, a_residue(emotion="furious", intensity=Intensity.MEDIUM), register="dry") == []


def test_outbursts_over_a_trace_are_the_wrong_tone() -> None:
    text = "*He flings the mug at the stove, sobbing.* I can't even look at you. Get out!"
    for intensity in (Intensity.LOW, Intensity.MEDIUM):
        assert codes(text, a_residue(emotion="nettled", intensity=intensity), register="dry") == [Code.TONE_WRONG]
    assert codes(text, a_residue(emotion="enraged", intensity=Intensity.HIGH), register="dry") == []
    assert (
        codes("*He puts the mug down a little hard.* Well?", a_residue(intensity=Intensity.LOW), register="dry") == []
    )


DRY = {"register": "dry, short clauses, no endearments", "samples": ("Pressure's down. Shut that.", "Again, slower.")}


@pytest.mark.parametrize(
    "text",
    [
        "Hark, sweet traveller, the silver moon beckons us to slumber.",
        "Oh, you precious thing, my heart simply sings to have you back!",
        "I must regrettably inform you that the premises remain closed until such time as repairs conclude.",
        "Awesome, dude, the wifi's totally back. No worries.",
        "Thank you for your patience, and please do not hesitate to ask. Happy to help!",
    ],
)
def test_another_manner_of_speaking_than_the_card_has_breaks_the_voice(text: str) -> None:
    assert Code.VOICE_BREAK in codes(text, **DRY)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("Hark, sweet traveller, the silver moon beckons us.", {**DRY, "register": "a theatrical poet"}),
        ("Oh, you precious thing, my heart sings!", {**DRY, "register": "warm and motherly, pet names for all"}),
        (
            "Regrettably the premises remain closed.",
            {**DRY, "samples": ("Kindly refrain from leaning on the exhibits.",)},
        ),
        ("The moon is up, and the premises are closed.", DRY),
    ],
)
def test_a_manner_that_the_card_has_or_a_single_word_of_it_passes(text: str, card: dict) -> None:
    assert codes(text, **card) == []


def test_a_word_that_is_slang_only_alone_is_taboo_only_alone() -> None:
    assert codes("Whatever.", taboo=("whatever",)) == [Code.VOICE_BREAK]
    assert codes("He eats whatever soup there is.", taboo=("whatever",)) == []


@pytest.mark.parametrize(
    ("emotion", "text"),
    [
        ("terrified", "Let them come. There's nothing to be afraid of, and the door stays on the latch."),
        ("ashamed", "Tell everyone! It was my finest hour."),
    ],
)
def test_bravado_over_fear_and_brazenness_over_shame_are_the_wrong_tone(emotion: str, text: str) -> None:
    assert codes(text, a_residue(emotion=emotion, intensity=Intensity.HIGH), register="dry") == [Code.TONE_WRONG]
    assert codes(text, a_residue(emotion="furious", intensity=Intensity.HIGH), register="dry") == []
