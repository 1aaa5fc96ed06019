"""Why somebody believes something: which belief is meant, how far back it goes, and who may be told what."""

import asyncio
from itertools import pairwise

import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError, NoBeliefError, UnknownCharacterError, UnknownEntryError
from ledger_service.domain.events import Corrected, Deed, Died, DocumentRead, FellUnconscious, HourPassed, Told
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.domain.worlds import Ladder, Trust
from ledger_service.rumours.provenance import in_words
from ledger_service.services.gossip.explain_belief import Explanation, Question, answer_why
from tests.builders import a_world
from tests.chains import THEFT
from tests.playing import Play
from tests.villages import RUNGS, worked

TRUST = (("orla", "maelin", 0.5), ("tovi", "maelin", 0.7), ("tovi", "orla", 0.8), ("brun", "tovi", 0.75))


def a_station() -> Play:
    """Maelin sees it, tells Orla; Orla and then Maelin tell Tovi; Tovi tells Brun: the worked chain."""
    trust = tuple(Trust(listener=a, teller=b, trust=t) for a, b, t in TRUST)
    return Play(a_world(trust=trust, ladders=(Ladder(id="theft", rungs=THEFT, weights=(-0.1,)),)))


def tell(play: Play, teller: str, listener: str, entry_id: str, statement: str) -> str:
    event = Told(teller=teller, listener=listener, entry_id=entry_id, statement=statement, place="station")
    return next((e.entry_id for e in play.left_by(event)), "")


@pytest.fixture
def told() -> tuple[Play, dict[str, str]]:
    play = a_station()
    deed = Deed(tick=8, actor="player", statement=THEFT[0], witnesses=("maelin",), subject="player", ladder="theft")
    root = play.left_by(deed)[0].entry_id
    orla = tell(play, "maelin", "orla", root, THEFT[1])
    tovi = tell(play, "orla", "tovi", orla, THEFT[2])
    tell(play, "maelin", "tovi", root, THEFT[0])
    brun = tell(play, "tovi", "brun", tovi, THEFT[3])
    return play, {"maelin": root, "orla": orla, "tovi": tovi, "brun": brun}


def why(play: Play, **question: str | bool) -> Explanation:
    asked = answer_why(play.playthrough_id, Question(**question), open_uow=play.stores.open_uow)
    return asyncio.run(asked)


def sure(chain: ProvenanceChain) -> dict[str, str]:
    return {k.holder: f"{k.confidence:.2f}" for k in chain.links}


def test_the_strongest_belief_about_somebody_goes_back_to_the_witness(told):
    play, entries = told
    found = why(play, holder="brun", about="player")
    assert found.chain.entry_id == entries["brun"]
    assert sure(found.chain) == {"brun": "0.51", "tovi": "0.75", "orla": "0.45", "maelin": "1.00"}
    assert [k.named for k in found.chain.links if k.holder == "tovi"] == [
        "lost 0.13 in the retelling", "gained 0.30 by a second teller",
    ]  # fmt: skip
    assert "Maelin saw it" in " ".join(in_words(found.chain, naming=found.naming))


def test_the_same_is_found_by_its_origin_and_by_its_id(told):
    play, entries = told
    by_subject = why(play, holder="tovi", about="player")
    assert why(play, holder="tovi", origin=entries["maelin"]) == by_subject
    assert why(play, entry_id=entries["tovi"]).chain == by_subject.chain


def test_who_was_there_saw_it(told):
    play, entries = told
    found = why(play, holder="maelin", about="player")
    assert (found.chain.saw_it, found.chain.entry_id) == (True, entries["maelin"])
    (link,) = found.chain.links
    assert (link.holder, link.how) == ("maelin", "witnessed")


def test_the_surest_counts_and_of_equals_the_newest(told):
    play, entries = told
    read = DocumentRead(reader="brun", document="log", statement="the player paid", subject="player", confidence=0.9)
    newer = play.left_by(read)[0].entry_id
    assert why(play, holder="brun", about="player").chain.entry_id == newer
    assert why(play, holder="brun", origin=entries["maelin"]).chain.entry_id == entries["brun"]


def test_what_was_retracted_is_no_belief(told):
    play, entries = told
    play.record(Corrected(entry_id=entries["maelin"], statement="nothing was taken", reason="x", witnesses=("maelin",)))
    assert why(play, holder="maelin", about="player").chain.entry_id != entries["maelin"]


def test_what_is_shared_is_believed_by_each(told):
    play, _ = told
    seen = Deed(actor="orla", statement="the mast fell", witnesses=("maelin", "orla"), about=("mast",))
    entry = play.left_by(seen)[0].entry_id
    assert why(play, holder="maelin", about="mast").chain.entry_id == entry


def test_to_a_character_only_their_own_teller_is_named(told):
    play, entries = told
    found = why(play, as_character="brun", about="player")
    (own,) = found.chain.links
    assert (own.holder, own.teller, own.statement) == ("brun", "tovi", THEFT[3])
    assert (own.told_by_entry, own.teller_held, own.change, own.named, own.independent) == (None, None, None, "", None)
    assert found.naming.hides_rungs
    hidden = ("orla", "maelin", entries["maelin"], THEFT[0], THEFT[1], THEFT[2])
    assert not any(word in str(found.chain) for word in hidden)


def test_the_player_asks_one_teller_at_a_time_until_the_root(told):
    play, entries = told
    who, way = "brun", []
    while True:
        found = why(play, as_character=who, origin=entries["maelin"]).chain
        way.append(who)
        if found.saw_it:
            break
        who = found.links[0].teller or ""
    assert way == ["brun", "tovi", "orla", "maelin"]


def test_two_own_tellers_are_both_named(told):
    play, _ = told
    chain = why(play, as_character="tovi", about="player").chain
    assert [(k.teller, k.after) for k in chain.links] == [("orla", 0.324), ("maelin", 0.74988)]


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ({}, ContentError),
        ({"about": "player"}, ContentError),
        ({"holder": "tovi", "as_character": "brun"}, ContentError),
        ({"holder": "ghost"}, UnknownCharacterError),
        ({"holder": "brun", "about": "moon"}, NoBeliefError),
        ({"holder": "brun", "origin": "e0"}, UnknownEntryError),
        ({"holder": "brun", "origin": ""}, UnknownEntryError),
        ({"entry_id": ""}, UnknownEntryError),
        ({"as_character": "brun", "origin": "e0"}, NoBeliefError),
        ({"entry_id": "e0"}, UnknownEntryError),
        ({"holder": ""}, ContentError),
        ({"as_character": ""}, UnknownCharacterError),
    ],
)
def test_a_question_about_nothing_is_an_error(told, question, error):
    with pytest.raises(error):
        why(told[0], **question)


def test_a_character_is_not_told_of_what_they_do_not_know(told):
    play, entries = told
    with pytest.raises(UnknownEntryError):
        why(play, entry_id=entries["tovi"], as_character="brun")


def test_names_ladder_and_bands_come_from_the_world(told):
    play, entries = told
    naming = why(play, entry_id=entries["brun"]).naming
    assert (naming.person("brun"), naming.person("player"), naming.place("station")) == ("Brun", "Player", "Station")
    assert (naming.rungs, naming.praises) == (5, False)


def test_a_ladder_that_lifts_an_opinion_praises():
    ladder = Ladder(id="rescue", rungs=("held a door", "saved the inn"), weights=(0.1, 0.3))
    play = Play(a_world(ladders=(ladder,)))
    entry = play.left_by(Deed(actor="player", statement="held a door", witnesses=("maelin",), ladder="rescue"))[0]
    assert why(play, entry_id=entry.entry_id).naming.praises


def test_what_time_has_left_of_a_belief_is_told(told):
    play, entries = told
    play.record(Deed(tick=24 * 20, actor="player", statement="player yawned", witnesses=("maelin",)))
    (link, *_) = why(play, entry_id=entries["brun"]).chain.links
    assert link.left < link.confidence
    assert f"faded to {link.left:.2f} since" in in_words(why(play, entry_id=entries["brun"]).chain)[0]


@pytest.mark.parametrize("hops", [9, 40])
def test_there_is_no_limit_to_how_far_back_it_goes(hops):
    people = [f"w{n}" for n in range(hops + 1)]
    world = a_world()
    cast = tuple(replace(world.cast[1], id=who, name=who) for who in people)
    play = Play(replace(world, cast=(world.cast[0], *cast), groups=(), trust=()))
    entry = play.left_by(Deed(actor="player", statement="took an apple", witnesses=("w0",)))[0].entry_id
    for teller, listener in pairwise(people):
        entry = tell(play, teller, listener, entry, "took an apple")
    chain = why(play, holder=people[-1]).chain
    assert [k.holder for k in chain.links] == people[::-1]
    assert [k.depth for k in chain.links] == list(range(hops + 1))


def test_hours_of_talk_leave_the_same_chain_as_tellings_one_by_one():
    play = Play(worked())
    deed = Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=("tomas",), ladder="theft", place="market")
    root = play.left_by(deed)[0].entry_id
    for _ in range(4):
        play.record(HourPassed())
    chain = why(play, holder="ilsa", origin=root).chain
    assert sure(chain) == {"ilsa": "0.51", "bertha": "0.75", "pip": "0.45", "tomas": "1.00"}
    named = {(k.holder, k.teller): k.named for k in chain.links}
    assert named["pip", "tomas"] == "lost 0.55 in the retelling"
    assert named["bertha", "tomas"] == "gained 0.30 by a second teller"
    assert {k.holder: k.independent and f"{k.independent:.2f}" for k in chain.links}["bertha"] == "0.63"
    right = Corrected(entry_id=root, statement="the player paid", reason="found the coin", witnesses=("tomas",))
    play.record(right)
    play.record(Told(teller="tomas", listener="bertha", statement="the player paid",
                     entry_id=why(play, holder="tomas").chain.entry_id))  # fmt: skip
    lowered = [k for k in why(play, holder="ilsa", origin=root).chain.links if k.holder == "bertha"]
    assert ", lowered to 0.28 by a correction" in lowered[-1].named


def test_what_nobody_could_hold_anything_of_is_said_to_be_unheard_of(told):
    play, _ = told
    with pytest.raises(
        NoBeliefError, match="brun holds no belief about 'atlantis', and the world has no person, place"
    ):
        why(play, holder="brun", about="atlantis")
    with pytest.raises(NoBeliefError, match=r"^brun holds no belief about 'mast'$"):
        why(play, holder="brun", about="mast")


def test_who_asks_within_the_story_cannot_tell_what_is_there_from_what_is_not(told):
    play, _ = told
    (secret,) = play.left_by(Deed(actor="maelin", statement="the mast came down", witnesses=("maelin",)))
    said = []
    for origin in (secret.entry_id, "e" + "0" * len(secret.entry_id[1:])):
        with pytest.raises(NoBeliefError) as refused:
            why(play, as_character="brun", origin=origin)
        said.append(str(refused.value).replace(origin, "?"))
    assert said[0] == said[1]


@pytest.mark.parametrize(("fate", "said"), [(Died, "is dead"), (FellUnconscious, "is unconscious")])
def test_the_dead_and_the_unconscious_are_asked_nothing_but_can_be_looked_back_on(told, fate, said):
    play, entries = told
    before = why(play, entry_id=entries["tovi"], as_character="tovi")
    play.record(fate(who="tovi"))
    for question in ({"entry_id": entries["tovi"]}, {"about": "player"}):
        with pytest.raises(ContentError, match=f"as_character: tovi {said}"):
            why(play, as_character="tovi", is_asked_now=True, **question)
    assert why(play, entry_id=entries["tovi"], as_character="tovi") == before
    assert why(play, holder="tovi", about="player").chain.entry_id == entries["tovi"]
    assert why(play, as_character="orla", is_asked_now=True, entry_id=entries["orla"])
