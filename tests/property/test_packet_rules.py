"""The rules that never bend, over generated ledgers: nobody draws on what they cannot see."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_service.domain.entries import Status
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.visibility import OPEN, SECRET, Disclosure, DisclosureMode, Membership, Roster
from tests.builders import (
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_relationship_delta,
    a_residue,
    an_observation,
    known_by,
)
from tests.conftest import RULE_EXAMPLES
from tests.packets import a_packet, amended

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


@st.composite
def ledgers(draw):
    """Entries of every kind with any knowers, some derived from others, some amended by others."""
    entries, amendments = [], []
    for i in range(draw(st.integers(1, 9))):
        seq = draw(st.integers(1, 110))
        knowers = draw(st.lists(st.sampled_from(SCOPES), min_size=1, max_size=3, unique=True))
        common = {
            "entry_id": f"e{i}", "seq": seq, "statement": draw(st.sampled_from(SENTENCES)),
            "knowers": known_by(*knowers, since=seq), "disclosure": draw(st.sampled_from(GATES)),
            "subject": draw(st.none() | st.sampled_from(PEOPLE)),
            "unaware": tuple(w for w in draw(st.lists(st.sampled_from(PEOPLE), max_size=1)) if w not in knowers),
        }  # fmt: skip
        make = draw(st.sampled_from([an_observation, a_hearsay, a_commitment, a_relationship_delta, a_residue]))
        if len(entries) > 1 and draw(st.booleans()):
            sides = draw(st.lists(st.sampled_from([e.entry_id for e in entries]), min_size=2, max_size=2, unique=True))
            entries.append(a_contradiction(*sides, **common))
        else:
            entries.append(make(**common))
        if draw(st.booleans()):
            status = draw(st.sampled_from([Status.SUPERSEDED, Status.RETRACTED, Status.FULFILLED, Status.ENDED]))
            by = draw(st.lists(st.sampled_from([e.entry_id for e in entries]), max_size=1))
            told = draw(st.none() | st.lists(st.sampled_from(PEOPLE), max_size=2).map(tuple))
            amendments.append(amended(entries[-1], status, by=tuple(b for b in by if b != f"e{i}"), knowers=told))
    return entries, amendments


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


@given(ledger=ledgers(), moment=moments, stays=STAYS, data=st.data())
def test_the_same_ledger_and_moment_give_the_same_bytes_in_any_order(ledger, moment, stays, data):
    entries, amendments = ledger
    packet = a_packet(entries, amendments=amendments, memberships=stays, **moment)
    shuffled = a_packet(data.draw(st.permutations(entries)), amendments=amendments, memberships=stays, **moment)
    assert msgspec.json.encode(packet) == msgspec.json.encode(shuffled)


@given(ledger=ledgers(), moment=moments, stays=STAYS)
def test_the_prompt_never_holds_the_text_of_what_may_not_be_said(ledger, moment, stays):
    entries, amendments = ledger
    marked = [msgspec.structs.replace(e, statement=f"{e.statement} canary{e.entry_id}") for e in entries]
    packet = a_packet(marked, amendments=amendments, memberships=stays, **moment)
    said = {s.entry_id for s in packet.selected}
    about = {i for flag in packet.flags for i in flag.entry_ids}
    for entry in marked:
        if entry.entry_id not in said | about:
            assert f"canary{entry.entry_id} " not in f"{packet.prompt} "
