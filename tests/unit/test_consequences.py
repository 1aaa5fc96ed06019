"""Consequences by opinion: a gate that is barred, a price by rumour, and the stories that both rest on."""

import msgspec
import pytest

from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.packets import Consequence, ContextPacket, for_a_game
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET
from ledger_service.domain.worlds import Action, Ladder, Rule, World
from ledger_service.reconcile.difference import difference
from ledger_service.responders.template import line_of
from ledger_service.scoring.gameplay_validity import gameplay_validity
from tests.builders import a_hearsay, a_world, an_observation, known_by
from tests.packets import a_packet, amended
from tests.speaking import a_scene

THEFT = Ladder(id="theft", rungs=("the player took an apple", "the player robbed the stall"), weights=(-0.2, -0.5))
GATE = Rule(
    id="barred", action="pass_gate", grant_when="opinion(speaker) > -0.3",
    because="nobody passes of whom such things are told", would_change="the tale is put right",
)  # fmt: skip
PRICE = Rule(
    id="by_rumour", action="buy_apples", grant_when="true", factor="1.0 - opinion(speaker)",
    because="I have heard what is said of you", would_change="better is said of you",
)  # fmt: skip
WORLD = a_world(
    ladders=(THEFT,),
    actions=(
        Action(id="pass_gate", name="pass the gate", words=("gate",)),
        Action(id="buy_apples", name="buy apples", words=("apples",)),
    ),
    rules=(GATE, PRICE),
)


def a_theft(rung: int = 1, **more: object) -> LedgerEntry:
    given = {"entry_id": "e1", "statement": THEFT.wording(rung), "subject": "player", "ladder": "theft"}
    return an_observation(**(given | more))


def heard(confidence: float, **more: object) -> LedgerEntry:
    given = {"entry_id": "e2", "statement": THEFT.wording(2), "severity": 2, "subject": "player", "ladder": "theft"}
    return a_hearsay(**(given | {"confidence": confidence, "seq": 2} | more))


def asked(line: str, *entries: LedgerEntry, world: World = WORLD, **more: object) -> ContextPacket:
    return a_packet(entries, line=line, world=world, seq=40, at=StoryTime(tick=10), **more)


def the(packet: ContextPacket, action: str) -> Consequence:
    return next(c for c in packet.consequences if c.action == action)


@pytest.mark.parametrize(("sure", "outcome"), [(0.59, "granted"), (0.6, "refused"), (0.9, "refused")])
def test_the_gate_is_barred_from_minus_three_tenths_on(sure: float, outcome: str) -> None:
    gate = the(asked("May I pass the gate?", heard(sure)), "pass_gate")
    assert (gate.outcome, gate.asked) == (outcome, True)
    assert gate.would_change == ("the tale is put right" if outcome == "refused" else "")
    assert gate.opinions[0].value == pytest.approx(-0.5 * sure)
    assert [e.entry_id for e in gate.opinions[0].evidence] == ["e2"]


def test_a_superseded_tale_opens_it_again() -> None:
    story = heard(0.9)
    packet = asked("May I pass the gate?", story, amendments=(amended(story, Status.SUPERSEDED, cause_seq=30),))
    assert the(packet, "pass_gate").outcome == "granted"


def test_the_speaker_refuses_in_the_words_of_the_rule_and_says_what_would_change_it() -> None:
    packet = asked("May I pass the gate?", heard(0.9))
    said = line_of(packet, WORLD)
    assert "No" in said
    assert "nobody passes of whom such things are told" in said
    assert "the tale is put right" in said
    assert "pass_gate is refused" in packet.prompt


def test_a_price_follows_what_is_told_and_is_spoken_with_its_reason() -> None:
    packet = asked("I would like to buy apples.", a_theft())
    apples = the(packet, "buy_apples")
    assert (apples.outcome, apples.factor, apples.price) == ("granted", 1.2, "20% above the usual price")
    assert apples.would_change == "better is said of you"
    said = line_of(packet, WORLD)
    assert "at 20% above the usual price" in said
    assert "I have heard what is said of you" in said
    assert "at 20% above the usual price" in packet.prompt


def test_without_a_story_the_price_is_the_usual_one_and_nothing_is_said_of_it() -> None:
    packet = asked("I would like to buy apples.")
    apples = the(packet, "buy_apples")
    assert (apples.factor, apples.price, apples.would_change) == (1.0, "", "")
    assert "price" not in line_of(packet, WORLD)


@pytest.mark.parametrize("factor", ["state.note", "1.0 / 0.0", "0.0 / 0.0", "state.big * state.big"])
def test_without_a_number_nothing_is_sold(factor: str) -> None:
    rule = msgspec.structs.replace(PRICE, factor=factor)
    world = msgspec.structs.replace(WORLD, rules=(rule,), state={"note": "dear", "big": 2**62})
    assert the(asked("", world=world), "buy_apples").outcome == "refused"


def test_a_price_is_never_below_nothing() -> None:
    rule = msgspec.structs.replace(PRICE, factor="-2.0")
    assert the(asked("", world=msgspec.structs.replace(WORLD, rules=(rule,))), "buy_apples").price == "no price at all"


def test_whoever_is_masked_is_judged_by_what_is_told_of_the_mask() -> None:
    stories = (heard(0.9), heard(0.4, entry_id="e3", subject="the stranger", origin="e9"))
    packet = asked("May I pass the gate?", *stories, presented_as={"player": "the stranger"})
    assert the(packet, "pass_gate").opinions[0].value == -0.2


def test_a_game_is_shown_an_opinion_but_only_stories_that_may_be_said() -> None:
    packet = asked("May I pass the gate?", heard(0.9, disclosure=SECRET))
    (shown,), (whole,) = the(for_a_game(packet), "pass_gate").opinions, the(packet, "pass_gate").opinions
    assert shown.value == whole.value == -0.45
    assert shown.evidence == ()
    assert [e.entry_id for e in whole.evidence] == ["e2"]


def test_the_difference_of_two_packets_names_a_changed_price() -> None:
    before, after = asked("apples", a_theft()), asked("apples", heard(0.5))
    changed = {c.name: (c.before, c.after) for c in difference(before, after) if c.what == "consequence"}
    assert changed["buy_apples (by_rumour)"][0].startswith("granted at 20% above the usual price")


def test_a_line_that_names_another_price_is_at_fault() -> None:
    scene = a_scene(a_theft(), line="I would like to buy apples.", world=WORLD)
    dear = "Yes, you may buy apples, at 50% above the usual price."
    right = "Yes, you may buy apples, at 20% above the usual price."
    verdicts = [gameplay_validity(scene.packet, scene.claims(text), world=WORLD) for text in (dear, right)]
    assert [str(v.state) for v in verdicts] == ["fail", "pass"]
    assert verdicts[0].findings[0].explanation.startswith("its price is 20% above the usual price")


def test_what_only_others_know_counts_for_nothing() -> None:
    packet = asked("May I pass the gate?", heard(0.9, knowers=known_by("orla")))
    assert the(packet, "pass_gate").opinions[0].value == 0.0
