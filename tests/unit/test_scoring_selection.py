"""Selection validity: the relevant in, secrets, stale things and noise out."""

import msgspec
import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import Flag, FlagKind, Reason, Withheld
from ledger_service.domain.rubric import Code, Gold, State
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import SECRET, Disclosure, DisclosureMode
from ledger_service.scoring.selection_validity import selection_validity
from tests.builders import a_contradiction, a_residue, an_observation, known_by
from tests.speaking import Scene, a_scene

FACT = an_observation(entry_id="f")


def codes(scene: Scene, gold: Gold | None = None) -> list[Code]:
    verdict = selection_validity(scene.packet, ledger=scene.ledger, gold=gold)
    assert (verdict.state is State.FAIL) == bool(verdict.findings)
    return [f.code for f in verdict.findings]


def leaking(entry: LedgerEntry, *amendments: Amendment) -> list[Code]:
    """The packet holds the entry; the ledger says what became of it."""
    scene = a_scene(FACT, line="The relay?")
    ledger = Ledger((entry,), amendments, roster=scene.ledger.roster, at_seq=100)
    return codes(Scene(packet=scene.packet, ledger=ledger, world=scene.world))


def test_a_sound_selection_passes() -> None:
    assert codes(a_scene(FACT, line="The relay?")) == []


def test_what_the_speaker_does_not_know_may_not_be_selected() -> None:
    assert leaking(msgspec.structs.replace(FACT, knowers=known_by("teo"))) == [Code.SECRET_SELECTED]


def test_a_secret_may_not_be_selected() -> None:
    assert leaking(msgspec.structs.replace(FACT, disclosure=SECRET)) == [Code.SECRET_SELECTED]


def test_what_a_listener_must_not_learn_may_not_be_selected() -> None:
    assert leaking(msgspec.structs.replace(FACT, unaware=("player",))) == [Code.SECRET_SELECTED]


def test_what_only_others_may_hear_may_not_be_selected() -> None:
    guarded = Disclosure(mode=DisclosureMode.GUARDED, to=("teo",))
    assert leaking(msgspec.structs.replace(FACT, disclosure=guarded)) == [Code.SECRET_SELECTED]
    named = Disclosure(mode=DisclosureMode.GUARDED, to=("player",))
    assert leaking(msgspec.structs.replace(FACT, disclosure=named)) == []


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.EXPIRED, Status.RETRACTED, Status.SUSPENDED])
def test_what_no_longer_holds_may_not_be_selected(status: Status) -> None:
    ended = Amendment(entry_id="f", status=status, cause_seq=50, at=StoryTime(tick=50))
    assert leaking(FACT, ended) == [Code.STALE_SELECTED]


def test_a_feeling_that_has_lapsed_may_not_be_selected() -> None:
    felt = a_residue(entry_id="r")
    scene = a_scene(felt, line="Are you well?")
    lapsed = Amendment(entry_id="r", status=Status.LAPSED, cause_seq=50, at=StoryTime(tick=50))
    ledger = Ledger((felt,), (lapsed,), roster=scene.ledger.roster, at_seq=100)
    assert codes(Scene(packet=scene.packet, ledger=ledger, world=scene.world)) == [Code.STALE_SELECTED]


def test_a_contradiction_comes_with_all_its_sides() -> None:
    other = an_observation(entry_id="g", statement="the relay is whole")
    scene = a_scene(FACT, other, a_contradiction("f", "g", entry_id="c"), line="The relay?")
    assert codes(scene) == []
    one_sided = scene.changed(selected=tuple(s for s in scene.packet.selected if s.entry_id != "g"))
    assert codes(one_sided) == [Code.MISSING_ENTRY]


def test_an_entry_leaves_the_steps_once() -> None:
    scene = a_scene(FACT, line="The relay?")
    assert codes(scene.changed(withheld=(Withheld(entry_id="f", reason=Reason.OFF_TOPIC),))) == [Code.NOT_REPRODUCIBLE]


def test_gold_names_what_is_missing_and_what_leaked() -> None:
    scene = a_scene(FACT, line="The relay?")
    assert codes(scene, Gold(must_include=("f",))) == []
    assert codes(scene, Gold(must_include=("elsewhere",))) == [Code.MISSING_ENTRY]
    assert codes(scene, Gold(must_exclude={"f": "gate_not_met"})) == [Code.SECRET_SELECTED]
    assert codes(scene, Gold(must_exclude={"f": "superseded"})) == [Code.STALE_SELECTED]
    assert codes(scene, Gold(must_exclude={"f": ""})) == [Code.NOISE_SELECTED]
    assert codes(scene, Gold(must_exclude={"elsewhere": ""})) == []


def test_gold_names_flags_that_are_missing_or_wrong() -> None:
    scene = a_scene(FACT, line="Who painted the lighthouse?")
    assert codes(scene, Gold(flags=("no_record:the_lighthouse",))) == []
    assert codes(scene, Gold(flags=("no_record:the_harbour", "contradiction"))) == [Code.MISSING_FLAG] * 2
    assert codes(scene, Gold(flags_must_exclude=("no_record",))) == [Code.WRONG_FLAG]


def test_a_flag_matches_by_kind_and_by_a_word_or_an_entry() -> None:
    flag = Flag(kind=FlagKind.NO_RECORD, topic="broke lighthouse", entry_ids=("e9",))
    assert flag.meets("no_record")
    assert flag.meets("no_record:lighthouses")
    assert flag.meets("no_record:e9")
    assert not flag.meets("no_record:harbour")
    assert not flag.meets("false_premise:lighthouse")
