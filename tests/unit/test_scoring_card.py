"""The scorecard: masking, and the stage at fault."""

import msgspec

from ledger_service.domain.entries import Source, SourceKind
from ledger_service.domain.expiry import AtTick
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rubric import Axis, Code, Fault, Gold, State
from ledger_service.domain.visibility import SECRET
from tests.builders import a_commitment, a_hearsay, an_observation
from tests.speaking import Scene, a_scene, a_stage, scored, voiced

SENSOR = a_commitment(entry_id="sensor", statement="player will return the missing sensor", seq=5)
OVERDUE = an_observation(entry_id="old", expires=AtTick(50))


def states(card) -> dict[str, str]:
    return {str(v.axis): str(v.state) for v in card.verdicts}


def test_the_five_axes_come_in_order_and_the_responder_is_named() -> None:
    card = scored(a_scene(SENSOR, line="The sensor?"), "You said you would return the missing sensor.")
    assert [v.axis for v in card.verdicts] == list(Axis)
    assert (card.passed, card.fault, card.evidence, card.responder) == (True, Fault.NONE, "", "test")


def test_an_invalid_ledger_fails_the_line_however_good_it_reads() -> None:
    card = scored(a_scene(SENSOR, OVERDUE, line="The sensor?"), "You said you would return the missing sensor.")
    assert card.fault is Fault.LEDGER
    assert states(card) == {
        "ledger_validity": "fail", "selection_validity": "masked", "response_validity": "masked",
        "voice_continuity": "masked", "gameplay_validity": "masked",
    }  # fmt: skip
    assert card.verdict(Axis.RESPONSE).why == "ledger_validity failed"


def test_what_a_masked_axis_found_stays_visible() -> None:
    card = scored(a_scene(SENSOR, OVERDUE, line="I brought the sensor back."), "So you did.")
    response = card.verdict(Axis.RESPONSE)
    assert response.state is State.MASKED
    assert [f.code for f in response.findings] == [Code.FALSE_COMPLETION_ACCEPTED]


def test_a_wrong_selection_masks_what_follows() -> None:
    card = scored(a_scene(SENSOR, line="Hm."), "Quiet.", gold=Gold(must_include=("elsewhere",)))
    assert (card.fault, states(card)["response_validity"]) == (Fault.SELECTION, "masked")
    assert "elsewhere" in card.evidence


def test_a_bad_line_masks_neither_voice_nor_gameplay() -> None:
    world = voiced(a_stage(), "maelin", taboo=("darling",))
    scene = a_scene(SENSOR, line="I brought the sensor back, so lend me the lamp.", world=world)
    card = scored(scene, "So you did, darling. Take it.")
    assert card.fault is Fault.GENERATION
    assert [states(card)[a] for a in ("response_validity", "voice_continuity", "gameplay_validity")] == ["fail"] * 3
    assert "false completion accepted" in card.evidence


def test_flat_or_foreign_prose_alone_is_the_voice() -> None:
    world = voiced(a_stage(), "maelin", taboo=("darling",))
    assert scored(a_scene(line="Hm.", world=world), "Quiet, darling.").fault is Fault.VOICE


def test_a_wrong_outcome_comes_before_the_voice() -> None:
    world = voiced(a_stage(), "maelin", taboo=("darling",))
    card = scored(a_scene(line="Lend me the lamp.", world=world), "Here you are, darling.")
    assert card.fault is Fault.GAMEPLAY


def test_a_packet_that_is_not_the_one_that_was_sealed_is_the_harness() -> None:
    scene = a_scene(SENSOR, line="Hm.")
    tampered = Scene(
        packet=msgspec.structs.replace(scene.packet, line="Other."), ledger=scene.ledger, world=scene.world
    )
    assert scored(tampered, "Quiet.").fault is Fault.HARNESS
    later = Scene(
        packet=scene.packet, ledger=Ledger((SENSOR,), roster=scene.ledger.roster, at_seq=200), world=scene.world
    )
    assert scored(later, "Quiet.").fault is Fault.HARNESS


def test_a_probe_that_wants_the_impossible_is_its_own_fault() -> None:
    gold = Gold(must_include=("sensor",), must_exclude={"sensor": ""})
    card = scored(a_scene(SENSOR, line="Hm."), "Quiet.", gold=gold)
    assert (card.fault, "both in and out" in card.evidence) == (Fault.PROBE_DEFECT, True)


def test_a_leak_is_shown_with_its_words_and_its_entry() -> None:
    secret = an_observation(entry_id="transfer", statement="maelin filed for a transfer home", disclosure=SECRET)
    card = scored(a_scene(secret, line="Hm."), "I filed for a transfer.")
    assert card.fault is Fault.GENERATION
    assert "“I filed for a transfer.”" in card.evidence
    assert "(transfer)" in card.evidence


def test_hearsay_without_a_teller_is_the_ledger_before_anything_else() -> None:
    bad = a_hearsay(teller=None, source=Source(kind=SourceKind.TOLD_BY), statement="the sensor lies in the crater")
    assert scored(a_scene(bad, line="Hm."), "The sensor lies in the crater.").fault is Fault.LEDGER
