"""What holds of every history: nothing changes in place, and recording does what the pure steps say."""

import asyncio
import contextlib
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.conditions import Scope
from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    RelationshipDelta,
    Status,
)
from ledger_service.domain.errors import LedgerError
from ledger_service.domain.events import (
    Confirmed,
    ContradictionResolved,
    Corrected,
    Deed,
    Felt,
    GameEvent,
    Happened,
    RelationshipChanged,
    SceneChanged,
    TimePassed,
    Utterance,
    event_kind,
)
from ledger_service.domain.expiry import AfterScenes, AfterTurns, AtTick, Expiry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.ledger import Ledger, find_all
from ledger_service.domain.rumours import TellingOutcome
from ledger_service.reconcile.contradict import contradict
from ledger_service.reconcile.expire import expire
from ledger_service.reconcile.settle import settle
from ledger_service.recording.chain import check_chain
from ledger_service.recording.presence import witnesses_of
from ledger_service.services.events.story_state import story_state
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough
from tests.playing import Play
from tests.property.played import CAST, After, by_condition, by_time, caused, played, steps, thorough
from tests.strategies import WORLD, disputing, histories, promising


@thorough
@given(histories)
def test_the_ledger_at_any_past_event_is_the_ledger_as_it_was(history: list[GameEvent]) -> None:
    play, seen = played(history)

    async def look_back() -> list[After]:
        found = []
        async with play.stores.open_uow(play.playthrough_id) as uow:
            for after in seen:
                entries, amendments = await uow.ledger.load_all(at_seq=after.state.seq)
                state = await story_state(uow, at_seq=after.state.seq)
                found.append(After(event=after.event, state=state, entries=entries, amendments=amendments))
        return found

    for then, now in zip(seen, asyncio.run(look_back()), strict=True):
        assert now == then
        assert now.statuses() == then.statuses()


@thorough
@given(histories)
def test_what_was_written_is_never_changed_or_taken_away(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for earlier, later in pairwise(seen):
        for was, now in ((_entries(earlier), _entries(later)), (_amendments(earlier), _amendments(later))):
            assert {key: now.get(key) for key in was} == was
            assert all(seq == later.state.seq for _, seq, _ in now.keys() - was.keys())


def _entries(after: After) -> dict[tuple[EntryId, int, str], object]:
    return {(e.entry_id, e.seq, ""): e for e in after.entries}


def _amendments(after: After) -> dict[tuple[EntryId, int, str], object]:
    return {(a.entry_id, a.cause_seq, a.status): a for a in after.amendments}


@thorough
@given(histories)
def test_nobody_who_must_not_learn_it_ever_knows(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for after in seen:
        for entry in after.entries:
            assert set(entry.unaware).isdisjoint(k.who for k in entry.knowers)
            assert all(after.ledger.knower_of(entry, who) is None for who in entry.unaware)


@thorough
@given(histories)
def test_a_contradiction_is_known_only_to_who_can_see_both_its_sides(history: list[GameEvent]) -> None:
    _, seen = played(history)
    assume(seen)
    ledger = seen[-1].ledger
    for entry in ledger.entries.values():
        if isinstance(entry, Contradiction) and entry.source.event_seq == entry.seq and entry.disputed is not None:
            for who in ("player", *(c.id for c in WORLD.cast)):
                then = Ledger(ledger.entries.values(), (), roster=ledger.roster, at_seq=entry.seq)
                if then.knower_of(entry, who) is not None:
                    assert all(then.knows(who, member) for member in entry.members)


@thorough
@given(histories)
def test_recording_ends_exactly_what_the_pure_step_ends_over_the_whole_ledger(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for before, after in steps(seen):
        fresh = [e for e in after.entries if e.seq == after.state.seq]
        earlier = before.amendments if before else ()
        others = [a for a in caused(after) if not by_time(a)]
        recorded = [a for a in caused(after) if by_time(a)]
        everything = (*(before.entries if before else ()), *fresh)
        ledger = Ledger(
            everything, (*earlier, *_before_ending(others)), roster=after.state.roster, at_seq=after.state.seq
        )
        pure = expire(
            everything, ledger, now=after.state.at, seq=after.state.seq, occurrences=after.state.occurrences
        )  # fmt: skip
        assert sorted(recorded, key=str) == sorted(pure, key=str)


def _before_ending(amendments: Sequence[Amendment]) -> list[Amendment]:
    """What an event changes by itself comes before what it ends; what a condition settles comes after."""
    return [a for a in amendments if not by_condition(a)]


@thorough
@given(promising)
def test_recording_settles_exactly_what_the_pure_step_settles_over_the_whole_ledger(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for _, after in steps(seen):
        before_settling = [a for a in after.amendments if a.cause_seq < after.state.seq or not by_condition(a)]
        ledger = Ledger(after.entries, before_settling, roster=after.state.roster, at_seq=after.state.seq)
        pure = settle(
            find_all(after.entries, Commitment), ledger, scope=_everything_known(ledger, after),
            seq=after.state.seq, at=after.state.at, witnesses=witnesses_of(after.event, after.state, WORLD),
        )  # fmt: skip
        recorded = [a for a in caused(after) if by_condition(a)]
        assert sorted(recorded, key=str) == sorted(pure, key=str)


def _everything_known(ledger: Ledger, after: After) -> Scope:
    """Return what conditions see, spelt out over every entry instead of those that a store finds for them."""
    event, state, everything = after.event, after.state, ledger.entries.values()

    def named(name: str, status: Status) -> bool:
        return any(c.name == name and ledger.status_of(c) is status for c in find_all(everything, Commitment))

    def amounts(a: str, b: str, scope: str) -> list[float]:
        deltas = find_all(everything, RelationshipDelta, lambda d: (d.from_whom, d.to, d.scope) == (a, b, scope))
        return [d.amount for d in deltas if ledger.status_of(d) is Status.ACTIVE]

    fields = {**event.fields, "name": event.name} if isinstance(event, Happened) else {"name": event_kind(event)}
    variables = {
        "state": {**WORLD.state, **state.values}, "event": fields, "scene": state.at.scene, "tick": state.at.tick,
        "turn": state.at.turn, "hour": state.at.tick % 24,
    }  # fmt: skip
    return Scope(variables, {
        "standing": lambda a, b, scope: float(sum(amounts(a, b, scope))),
        "knows": lambda who, name: any(ledger.knows(who, c.entry_id) for c in find_all(everything, Commitment)
                                       if c.name == name),
        "open": lambda name: named(name, Status.OPEN),
        "fulfilled": lambda name: named(name, Status.FULFILLED),
        "broken": lambda name: named(name, Status.BROKEN),
        "happened": lambda name: any(o.name == name for o in state.occurrences),
        "felt": lambda who, emotion: any(
            r.holder == who and r.emotion == emotion and ledger.status_of(r) is Status.FELT
            for r in find_all(everything, EmotionalResidue)
        ),
    })  # fmt: skip


@thorough
@given(histories)
def test_an_entry_is_amended_once_for_each_cause_and_kind(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for after in seen:
        keys = [(a.entry_id, a.cause_seq, a.status) for a in after.amendments]
        assert len(keys) == len(set(keys))
        assert all(1 <= a.cause_seq <= after.state.seq for a in after.amendments)


@thorough
@given(disputing | histories)
def test_a_contradiction_stays_open_until_somebody_settles_it_and_keeps_both_its_sides(
    history: list[GameEvent],
) -> None:
    _, seen = played(history)
    for before, after in steps(seen):
        disputes = [e for e in after.entries if isinstance(e, Contradiction) and e.disputed is not None]
        for dispute in disputes:
            assert {m for m in dispute.members if m in after.ledger.entries} == set(dispute.members)
            if dispute.seq == after.state.seq:
                assert after.ledger.status_of(dispute) is Status.UNRESOLVED
                lost = {a.entry_id for a in caused(after) if set(a.by) & set(dispute.members)}
                assert lost.isdisjoint(dispute.members), "never newest wins"
            elif before is not None and before.ledger.status_of(dispute) is Status.UNRESOLVED:
                is_settled = dispute.entry_id in _named_by(after.event)
                assert is_settled or after.ledger.status_of(dispute) is Status.UNRESOLVED
                knew = [who for who in CAST if before.ledger.knows(who, dispute.entry_id)]
                assert all(after.ledger.knows(who, dispute.entry_id) for who in knew), "and visible"


def _named_by(event: GameEvent) -> set[EntryId]:
    """Return the entry that a game event or a person decides on."""
    match event:
        case ContradictionResolved(contradiction=entry_id) | Corrected(entry_id=entry_id):
            return {entry_id}
        case _:
            return set()


@thorough
@given(histories)
def test_recording_holds_against_each_other_exactly_what_the_pure_step_does(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for before, after in steps(seen):
        fresh = [e for e in after.entries if e.seq == after.state.seq and not isinstance(e, Contradiction)]
        if isinstance(after.event, Confirmed):
            fresh = [e for e in after.entries if e.entry_id == after.event.entry_id]
        named = [a for a in after.amendments if a.cause_seq == after.state.seq and a.status is not Status.SUPERSEDED]
        replaced = {old for e in fresh for old in e.supersedes}
        own = [a for a in after.amendments if a.cause_seq == after.state.seq and a.entry_id in replaced]
        older = before.entries if before else ()
        ledger = Ledger(
            (*older, *fresh), (*(before.amendments if before else ()), *named, *own), roster=after.state.roster,
            at_seq=after.state.seq,
        )  # fmt: skip
        pure = contradict(
            sorted(fresh, key=_order(after)), older, ledger, predicates=WORLD.predicates, seq=after.state.seq
        )
        made = [e for e in after.entries if e.seq == after.state.seq and isinstance(e, Contradiction) and e.disputed]
        assert {frozenset(e.members) for e in made} == {
            frozenset({c.older.entry_id, c.newer.entry_id}) for c in pure.clashes
        }
        updates = {a.entry_id for a in pure.amendments}
        recorded = {a.entry_id for a in after.amendments if a.cause_seq == after.state.seq and a.by} - replaced
        losers = recorded if type(after.event).__name__ != "ContradictionResolved" else updates
        assert losers == updates - replaced


def _order(after: After):  # type: ignore[no-untyped-def]
    places = {e.entry_id: i for i, e in enumerate(after.entries)}
    return lambda e: places[e.entry_id]


@thorough
@given(histories)
def test_the_same_events_leave_the_same_ids_and_hashes_anywhere(history: list[GameEvent]) -> None:
    play, seen = played(history)
    other = Play(WORLD)
    for after in seen:
        other.record(after.event)
    assert other.history() == play.history()
    assert other.all() == play.all()
    assert other.tellings() == play.tellings()
    assert check_chain(play.history()) == play.state().head


@thorough
@given(histories)
def test_a_story_never_comes_back_to_whom_it_came_through(history: list[GameEvent]) -> None:
    play, _ = played(history)
    behind: dict[EntryId, set[EntryId]] = {}
    tellers: dict[EntryId, set[str]] = {}
    for telling in play.tellings():
        if telling.outcome is TellingOutcome.ECHO or telling.to_entry is None:
            continue
        above = {telling.from_entry, *behind.get(telling.from_entry, ())}
        assert telling.to_entry not in above, "provenance would be a circle"
        if telling.outcome is TellingOutcome.BELIEVED:
            assert telling.listener not in tellers.get(telling.from_entry, set())
        behind.setdefault(telling.to_entry, set()).update(above)
        tellers.setdefault(telling.to_entry, set()).update({telling.teller, *tellers.get(telling.from_entry, ())})


@thorough
@given(histories, st.data())
def test_a_branch_and_an_import_are_the_same_story(history: list[GameEvent], data: st.DataObject) -> None:
    play, seen = played(history)
    assume(seen)
    at_seq = data.draw(st.integers(0, len(seen)))
    branch = play.fork(at_seq=at_seq)
    for after in seen[at_seq:]:
        branch.record(after.event)
    assert (branch.history(), branch.all(), branch.state()) == (play.history(), play.all(), play.state())
    document = asyncio.run(export_playthrough(branch.playthrough_id, open_uow=branch.stores.open_uow))
    elsewhere = Play()
    made = asyncio.run(
        import_playthrough(document, open_uow=elsewhere.stores.open_uow, embedder=elsewhere.embedder)
    )  # fmt: skip
    there = Play(stores=elsewhere.stores, playthrough_id=made.playthrough_id)
    assert (there.history(), there.all(), there.state()) == (play.history(), play.all(), play.state())


pastimes = st.lists(st.sampled_from(["hour", "scene", "line"]), max_size=12)
simple = st.one_of(
    st.builds(AtTick, st.integers(1, 8)),
    st.builds(AfterScenes, st.integers(1, 4)),
    st.builds(AfterTurns, st.integers(1, 4)),
)


@thorough
@given(simple, pastimes)
def test_an_ending_comes_at_its_very_moment_and_not_before(ending: Expiry, taken: list[str]) -> None:
    play = Play(WORLD)
    made = [
        Deed(actor="maelin", statement="the lamp is lit", expires=ending),
        Felt(who="maelin", emotion="joy", statement="joy", expires=ending),
        RelationshipChanged(who="maelin", towards="orla", statement="x", scope="s", amount=1, expires=ending),
    ]
    ids = [r.entries[0].entry_id for r in play.record(*made)]
    counted = {"hour": 0, "scene": 0, "line": 0}
    for step in taken:
        counted[step] += 1
        play.record(_step(step))
        match ending:
            case AtTick(tick=n):
                over = counted["hour"] >= n
            case AfterScenes(scenes=n):
                over = counted["scene"] >= n
            case AfterTurns(turns=n):
                over = counted["line"] >= n
            case _:
                raise AssertionError(ending)
        ended = [Status.EXPIRED, Status.LAPSED, Status.ENDED]
        assert [play.status(i) for i in ids] == (ended if over else [Status.ACTIVE, Status.FELT, Status.ACTIVE])


def _step(step: str) -> GameEvent:
    match step:
        case "hour":
            return TimePassed(hours=1)
        case "scene":
            return SceneChanged()
        case _:
            return Utterance(speaker="player", to=("maelin",), text="hm")


@thorough
@given(histories)
def test_a_batch_comes_to_the_same_as_its_events_one_by_one(history: list[GameEvent]) -> None:
    alone = Play(WORLD)
    taken = []
    for event in history:
        with contextlib.suppress(LedgerError):
            alone.record(event)
            taken.append(event)
    together = Play(WORLD)
    if taken:
        together.record(*taken)
    assert together.history() == alone.history()
    assert together.all() == alone.all()
    assert together.tellings() == alone.tellings()
