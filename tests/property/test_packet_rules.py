"""The rules that never bend, over generated ledgers: nobody draws on what they cannot see."""

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ledger_service.domain.entries import Source, SourceKind, Status
from ledger_service.domain.errors import LedgerError
from ledger_service.domain.events import EntriesPosted, EntryDraft
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import FlagKind, Reason
from ledger_service.domain.visibility import OPEN, SECRET, Disclosure, DisclosureMode, Membership, Roster
from ledger_service.domain.worlds import Action, Rule
from ledger_service.recording.check import check_event
from ledger_service.services.packets.build_packet import PacketRequest, moment_of
from tests.builders import (
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_relationship_delta,
    a_residue,
    a_state,
    a_world,
    an_observation,
    known_by,
)
from tests.conftest import RULE_EXAMPLES
from tests.packets import READER, a_packet, amended

PEOPLE = ("maelin", "orla", "tovi", "player")
SCOPES = (*PEOPLE, "group:crew", "public", "engine")
SENTENCES = (
    "the relay is broken", "orla found the poacher's body", "the player paid for the loft room", "tovi owns the ferry",
    "nobody saw the lantern", "maelin mended the heater", "the sensor lies in the crater", "the well is clean",
)  # fmt: skip
LINES = (
    "", "Good morning.", "Who killed him?", "Did I pay for the loft room?", "I brought the sensor back.",
    "You told me in private about the well.", "What do you know about the poacher?", "You saw Tovi, right?",
)  # fmt: skip
GATES = (
    OPEN, SECRET, Disclosure(mode=DisclosureMode.GUARDED, to=("orla",)),
    Disclosure(mode=DisclosureMode.GUARDED, when="happened('storm')"),
)  # fmt: skip
STAYS = st.lists(
    st.builds(
        Membership,
        group=st.just("group:crew"),
        who=st.sampled_from(PEOPLE),
        joined_seq=st.integers(0, 60),
        left_seq=st.none() | st.integers(61, 120),
    ),
    max_size=3,
)


KNOWERS = st.lists(st.sampled_from(SCOPES), min_size=1, max_size=3, unique=True)
SAID = st.sampled_from(SENTENCES)
SOMEBODY = st.sampled_from(PEOPLE)
WRITTEN = st.fixed_dictionaries({
    "make": st.sampled_from([an_observation, a_hearsay, a_commitment, a_relationship_delta, a_residue, None]),
    "seq": st.integers(1, 110), "knowers": KNOWERS, "statement": SAID, "disclosure": st.sampled_from(GATES),
    "subject": st.none() | SOMEBODY, "unaware": st.none() | SOMEBODY,
    "rests_on": st.none() | st.tuples(st.integers(0, 20), st.integers(0, 20)),
    "status": st.sampled_from([None, None, Status.SUPERSEDED, Status.RETRACTED, Status.FULFILLED, Status.ENDED]),
    "again": st.sampled_from([None, None, Status.SUPERSEDED, Status.ACTIVE]),
    "by": st.none() | st.integers(0, 20),
    "told": st.none() | st.lists(SOMEBODY, max_size=2).map(tuple),
})  # fmt: skip
"""An entry to be; numbers stand for earlier ones, and no kind for a contradiction between two of them."""


@st.composite
def ledgers(draw):
    """Entries of every kind with any knowers, some derived from others, some amended by others."""
    entries, amendments = [], []
    for i, plan in enumerate(draw(st.lists(WRITTEN, min_size=1, max_size=9))):
        entries.append(_entry(f"e{i}", plan, entries))
        if plan["status"] is not None:
            by = [] if plan["by"] is None else [entries[plan["by"] % len(entries)]]
            by = [e for e in by if e is not entries[-1]]
            amendments.append(
                amended(
                    entries[-1], plan["status"], by=tuple(e.entry_id for e in by), knowers=plan["told"],
                    reason="; ".join(e.statement for e in by),
                )
            )  # fmt: skip
            if plan["again"] is not None:
                amendments.append(amended(entries[-1], plan["again"], cause_seq=60))
    return entries, amendments


def _entry(entry_id, plan, earlier):
    who = None if plan["unaware"] in plan["knowers"] else plan["unaware"]
    common = {
        "entry_id": entry_id, "seq": plan["seq"], "statement": plan["statement"], "disclosure": plan["disclosure"],
        "knowers": known_by(*plan["knowers"], since=plan["seq"]), "subject": plan["subject"],
        "unaware": () if who is None else (who,),
    }  # fmt: skip
    beneath = dict.fromkeys(earlier[n % len(earlier)].entry_id for n in plan["rests_on"] or () if earlier)
    if plan["make"] is None:
        return a_contradiction(*beneath, **common) if len(beneath) > 1 else an_observation(**common)
    if beneath:
        common |= {"derived_from": tuple(beneath), "source": Source(kind=SourceKind.INFERRED, by="maelin")}
    return plan["make"](**common)


SAYINGS = st.tuples(
    st.sampled_from([SourceKind.PLAYER_CLAIM, SourceKind.TOLD_BY, SourceKind.GENERATED_LINE]),
    st.sampled_from([*SENTENCES, "the player returned the sensor", "maelin trusts the player", "the alarm is off"]),
)
STRICT = a_world(
    actions=(Action(id="lend", name="borrow the lamp", words=("lamp",)), Action(id="open", name="open the gate")),
    rules=(
        Rule(id="r1", action="lend", grant_when="standing(speaker, listener, 'reliability') >= 1.0", because="x",
             scopes=("reliability",)),
        Rule(id="r2", action="open", grant_when="state.alarm == 0 && !open('e1')", because="y"),
        Rule(id="r3", action="open", grant_when="fulfilled('e0') || felt(speaker, 'embarrassment')", because="z"),
    ),
)  # fmt: skip


moments = st.fixed_dictionaries(
    {
        "speaker": st.sampled_from(PEOPLE[:3]),
        "audience": st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=2, unique=True).map(tuple),
        "line": st.sampled_from(LINES),
        "seq": st.integers(1, 110),
    }
)


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS)
def test_no_packet_holds_an_entry_that_its_speaker_cannot_see(ledger, moment, stays):
    entries, amendments = ledger
    packet = a_packet(entries, amendments=amendments, memberships=stays, **moment)
    seen = Ledger(entries, amendments, roster=Roster(memberships=tuple(stays)), at_seq=moment["seq"])
    for item in (*packet.selected, *packet.act_only):
        assert seen.knows(moment["speaker"], item.entry_id)


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS)
def test_deleting_what_the_speaker_cannot_see_changes_nothing(ledger, moment, stays):
    entries, amendments = ledger
    whole = a_packet(entries, amendments=amendments, memberships=stays, **moment)
    seen = Ledger(entries, amendments, roster=Roster(memberships=tuple(stays)), at_seq=moment["seq"])
    visible = [e for e in entries if seen.knows(moment["speaker"], e.entry_id)]
    bare = a_packet(visible, amendments=amendments, memberships=stays, **moment)
    assert (bare.selected, bare.act_only, bare.flags, bare.prompt) == (
        whole.selected, whole.act_only, whole.flags, whole.prompt,
    )  # fmt: skip
    assert (bare.commitments, bare.standings, bare.residue) == (whole.commitments, whole.standings, whole.residue)


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS)
def test_every_considered_entry_leaves_exactly_once(ledger, moment, stays):
    entries, amendments = ledger
    packet = a_packet(entries, amendments=amendments, memberships=stays, **moment)
    left = [*packet.selected, *packet.act_only, *packet.withheld]
    assert sorted(x.entry_id for x in left) == sorted(e.entry_id for e in entries if e.seq <= moment["seq"])


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS, data=st.data())
def test_the_same_ledger_and_moment_give_the_same_bytes_in_any_order(ledger, moment, stays, data):
    entries, amendments = ledger
    packet = a_packet(entries, amendments=amendments, memberships=stays, **moment)
    shuffled = a_packet(
        data.draw(st.permutations(entries)), amendments=data.draw(st.permutations(amendments)),
        memberships=data.draw(st.permutations(stays)), **moment,
    )  # fmt: skip
    assert msgspec.json.encode(packet) == msgspec.json.encode(shuffled)


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS)
def test_the_prompt_never_holds_the_text_of_what_may_not_be_said(ledger, moment, stays):
    """Selected text alone, and flags about what could be said: of anything else not one word, reasons included."""
    entries, amendments = ledger
    marked = {e.entry_id: msgspec.structs.replace(e, statement=f"canary{e.entry_id} {e.statement}") for e in entries}
    spoken = [
        msgspec.structs.replace(a, reason="; ".join(marked[b].statement for b in a.by if b in marked))
        for a in amendments
    ]
    told = {"memberships": stays, **moment}
    packet = a_packet(marked.values(), amendments=spoken, **told)
    seen = Ledger(entries, amendments, roster=Roster(memberships=tuple(stays)), at_seq=moment["seq"])
    said = {s.entry_id for s in packet.selected}
    flagged = {i for flag in packet.flags for i in flag.entry_ids}
    flagged |= {b for a in amendments if a.entry_id in flagged for b in a.by}
    shown = f"{packet.prompt} {' '.join(f'{f.topic} {f.detail}' for f in packet.flags)}"
    for entry in entries:
        is_closed = entry.disclosure.mode is DisclosureMode.SECRET or set(entry.unaware) & set(moment["audience"])
        may_be_said = seen.knows(moment["speaker"], entry.entry_id) and not is_closed and not _is_gated(entry, moment)
        if entry.entry_id not in said and not (entry.entry_id in flagged and may_be_said):
            assert f"canary{entry.entry_id} " not in f"{shown} "


def _is_gated(entry, moment, *, happened=False):
    gate = entry.disclosure
    is_open = happened if gate.when else set(moment["audience"]) <= set(gate.to)
    return gate.mode is DisclosureMode.GUARDED and not is_open


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS, happened=st.booleans())
def test_what_is_selected_may_be_said_to_everyone_who_listens(ledger, moment, stays, happened):
    entries, amendments = ledger
    packet = a_packet(
        entries, amendments=amendments, memberships=stays, happened=["storm"] if happened else (), **moment
    )
    by_id = {e.entry_id: e for e in entries}
    for item in packet.selected:
        entry = by_id[item.entry_id]
        assert set(entry.unaware).isdisjoint(moment["audience"])
        assert entry.disclosure.mode is not DisclosureMode.SECRET
        assert not _is_gated(entry, moment, happened=happened)
        beneath = {i for i in (*entry.derived_from, *getattr(entry, "members", ())) if i in by_id}
        assert beneath.isdisjoint(a.entry_id for a in packet.act_only), "nor what it is made from"
        assert beneath.isdisjoint(w.entry_id for w in packet.withheld if w.reason == Reason.GATE_NOT_MET)


@settings(max_examples=RULE_EXAMPLES)
@given(chain=st.lists(st.integers(0, 5), min_size=1, max_size=6), gate=st.sampled_from(GATES), audience=moments)
def test_what_is_made_from_what_may_not_be_said_may_not_be_said_at_any_depth(chain, gate, audience):
    speaker, listeners = audience["speaker"], audience["audience"]
    root = an_observation(entry_id="e0", seq=1, knowers=known_by(speaker), disclosure=gate)
    made = [
        an_observation(
            entry_id=f"e{i}", seq=1, knowers=known_by(speaker), derived_from=(f"e{below % i}",),
            source=Source(kind=SourceKind.INFERRED, by=speaker),
        )
        for i, below in enumerate(chain, start=1)
    ]  # fmt: skip
    packet = a_packet([root, *made], speaker=speaker, audience=listeners, seq=110)
    is_closed = gate.mode is DisclosureMode.SECRET or _is_gated(root, audience)
    assert len(packet.selected) == (0 if is_closed else len(chain) + 1)


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS, happened=st.booleans())
def test_a_secret_shapes_what_is_done_and_is_never_withheld_from_that(ledger, moment, stays, happened):
    """Knowing and being allowed to say are two: closing every mouth moves entries, and drops none."""
    entries, amendments = ledger
    opened = [msgspec.structs.replace(e, disclosure=OPEN, unaware=()) for e in entries]
    closed = [msgspec.structs.replace(e, disclosure=SECRET, unaware=()) for e in entries]
    told = {"amendments": amendments, "memberships": stays, "happened": ["storm"] if happened else (), **moment}
    free, tight = a_packet(opened, **told), a_packet(closed, **told)
    assert {a.entry_id for a in tight.act_only} == {s.entry_id for s in free.selected}
    assert (tight.selected, free.act_only) == ((), ())


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS, data=st.data())
def test_a_visible_contradiction_is_flagged_whatever_was_asked(ledger, moment, stays, data):
    entries, amendments = ledger
    mine = known_by(moment["speaker"])
    sides = [an_observation(entry_id=f"side{i}", seq=1, statement=data.draw(SAID), knowers=mine) for i in range(2)]
    dispute = a_contradiction("side0", "side1", entry_id="dispute", seq=1, knowers=mine)
    packet = a_packet([*entries, *sides, dispute], amendments=amendments, memberships=stays, **moment)
    assert any(f.kind == FlagKind.CONTRADICTION and "dispute" in f.entry_ids for f in packet.flags)
    hidden = msgspec.structs.replace(sides[0], knowers=known_by("brun"))
    packet = a_packet([*entries, hidden, sides[1], dispute], amendments=amendments, memberships=stays, **moment)
    assert not any("dispute" in f.entry_ids for f in packet.flags)


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=ledgers(), moment=moments, stays=STAYS, said=st.lists(SAYINGS, min_size=1, max_size=3))
def test_what_somebody_says_changes_no_right_no_standing_and_no_promise(ledger, moment, stays, said):
    entries, amendments = ledger
    claims = [
        a_hearsay(
            entry_id=f"said{i}", seq=1, statement=statement, knowers=known_by(moment["speaker"]), confidence=1.0,
            source=Source(kind=kind, by="player", event_seq=1), teller="player",
        )
        for i, (kind, statement) in enumerate(said)
    ]  # fmt: skip
    told = {"amendments": amendments, "memberships": stays, "world": STRICT, **moment}
    without, heard = a_packet(entries, **told), a_packet([*entries, *claims], **told)
    assert heard.consequences == without.consequences
    assert (heard.standings, heard.commitments, heard.residue) == (
        without.standings, without.commitments, without.residue,
    )  # fmt: skip
    for item in heard.selected:
        if item.entry_id.startswith("said"):
            assert set(item.notes) & {"only said so", "second hand"}


@settings(max_examples=RULE_EXAMPLES)
@given(
    moment=moments,
    nobody=st.sampled_from(["", "Maelin", "maelin ", "group:crew", "public", "*"]) | st.text(max_size=4),
    where=st.sampled_from([("speaker",), ("pov",), ("audience",), ("audience", "among"), ("audience", "none")]),
)
def test_an_empty_or_unknown_speaker_or_audience_is_an_error_and_never_everything(moment, nobody, where):
    assume(nobody not in {"narrator", *(c.id for c in STRICT.cast)})
    audience = {"among": (*moment["audience"], nobody), "none": ()}.get(where[-1], (nobody,))
    request = {"speaker": moment["speaker"], "audience": moment["audience"]}
    asked = PacketRequest(**request | {where[0]: audience if where[0] == "audience" else nobody})
    with pytest.raises(LedgerError):
        moment_of(asked, moment["line"], world=STRICT, state=a_state(), reader=READER)
    if nobody not in {"public", "group:crew", "engine"}:
        draft = EntryDraft(kind="observation", statement="the well is clean", knowers=(nobody,))
        with pytest.raises(LedgerError):
            check_event(EntriesPosted(entries=(draft,)), a_state(), STRICT)
