"""Reading in six languages, and saying so where a language is not known."""

from pathlib import Path

import pytest

from ledger_service.domain.replies import Claim, Reply, Stance
from ledger_service.domain.rubric import State
from ledger_service.domain.worlds import Character, World
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.readers.languages import language_of
from ledger_service.readers.tongues import KNOWN, tongue
from ledger_service.scoring.response_validity import READ, response_validity
from tests.speaking import a_scene

WORLD = World(
    id="w", title="",
    cast=tuple(Character(id=name.lower(), name=name) for name in ("Tamsin", "Varga", "Sefa")),
)  # fmt: skip


def read(text: str) -> tuple[Claim, ...]:
    return PatternClaimReader().read(text, world=WORLD, speaker="tamsin", audience=("player",))


@pytest.mark.parametrize(
    ("text", "lang", "stance"),
    [
        ("我发誓，明天一定把船借给你。", "zh", Stance.PROMISE),
        ("我不能借给你。", "zh", Stance.REFUSE),
        ("你没付过泊船费。", "zh", Stance.ASSERT),
        ("들어가실 수 없습니다.", "ko", Stance.REFUSE),
        ("꼭 데려가겠다고 약속할게요.", "ko", Stance.PROMISE),
        ("نمی‌دانم.", "fa", Stance.DENY),
        ("قسم می‌خورم.", "fa", Stance.PROMISE),
        ("No puede entrar, la puerta sigue cerrada.", "es", Stance.REFUSE),
        ("Te prometo que mañana vuelvo con la llave.", "es", Stance.PROMISE),
        ("Vielleicht ist die Antenne zuerst ausgefallen.", "de", Stance.HEDGE),
        ("Ich schwöre dir, morgen bekommst du das Boot.", "de", Stance.PROMISE),
    ],
)
def test_each_language_has_its_stances(text: str, lang: str, stance: Stance) -> None:
    first = read(text)[0]
    assert (first.lang, first.stance) == (lang, stance)


@pytest.mark.parametrize("text", ["وارگا می‌گوید خرابکاری بوده.", "바르가가 그렇게 말했어요."])
def test_a_name_in_another_script_is_that_name(text: str) -> None:
    assert read(text)[0].attributed_to == "varga"


def test_a_chinese_name_is_heard_within_a_run_of_letters() -> None:
    assert read("是塞法告诉我的。")[0].attributed_to == "sefa"


def test_a_word_is_glossed_into_the_language_of_the_ledger() -> None:
    assert {"lock", "librari"} <= set(read("La biblioteca está cerrada con llave.")[0].terms)


@pytest.mark.parametrize(
    "text",
    [
        "Je ne sais pas où il est parti, mon ami.",
        "Библиотека закрыта, господин.",
        "図書館は閉まっています。",
        "أنا لا أعرف أين هو.",
    ],
)
def test_an_unknown_language_is_unscored_with_its_reason(text: str) -> None:
    scene = a_scene(line="Where is he?")
    reply = Reply(text=text, responder="test")
    verdict = response_validity(scene.packet, reply, scene.claims(text), world=scene.world, ledger=scene.ledger)
    assert verdict.state is State.UNSCORED
    assert "language" in verdict.why


def test_plain_short_english_is_english() -> None:
    lines = ("Hot. Mind it.", "Bad iron rings wrong.", "Six marks.", "No. Next.", "Walk.", "Mare stays in her box.")
    assert {language_of(line) for line in lines} == {"en"}


def test_every_language_has_a_file_and_every_file_the_cues_of_stances() -> None:
    assert set(KNOWN) == READ
    for code in KNOWN:
        cues = tongue(code).cues
        assert {"negative", "hedge", "attribute", "oath", "refuse", "grant", "thank", "deny", "accepts"} <= set(cues)


def test_files_of_tongues_are_all_used() -> None:
    folder = Path(__file__).parent.parent.parent / "ledger_service" / "readers" / "tongues"
    assert {p.stem for p in folder.glob("*.toml")} == set(KNOWN)
