"""Hints at what a speaker keeps: what lets it be guessed is a leak, what dodges or covers it is not."""

import pytest

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.rubric import Code
from ledger_service.domain.visibility import SECRET
from tests.builders import an_observation, known_by
from tests.speaking import a_scene
from tests.unit.test_scoring_response import codes, findings


def kept(statement: str) -> LedgerEntry:
    """Something that Maelin knows and must not say."""
    return an_observation(
        entry_id="kept", statement=statement, seq=1, knowers=known_by("maelin"), disclosure=SECRET
    )  # fmt: skip


STOWAWAY = kept("maelin hides a runaway ballet dancer in the pump shed")
OPEN = an_observation(
    entry_id="open", statement="teo greased the winch at the pump shed", seq=2, knowers=known_by("maelin")
)


@pytest.mark.parametrize(
    ("secret", "line", "hint", "dodge"),
    [
        (
            STOWAWAY, "Why is there a lamp in the pump shed?",
            "Let her be. She bolted from the ballet, and she practises after dark.",
            "Pumps want looking at, and I look at them with a lamp.",
        ),
        (
            kept("teo pays for the coal with forged vouchers"), "Where does Teo get his coal?",
            "He has a very patient printer for his vouchers, has Teo.",
            "Out of a hole in the ground, like everybody's.",
        ),
        (
            kept("the guild means to close the dairy"), "Shall I order churns for the year?",
            "I'd not lay in any. Come spring there'll be nobody to milk for.",
            "Order what you have money for. Come spring we shall all be a year older.",
        ),
        (
            kept("maelin is losing the feeling in her hands"), "You dropped the cup again.",
            "They have been going on me since the frost, finger by finger.",
            "It was wet, and I was thinking of supper.",
        ),
        (
            kept("the miller pays the outlaws to stay away"), "How is it the mill never gets raided?",
            "Ask yourself how a certain tradesman sleeps so well.",
            "Luck, and a very loud dog.",
        ),
        (
            kept("maelin has bought the winning horse"), "Any tips for tomorrow's race?",
            "The grey one limps less than it did. That's all I'm saying.",
            "Keep your purse shut. That's all my mother ever taught me.",
        ),
    ],
)  # fmt: skip
def test_a_hint_is_a_leak_and_a_dodge_is_not(secret: LedgerEntry, line: str, hint: str, dodge: str) -> None:
    scene = a_scene(secret, OPEN, line=line)
    assert [(f.code, f.entry_ids) for f in findings(scene, hint)] == [(Code.LEAK, ("kept",))]
    assert codes(scene, dodge) == []


@pytest.mark.parametrize(
    ("secret", "line", "figure", "twin"),
    [
        (
            kept("maelin is going blind"), "Can you sort these beads for me?",
            "Green or blue, it is all shapes and smudges, child.",
            "Green or blue, I sort beads for nobody before breakfast.",
        ),
        (
            kept("maelin shelters a wounded poacher in the loft"), "What do you keep up in the loft?",
            "Tread softly under it, and do not wake him.",
            "Apples, mostly, and the boards under them are older than you.",
        ),
        (
            kept("teo drowned off the breakwater"), "Shall I keep a bowl warm for Teo?",
            "I would not lay a place for him, love.",
            "I would use the brown bowl, love, it holds the heat.",
        ),
        (
            kept("maelin has buried eleven muskets in the goat shed"), "What is it with you and the goat shed?",
            "Eleven reasons, and not one of them bleats.",
            "Three goats, and not one of them gives milk.",
        ),
        (
            kept("teo waters the ale"), "Is the ale here any good?",
            "Teo has a pump and a kind heart. Between us, he uses both.",
            "Teo has a steady hand with it. Between us two we have drunk a good deal.",
        ),
        (
            kept("maelin has sold the orchard to a brewery"), "What shall we graft next year?",
            "Whoever has it then will choose their own sorts.",
            "Pears, if the frost leaves us any wood to work with.",
        ),
    ],
)  # fmt: skip
def test_a_figure_of_speech_for_what_is_kept_is_a_leak(secret: LedgerEntry, line: str, figure: str, twin: str) -> None:
    scene = a_scene(secret, OPEN, line=line)
    assert codes(scene, figure) == [Code.LEAK]
    assert codes(scene, twin) == []


def test_a_figure_of_speech_for_what_is_not_kept_gives_nothing_away() -> None:
    scene = a_scene(kept("maelin has bought the winning horse"), OPEN, line="Can you sort these beads for me?")
    assert codes(scene, "Green or blue, it is all shapes and smudges, child.") == []


def test_what_the_speaker_does_not_know_is_not_hinted_at() -> None:
    unknown = an_observation(
        entry_id="kept", statement="the guild means to close the dairy", seq=1, knowers=known_by("teo")
    )  # fmt: skip
    scene = a_scene(unknown, line="Shall I order churns for the year?")
    assert codes(scene, "Come spring there'll be nobody to milk for.") == []


def test_a_word_or_two_that_anybody_may_say_is_no_leak_of_what_the_speaker_does_not_know() -> None:
    unknown = an_observation(
        entry_id="kept", statement="teo left the pressure valve open", seq=1, knowers=known_by("teo")
    )  # fmt: skip
    scene = a_scene(unknown, line="You look tired.")
    assert codes(scene, "I dream of it: a valve, the pressure falling.") == []
    assert codes(scene, "It was Teo who left that pressure valve open.") == [Code.LEAK]


def test_common_words_of_a_kept_thing_give_nothing_away() -> None:
    scene = a_scene(kept("the key lies under the last step"), line="Is my book here?")
    assert codes(scene, "It lies on my own desk, on the last page you read.") == []


def test_a_thing_that_is_said_outright_need_not_be_hinted_at_too() -> None:
    scene = a_scene(STOWAWAY, line="Who is that?")
    assert codes(scene, "A runaway ballet dancer. She sleeps in the pump shed.") == [Code.LEAK]


def test_a_name_that_only_a_kept_thing_has_is_a_hint_at_it() -> None:
    scene = a_scene(kept("teo has promised the orchard to Ludmila"), OPEN, line="Who prunes the trees these days?")
    assert codes(scene, "I do, and by the look of things Ludmila before long.") == [Code.LEAK]
    assert codes(scene, "I do, and by the look of things not often enough.") == []


def test_one_word_more_is_a_hint_in_a_sentence_and_chance_in_a_short_dodge() -> None:
    scene = a_scene(kept("the abbot has pawned the silver chalice to a goldsmith"), OPEN, line="Where is the chalice?")
    assert codes(scene, "It will be back when a certain shop has been paid for its kindness to silver.") == [Code.LEAK]
    assert codes(scene, "Silver wants polishing.") == []


def test_i_did_it_owns_up_only_to_what_was_asked_about() -> None:
    scene = a_scene(kept("maelin drinks the spirit of the lamp at night"), line="Who filled the lamp in the hall?")
    assert codes(scene, "Me. It was empty.") == []
