"""The boards' words: how near a commitment is to being broken, how much is left of a feeling, what settles what."""

import pytest

from ledger_service.domain.entries import Status
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import Confirmed, ContradictionResolved, Reviewed
from ledger_service.domain.expiry import AfterScenes, AfterTurns, AnyOf, AtTick, OnEvent
from ledger_service.domain.playthroughs import Occurrence, Playthrough
from ledger_service.domain.story_time import StoryTime
from ledger_service.ports import Listed
from ledger_service.services.gossip.explain_belief import naming_of
from ledger_service.services.reviewing.keep_boards import (
    Settling,
    confirmation_of,
    drop_of,
    fading,
    resolution_of,
    risk_of,
)
from ledger_service.services.reviewing.standpoint import Standpoint
from ledger_service.web.console.reports import in_markdown
from tests.builders import a_commitment, a_residue, a_state, a_world


def here(**state) -> Standpoint:
    stands = a_state(**{"seq": 9, "at": StoryTime(tick=40, scene=3, turn=8), **state})
    playthrough = Playthrough(playthrough_id="p", world_id="station", world_version="v", opening_world="v")
    listed = Listed(playthrough=playthrough, opened_no=1, seq=9, at=stands.at, branches=0)
    world = a_world()
    return Standpoint(
        listed=listed, state=stands, world=world, naming=naming_of(world), seq=9, at=stands.at, saves=()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("commitment", "level", "said"),
    [
        ({"due": 39}, 3, "overdue since day 2, 15:00"),
        ({"due": 40}, 3, "overdue since day 2, 16:00"),
        ({"due": 41}, 1, "due in 1 hour"),
        ({"due": 64}, 1, "due in 24 hours"),
        ({"due": 65}, 0, "not yet due"),
        ({"trigger": "storm"}, 2, "due since event 5"),
        ({"trigger": "storm", "seq": 6}, 0, "not yet due"),
        ({"trigger": "dawn"}, 0, "not yet due"),
        ({}, 0, "nothing says when it is due"),
        ({"fulfilled_when": "true"}, 0, "not yet due"),
    ],
)
def test_a_commitment_says_how_near_it_is_to_being_broken(commitment, level, said):
    entry = a_commitment(**{"trigger": None, "due": None, "fulfilled_when": "", "seq": 2, **commitment})
    risk = risk_of(entry, here(occurrences=(Occurrence(name="storm", seq=5),)))
    assert (risk.level, risk.said) == (level, said)


@pytest.mark.parametrize(
    ("expires", "said"),
    [
        (AtTick(45), "it fades after 5 more hours"),
        (AtTick(2), "it fades after 0 more hours"),
        (AfterScenes(3), "it fades after 1 more scene"),
        (AfterTurns(9), "it fades after 2 more turns"),
        (OnEvent("the_thaw"), "it fades with the thaw"),
        (AnyOf((OnEvent("the_thaw"), AtTick(42))), "it fades after 2 more hours"),
    ],
)
def test_a_feeling_says_how_much_is_left_of_it(expires, said):
    assert fading(a_residue(at=StoryTime(tick=30, scene=1, turn=1), expires=expires), here()) == said


def test_what_does_not_fade_by_itself_says_nothing():
    assert fading(a_residue(), here()) == ""


def test_what_a_person_decides_is_an_event_that_names_them_and_why():
    given = Settling(entry_id="c", who="wren", reason=" seen it ", winner="a")
    assert resolution_of(given) == ContradictionResolved(contradiction="c", winner="a", reason="seen it", author="wren")
    assert confirmation_of(given) == Confirmed(entry_id="c", reason="seen it", author="wren")
    assert drop_of(given) == Reviewed(entry_id="c", outcome=Status.RETRACTED, reason="seen it", author="wren")


@pytest.mark.parametrize("make", [resolution_of, confirmation_of, drop_of])
def test_nothing_is_decided_without_a_reason(make):
    with pytest.raises(ContentError, match="reason"):
        make(Settling(entry_id="c", who="wren", reason=" \n"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- a list", "\\- a list"), ("1. first", "1\\. first"), ("# head", "\\# head"), ("a\n\n## b", "a \\#\\# b"),
        ("![x](http://e.org)", "\\!\\[x\\]\\(http://e.org\\)"),
        ("a | b", "a \\| b"), ("<img src=x>", "\\<img src=x\\>"),
    ],
)  # fmt: skip
def test_markdown_shows_a_text_as_it_is(text, shown):
    assert in_markdown(text) == shown
