"""Every reason for which an entry is withheld, and what is acted on without being said."""

import pytest

from ledger_service.domain.entries import Source, SourceKind, Status
from ledger_service.domain.errors import ContentError, EmptyScopeError
from ledger_service.domain.visibility import SECRET, Disclosure, DisclosureMode, Membership
from tests.builders import (
    a_commitment,
    a_contradiction,
    a_hearsay,
    a_moment,
    a_relationship_delta,
    a_residue,
    a_slot,
    an_observation,
    known_by,
)
from tests.packets import a_packet, amended, reason_of

GUARDED = Disclosure(mode=DisclosureMode.GUARDED, when="happened('private_debrief')")


def test_what_the_speaker_knows_is_selected():
    entry = an_observation()
    assert reason_of(a_packet([entry]), entry) == "selected"


def test_what_only_somebody_else_knows_is_not_visible():
    entry = an_observation(knowers=known_by("orla"))
    assert reason_of(a_packet([entry]), entry) == "not_visible"


def test_what_is_public_is_visible_and_what_is_engine_is_not():
    public, engine = (
        an_observation(statement="a", knowers=known_by("public")),
        an_observation(statement="b", knowers=known_by("engine")),
    )
    packet = a_packet([public, engine])
    assert (reason_of(packet, public), reason_of(packet, engine)) == ("selected", "not_visible")


def test_a_member_knows_what_the_group_knew_before_joining():
    entry = an_observation(knowers=known_by("group:crew", since=5), seq=5)
    joined = [Membership(group="group:crew", who="maelin", joined_seq=40)]
    assert reason_of(a_packet([entry], memberships=joined), entry) == "selected"
    assert reason_of(a_packet([entry], memberships=joined, seq=39), entry) == "not_visible"


def test_who_left_a_group_keeps_what_they_knew_and_learns_nothing_after():
    before = an_observation(statement="before", knowers=known_by("group:crew", since=5), seq=5)
    at_leaving = an_observation(statement="at leaving", knowers=known_by("group:crew", since=20), seq=20)
    left = [Membership(group="group:crew", who="maelin", joined_seq=0, left_seq=20)]
    packet = a_packet([before, at_leaving], memberships=left)
    assert (reason_of(packet, before), reason_of(packet, at_leaving)) == ("selected", "not_visible")


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status.RETRACTED, "retracted"),
        (Status.QUARANTINED, "quarantined"),
        (Status.SUSPENDED, "suspended"),
        (Status.ECHO, "same_origin_echo"),
        (Status.SUPERSEDED, "superseded"),
        (Status.ENDED, "superseded"),
        (Status.EXPIRED, "expired"),
        (Status.EASED, "expired"),
    ],
)
def test_a_dead_entry_is_withheld_by_what_became_of_it(status, reason):
    entry = an_observation()
    assert reason_of(a_packet([entry], amendments=[amended(entry, status)]), entry) == reason


def test_a_draft_is_quarantined_until_it_is_confirmed():
    draft = an_observation(quarantined=True)
    assert reason_of(a_packet([draft]), draft) == "quarantined"
    assert reason_of(a_packet([draft], amendments=[amended(draft, Status.ACTIVE)]), draft) == "selected"


def test_what_superseded_it_must_be_seen_for_it_to_be_superseded():
    old = an_observation(statement="the lamp is lit", knowers=known_by("maelin", "orla"))
    new = an_observation(statement="the lamp is out", knowers=known_by("orla"), seq=2)
    superseded = [amended(old, Status.SUPERSEDED, by=(new.entry_id,))]
    assert reason_of(a_packet([old, new], amendments=superseded), old) == "selected"
    assert reason_of(a_packet([old, new], amendments=superseded, speaker="orla"), old) == "superseded"


def test_a_promise_kept_out_of_sight_is_still_open_to_who_did_not_see_it():
    promise = a_commitment(knowers=known_by("maelin", "orla", "player"))
    kept = [amended(promise, Status.FULFILLED, knowers=("maelin", "player"))]
    shown = {who: a_packet([promise], amendments=kept, speaker=who).commitments[0].status for who in ("maelin", "orla")}
    assert shown == {"maelin": "fulfilled", "orla": "open"}


def test_a_lapsed_feeling_has_expired_and_a_lapsed_promise_is_still_worth_knowing():
    feeling, promise = a_residue(), a_commitment()
    packet = a_packet([feeling, promise], amendments=[amended(e, Status.LAPSED) for e in (feeling, promise)])
    assert (reason_of(packet, feeling), reason_of(packet, promise)) == ("expired", "selected")


def test_text_derived_from_something_hidden_is_hidden_too():
    hidden = an_observation(statement="the letter is in the clock", knowers=known_by("engine"))
    plan = an_observation(
        statement="steer towards the clock", derived_from=(hidden.entry_id,), source=Source(kind=SourceKind.DERIVED)
    )
    packet = a_packet([hidden, plan])
    assert reason_of(packet, plan) == "derived_from_hidden"
    assert reason_of(a_packet([plan]), plan) == "derived_from_hidden", "a source that is not there is not seen either"


def test_a_contradiction_is_seen_only_by_who_sees_both_sides():
    ours, theirs = an_observation(statement="ours"), an_observation(statement="theirs", knowers=known_by("orla"))
    both = a_contradiction(ours.entry_id, theirs.entry_id, knowers=known_by("maelin", "orla"))
    assert reason_of(a_packet([ours, theirs, both]), both) == "derived_from_hidden"


def test_an_abandoned_future_is_off_branch():
    entry = an_observation()
    assert reason_of(a_packet([entry], off_branch=[entry.entry_id]), entry) == "off_branch"


def test_the_line_being_answered_is_no_evidence():
    entry = an_observation(seq=100)
    assert reason_of(a_packet([entry], line_seq=100), entry) == "current_question_is_not_evidence"
    assert reason_of(a_packet([entry], line_seq=99), entry) == "selected"


def test_how_somebody_else_speaks_is_not_for_this_speaker():
    theirs, own = an_observation(statement="a", style_of="orla"), an_observation(statement="b", style_of="maelin")
    packet = a_packet([theirs, own])
    assert (reason_of(packet, theirs), reason_of(packet, own)) == ("style_of_other", "selected")


def test_a_mask_keeps_the_warmth_owed_to_the_face_behind_it():
    warmth = a_relationship_delta(subject="player")
    juggler = an_observation(statement="a masked juggler came in", subject="juggler")
    packet = a_packet([warmth, juggler], presented_as={"player": "juggler"})
    assert (reason_of(packet, warmth), reason_of(packet, juggler)) == ("identity_not_linked", "selected")
    assert [f.kind for f in packet.flags] == ["identity_unlinked"]
    assert "player" not in packet.flags[0].topic


def test_who_knows_the_face_behind_the_mask_links_the_two():
    warmth = a_relationship_delta(subject="player")
    known = an_observation(statement="it is she", slot=a_slot("juggler", "goes_as", "player"))
    assert reason_of(a_packet([warmth, known], presented_as={"player": "juggler"}), warmth) == "selected"


def test_what_is_about_a_third_person_waits_until_they_are_mentioned():
    entry = an_observation(statement="tovi was refused passage", subject="tovi")
    assert reason_of(a_packet([entry], line="Will you take me across?"), entry) == "other_subject"
    assert reason_of(a_packet([entry], line="Did Tovi ever cross?"), entry) == "selected"


def test_a_gate_must_pass_for_everybody_who_listens():
    to_orla = an_observation(disclosure=Disclosure(mode=DisclosureMode.GUARDED, to=("orla",)))
    assert reason_of(a_packet([to_orla], audience=("orla",)), to_orla) == "selected"
    assert reason_of(a_packet([to_orla], audience=("orla", "player")), to_orla) == "gate_not_met"


def test_a_gate_opens_with_its_condition():
    entry = an_observation(disclosure=GUARDED)
    assert reason_of(a_packet([entry]), entry) == "gate_not_met"
    assert reason_of(a_packet([entry], happened=["private_debrief"]), entry) == "selected"


def test_a_secret_is_acted_on_and_its_text_never_enters_the_prompt():
    secret = an_observation(statement="the canary sings at midnight", disclosure=SECRET)
    packet = a_packet([secret], line="What do you know about the canary?")
    assert reason_of(packet, secret) == "act_only"
    assert "sings at midnight" not in packet.prompt
    assert not any(f.kind == "no_record" for f in packet.flags), "a secret is no absence of record"


def test_what_a_listener_must_not_learn_is_acted_on_only():
    entry = an_observation(unaware=("player",))
    assert reason_of(a_packet([entry]), entry) == "act_only"
    assert reason_of(a_packet([entry], audience=("orla",)), entry) == "selected"


def test_what_rests_on_a_secret_is_not_said_either():
    secret = an_observation(statement="secret", disclosure=SECRET)
    other = a_hearsay(statement="other side")
    both = a_contradiction(secret.entry_id, other.entry_id)
    assert reason_of(a_packet([secret, other, both]), both) == "act_only"


def test_the_tellers_of_an_echo_are_recognised():
    echo = a_hearsay(source=Source(kind=SourceKind.TOLD_BY, by="orla", via=("maelin",)))
    assert reason_of(a_packet([echo]), echo) == "same_origin_echo"


@pytest.mark.parametrize("fields", [{"speaker": ""}, {"audience": ()}, {"audience": ("",)}, {"speaker": "narrator"}])
def test_an_empty_scope_is_an_error_and_never_everything(fields):
    with pytest.raises(EmptyScopeError):
        a_moment(**fields)


def test_nobody_may_be_a_knower_and_unaware():
    with pytest.raises(ContentError, match="maelin cannot both"):
        an_observation(unaware=("maelin",))


def test_an_entry_without_knowers_is_an_error():
    with pytest.raises(EmptyScopeError, match="knowers"):
        an_observation(knowers=())
