"""What the first reader reads in a player's line."""

import pytest

from ledger_service.domain.moments import AskKind, ClaimKind
from ledger_service.readers.line_reader import PatternLineReader
from tests.builders import a_world


def read(line, speaker="maelin"):
    return PatternLineReader().read(line, world=a_world(), speaker=speaker, audience=("player",))


@pytest.mark.parametrize("line", ["Good morning, Maelin.", "Maelin! Up already?", "Morning to you.", "A fine evening."])
def test_a_greeting_asks_and_claims_nothing(line):
    intent = read(line)
    assert (intent.asks, intent.asserts, intent.presupposes) == ((), (), ())


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Who broke the lantern?", AskKind.WHO),
        ("Where is the anchor?", AskKind.WHERE),
        ("When did the ferry leave?", AskKind.WHEN),
        ("Did I pay you for the room?", AskKind.WHETHER),
        ("What do you know about the poacher?", AskKind.ABOUT),
        ("Tell me how the keeper went down.", AskKind.HOW),
        ("What made the keeper leave?", AskKind.WHY),
        ("Any leads on that body?", AskKind.CULPRIT),
        ("What have you got down about my diet?", AskKind.RECORD),
        ("Is Ruta in your books?", AskKind.RECORD),
    ],
)
def test_a_question_is_read_by_the_answer_it_wants(line, kind):
    assert [ask.kind for ask in read(line).asks] == [kind]


@pytest.mark.parametrize(
    "line", ["Will you take me across?", "Could I have the key?", "What's for supper?", "How are you?"]
)
def test_a_request_or_small_talk_asks_nothing_of_the_record(line):
    assert read(line).asks == ()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("You were there when the keeper died.", ClaimKind.WITNESSED),
        ("You checked the antenna yourself, right?", ClaimKind.WITNESSED),
        ("Say out loud what you told me in private.", ClaimKind.ALONE),
        ("Repeat our little chat for everyone.", ClaimKind.ALONE),
        ("You promised to bring the sensor.", ClaimKind.PROMISED),
        ("You still owe me six marks.", ClaimKind.OWED),
        ("You told me about the harbour.", ClaimKind.SAID),
        ("Remember me from the fair?", ClaimKind.MET),
        ("Why did you sell my horse?", ClaimKind.DEED),
        ("You saved my life at the ford.", ClaimKind.DEED),
        ("Remember when we held the ford together?", ClaimKind.SHARED),
        ("We fought side by side at Gallow Bridge.", ClaimKind.SHARED),
        ("Where is the ring I gave you?", ClaimKind.SHARED),
        ("When will you pay me those four florins?", ClaimKind.DUE),
        ("You were going to teach me to whistle.", ClaimKind.PROMISED),
        ("We agreed on five marks for the skiff.", ClaimKind.SAID),
        ("I lent you four marks.", ClaimKind.OWED),
        ("I gave you a coral comb.", ClaimKind.SHARED),
        ("How do you like my gift, the comb?", ClaimKind.SHARED),
        ("That silver hook of yours was a lovely present.", ClaimKind.SHARED),
        ("You were at the wedding.", ClaimKind.WITNESSED),
    ],
)
def test_a_premise_is_read_by_what_it_takes_for_granted(line, kind):
    assert kind in [claim.kind for claim in read(line).presupposes]


@pytest.mark.parametrize(
    "line", ["Why is the lamp out?", "You look well.", "We need rope.", "When does the ferry leave?"]
)
def test_what_is_no_deed_of_the_speaker_takes_none_for_granted(line):
    assert read(line).presupposes == ()


@pytest.mark.parametrize(
    ("line", "deed", "words"),
    [
        ("Who cut the bell rope?", "cut", False),
        ("Who has taken the cup?", "take", False),
        ("Who knows the shoals?", "", False),
        ("What did the abbess say to the envoy?", "", True),
        ("What did you say?", "", False),
    ],
)
def test_a_question_after_a_doer_or_after_words_is_read_as_one(line, deed, words):
    assert [(ask.deed, ask.words) for ask in read(line).asks] == [(deed, words)]


@pytest.mark.parametrize(
    "line",
    ["What a lovely fair this is.", "What is troubling you?", "Why so quiet?", "How kind!"],
)
def test_a_cry_or_a_kind_word_asks_nothing_of_the_record(line):
    assert read(line).asks == ()


def test_on_whose_word_one_comes_is_an_assertion():
    claims = read("The harbourmaster said I could pass.").asserts
    assert [(c.kind, c.topic) for c in claims] == [(ClaimKind.STATE, ("harbourmast",))]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("As you know, I am the harbourmaster's son.", ClaimKind.STATE),
        ("The harbourmaster is my father, so mind your manners.", ClaimKind.STATE),
        ("I have Orla's leave to go in.", ClaimKind.STATE),
        ("The box is at the abbey now.", ClaimKind.PLACED),
        ("Your box? Delivered to the abbey.", ClaimKind.PLACED),
        ("You had your oars back in time, didn't you?", ClaimKind.DONE),
    ],
)
def test_what_the_record_must_bear_out_is_read_as_an_assertion(line, kind):
    assert [claim.kind for claim in read(line).asserts] == [kind]


@pytest.mark.parametrize(
    "line", ["I am tired.", "I am the last one here.", "It was my fault.", "I'm here for the box."]
)
def test_what_anybody_may_say_of_themselves_needs_no_record(line):
    assert read(line).asserts == ()


def test_how_long_ago_is_no_part_of_what_is_asked():
    assert read("Where were you last night?").asks[0].topic == ()


@pytest.mark.parametrize(
    "line", ["I already brought the sensor back.", "The sensor is back.", "It's done.", "Beast's done for."]
)
def test_a_completion_is_read_as_an_assertion(line):
    assert [claim.kind for claim in read(line).asserts] == [ClaimKind.DONE]


def test_the_speaker_who_is_addressed_is_not_what_the_line_is_about():
    assert "maelin" not in read("Maelin, who broke the lantern?").terms


def test_names_and_aliases_are_mentions():
    assert read("Did Orla see the harbour?").mentions == ("harbour", "orla")


def test_what_cannot_be_eaten_wants_a_record_that_says_no():
    assert [ask.negative for ask in read("What have you got down about what I can't eat?").asks] == [True]


def test_the_same_line_reads_the_same():
    assert read("Who broke the lantern?") == read("Who broke the lantern?")


@pytest.mark.parametrize("line", ["", "   ", "?!", "…", "🙂", "x" * 4_000, "Кто здесь?", "谁打破了灯笼?"])
def test_odd_lines_are_read_without_falling_over(line):
    assert read(line).reader == "patterns-en-3"
