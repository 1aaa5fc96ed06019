"""Opinions: praise less blame, over the stories about somebody that somebody holds now."""

import pytest

from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.opinions import Opinion, opinion_in
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import Knower, Membership, Roster
from ledger_service.domain.worlds import Ladder
from tests.builders import a_hearsay, a_world, an_observation, known_by

THEFT = Ladder(id="theft", rungs=("took an apple", "robbed the stall"), weights=(-0.2, -0.5), subject="player")
RESCUE = Ladder(id="rescue", rungs=("helped a child", "saved the village"), weights=(0.4, 0.8))
WORLD = a_world(ladders=(THEFT, RESCUE))


def a_theft(**more: object) -> LedgerEntry:
    given = {"entry_id": "e1", "statement": "took an apple", "subject": "player", "ladder": "theft"}
    return an_observation(**(given | more))


def heard(rung: int = 2, confidence: float = 0.6, **more: object) -> LedgerEntry:
    given = {"entry_id": "e2", "statement": THEFT.wording(rung), "severity": rung, "confidence": confidence,
             "subject": "player", "ladder": "theft", "origin": "e0", "seq": 2}  # fmt: skip
    return a_hearsay(**(given | more))


def opinion(*entries: LedgerEntry, who: str = "maelin", amendments: tuple[Amendment, ...] = (), tick: int = 5,
            stays: tuple[Membership, ...] = (), **more: object) -> Opinion:  # fmt: skip
    ledger = Ledger(
        entries, amendments, roster=Roster(memberships=stays), at_seq=99, tick=tick, forgetting=WORLD.forgetting
    )  # fmt: skip
    return opinion_in(ledger, who, "player", world=WORLD, **more)  # type: ignore[arg-type]


def believed(confidence: float, *, entry_id: str = "e2", seq: int = 5) -> Amendment:
    belief = Belief(who="maelin", confidence=confidence, independent=confidence, reinforced_at=2)
    return Amendment(
        entry_id=entry_id, status=Status.ACTIVE, cause_seq=seq, at=StoryTime(tick=seq), belief=belief
    )  # fmt: skip


def test_without_a_story_there_is_no_opinion_either_way():
    assert opinion() == Opinion(who="maelin", about="player")


def test_what_was_seen_counts_whole_and_what_was_heard_as_far_as_it_is_believed():
    assert opinion(a_theft()).value == -0.2
    assert opinion(heard()).value == -0.3


def test_each_further_story_adds_less_and_praise_is_set_against_blame():
    rescue = a_theft(entry_id="e3", statement="helped a child", ladder="rescue")
    found = opinion(a_theft(), heard(), rescue)
    assert (found.blame, found.praise, found.value) == (0.44, 0.4, -0.04)


def test_evidence_is_listed_strongest_first_with_what_it_would_make_alone():
    found = opinion(a_theft(), heard(), a_theft(entry_id="e3", statement="helped a child", ladder="rescue"))
    assert [(e.entry_id, e.weight, e.confidence, e.contribution) for e in found.evidence] == [
        ("e3", 0.4, 1.0, 0.4), ("e2", -0.5, 0.6, -0.3), ("e1", -0.2, 1.0, -0.2),
    ]  # fmt: skip


def test_a_correction_lowers_what_is_held_and_with_it_the_blame():
    assert opinion(heard(), amendments=(believed(0.1),)).value == -0.05


def test_what_has_faded_weighs_less():
    assert opinion(heard(), tick=24 * 10).value > opinion(heard()).value > -0.31


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.RETRACTED, Status.SUSPENDED, Status.QUARANTINED])
def test_what_no_longer_stands_counts_for_nothing(status):
    gone = Amendment(entry_id="e1", status=status, cause_seq=5, at=StoryTime(tick=5))
    assert opinion(a_theft(), amendments=(gone,)).value == 0.0


def test_who_was_not_told_that_a_story_is_over_still_believes_it():
    gone = Amendment(entry_id="e1", status=Status.SUPERSEDED, cause_seq=5, at=StoryTime(), knowers=("orla",))
    both = a_theft(knowers=known_by("maelin", "orla"))
    assert opinion(both, amendments=(gone,)).value == -0.2
    assert opinion(both, amendments=(gone,), who="orla").value == 0.0


@pytest.mark.parametrize(
    "other", [{"ladder": None}, {"subject": "orla"}, {"knowers": known_by("orla")}, {"unaware": ("maelin",),
              "knowers": known_by("public")}, {"ladder": "unknown"}, {"said_by": "orla"}, {"quarantined": True}],
)  # fmt: skip
def test_stories_of_no_bearing_are_left_out(other):
    assert opinion(a_theft(**other)).value == 0.0


def test_two_versions_of_one_story_count_once_the_one_at_first_hand():
    own = a_theft(entry_id="e0")
    found = opinion(own, heard(seq=1))
    assert [e.entry_id for e in found.evidence] == ["e0"]


def test_a_group_a_member_and_everybody_share_what_they_know_and_a_knowers_own_confidence_counts():
    told = a_theft(knowers=(Knower(who="group:crew", confidence=0.5),))
    stay = Membership(group="group:crew", who="maelin")
    assert opinion(told, stays=(stay,)).value == -0.1
    assert opinion(a_theft(knowers=known_by("public"))).value == -0.2


def test_of_others_one_can_tell_only_what_one_knows_that_they_know():
    secret, shared = a_theft(knowers=known_by("orla")), heard(knowers=known_by("maelin", "orla"))
    assert opinion(secret, shared, who="orla").value == -0.44
    assert opinion(secret, shared, who="orla", viewer="maelin").value == -0.3


def test_who_is_known_by_two_names_is_judged_by_the_stories_of_both():
    masked = heard(subject="the stranger", origin="e9", entry_id="e9")
    assert opinion(a_theft(), masked, names=("player", "the stranger")).value == -0.44
    assert opinion(a_theft(), masked, names=("the stranger",)).value == -0.3


def test_the_wording_decides_the_rung_and_a_wording_of_its_own_keeps_its_severity():
    assert opinion(a_theft(statement="robbed the stall")).value == -0.5
    assert opinion(heard(1, statement="helped themselves", severity=2)).value == -0.3


def test_only_the_newest_stories_count_as_in_a_packet():
    many = [a_theft(entry_id=f"e{n:02}", seq=n) for n in range(1, 31)]
    assert len(opinion(*many).evidence) == 24
