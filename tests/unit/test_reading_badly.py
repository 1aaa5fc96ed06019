"""What comes as a reply and is no fair prose: a verdict or `unscored` with its reason, in time, never an exception."""

import time

import pytest

from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Axis, Code, Scorecard, State
from tests.builders import an_observation, known_by
from tests.speaking import a_scene, a_stage, scored, voiced

VAULT = an_observation(
    entry_id="vault", statement="the vault opens with the copper thimble", seq=2, knowers=known_by("brun")
)
FUSE = an_observation(
    entry_id="fuse", statement="the player replaced the relay fuse", seq=1, knowers=known_by("maelin", "player")
)
SCENE = a_scene(FUSE, VAULT, line="How does one get in?")


def card(text: str) -> Scorecard:
    return scored(SCENE, text)


@pytest.mark.parametrize(
    "text",
    [
        "", " \n\t ", "🙂🙂🙂", "*shrugs*", "*shrugs* *looks away*", "???", "“”",
        "*" * 5_000, "\u200b\u200b", "(((((((",
        "\u202eabc",
        "a" * 100_000, "No. " * 25_000, "“" * 50_000, ", and " * 15_000, "I'll " * 20_000, "你" * 50_000,
        "\n" * 100_000,
        '{"reply": "the fuse is fine", "mood": 3}', "```json\n{\"a\": 1}\n```", "<b>No.</b> <script>alert(1)</script>",
        "The fuse is fine. 继电器的事我记着。 No sé nada. ممنون.", "مرحبا بك يا صديقي العزيز", "שלום לך ידידי",
        "She said: “He said: ‘I said: “no”’.”",
        "You are Maelin. Say only what is selected.\n\nHow does one get in?\nNo.",
        "\x00\x01\x02", "\ud7ff\ufffd", "I " + "very " * 3_000 + "much doubt it.",
        f"*{'a-' * 11_000}*", f"*{'really ' * 3_000}*", f"x{'…' * 23_000}x", f"x{'!”' * 11_000}x",
        "I'm going to " + "gladly " * 40 + "vanish.", "It is " + "solemnly " * 40 + "over, " + "really " * 40,
        "I'll " + "only " * 40 + "go.", "你，" * 12_000, "\ufdfa" * 24_000, "a" + "\u0301\u0316" * 12_000,
    ],
)  # fmt: skip
def test_whatever_comes_is_answered_in_time(text: str) -> None:
    start = time.process_time()
    verdict = card(text).verdicts[2]
    assert time.process_time() - start < 2.0
    assert verdict.state is not State.UNSCORED or verdict.why


@pytest.mark.parametrize(
    "text",
    [
        "The copper thimble opens the vault.",
        "The cop\u200bper thim\u200bble opens the va\u200bult.",
        "The \u0441\u043epper thimble opens the v\u0430ult.",
        "The <b>copper</b> <i>thimble</i> opens the vault.",
        "The **copper thimble** opens the __vault__.",
        "Ｔｈｅ ｃｏｐｐｅｒ ｔｈｉｍｂｌｅ opens the vault.",
    ],
)
def test_a_secret_is_found_however_its_letters_are_hidden(text: str) -> None:
    assert Code.LEAK in {f.code for f in card(text).verdicts[2].findings}


@pytest.mark.parametrize(
    "line",
    ["", "🙂", "*" * 20_000, "/*" * 10_000, "[" * 20_000, "my" * 10_000, "why " * 5_000 + "?", "x" + "…" * 20_000,
     "I " + "already " * 2_500, "a\u0316\u0301" * 6_000, "my " * 60, "mymymymymymy" * 25],
)  # fmt: skip
def test_whatever_was_asked_the_answer_is_judged_in_time(line: str) -> None:
    start = time.process_time()
    card = scored(a_scene(FUSE, VAULT, line=line), "No. You owe me that, and Teo says so.")
    assert time.process_time() - start < 2.0
    assert card.verdicts[2].state is not State.UNSCORED or card.verdicts[2].why


@pytest.mark.parametrize("reply", ["I saw it with my own eyes.", "Teo carried it out.", "You swore it.", "No, never."])
def test_where_nothing_is_on_record_nothing_breaks(reply: str) -> None:
    assert not [f for f in scored(a_scene(line="Who carried it?"), reply).verdicts[2].findings if f.entry_ids]


def test_data_is_no_prose() -> None:
    verdict = card('{"line": "nothing"}').verdicts[2]
    assert verdict.state is State.UNSCORED
    assert "data" in verdict.why


def test_stage_directions_alone_are_unscored() -> None:
    assert card("*looks out of the window*").verdicts[2].state is State.UNSCORED


def test_what_is_too_long_to_read_whole_does_not_pass() -> None:
    verdict = card("It is a fine day. " * 4_000).verdicts[2]
    assert verdict.state is State.UNSCORED
    assert "24000" in verdict.why


def test_a_manner_is_held_against_as_much_as_is_read() -> None:
    keeper = voiced(a_stage(), "maelin", taboo=("damn",), max_words=50_000)
    scene = a_scene(FUSE, line="Well?", world=keeper)
    start = time.process_time()
    verdict = scored(scene, "I " * 50_000).verdicts[3]
    assert time.process_time() - start < 2.0
    assert verdict.axis is Axis.VOICE
    assert verdict.state is State.UNSCORED
    assert "24000" in verdict.why
    assert scored(scene, "damn " + "I " * 50_000).verdicts[3].state is State.FAIL
    assert scored(scene, "I " * 90_000).verdicts[3].state is State.FAIL


def test_a_reply_is_read_the_same_twice() -> None:
    text = "Teo says the thimble is copper, and I don't know. 我不知道。"
    assert SCENE.claims(text) == SCENE.claims(text)
    assert Reply(text=text, responder="x") == Reply(text=text, responder="x")


def test_a_secret_told_in_another_language_of_a_mixed_reply_is_found() -> None:
    assert Code.LEAK in {
        f.code for f in card("No sé nada. 别问我。 The copper thimble opens the vault.").verdicts[2].findings
    }


def test_marks_of_direction_hide_no_secret() -> None:
    assert Code.LEAK in {
        f.code for f in card("\u202bThe copper \u202ethimble\u202c opens the vault.\u202c").verdicts[2].findings
    }


@pytest.mark.parametrize("text", ["מה שלומך היום ידידי הטוב", "مرحبا بك يا صديقي العزيز في مدينتنا"])
def test_a_language_without_a_file_is_unscored_and_never_passes(text: str) -> None:
    verdict = card(text).verdicts[2]
    assert verdict.state is State.UNSCORED
    assert "language" in verdict.why


def test_a_reply_that_contains_the_prompt_is_held_by_what_it_adds() -> None:
    prompt = SCENE.packet.prompt
    assert card(f"{prompt}\nThe fuse is fine.").verdicts[2].state is not State.FAIL
    assert Code.LEAK in {f.code for f in card(f"{prompt}\nThe copper thimble opens it.").verdicts[2].findings}


def test_nested_quotations_assert_nothing_of_their_own() -> None:
    fuse = a_scene(FUSE, line="Who replaced the fuse?")
    quoted = scored(fuse, "“She said: ‘Teo replaced the relay fuse’, and I laughed.” You did.")
    assert quoted.verdicts[2].state is not State.FAIL
