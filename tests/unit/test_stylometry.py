"""Whose manner a line is in."""

from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Severity, State
from ledger_service.domain.worlds import Character, VoiceCard
from ledger_service.scoring.voice.stylometry import LEAST_SAMPLE_WORDS, likeness
from ledger_service.scoring.voice.voice_continuity import voice_continuity
from tests.speaking import a_scene, a_stage

GRUFF = (
    "Tide waits for nobody. Make that line fast. Fee is on the board. Wind is backing. Coil that rope. "
    "Mind the bollard. Boat goes out or boat stays in. No talk on the quay. Lamp is lit at dusk. "
) * 5  # fmt: skip
CHURCHLY = (
    "Peace be upon thee, gentle friend, and upon thy household; we keep little, and so we lose but little. A candle "
    "asketh not who readeth by its light, and neither shall we ask whence thou comest, nor whither thou wilt go. "
) * 5  # fmt: skip
SAMPLES = {"brann": (GRUFF,), "wen": (CHURCHLY,)}
LINE = (
    "Peace be upon thee, gentle friend; we ask not whence thou comest, nor whither thy household goeth hereafter, "
    "for a candle asketh not who readeth by its light."
)


def test_a_line_in_somebody_elses_manner_is_theirs() -> None:
    assert likeness(LINE, "brann", SAMPLES).is_somebody_else
    assert likeness(LINE, "brann", SAMPLES).nearest == "wen"
    assert not likeness(LINE, "wen", SAMPLES).is_somebody_else


def test_too_few_words_are_not_compared_and_the_number_is_said() -> None:
    few = likeness(LINE, "brann", {"brann": ("Mind the step.",), "wen": (CHURCHLY,)})
    assert few.why == f"brann has 3 words of samples, {LEAST_SAMPLE_WORDS} are needed"
    assert "needed" in likeness("Hm.", "brann", SAMPLES).why
    assert "nobody else" in likeness(LINE, "brann", {"brann": (GRUFF,)}).why


def _verdict(samples: tuple[str, ...], text: str = LINE):
    cast = (
        Character(id="maelin", name="Maelin", voice=VoiceCard(samples=samples)),
        Character(id="wen", name="Wen", voice=VoiceCard(samples=(CHURCHLY,))),
        Character(id="player", name="Player"),
    )  # fmt: skip
    scene = a_scene(line="Hello", world=a_stage(cast=cast))
    return voice_continuity(scene.packet, Reply(text=text, responder="t"), world=scene.world)


def test_a_card_of_few_samples_alone_leaves_voice_unscored_with_the_number() -> None:
    verdict = _verdict(("Mind the step.",))
    assert verdict.state is State.UNSCORED
    assert "150" in verdict.why


def test_another_manner_is_noted_and_fails_nothing_by_itself() -> None:
    verdict = _verdict((GRUFF,))
    assert verdict.state is State.PASS
    assert [f.severity for f in verdict.findings] == [Severity.MINOR]
