"""Binds the rumours feature: the village as it ships, lived through hour by hour on a record in memory."""

import asyncio

import msgspec
import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import Hearsay
from ledger_service.domain.events import Corrected, Deed, Died, HourPassed, Told
from ledger_service.services.gossip.explain_belief import Question, answer_why
from ledger_service.stores.probe_files import ProbeFiles
from tests.playing import Play
from tests.speaking import STORY

scenarios("rumours.feature")
WORLD = ProbeFiles(STORY.parent).load("village").world
LADDERS = {rung: ladder.id for ladder in WORLD.ladders for rung in ladder.rungs}


class Day:
    """One day in the village: what is told of, and what was said of it."""

    def __init__(self, play):
        self.play = play
        self.story = ""
        self.right = ""
        self.receipts = []
        self.asked = []
        self.before = {}

    @property
    def tick(self):
        return self.play.state().at.tick

    def see(self, who, statement):
        deed = Deed(
            tick=8, actor="player", statement=statement, witnesses=(who,), ladder=LADDERS[statement], subject="player"
        )  # fmt: skip
        (entry,) = self.play.left_by(deed)
        self.story = entry.entry_id

    def until(self, tick):
        self.receipts += self.play.record(*[HourPassed()] * (tick - self.tick))

    def versions(self, story=None):
        """Who holds the story, and their version as it stands now."""
        found = [e for e in self.play.ledger().entries.values() if e.root == (story or self.story)]
        return {k.who: e for e in found for k in e.knowers if k.who != "player"}

    def why(self, who):
        question = Question(as_character=who, origin=self.story)
        return asyncio.run(answer_why(self.play.playthrough_id, question, open_uow=self.play.stores.open_uow)).chain


def someone(name):
    return next(c.id for c in WORLD.cast if c.name.split()[0] == name)


@pytest.fixture
def days():
    return []


@given("the village of Thornby")
def village(days):
    days.append(Day(Play(WORLD, seed=3)))


@given("a day on which nobody can leave a story alone")
def talkative(days):
    cast = tuple(msgspec.structs.replace(c, exaggeration=1.0) for c in WORLD.cast)
    days.append(Day(Play(msgspec.structs.replace(WORLD, cast=cast), seed=3)))


@given(parsers.parse("only {name} sees that {statement}"))
def sees(days, name, statement):
    days[-1].see(someone(name), statement)


@given(parsers.parse("{name} dies at 8:00"))
def dies(days, name):
    days[-1].play.record(Died(who=someone(name)))


@when(parsers.re(r"it is (?P<hour>\d+):00(?P<later> on the next day)?$"))
def clock(days, hour, later):
    days[-1].until(int(hour) + (24 if later else 0))


@when(parsers.parse("{teller} tells {listener} again"))
def again(days, teller, listener):
    day = days[-1]
    entry = day.versions()[someone(teller)]
    day.play.record(
        Told(teller=someone(teller), listener=someone(listener), entry_id=entry.entry_id, statement=entry.statement)
    )


@when("Tomas finds the coin under the scale")
def coin(days):
    day = days[-1]
    day.before = {who: e.confidence for who, e in day.versions().items()}
    right = Corrected(
        entry_id=day.story, statement="the player had paid for the apple", reason="the coin lay under the scale",
        witnesses=("tomas",),
    )  # fmt: skip
    (entry,) = day.play.left_by(right)
    day.right = entry.entry_id


@when(parsers.parse('the player whispers to {name} at the gate that "{statement}"'))
def whispers(days, name, statement):
    day = days[-1]
    claim = Told(
        tick=10, teller="player", listener=someone(name), statement=statement, ladder=LADDERS[statement], place="gate"
    )  # fmt: skip
    (entry,) = day.play.left_by(claim)
    day.story = entry.root


@when(parsers.parse("the player asks {name}, and then whoever was named, until somebody saw it"))
def detective(days, name):
    day = days[-1]
    who = someone(name)
    while who is not None and len(day.asked) < 20:
        chain = day.why(who)
        day.asked.append((who, chain))
        who = chain.links[0].teller


@then("they hold it as follows")
def hold(days, datatable):
    held = days[-1].versions()
    for who, sure, words in datatable[1:]:
        assert (f"{held[who].confidence:.2f}", held[who].statement) == (sure, words)


@then(parsers.parse("Bertha would be {sure:f} sure if one witness counted once"))
def independent(days, sure):
    belief = days[-1].play.ledger().belief_of(days[-1].versions()["bertha"].entry_id)
    assert round(belief.independent, 2) == sure


@then(parsers.parse('somebody says "{statement}"'))
def says(days, statement):
    assert statement in {t.statement for t in days[-1].play.tellings()}


@then("Pip has stood beside Ilsa and was not heard")
def not_heard(days):
    refused = [r for receipt in days[-1].receipts for r in receipt.refusals]
    assert "not_trusted" in {str(r.reason) for r in refused if (r.teller, r.listener) == ("pip", "ilsa")}


@then(parsers.parse("{name} knows nothing of it"))
def nothing(days, name):
    assert someone(name) not in days[-1].versions()


@then("nobody else knows of it")
def nobody(days):
    assert set(days[-1].versions()) == {"tomas"}


@then(parsers.re(r"(?P<name>\w+) has it from (?P<teller>\w+)$"))
def has_it_from(days, name, teller):
    assert days[-1].versions()[someone(name)].teller == someone(teller)


@then(parsers.re(r"(?P<name>\w+) has it$"))
def has_it(days, name):
    assert someone(name) in days[-1].versions()


@then(parsers.parse("{name} was told by {teller}, and believes none of it"))
def ignored(days, name, teller):
    told = {(t.teller, str(t.outcome)) for t in days[-1].play.tellings() if t.listener == someone(name)}
    assert told == {(someone(teller), "ignored")}
    assert someone(name) not in days[-1].versions()


@then(parsers.parse("{name} believes it, on the word of {one} and {other}"))
def on_the_word(days, name, one, other):
    mine = days[-1].versions()[someone(name)].entry_id
    assert {t.teller for t in days[-1].play.tellings() if t.to_entry == mine} == {someone(one), someone(other)}


@then(parsers.parse("{name} is surer than either of them alone would make her"))
def surer(days, name):
    mine = days[-1].versions()[someone(name)]
    offered = [t.offered_millionths / 1e6 for t in days[-1].play.tellings() if t.to_entry == mine.entry_id]
    assert len(offered) == 2
    assert mine.confidence > max(offered)


@then(parsers.parse("{name} is {sure:f} sure of it"))
def is_sure(days, name, sure):
    assert round(days[-1].versions()[someone(name)].confidence, 2) == sure


@then("everybody who heard both is less sure of the apple than before")
def less_sure(days):
    day = days[-1]
    now, right = day.versions(), day.versions(day.right)
    both = [who for who in day.before if who in right and isinstance(now[who], Hearsay)]
    assert {"bertha", "ilsa"} <= set(both)
    assert all(now[who].confidence < day.before[who] for who in both)


@then("nobody is surer of it than before")
def not_surer(days):
    day = days[-1]
    now = day.versions()
    assert all(now[who].confidence <= sure for who, sure in day.before.items() if who in day.versions(day.right))


@then(parsers.parse("{name} does not think it likely any more"))
def unlikely(days, name):
    now = days[-1].versions()[someone(name)].confidence
    assert now < days[-1].before[someone(name)]
    assert band_of(now) in {Band.UNVERIFIED, Band.DOUBTFUL}


@then(parsers.parse("{name} has heard that the player had paid"))
def heard_right(days, name):
    assert someone(name) in days[-1].versions(days[-1].right)


@then(parsers.parse("whoever has it has it from the player in the end, and is at most {sure:f} sure"))
def claimed(days, sure):
    held = days[-1].versions()
    assert len(held) > 3
    assert {e.roots for e in held.values()} == {("player",)}
    assert max(e.confidence for e in held.values()) <= sure


@then("nobody is said to have seen it")
def unseen(days):
    assert all(isinstance(e, Hearsay) for e in days[-1].versions().values())


@then("nobody in Saltmere knows of it")
def not_in_saltmere(days):
    day = days[-1]
    there = {c.id for c in WORLD.cast if WORLD.region_of(c.home) == "saltmere"}
    assert there == {"dorte", "nils"}
    assert there.isdisjoint(day.versions())
    assert "wat" in day.versions()


@then(parsers.parse('{name} holds it in the words "{statement}"'))
def in_words(days, name, statement):
    assert days[-1].versions()[someone(name)].statement == statement


@then(parsers.parse('the higher the rung of "{ladder}", the better for the player'))
def better(ladder):
    weights = WORLD.find_ladder(ladder).weights
    assert list(weights) == sorted(weights)
    assert weights[0] > 0


@then(parsers.parse("those asked were {names}"))
def asked_were(days, names):
    assert [who for who, _ in days[-1].asked] == [someone(name) for name in names.split(", ")]
    assert days[-1].asked[-1][1].saw_it


@then("each of them named nobody but their own teller")
def own_teller(days):
    for (who, chain), (teller, _) in zip(days[-1].asked, days[-1].asked[1:], strict=False):
        (first, *others) = chain.links
        assert (first.holder, first.teller) == (who, teller)
        assert {k.depth for k in others} <= {0}
        said = msgspec.json.encode(chain).decode()
        told_them = {k.teller for k in chain.links}
        assert not [c.id for c in WORLD.cast if c.id not in told_them | {who} and f'"{c.id}"' in said]
