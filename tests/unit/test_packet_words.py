"""A packet in words: every reason, flag, source and ending has a sentence, none shows an id's underscores."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_service.domain.entries import Source, SourceKind
from ledger_service.domain.expiry import NEVER, AfterScenes, AfterTurns, AllOf, AnyOf, AtTick, OnEvent
from ledger_service.domain.moments import ClaimKind, Intent, LineClaim
from ledger_service.domain.packets import Consequence, Flag, FlagKind, Reason
from ledger_service.domain.replies import Claim, Reply, Stance
from ledger_service.domain.rubric import Axis, Code, Fault, Finding, Scorecard, State, Verdict
from ledger_service.domain.visibility import SECRET, Disclosure, DisclosureMode
from ledger_service.domain.worlds import Action, Rule
from ledger_service.ports import StoredReply
from ledger_service.rumours.provenance import Naming
from ledger_service.services.packets import packet_words as w
from ledger_service.services.packets.packet_changes import compare
from ledger_service.services.reviewing import reply_marks
from ledger_service.services.reviewing.reply_marks import hear
from tests.builders import a_commitment, a_hearsay, a_world, an_observation, known_by
from tests.packets import a_packet

NAMING = Naming(people={"maelin": "Maelin Voss", "orla": "Orla", "player": "the player"}, places={"mast": "the mast"})


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence(reason):
    said = w.why_withheld(reason, "maelin", NAMING)
    assert said
    assert "{" not in said
    assert "_" not in said


@pytest.mark.parametrize("kind", FlagKind)
def test_every_flag_has_a_sentence_with_its_topic(kind):
    assert "the mast" in w.flag_in_words(Flag(kind=kind, topic="the mast", detail="since_noon"), {})
    assert "since noon" in w.flag_in_words(Flag(kind=kind, topic="the mast", detail="since_noon"), {})


def test_what_falls_due_is_said_in_its_own_words():
    flag = Flag(kind=FlagKind.EFFECT_DUE, topic="return sensor", entry_ids=("gone", "e1"))
    assert "player will return the sensor" in w.flag_in_words(flag, {"e1": "player will return the sensor"})


@pytest.mark.parametrize("code", Code)
def test_every_finding_has_a_title_that_a_writer_understands(code):
    assert code in reply_marks._FOUND, "say in services/reviewing/reply_marks.py what it means to a writer"


@pytest.mark.parametrize("kind", SourceKind)
def test_every_way_of_knowing_names_who_knows_and_when(kind):
    entry = an_observation(source=Source(kind=kind, by="station_log"), event_tick=34, place="mast")
    said = w.learnt(entry, "maelin", NAMING, how=str(kind), teller="orla")
    assert said.endswith(" at the mast, day 2, 10:00")
    assert "Maelin Voss" in said
    assert "_" not in said


def test_a_teller_is_named_and_nobody_deeper():
    entry = a_hearsay(teller="orla")
    assert w.learnt(entry, "maelin", NAMING, how="told_by", teller="orla").startswith("Orla told Maelin Voss")
    assert w.may_say(entry, ["player"], NAMING, teller="orla") == "may say it, naming only Orla"


@pytest.mark.parametrize(
    ("disclosure", "said"),
    [
        (Disclosure(), "to anybody"),
        (SECRET, "to nobody: who knows it acts on it, and never says it"),
        (Disclosure(mode=DisclosureMode.GUARDED), "to nobody yet"),
        (Disclosure(mode=DisclosureMode.GUARDED, to=("orla", "group:crew")), "to Orla and the crew"),
        (Disclosure(mode=DisclosureMode.GUARDED, to=("orla",), when="x > 1"), "to Orla, or where x > 1 holds"),
    ],
)
def test_the_gate_is_said_with_who_must_not_learn_it(disclosure, said):
    entry = an_observation(disclosure=disclosure)
    assert w.gate(entry, NAMING) == said
    hidden = an_observation(disclosure=disclosure, unaware=("player",), knowers=known_by("maelin"))
    assert w.gate(hidden, NAMING) == f"{said}; the player must not learn it"


@pytest.mark.parametrize(
    ("expiry", "said"),
    [
        (NEVER, "nothing by itself"), (AtTick(tick=34), "it ends on day 2, 10:00"),
        (AfterScenes(scenes=1), "after 1 scene"),
        (AfterTurns(turns=3), "after 3 turns"), (OnEvent(name="storm_over"), "it ends when storm over"),
        (AnyOf(of=(AtTick(tick=0), AfterScenes(scenes=2))), ", or it ends after 2 scenes"),
        (AllOf(of=(AtTick(tick=0), AfterScenes(scenes=2))), ", and it ends after 2 scenes"),
    ],
)  # fmt: skip
def test_every_ending_has_a_sentence(expiry, said):
    assert said in w.ending(an_observation(expires=expiry), a_world())


def test_a_promise_says_when_it_is_kept_broken_and_due():
    entry = a_commitment(fulfilled_when="state.back", broken_when="tick > 9", due=34, trigger="storm_over")
    assert w.ending(entry, a_world()).split("; ") == [
        "it is kept once state.back", "it is broken once tick > 9", "it falls due with storm over",
        "it falls due on day 2, 10:00",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ClaimKind)
def test_what_a_line_takes_for_granted_is_said(kind):
    intent = Intent(presupposes=(LineClaim(kind=kind, label="the fuse"),))
    assert w.intent_in_words(intent, a_world()) == ((("takes for granted"), w._TAKEN[kind] + ": the fuse"),)


spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=6)


@given(text=st.text(min_size=1, max_size=50), claims=spans, findings=spans)
def test_a_line_in_pieces_is_the_line_and_every_claim_that_opens_closes(text, claims, findings):
    read = [Claim(stance=Stance.ASSERT, text="", start=min(a, b), end=max(a, b)) for a, b in claims]
    found = tuple(
        Finding(code=Code.LEAK, explanation="x", span="y" * max(1, abs(b - a)), start=min(a, b)) for a, b in findings
    )
    verdict = Verdict(axis=Axis.RESPONSE, state=State.FAIL, findings=found)
    card = Scorecard(verdicts=(verdict,), fault=Fault.GENERATION)
    stored = StoredReply(reply_id="r", packet_id="k", reply=Reply(text=text, responder="t"), scorecard=card)
    line = hear(stored, read, [an_observation()])
    assert "".join(p.text for p in line.pieces) == text
    opened = 0
    for piece in line.pieces:
        assert opened == 0 or not piece.opens
        opened += piece.opens
        assert (piece.claim is not None) == (opened == 1)
        opened -= piece.closes
    assert opened == 0


def test_a_packet_against_itself_differs_in_nothing_and_a_new_entry_is_what_came():
    one = an_observation(entry_id="e1", statement="the mast is down", knowers=known_by("maelin"))
    two = an_observation(entry_id="e2", statement="the fuse is new", knowers=known_by("maelin"))
    packets = [a_packet([one]), a_packet([one, two])]
    entries = {"e1": one, "e2": two}
    assert compare(packets[0], packets[0], old=entries, new=entries, naming=NAMING).is_same
    (came,) = compare(*packets, old={"e1": one}, new=entries, naming=NAMING).entries
    assert (came.sort, came.sign, came.statement) == ("came", "+", "the fuse is new")
    assert came.said == "Maelin Voss may say it; before, it was not looked at"
    (went,) = compare(*reversed(packets), old=entries, new={"e1": one}, naming=NAMING).entries
    assert (went.sort, went.said) == ("went", "it was not looked at; before, Maelin Voss may say it")


def test_an_entry_of_one_id_that_reads_otherwise_on_another_branch_is_a_change():
    here = an_observation(entry_id="e1", statement="the mast is down", knowers=known_by("maelin"))
    there = an_observation(entry_id="e1", statement="the mast stands", knowers=known_by("maelin"))
    found = compare(a_packet([here]), a_packet([there]), old={"e1": here}, new={"e1": there}, naming=NAMING)
    assert [(d.sort, d.statement, d.said) for d in found.entries] == [
        ("changed", "the mast stands", "reads otherwise; before, “the mast is down”")
    ]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("standing('maelin', 'player', 'care') >= 1.0", "needs standing in care of 1, has 0"),
        ("opinion('maelin') > 0.0", "needs an opinion of more than 0, has 0"),
        ("opinion('maelin', 'player') >= 0.5", "needs an opinion of 0.5, has 0"),
        ("opinion('maelin') >= -0.5 && state.x", ""),
    ],
)
def test_a_refusal_says_what_it_needs_and_has(condition, said):
    rule = Rule(id="r", action="use", grant_when=condition, because="b", scopes=("care",), would_change="it is mended")
    world = msgspec.structs.replace(a_world(), actions=(Action(id="use", name="use the lamp"),), rules=(rule,))
    refused = Consequence(action="use", outcome="refused", rule="r", because="b", would_change="it is mended")
    told = w.consequence_in_words(refused, a_packet([]), world)
    assert told == f"refuses “use the lamp”{f': {said}' if said else ''}; would change if it is mended"
    granted = Consequence(action="use", outcome="granted", rule="r", because="b", factor=1.35)
    assert w.consequence_in_words(granted, a_packet([]), world) == "grants “use the lamp”, at 35% above the usual price"


def test_hearsay_fades_unless_it_is_protected():
    assert w.ending(a_hearsay(), a_world()) == "it fades as days go by"
    assert w.ending(a_hearsay(protected=True), a_world()) == "it does not fade"
