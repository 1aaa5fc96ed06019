"""What a probe expects of each stage: ledger, selection, reply, voice, gameplay; hard, or a signal that is noted."""

import pytest

from ledger_service.domain.entries import Status
from ledger_service.domain.rubric import Axis, ClaimWant, Code, EntryWant, Fault, Gold, State, VoiceWant
from ledger_service.domain.visibility import Disclosure, DisclosureMode
from tests.builders import a_commitment, an_observation, known_by
from tests.speaking import a_scene, scored

FUSE = an_observation(entry_id="fuse", statement="player replaced the relay fuse", knowers=known_by("maelin", "player"))
SENSOR = a_commitment(
    entry_id="sensor", statement="player will return the missing sensor", knowers=known_by("maelin", "player")
)
SECRET = an_observation(
    entry_id="secret", statement="maelin has filed for a transfer", knowers=known_by("maelin"),
    disclosure=Disclosure(mode=DisclosureMode.SECRET),
)  # fmt: skip
ASKED = "Who replaced the relay fuse?"


def found(text: str, gold: Gold, *, line: str = ASKED, entries=(FUSE, SENSOR, SECRET)):
    return scored(a_scene(*entries, line=line), text, gold=gold)


def codes(card, axis: Axis) -> list[Code]:
    return [f.code for f in card.verdict(axis).findings]


@pytest.mark.parametrize(
    ("text", "stance", "holds"),
    [
        ("You replaced the relay fuse.", "affirm", True),
        ("Teo told me that you replaced the relay fuse.", "affirm", True),
        ("You never replaced the relay fuse.", "affirm", False),
        ("Perhaps you replaced the relay fuse.", "affirm", False),
        ("The weather has turned.", "affirm", False),
        ("You did not replace the relay fuse.", "deny", True),
        ("You replaced the relay fuse.", "deny", False),
        ("Perhaps you replaced the relay fuse.", "hedge", True),
        ("Teo told me that you replaced the relay fuse.", "hedge", True),
        ("You replaced the relay fuse.", "hedge", False),
        ("I have no record of that.", "unknown", True),
        ("I do not know who replaced the relay fuse.", "unknown", True),
        ("You replaced the relay fuse.", "unknown", False),
        ("Quiet out there, for once.", "unknown", False),
    ],
)
def test_a_claim_is_held_as_it_should_be_or_found(text, stance, holds):
    wants = (ClaimWant(stance=stance, entry_id="fuse"), ClaimWant(stance=stance, text="you replaced the relay fuse"))
    for want in wants:
        card = found(text, Gold(reply=(want,)))
        missed = {Code.NOT_AFFIRMED, Code.NOT_DENIED, Code.NOT_HEDGED, Code.NOT_UNKNOWN} & set(
            codes(card, Axis.RESPONSE)
        )
        assert (not missed) == holds, (text, want, card.verdict(Axis.RESPONSE))


def test_silence_does_not_pass_where_something_has_to_be_said():
    gold = Gold(must_include=("fuse",), reply=(ClaimWant(stance="affirm", entry_id="fuse"),))
    card = found("I've nothing to say to that.", gold)
    assert (card.fault, codes(card, Axis.RESPONSE)) == (Fault.GENERATION, [Code.NOT_AFFIRMED])
    (finding,) = card.verdict(Axis.RESPONSE).findings
    assert finding.entry_ids == ("fuse",)
    assert "player replaced the relay fuse" in finding.explanation


@pytest.mark.parametrize(
    ("want", "code"),
    [
        (EntryWant(entry_id="sensor", status="open", owner="player"), None),
        (EntryWant(entry_id="sensor", status="fulfilled"), Code.BAD_STATUS),
        (EntryWant(entry_id="sensor", owner="maelin"), Code.BAD_OWNER),
        (EntryWant(entry_id="fuse", band="confirmed", known_to=("maelin",), unknown_to=("teo",)), None),
        (EntryWant(entry_id="fuse", band="doubtful"), Code.BAD_CONFIDENCE),
        (EntryWant(entry_id="fuse", known_to=("teo",)), Code.BAD_VISIBILITY),
        (EntryWant(entry_id="fuse", unknown_to=("player",)), Code.BAD_VISIBILITY),
        (EntryWant(entry_id="elsewhere"), Code.MISSING_ENTRY),
    ],
)
def test_what_the_ledger_should_say(want, code):
    card = found("You replaced the relay fuse.", Gold(ledger=(want,)))
    assert codes(card, Axis.LEDGER) == ([] if code is None else [code])
    assert card.fault is (Fault.NONE if code is None else Fault.LEDGER)
    assert (card.verdict(Axis.RESPONSE).state is State.MASKED) == (code is not None)


def test_who_may_know_a_secret_acts_on_it():
    assert found("No.", Gold(act_only=("secret",))).fault is Fault.NONE
    card = found("No.", Gold(act_only=("fuse",)))
    assert (card.fault, codes(card, Axis.SELECTION)) == (Fault.SELECTION, [Code.MISSING_ENTRY])


@pytest.mark.parametrize(
    ("voice", "count"),
    [
        (VoiceWant(), 0),
        (VoiceWant(says=("the relay fuse", "nothing at all")), 0),
        (VoiceWant(says=("nothing at all",)), 1),
        (VoiceWant(never_says=("Relay",)), 1),
        (VoiceWant(never_says=("rel",)), 0),
        (VoiceWant(least_words=6), 1),
        (VoiceWant(most_words=4), 1),
        (VoiceWant(least_words=5, most_words=5), 0),
    ],
)
def test_how_a_line_should_sound(voice, count):
    card = found("You replaced the relay fuse.", Gold(voice=voice))
    assert codes(card, Axis.VOICE) == [Code.VOICE_BREAK] * count
    assert card.fault is (Fault.VOICE if count else Fault.NONE)


LAMP = "May I borrow the lamp?"


@pytest.mark.parametrize(
    ("text", "wanted", "why"),
    [
        ("No, not yet.", "refused", ""),
        ("No, not yet.", "granted", "the rules have it refused"),
        ("Quiet out there, for once.", "refused", "the line does not say so"),
    ],
)
def test_what_the_rules_should_come_to_and_the_line_should_say(text, wanted, why):
    card = found(text, Gold(gameplay={"lend_lamp": wanted}), line=LAMP)
    assert card.fault is (Fault.GAMEPLAY if why else Fault.NONE)
    assert why in card.evidence
    assert "no rule of the speaker's bears on it" in found(text, Gold(gameplay={"sing": wanted}), line=LAMP).evidence


def test_an_outcome_that_nobody_asked_for_need_not_be_said():
    assert found("You replaced the relay fuse.", Gold(gameplay={"lend_lamp": "refused"})).fault is Fault.NONE


@pytest.mark.parametrize("axis", [Axis.LEDGER, Axis.SELECTION, Axis.RESPONSE, Axis.VOICE, Axis.GAMEPLAY])
def test_a_signal_is_noted_and_fails_and_masks_nothing(axis):
    missed = Gold(
        ledger=(EntryWant(entry_id="sensor", status=str(Status.BROKEN)),), flags=("no_record",),
        reply=(ClaimWant(stance="deny", entry_id="fuse"),), voice=VoiceWant(most_words=1),
        gameplay={"lend_lamp": "granted"}, signals=(axis,),
    )  # fmt: skip
    only = {
        Axis.LEDGER: Gold(ledger=missed.ledger, signals=(axis,)),
        Axis.SELECTION: Gold(flags=missed.flags, signals=(axis,)),
        Axis.RESPONSE: Gold(reply=missed.reply, signals=(axis,)),
        Axis.VOICE: Gold(voice=missed.voice, signals=(axis,)),
        Axis.GAMEPLAY: Gold(gameplay=missed.gameplay, signals=(axis,)),
    }[axis]
    card = found("You replaced the relay fuse.", only)
    assert (card.fault, card.signals, card.verdict(axis).state) == (Fault.NONE, (axis,), State.FAIL)
    assert not [v for v in card.verdicts if v.state is State.MASKED]
    assert found("You replaced the relay fuse.", missed).fault is not Fault.NONE
