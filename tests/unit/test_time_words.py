"""Hours, days and months as they are said in the languages that replies are read in."""

import pytest

from ledger_service.scoring.words.time_words import times_in


@pytest.mark.parametrize(
    ("text", "code", "hour"),
    [
        ("The curtain goes up at half past six.", "en", "6:30"),
        ("A quarter to nine, no later.", "en", "8:45"),
        ("It begins at eight o'clock.", "en", "8:00"),
        ("Be there by 21:15.", "en", "9:15"),
        ("Um halb sieben.", "de", "6:30"),
        ("Um sieben Uhr.", "de", "7:00"),
        ("A las seis y media.", "es", "6:30"),
        ("ساعت شش.", "fa", "6:00"),
        ("여섯 시 반에요.", "ko", "6:30"),
        ("六点半。", "zh", "6:30"),
    ],
)
def test_an_hour_is_the_same_in_every_language(text: str, code: str, hour: str) -> None:
    assert times_in(text, code)["hour"] == {hour}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("On Friday.", "en"),
        ("Am Freitag.", "de"),
        ("El viernes.", "es"),
        ("جمعه.", "fa"),
        ("금요일이요.", "ko"),
        ("星期五。", "zh"),
    ],
)
def test_a_day_is_the_same_in_every_language(text: str, code: str) -> None:
    assert times_in(text, code)["day"] == times_in("Friday", "en")["day"]


@pytest.mark.parametrize(
    "text",
    [
        "You may go.",
        "We march at once.",
        "At one with the sea.",
        "Two of them came for me.",
        "Half the crew, twenty to a boat.",
    ],
)
def test_other_words_are_no_times(text: str) -> None:
    assert not times_in(text, "en")


def test_months_that_are_common_words_need_their_capital() -> None:
    assert "month" in times_in("The trams come in May.", "en")
    assert "month" not in times_in("they may come", "en")
