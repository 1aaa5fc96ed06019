"""Binds the feature about opinions: the village as it ships, its rules, customs and notices."""

import asyncio

import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from ledger_service.domain.entries import SourceKind
from ledger_service.domain.events import Deed, Happened, HourPassed, Moved, Told
from ledger_service.responders.template import line_of
from ledger_service.services.gossip.explain_opinion import explain_opinion
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.stores.probe_files import ProbeFiles
from tests.playing import Play
from tests.speaking import READING, STORY

scenarios("opinion.feature")
WORLD = ProbeFiles(STORY.parent).load("village").world
LADDERS = {rung: ladder.id for ladder in WORLD.ladders for rung in ladder.rungs}
ASKED = {"gate": "Please let me through.", "apples": "I would like to buy some apples."}


class Village:
    """The village, and the last thing that was said or told in it."""

    def __init__(self):
        self.play = Play(WORLD)
        self.versions = {}
        self.told = ""
        self.said = ""
        self.consequence = None

    def see(self, who, statement, **more):
        (entry, *_) = self.play.left_by(
            Deed(
                actor="player", statement=statement, witnesses=(who,), subject="player", ladder=LADDERS.get(statement),
                **more,
            )
        )  # fmt: skip
        self.versions[who] = entry.entry_id

    def hear(self, listener, teller, statement, *, made_up=False):
        entry_id = None if made_up else self.versions[teller]
        (entry, *_) = self.play.left_by(
            Told(
                teller=teller, listener=listener, entry_id=entry_id, statement=statement, subject="player",
                ladder=LADDERS[statement] if made_up else None,
            )
        )  # fmt: skip
        self.versions[listener] = self.told = entry.entry_id

    def ask(self, who, what):
        request = PacketRequest(speaker=who, line=ASKED[what])
        stored = asyncio.run(
            build_packet(self.play.playthrough_id, request, open_uow=self.play.stores.open_uow, reading=READING)
        )
        self.said = line_of(stored.packet, WORLD)
        (self.consequence,) = [c for c in stored.packet.consequences if c.asked]
        return self.consequence

    def opinion(self, who):
        found = explain_opinion(self.play.playthrough_id, who, open_uow=self.play.stores.open_uow)
        return asyncio.run(found).opinion

    def recalled(self, who, *, kind=None):
        ledger = self.play.ledger()
        known = (e for e in ledger.entries.values() if ledger.knows(who, e.entry_id))
        return [e.statement for e in known if kind is None or e.source.kind is kind]


def someone(name):
    return next(c.id for c in WORLD.cast if c.name.split()[0] == name)


@pytest.fixture
def village():
    return Village()


@given("the village of Thornby")
def the_village(village):
    assert village.play.state().seq == 0


@given(parsers.parse("{name} saw that {statement}"))
@when(parsers.re(r"(?P<name>\w+) sees that (?P<statement>[^,]+)$"))
def sees(village, name, statement):
    village.see(someone(name), statement)


@when(parsers.parse("{name} sees that {statement}, which puts that right"))
def puts_right(village, name, statement):
    village.see(someone(name), statement, corrects=village.told)


@when(parsers.re(r"(?P<name>\w+) hears from (?P<teller>\w+) that (?P<statement>.+)$"))
def hears(village, name, teller, statement):
    village.hear(someone(name), someone(teller), statement)


@when(parsers.parse("{name} hears from {teller}, who makes it up, that {statement}"))
def hears_what_is_made_up(village, name, teller, statement):
    village.hear(someone(name), someone(teller), statement, made_up=True)


@when(parsers.parse("the player gives {name} a ham while {other} looks on"))
def gives(village, name, other):
    gift = Happened(
        name="gift", actor="player", target=someone(name), place="gate", statement=f"the player gave {name} a ham",
        witnesses=(someone(name), someone(other)),
    )  # fmt: skip
    village.play.record(gift)


@when(parsers.parse("{name} comes to the north gate"))
def comes(village, name):
    village.play.record(Moved(who=someone(name), to="gate"))


@when("the captain lets the matter rest")
def pardons(village):
    village.play.record(Happened(name="pardon", witnesses=("ilsa",)))


@when("a day goes by")
def a_day(village):
    village.play.record(*[HourPassed()] * 24)


@then(parsers.parse("{name} thinks {value:f} of the player"))
def thinks(village, name, value):
    assert village.opinion(someone(name)).value == pytest.approx(value, abs=0.005)


@then(parsers.parse("{name} lets the player pass the gate"))
def lets_pass(village, name):
    assert village.ask(someone(name), "gate").outcome == "granted"
    assert "Yes, you may pass the gate" in village.said


@then(parsers.parse("{name} bars the gate, since {because}"))
def bars(village, name, because):
    barred = village.ask(someone(name), "gate")
    assert (barred.outcome, barred.because) == ("refused", because)
    assert because in village.said


@then(parsers.parse("she says it would change if {change}"))
def would_change(village, change):
    assert village.consequence.would_change == change
    assert f"That changes when {change}" in village.said


@then(parsers.parse("{name} asks the usual price for apples"))
def usual_price(village, name):
    assert village.ask(someone(name), "apples").factor == 1.0
    assert "price" not in village.said


@then(parsers.parse("{name} asks {factor:f} times the usual price for apples"))
def price(village, name, factor):
    apples = village.ask(someone(name), "apples")
    assert (apples.outcome, apples.factor) == ("granted", factor)
    assert [e.entry_id for e in apples.opinions[0].evidence] == [village.versions[someone(name)]]


@then(parsers.parse('he says "{words}"'))
def says(village, words):
    assert words in village.said


@then(parsers.parse('{name} recalls "{statement}"'))
def recalls(village, name, statement):
    assert statement in village.recalled(someone(name))


@then(parsers.parse('{name} does not recall "{statement}"'))
def does_not_recall(village, name, statement):
    assert statement not in village.recalled(someone(name))


@then("a notice hangs at the north gate")
def hangs(village):
    (hung,) = village.play.ask(lambda uow: uow.ledger.find_notices())
    assert hung.place == "gate"


@then("no notice hangs")
def hangs_no_more(village):
    assert village.play.ask(lambda uow: uow.ledger.find_notices()) == []


@then(parsers.parse('{name} has read "{words}"'))
def has_read(village, name, words):
    assert village.recalled(someone(name), kind=SourceKind.DOCUMENT) == [words]


@then(parsers.parse("{name} has read nothing"))
def has_read_nothing(village, name):
    assert village.recalled(someone(name), kind=SourceKind.DOCUMENT) == []


@then("nobody has read it twice")
def read_once(village):
    for character in WORLD.cast:
        assert len(village.recalled(character.id, kind=SourceKind.DOCUMENT)) <= 1
