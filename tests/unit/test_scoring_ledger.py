"""Ledger validity: source, owner, confidence, expiry and visibility of what was selected."""

import msgspec
import pytest

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, Source, SourceKind, Status
from ledger_service.domain.expiry import AfterScenes, AtTick
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rubric import Axis, Code, State
from ledger_service.domain.story_time import StoryTime
from ledger_service.scoring.ledger_validity import ledger_validity
from tests.builders import a_commitment, a_contradiction, a_hearsay, a_relationship_delta, an_observation, known_by
from tests.speaking import Scene, a_scene


def codes(scene: Scene) -> list[Code]:
    verdict = ledger_validity(scene.packet, world=scene.world, ledger=scene.ledger)
    assert verdict.axis is Axis.LEDGER
    assert (verdict.state is State.FAIL) == bool(verdict.findings)
    return [f.code for f in verdict.findings]


def with_ledger(scene: Scene, *entries: LedgerEntry, amendments: tuple[Amendment, ...] = ()) -> Scene:
    """The packet of a sound ledger beside a ledger that is not: what a fault on the write path looks like."""
    ledger = Ledger(
        entries, amendments, roster=scene.ledger.roster, at_seq=scene.ledger.at_seq, tick=scene.packet.at.tick,
        forgetting=scene.world.forgetting,
    )  # fmt: skip
    return Scene(packet=scene.packet, ledger=ledger, world=scene.world)


HEARSAY = a_hearsay(source=Source(kind=SourceKind.TOLD_BY, by="teo"), teller="teo")
SENSOR = a_commitment(seq=5)


def test_a_sound_ledger_passes() -> None:
    assert codes(a_scene(HEARSAY, SENSOR, an_observation(), line="The relay?")) == []


def test_hearsay_needs_a_teller() -> None:
    bad = msgspec.structs.replace(HEARSAY, teller=None, source=Source(kind=SourceKind.TOLD_BY))
    assert codes(with_ledger(a_scene(HEARSAY, line="The relay?"), bad)) == [Code.BAD_SOURCE]


def test_hearsay_cannot_have_been_witnessed() -> None:
    bad = msgspec.structs.replace(HEARSAY, source=Source(kind=SourceKind.WITNESSED, by="maelin"))
    assert codes(with_ledger(a_scene(HEARSAY, line="The relay?"), bad)) == [Code.BAD_SOURCE]


@pytest.mark.parametrize("quarantined", [True, False])
def test_a_generated_line_is_no_evidence_until_it_is_confirmed(quarantined: bool) -> None:
    fact = an_observation(seq=5)
    line = Source(kind=SourceKind.GENERATED_LINE, by="maelin")
    bad = msgspec.structs.replace(fact, source=line, quarantined=quarantined)
    scene = a_scene(fact, line="The relay?")
    assert codes(with_ledger(scene, bad)) == [Code.BAD_SOURCE]
    confirmed = Amendment(entry_id=fact.entry_id, status=Status.ACTIVE, cause_seq=9, at=StoryTime(tick=9))
    assert codes(with_ledger(scene, bad, amendments=(confirmed,))) == []


def test_a_commitment_is_between_two_people_of_the_cast() -> None:
    scene = a_scene(SENSOR, line="The sensor?")
    assert codes(with_ledger(scene, msgspec.structs.replace(SENSOR, owner="nobody_known"))) == [Code.BAD_OWNER]
    assert codes(with_ledger(scene, msgspec.structs.replace(SENSOR, owner="maelin"))) == [Code.BAD_OWNER]


def test_standing_is_between_two_people() -> None:
    delta = a_relationship_delta()
    bad = msgspec.structs.replace(delta, to="maelin")
    assert codes(with_ledger(a_scene(delta, line="Do you trust me?"), bad)) == [Code.BAD_OWNER]


def test_hearsay_is_no_surer_than_its_tellers_together() -> None:
    first = an_observation(entry_id="t1", confidence=0.4, knowers=known_by("teo", "maelin"))
    second = an_observation(entry_id="t2", confidence=0.5, knowers=known_by("teo", "maelin"))
    one = msgspec.structs.replace(HEARSAY, entry_id="h1", derived_from=("t1",), confidence=0.45)
    both = msgspec.structs.replace(HEARSAY, entry_id="h2", derived_from=("t1", "t2"), confidence=0.7)
    found = [f.entry_ids for f in _findings(a_scene(first, second, one, both, line="The relay?"))]
    assert found == [("h1",)]


def _findings(scene: Scene):
    return ledger_validity(scene.packet, world=scene.world, ledger=scene.ledger).findings


def test_a_players_word_is_never_as_good_as_seen() -> None:
    said = Source(kind=SourceKind.PLAYER_CLAIM, by="player")
    word = a_hearsay(source=said, teller="player", confidence=1.0, at=StoryTime(tick=99))
    assert codes(a_scene(word, line="The relay?")) == [Code.BAD_CONFIDENCE]


def test_confidence_shown_is_confidence_held() -> None:
    fact = an_observation()
    scene = a_scene(fact, line="The relay?")
    assert codes(with_ledger(scene, msgspec.structs.replace(fact, confidence=0.5))) == [Code.BAD_CONFIDENCE]


def test_an_ending_before_its_beginning_is_a_fault() -> None:
    fact = an_observation(seq=5)
    bad = msgspec.structs.replace(fact, expires=AtTick(3))
    assert Code.BAD_EXPIRY in codes(with_ledger(a_scene(fact, line="The relay?"), bad))


def test_an_ending_that_was_not_recorded_is_overdue() -> None:
    ending = an_observation(expires=AtTick(100), seq=5)
    assert codes(a_scene(ending, line="The relay?")) == [Code.OVERDUE]
    assert codes(a_scene(ending, line="The relay?", at=StoryTime(tick=99))) == []
    scenes = an_observation(expires=AfterScenes(2), seq=5)
    assert codes(a_scene(scenes, line="The relay?", at=StoryTime(tick=99, scene=2))) == [Code.OVERDUE]
    ended = Amendment(entry_id=ending.entry_id, status=Status.EXPIRED, cause_seq=50, at=StoryTime(tick=100))
    assert codes(a_scene(ending, line="The relay?", amendments=(ended,))) == []


def test_who_must_not_learn_it_may_not_know_it_through_a_group() -> None:
    fact = an_observation(knowers=known_by("public"))
    bad = msgspec.structs.replace(fact, unaware=("maelin",))
    assert codes(with_ledger(a_scene(fact, line="The relay?"), bad)) == [Code.BAD_VISIBILITY]


def test_what_is_made_of_hidden_entries_may_not_be_known() -> None:
    open_side, hidden = an_observation(entry_id="a"), an_observation(entry_id="b")
    both = a_contradiction("a", "b", entry_id="c")
    scene = a_scene(open_side, hidden, both, line="The relay?")
    unseen = msgspec.structs.replace(hidden, knowers=known_by("teo"))
    assert codes(with_ledger(scene, open_side, unseen, both)) == [Code.BAD_VISIBILITY]


def test_what_was_selected_has_to_be_in_the_ledger() -> None:
    assert codes(with_ledger(a_scene(an_observation(), line="The relay?"))) == [Code.MISSING_ENTRY]
