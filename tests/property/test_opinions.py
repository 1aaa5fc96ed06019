"""What holds of every opinion: within its bounds, the same in any order, and moved only the way a story points."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.opinions import Weighed, opinion_from
from ledger_service.domain.visibility import Roster
from ledger_service.domain.worlds import Action, Ladder, Rule
from tests.builders import a_hearsay, a_world, an_observation, known_by
from tests.conftest import RULE_EXAMPLES
from tests.packets import a_packet, amended

shares = st.floats(0, 1, allow_nan=False).map(lambda n: round(n, 6))
weights = st.floats(-1, 1, allow_nan=False).map(lambda n: round(n, 6))
stories = st.lists(
    st.builds(Weighed, entry_id=st.integers(0, 99).map("e{}".format), weight=weights, confidence=shares), max_size=12
)
LADDER = Ladder(id="talk", rungs=("a", "b", "c"), weights=(-0.4, 0.3, -0.9))
WORLD = a_world(
    ladders=(LADDER,),
    actions=(Action(id="pass", name="pass the gate", words=("pass",)),),
    rules=(
        Rule(
            id="gate", action="pass", grant_when="opinion(speaker) > -0.3 && opinion('orla', 'tovi') < 0.5",
            factor="1.0 - opinion(speaker)", because="she knows what she knows", would_change="she hears better",
        ),
    ),
)  # fmt: skip
PEOPLE = ("maelin", "orla", "tovi", "player")


def value(held: list[Weighed]) -> float:
    return opinion_from("ilsa", "player", held).value


@settings(max_examples=RULE_EXAMPLES)
@given(held=stories)
def test_an_opinion_stays_between_minus_one_and_one_and_so_do_its_sides(held: list[Weighed]) -> None:
    found = opinion_from("ilsa", "player", held)
    assert -1 <= found.value <= 1
    assert 0 <= found.praise <= 1
    assert 0 <= found.blame <= 1
    assert [abs(e.contribution) for e in found.evidence] == sorted(
        (abs(e.contribution) for e in found.evidence), reverse=True
    )


@given(held=stories, data=st.data())
def test_the_order_in_which_stories_came_does_not_matter(held: list[Weighed], data: st.DataObject) -> None:
    assert value(data.draw(st.permutations(held))) == value(held)


@settings(max_examples=RULE_EXAMPLES)
@given(held=stories, weight=weights, confidence=shares)
def test_one_more_story_moves_an_opinion_only_the_way_it_points(
    held: list[Weighed], weight: float, confidence: float
) -> None:
    more = value([*held, Weighed(entry_id="new", weight=weight, confidence=confidence)]) - value(held)
    assert more >= -1e-6 if weight >= 0 else more <= 1e-6


@settings(max_examples=RULE_EXAMPLES)
@given(held=stories.filter(bool), lower=shares)
def test_being_less_sure_of_a_story_never_makes_it_count_for_more(held: list[Weighed], lower: float) -> None:
    first = held[0]
    less = msgspec.structs.replace(first, confidence=min(first.confidence, lower))
    moved = value([less, *held[1:]]) - value(held)
    assert moved <= 1e-6 if first.weight >= 0 else moved >= -1e-6


@st.composite
def told(draw: st.DrawFn) -> tuple[list[LedgerEntry], list[Amendment]]:
    entries, amendments = [], []
    for n in range(draw(st.integers(1, 10))):
        make = draw(st.sampled_from((an_observation, a_hearsay)))
        knowers = draw(st.lists(st.sampled_from((*PEOPLE, "public")), min_size=1, max_size=3, unique=True))
        entry = make(
            entry_id=f"e{n}", seq=n + 1, statement=draw(st.sampled_from((*LADDER.rungs, "d"))), ladder="talk",
            subject=draw(st.sampled_from(PEOPLE)), knowers=known_by(*knowers), confidence=draw(shares),
            origin=draw(st.none() | st.just("e0")),
        )  # fmt: skip
        entries.append(entry)
        if draw(st.booleans()):
            by = draw(st.lists(st.sampled_from([e.entry_id for e in entries]), max_size=1))
            knows = draw(st.none() | st.lists(st.sampled_from(PEOPLE), max_size=2).map(tuple))
            amendments.append(
                amended(entry, Status.SUPERSEDED, by=tuple(b for b in by if b != entry.entry_id), knowers=knows)
            )
    return entries, amendments


@settings(max_examples=RULE_EXAMPLES)
@given(ledger=told(), speaker=st.sampled_from(PEOPLE[:3]))
def test_deleting_stories_that_the_speaker_does_not_know_changes_no_consequence(
    ledger: tuple[list[LedgerEntry], list[Amendment]], speaker: str
) -> None:
    entries, amendments = ledger
    seen = Ledger(entries, amendments, roster=Roster(), at_seq=100)
    visible = [e for e in entries if seen.knows(speaker, e.entry_id)]
    moment = {"speaker": speaker, "audience": ("player",), "line": "May I pass?"}
    whole = a_packet(entries, amendments=amendments, world=WORLD, memberships=(), **moment)
    bare = a_packet(visible, amendments=amendments, world=WORLD, memberships=(), **moment)
    assert whole.consequences == bare.consequences
    assert whole.prompt == bare.prompt
    named = {e.entry_id for c in whole.consequences for o in c.opinions for e in o.evidence}
    assert named <= {e.entry_id for e in visible}
