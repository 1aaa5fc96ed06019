"""What holds of stories that were put right or withdrawn, however often and by whomever they are told again."""

from collections.abc import Sequence
from enum import StrEnum

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ledger_service.domain.entries import Hearsay, LedgerEntry
from ledger_service.domain.events import Corrected, Deed, HourPassed, Told
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.ledger import LIVE
from ledger_service.domain.rumours import TellingOutcome
from ledger_service.domain.worlds import Corroboration, Gossip, World
from tests.playing import Play
from tests.property.test_gossip import DAWN, NAMES, Village, thorough, villages
from tests.villages import RUNGS, a_village, somebody

TELLERS = NAMES[:4]
LISTENER = "fin"
BITS = 1e-9


class Step(StrEnum):
    STORY = "story"
    CORRECTION = "correction"
    WITHDRAWN = "withdrawn"
    """The listener learns that what they were told does not stand."""


Steps = Sequence[tuple[Step, CharacterId]]
told = st.tuples(st.sampled_from([Step.STORY, Step.STORY, Step.CORRECTION]), st.sampled_from(TELLERS))
steps = st.lists(told, min_size=2, max_size=8)


def listening(way: Corroboration) -> World:
    trust = {(LISTENER, who): 0.4 + i / 10 for i, who in enumerate(TELLERS)}
    return a_village(tuple(somebody(who) for who in (*TELLERS, LISTENER)), trust, gossip=Gossip(corroboration=way))


class Listening:
    """One listener, four who saw the theft and that it was paid for, and what each telling comes to."""

    def __init__(self, way: Corroboration) -> None:
        self.play = Play(listening(way))
        (self.theft,) = self.play.left_by(Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=TELLERS))
        paid = Deed(
            tick=7, actor="player", statement="the player paid", witnesses=TELLERS, corrects=self.theft.entry_id
        )
        (self.right,) = self.play.left_by(paid)

    def take(self, step: Step, teller: CharacterId) -> TellingOutcome | None:
        if step is Step.WITHDRAWN:
            held = self.held(self.theft)
            if held is not None:
                self.play.record(Corrected(entry_id=held.entry_id, reason="it was never so"))
            return None
        entry = self.right if step is Step.CORRECTION else self.theft
        self.play.record(Told(teller=teller, listener=LISTENER, entry_id=entry.entry_id, statement=entry.statement))
        return max(self.play.tellings(), key=lambda t: t.seq).outcome

    def held(self, story: LedgerEntry) -> LedgerEntry | None:
        ledger = self.play.ledger()
        mine = [e for e in ledger.entries.values() if isinstance(e, Hearsay) and e.root == story.entry_id]
        live = [e for e in mine if ledger.status_of(e, viewer=LISTENER) in LIVE]
        assert len(mine) <= 1
        return live[0] if live else None

    def sure(self, story: LedgerEntry) -> float:
        held = self.held(story)
        return 0.0 if held is None else held.confidence


class Taken(Struct, frozen=True, kw_only=True):
    """How sure the listener was of the story and of its correction, around one step."""

    outcome: TellingOutcome | None
    before: tuple[float, float]
    after: tuple[float, float]


def taken(way: Corroboration, order: Steps) -> list[Taken]:
    listening = Listening(way)
    found = []
    for step, teller in order:
        before = (listening.sure(listening.theft), listening.sure(listening.right))
        outcome = listening.take(step, teller)
        after = (listening.sure(listening.theft), listening.sure(listening.right))
        found.append(Taken(outcome=outcome, before=before, after=after))
    return found


@thorough
@given(steps, st.sampled_from(list(Corroboration)))
def test_a_second_meeting_with_the_same_teller_changes_nothing_also_of_what_was_put_right(
    order: Steps, way: Corroboration
) -> None:
    met: set[tuple[Step, CharacterId]] = set()
    for step, was in zip(order, taken(way, order), strict=True):
        if step in met:
            assert was.outcome is TellingOutcome.UNCHANGED
            assert was.after == was.before
        met.add(step)


@thorough
@given(steps, st.sampled_from(list(Corroboration)))
def test_a_correction_lowers_and_another_teller_never_lifts_a_story_above_what_it_leaves(
    order: Steps, way: Corroboration
) -> None:
    uncorrected = iter(taken(way, [s for s in order if s[0] is Step.STORY]))
    support = 0.0
    for (step, _), was in zip(order, taken(way, order), strict=True):
        support = next(uncorrected).after[0] if step is Step.STORY else support
        story, correction = was.after
        if step is Step.CORRECTION:
            assert story <= was.before[0] + BITS
        assert story <= support * (1 - correction) + 2e-6


@thorough
@given(steps, st.integers(1, 7), steps, st.sampled_from(list(Corroboration)))
def test_what_somebody_knows_not_to_stand_nobody_makes_them_believe_anew(
    before: Steps, again: int, after: Steps, way: Corroboration
) -> None:
    first = (Step.STORY, TELLERS[again % len(TELLERS)])
    order = [first, *before, (Step.WITHDRAWN, LISTENER), *after]
    for (step, _), was in list(zip(order, taken(way, order), strict=True))[len(before) + 2 :]:
        assert was.after[0] == 0.0
        if step is Step.STORY:
            assert was.outcome is TellingOutcome.UNCHANGED


@thorough
@given(villages(), st.integers(1, 4))
def test_in_no_village_does_a_withdrawn_rumour_come_back_by_talk(village: Village, after: int) -> None:
    play = Play(village.world, seed=village.seed)
    theft = Deed(tick=DAWN - 1, actor="player", statement=RUNGS[0], witnesses=village.thieved_before, ladder="theft")
    (seen,) = play.left_by(theft)
    play.record(*[HourPassed()] * after)
    copies = [e for e in play.ledger().entries.values() if isinstance(e, Hearsay)]
    for copy in copies[::2]:
        play.record(Corrected(entry_id=copy.entry_id, reason="it was never so"))
    receipts = play.record(*[HourPassed()] * 8)
    ledger = play.ledger()
    for copy in copies[::2]:
        holder = copy.knowers[0].who
        mine = [e for e in ledger.entries.values() if e.root == seen.entry_id and e.knowers[0].who == holder]
        assert [e.entry_id for e in mine if isinstance(e, Hearsay)] == [copy.entry_id]
        talked = [t for r in receipts for t in r.tellings if t.origin == seen.entry_id]
        assert holder not in {who for t in talked for who in (t.teller, t.listener)}
