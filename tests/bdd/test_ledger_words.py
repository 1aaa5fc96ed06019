"""Binds the features about kinds, steps and questions."""

import msgspec
import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from ledger_service.domain.conditions import Scope
from ledger_service.domain.confidence import band_of, retold
from ledger_service.domain.entries import Source, SourceKind, Status
from ledger_service.domain.expiry import AfterScenes, AnyOf, OnEvent, in_words
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Disclosure, DisclosureMode, Knower, Roster
from ledger_service.domain.worlds import Action, Rule
from ledger_service.reconcile.contradict import contradict
from ledger_service.reconcile.expire import expire
from ledger_service.reconcile.settle import settle
from tests.builders import (
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_relationship_delta,
    a_residue,
    a_slot,
    a_world,
    an_observation,
    known_by,
)
from tests.packets import a_packet, reason_of

scenarios("kinds.feature", "steps.feature", "questions.feature")


@pytest.fixture
def told():
    """The ledger so far, in the order in which it was told."""
    return []


@pytest.fixture
def story():
    """What else stands: events that happened, the world, and the packet once it is asked for."""
    return {"happened": [], "world": a_world()}


def of(told, statement):
    return next(e for e in told if e.statement == statement)


@given(parsers.parse('Maelin saw "{statement}"'))
def saw(told, statement):
    told.append(an_observation(statement=statement, seq=len(told) + 1, knowers=known_by("maelin", since=len(told) + 1)))


@given(parsers.parse('only Orla knows "{statement}"'))
def only_orla(told, statement):
    told.append(an_observation(statement=statement, knowers=known_by("orla")))


@given(parsers.parse('Orla told Maelin "{statement}"'))
def heard(told, statement):
    told.append(a_hearsay(statement=statement, seq=len(told) + 1))


@given(parsers.parse('Orla, who has it from Tovi, told Maelin "{statement}"'))
def heard_deeper(told, statement):
    told.append(
        a_hearsay(statement=statement, source=Source(kind=SourceKind.TOLD_BY, by="orla", via=("tovi",)), hops=2)
    )


@given(parsers.parse('the player promised Maelin "{statement}"'))
def promised(told, statement):
    told.append(a_commitment(statement=statement))


@given(parsers.parse('the player promised Maelin "{statement}" by the event "{name}"'))
def promised_by(told, statement, name):
    told.append(a_commitment(statement=statement, trigger=name))


@given(parsers.parse('the event "{name}" has happened'))
def has_happened(story, name):
    story["happened"].append(name)


@given(parsers.parse('Maelin thinks more of the player in "{scope}" by {amount:d}'))
def thinks(told, scope, amount):
    told.append(a_relationship_delta(statement=f"about {scope}", scope=scope, amount=float(amount)))


@given("the two contradict each other")
def contradicting(told):
    told.append(a_contradiction(*(e.entry_id for e in told), disputed=a_slot("tovi", "killed_by", "?")))


@given(parsers.parse('Maelin feels embarrassed: "{statement}"'))
def feels(told, statement):
    told.append(a_residue(statement=statement, emotion="embarrassed"))


@given(parsers.parse('Maelin feels embarrassed: "{statement}" for {n:d} scenes from scene {scene:d}'))
def feels_for(told, statement, n, scene):
    told.append(a_residue(statement=statement, expires=AfterScenes(n), at=StoryTime(scene=scene)))


@given(parsers.parse('the player promised Maelin "{statement}" kept when "{condition}"'))
def promised_when(told, statement, condition):
    told.append(a_commitment(statement=statement, fulfilled_when=condition))


@given(parsers.parse('Maelin saw "{statement}" of {subject} that "{predicate}" "{value}"'))
@given(parsers.parse('later Maelin saw "{statement}" of {subject} that "{predicate}" "{value}"'))
def saw_slot(told, statement, subject, predicate, value):
    seq = len(told) + 1
    slot = a_slot(subject, predicate, value)
    told.append(an_observation(statement=statement, slot=slot, seq=seq, knowers=known_by("maelin", since=seq)))


@given(parsers.parse('Maelin grants the key when her standing to the player in "{scope}" is at least 1'))
def grants(story, scope):
    action = Action(id="give_key", name="give the key", words=("key",), by=("maelin",))
    rule = Rule(
        id="key_rule", action="give_key", grant_when=f"standing('maelin', 'player', '{scope}') >= 1.0",
        because="she does not count on the player yet", scopes=(scope,), would_change="the player keeps a promise",
    )  # fmt: skip
    story["world"] = a_world(actions=(action,), rules=(rule,))


@given(parsers.parse('Orla told Maelin "{statement}" at half trust'))
def heard_at_half(told, statement):
    told.append(
        a_hearsay(
            statement=statement,
            confidence=retold(1.0, 0.5),
            knowers=(Knower(who="maelin", how="told_by", from_whom="orla", since_seq=1),),
        )
    )


@given("it may be said to Orla only")
def to_orla(told):
    told[0] = msgspec.structs.replace(told[0], disclosure=Disclosure(mode=DisclosureMode.GUARDED, to=("orla",)))


@given("it ends with a private debrief or two scene changes")
def ends(told):
    told[0] = msgspec.structs.replace(told[0], expires=AnyOf((OnEvent("private_debrief"), AfterScenes(2))))


@when(parsers.parse('the player says "{line}" to Maelin'))
def says(told, story, line):
    story["packet"] = a_packet(told, line=line, world=story["world"], happened=story["happened"])


@when("the game sets the power on")
def power_on(told, story):
    ledger = Ledger(told, roster=Roster(), at_seq=10)
    scope = Scope({"state": {"power": True}}, {})
    story["settled"] = settle(told, ledger, scope=scope, seq=10, at=StoryTime(tick=5), witnesses=frozenset({"orla"}))


@then(parsers.parse('she may say "{statement}"'))
def may_say(told, story, statement):
    assert reason_of(story["packet"], of(told, statement)) == "selected"
    assert statement in story["packet"].prompt


@then(parsers.parse('she may not say "{statement}" because it is "{reason}"'))
def may_not_say(told, story, statement, reason):
    assert reason_of(story["packet"], of(told, statement)) == reason
    assert statement not in story["packet"].prompt


@then("it is known to her as witnessed, and confirmed")
def witnessed(story):
    (item,) = story["packet"].selected
    assert (item.how, item.band) == ("witnessed", "confirmed")


@then("it is second hand from Orla")
def second_hand(story):
    (item,) = story["packet"].selected
    assert (item.teller, item.notes) == ("orla", ("second hand",))


@then("Tovi is not in the prompt")
def no_tovi(story):
    assert "tovi" not in story["packet"].prompt.casefold()


@then(parsers.parse('the promise "{statement}" of the player is open'))
def promise_open(story, statement):
    (promise,) = story["packet"].commitments
    assert (promise.statement, promise.owner, promise.status) == (statement, "player", "open")


@then(parsers.parse('the packet flags "{kind}" about "{word}"'))
def flags(story, kind, word):
    assert any(f.kind == kind and word in f.topic for f in story["packet"].flags)


@then(parsers.parse('her standing in "{scope}" is {amount:d}'))
def standing_is(story, scope, amount):
    assert {s.scope: s.amount for s in story["packet"].standings}[scope] == amount


@then("she speaks as one who is embarrassed")
def embarrassed(story):
    assert [r.emotion for r in story["packet"].residue] == ["embarrassed"]
    assert "You feel embarrassed" in story["packet"].prompt


def ended_at(told, scene):
    ledger = Ledger(told, roster=Roster(), at_seq=10)
    return expire(told, ledger, now=StoryTime(scene=scene), seq=10, occurrences=())


@then(parsers.parse("at scene {scene:d} it is felt"))
def felt(told, scene):
    assert ended_at(told, scene) == []


@then(parsers.parse("at scene {scene:d} it is over"))
def over(told, scene):
    assert [a.status for a in ended_at(told, scene)] == [Status.LAPSED]


@then("the promise is fulfilled")
def fulfilled(story):
    (amendment,) = story["settled"]
    assert (amendment.status, amendment.knowers) == (Status.FULFILLED, ("maelin", "orla", "player"))


def outcome_of(told):
    ledger = Ledger(told, roster=Roster(), at_seq=10)
    return contradict(told[1:], told[:1], ledger, predicates=a_world().predicates, seq=2)


@then("the earlier one is superseded, and nothing contradicts")
def superseded(told):
    found = outcome_of(told)
    assert [(a.entry_id, a.status, a.by) for a in found.amendments] == [
        (told[0].entry_id, Status.SUPERSEDED, (told[1].entry_id,))
    ]
    assert found.clashes == ()


@then("the two contradict, and neither is superseded")
def contradicts(told):
    found = outcome_of(told)
    assert found.amendments == ()
    assert [(c.older.entry_id, c.newer.entry_id) for c in found.clashes] == [(told[0].entry_id, told[1].entry_id)]


@then(parsers.parse('"{statement}" ranks first'))
def ranks_first(story, statement):
    assert story["packet"].selected[0].statement == statement


@then("the key is refused, and the packet says what would change it")
def refused(story):
    (consequence,) = story["packet"].consequences
    assert (consequence.outcome, consequence.asked) == ("refused", True)
    assert consequence.would_change == "the player keeps a promise"
    assert [(s.scope, s.absent) for s in story["packet"].standings] == [("reliability", True)]


@then("Maelin knows it and Brun does not")
def knows(told):
    ledger = Ledger(told, roster=Roster(), at_seq=10)
    assert (ledger.knows("maelin", told[0].entry_id), ledger.knows("brun", told[0].entry_id)) == (True, False)


@then("Maelin has it from Orla")
def from_orla(told):
    knower = Ledger(told, roster=Roster(), at_seq=10).knower_of(told[0], "maelin")
    assert (knower.how, knower.from_whom) == ("told_by", "orla")


@then("she is 0.45 sure, which is unverified")
def unverified(told):
    assert (told[0].confidence, band_of(told[0].confidence)) == (0.45, "unverified")


@then("she may tell Orla, and not the player")
def may_tell(told):
    answers = [reason_of(a_packet(told, audience=(who,)), told[0]) for who in ("orla", "player")]
    assert answers == ["selected", "gate_not_met"]


@then(parsers.parse('it would end by "{words}"'))
def would_end(told, words):
    assert in_words(told[0].expires) == words
