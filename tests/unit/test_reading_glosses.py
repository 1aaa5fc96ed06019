"""What words of other languages mean: the longest that fits, endings, compounds, and words that are none."""

import pytest

from ledger_service.readers.names import heard
from ledger_service.readers.tongues import KNOWN, tongue
from ledger_service.readers.tongues.glosses import Glossary


def meant(code: str, text: str) -> set[str]:
    return set(" ".join(tongue(code).glosses.meanings(text)).split())


@pytest.mark.parametrize(
    ("code", "text", "means"),
    [
        ("de", "den Ersatzschlüssel", "key"),
        ("de", "dass du es auswechselst", "replace"),
        ("es", "traérmelo mañana", "bring"),
        ("es", "me devolvió la escalera", "ladder"),
        ("fa", "می‌آورم", "bring"),
        ("fa", "اسب‌ها را", "horse"),
        ("ko", "밧줄을 꼬고", "rope"),
        ("ko", "갚기로 했다", "pay"),
        ("zh", "我把钥匙还给你", "return"),
    ],
)
def test_a_word_is_known_by_its_stem_whatever_is_written_on_to_it(code, text, means) -> None:
    assert means in meant(code, text)


@pytest.mark.parametrize(
    ("code", "text", "means"),
    [
        ("de", "Es passt mir nicht", "pass"),
        ("de", "Das Gericht tagt", "judge"),
        ("es", "Este trabajo", "east"),
        ("fa", "در خانه", "door"),
        ("ko", "물론이지", "water"),
        ("zh", "我相信先生", "letter"),
        ("zh", "还没来", "return"),
    ],
)
def test_a_word_is_not_taken_for_another_that_it_begins_with(code, text, means) -> None:
    assert means not in meant(code, text)


def test_a_row_without_a_meaning_holds_words_back() -> None:
    words = Glossary("zh", [("信", "letter"), ("相信", "-")])
    assert (words.meanings("相信"), words.meanings("信")) == ([], ["letter"])


def test_a_word_of_the_language_is_no_name_however_it_sounds() -> None:
    names = {"gault": frozenset({"gault"})}
    assert heard("그래도 가요", names) == ("gault",)
    assert heard("그래도 가요", names, tongue("ko").glosses.knows) == ()


@pytest.mark.parametrize("code", sorted(set(KNOWN) - {"en"}))
def test_every_language_has_hundreds_of_words_and_every_class_of_cues(code) -> None:
    known = tongue(code)
    assert len(known.glosses) > 1_000
    assert {"on_me", "on_you", "still_open", "kept", "did_together", "idle_no", "stage_grant"} <= set(known.cues)
