"""Claims set beside entries."""

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Status
from ledger_service.domain.rubric import Axis
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.worlds import Character, World
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.scoring.heard.alignment import align
from tests.builders import a_slot, an_observation, known_by
from tests.speaking import a_scene, scored

WORLD = World(id="w", title="", cast=(Character(id="orla", name="Orla", aliases=("the smith",)),))
GATE = an_observation(entry_id="gate", statement="Orla mended the north gate", seq=1)
MAST = an_observation(entry_id="mast", statement="it is out of order", slot=a_slot("mast", "is", "cracked"), seq=2)
ENTRIES = (GATE, MAST)


def claims(text: str):
    return PatternClaimReader().read(text, world=WORLD, speaker="maelin", audience=("player",))


def test_words_and_names_align_with_score_and_reason() -> None:
    (found,) = align(claims("Orla mended the north gate.")[0], ENTRIES)
    assert (found.entry_id, found.score) == ("gate", 1.0)
    assert "gate" in found.reason
    assert "orla" in found.reason


def test_a_slot_aligns_where_the_words_of_the_statement_do_not() -> None:
    (found,) = align(claims("The mast is cracked.")[0], ENTRIES)
    assert (found.entry_id, found.reason) == ("mast", "slot is")


def test_meaning_points_where_words_do_not_and_never_above_them() -> None:
    claim = claims("She fixed the way in.")[0]
    assert align(claim, ENTRIES) == ()
    (found,) = align(claim, ENTRIES, nearness={"gate": 810})
    assert (found.score, found.reason) == (0.5, "near in meaning (0.81)")


def test_another_language_aligns_by_its_glosses() -> None:
    (found,) = align(claims("Orla reparó la puerta del norte, te lo digo yo.")[0], ENTRIES)
    assert found.entry_id == "gate"


def test_what_speaks_of_nothing_on_record_aligns_with_nothing() -> None:
    assert align(claims("Fine weather today.")[0], ENTRIES) == ()


def test_findings_carry_the_entries_that_their_words_speak_of_whatever_became_of_them() -> None:
    old = an_observation(entry_id="old", statement="the north gate is locked", seq=1, knowers=known_by("maelin"))
    new = an_observation(entry_id="new", statement="Teo unlocked the north gate", seq=3, knowers=known_by("maelin"))
    vault = an_observation(entry_id="vault", statement="the north gate hides a vault", seq=2, knowers=known_by("brun"))
    gone = Amendment(entry_id="old", cause_seq=3, at=StoryTime(tick=3), status=Status.SUPERSEDED, by=("new",))
    scene = a_scene(old, new, vault, amendments=[gone], line="Can I go out by the north gate?")
    (finding,) = scored(scene, "No. The north gate is locked.").verdict(Axis.RESPONSE).findings
    assert {a.entry_id for a in finding.aligned} == {"old", "new", "vault"}
    assert finding.aligned[0].score >= finding.aligned[-1].score > 0
    assert all(a.reason for a in finding.aligned)
