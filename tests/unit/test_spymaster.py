"""The spymaster: plans that come out as promised, and named errors for what cannot be planned."""

import asyncio
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import ContentError, UnknownCharacterError, UnknownPlaythroughError
from ledger_service.domain.events import Deed, Died, EventReceipt, FellUnconscious, HourPassed, Moved, Told
from ledger_service.domain.worlds import Character, Ladder, World
from ledger_service.rumours.influence import network_of
from ledger_service.rumours.spymaster import Believed, Means, Plan, Story, openings, praise_of
from ledger_service.services.events.record_event import record_events
from ledger_service.services.influence import rehearse_story
from ledger_service.services.influence.advise_spymaster import MOST_EFFORT, Advice, advise_spymaster
from ledger_service.stores.rehearsal import rehearse
from tests.playing import Play
from tests.villages import RUNGS, a_village, somebody, worked

GOOD = Ladder(id="rescue", rungs=("the player helped", "the player saved the harvest"), weights=(0.3, 0.6))


def advise(play: Play, target: str = "ilsa", story: Story | None = None, *, effort: int = MOST_EFFORT) -> Advice:
    return asyncio.run(
        advise_spymaster(
            play.playthrough_id, target, open_uow=play.stores.open_uow, rehearse=rehearse, story=story, effort=effort
        )
    )  # fmt: skip


def begun(world: World | None = None, **more: int) -> Play:
    """The theft has been seen at seven."""
    play = Play(world or worked(), seed=5)
    play.record(Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player"))
    return play


def held(play: Play, who: str, origin: str) -> list[LedgerEntry]:
    entries = play.ledger().entries.values()
    return [e for e in entries if e.root == origin and any(k.who == who for k in e.knowers)]


def assert_comes_out(play: Play, plan: Plan, target: str) -> None:
    """Do as a plan says, and find what it promised: not an hour earlier, and exactly as sure."""
    for _ in range(plan.wait_hours):
        play.record(HourPassed())
    assert play.state().at.tick == plan.tick
    origin = play.left_by(plan.event)[0].entry_id
    for _ in range(plan.then_hours):
        assert held(play, target, origin) == []
        play.record(HourPassed())
    (belief,) = held(play, target, origin)
    assert (play.state().at.tick, belief.confidence, belief.statement) == (
        plan.reaches_at, plan.confidence, plan.wording,
    )  # fmt: skip
    by = {(t.teller, t.listener): t.offered_millionths / 1e6 for t in play.tellings() if t.origin == origin}
    assert {(h.teller, h.listener): h.offered for h in plan.hops}.items() <= by.items()


def test_whom_the_target_trusts_most_and_where_they_are_found() -> None:
    advice = advise(begun())
    assert advice.trusts == (Believed(who="bertha", trust=0.75, place="well", tick=9),)
    assert advice.summary == "Ilsa trusts Bertha most, 0.75; Bertha is at well at 09:00 on day 1."


def test_plans_say_what_to_do_where_and_when_and_what_comes_of_it() -> None:
    first, *_ = advise(begun()).plans
    assert (first.means, first.place, first.hour, first.to) == (Means.DEED, "well", 9, ("bertha", "pip"))
    assert [(h.teller, h.listener, h.trust, h.place, h.tick) for h in first.hops] == [
        ("bertha", "ilsa", 0.75, "gate", 11)
    ]
    assert (first.wait_hours, first.then_hours, first.confidence) == (2, 2, 0.675)
    assert first.sentence == (
        "Be seen doing good by Bertha and Pip at well at 09:00 on day 1, one hop away: Bertha tells Ilsa (0.75) at gate"
        " at 11:00. Ilsa believes it from 11:00 on day 1, 0.68."
    )


def test_there_are_deeds_and_whispers_the_surest_first_and_not_all_through_one() -> None:
    plans = advise(begun()).plans
    assert len(plans) == 3
    assert {p.means for p in plans} == {Means.DEED, Means.WHISPER}
    assert [p.confidence for p in plans] == sorted((p.confidence for p in plans), reverse=True)
    assert len({p.hops[0].teller for p in plans}) > 1


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_plan_comes_out_exactly_as_promised(number: int) -> None:
    play = begun()
    assert_comes_out(play, advise(play).plans[number], "ilsa")


def test_a_whisper_to_who_is_two_hops_away_is_worth_what_is_left_of_a_claim() -> None:
    cast = (
        somebody("pip", ("market", 9), ("inn", 10)),
        somebody("bertha", ("inn", 10), ("inn", 11)),
        somebody("ilsa", ("inn", 10), ("inn", 11)),
    )
    play = Play(a_village(cast, {("bertha", "pip"): 0.8, ("ilsa", "bertha"): 0.75}))
    plan = next(p for p in advise(play).plans if p.means is Means.WHISPER)
    assert (plan.to, plan.place, plan.hour) == (("pip",), "market", 9)
    assert [h.trust for h in plan.hops] == [0.8, 0.75]
    assert plan.confidence == pytest.approx(0.3 * 0.8 * 0.9 * 0.75 * 0.9, abs=2e-6)
    assert "Whisper to Pip at market at 09:00 on day 1, 2 hops away" in plan.sentence
    assert_comes_out(play, plan, "ilsa")


def test_what_is_told_is_the_worlds_mildest_praise_unless_something_else_is_wanted() -> None:
    world = msgspec.structs.replace(worked(), ladders=(*worked().ladders, GOOD))
    assert praise_of(world) == Story(statement="the player helped", ladder="rescue")
    assert praise_of(worked()) == Story(statement="the player did something good")
    play = begun(world)
    plan = advise(play).plans[0]
    assert plan.wording == "the player saved the harvest"
    told = advise(play, story=Story(statement="the player sang")).plans
    assert {p.wording for p in told} == {"the player sang"}
    assert {e.statement for p in told if isinstance(e := p.event, Deed | Told)} == {"the player sang"}


def test_a_sceptic_is_reached_when_the_second_teller_comes() -> None:
    cast = (
        somebody("bertha", ("inn", 8), ("well", 9), ("well", 10)),
        somebody("pip", ("inn", 8), ("well", 10)),
        somebody("mira", ("well", 9), ("well", 10), sceptic=2),
    )
    world = a_village(cast, {("mira", "bertha"): 0.5, ("mira", "pip"): 0.5})
    play = Play(world)
    plan = advise(play, "mira").plans[0]
    assert plan.reaches_at == 10
    assert plan.confidence == pytest.approx(1 - 0.55**2)
    assert ([h.teller for h in plan.hops], plan.also) == (["bertha"], ("pip",))
    assert "Bertha tells Mira (0.50) at well at 09:00, and so does Pip. Mira believes it from 10:00" in plan.sentence
    assert_comes_out(play, plan, "mira")


def test_who_is_merely_at_home_is_called_upon_only_where_nobody_else_can_help() -> None:
    assert all(not p.place.startswith("home") for p in advise(begun()).plans)
    cast = (somebody("bertha"), somebody("ilsa"))
    together = tuple(msgspec.structs.replace(c, home="inn") for c in cast)
    play = Play(a_village(together, {("ilsa", "bertha"): 0.9}))
    assert advise(play).plans == ()
    play = Play(a_village((cast[0], msgspec.structs.replace(cast[1], home="gate")), {("ilsa", "bertha"): 0.9}))
    play.record(Moved(who="ilsa", to="gate"))
    assert advise(play).plans == ()


def test_the_dead_and_the_unconscious_help_nobody() -> None:
    play = begun()
    play.record(Died(who="bertha"))
    advice = advise(play)
    assert advice.plans == ()
    assert advice.summary == (
        "Ilsa trusts Bertha most, 0.75. Nothing that is begun within a day reaches Ilsa within two more."
    )
    other = begun()
    other.record(FellUnconscious(who="pip"))
    assert all("pip" not in p.to for p in advise(other).plans)


def test_whom_nobody_reaches_is_said_to_trust_nobody() -> None:
    advice = advise(begun(), "tomas")
    assert (advice.plans, advice.trusts) == ((), ())
    assert advice.summary == "Tomas trusts nobody, so that nothing reaches them."


def test_a_rehearsal_leaves_nothing_behind() -> None:
    play = begun()
    before = play.all(), play.state(), play.tellings()
    advise(play)
    assert (play.all(), play.state(), play.tellings()) == before
    assert advise(play) == advise(play)


def test_a_branch_is_planned_from_where_it_stands() -> None:
    play = begun()
    branch = play.fork()
    play.record(HourPassed())
    branch.record(Died(who="tomas"))
    plan = advise(branch).plans[0]
    assert "tomas" not in plan.to
    assert_comes_out(branch, plan, "ilsa")


@pytest.mark.parametrize("target", ["nobody", "player", ""])
def test_a_target_outside_the_cast_is_a_named_error(target: str) -> None:
    with pytest.raises(UnknownCharacterError, match="target"):
        advise(begun(), target)


def test_who_can_be_told_nothing_is_a_named_error() -> None:
    dog = Character(id="rex", name="Rex", can_testify=False)
    play = begun(msgspec.structs.replace(worked(), cast=(*worked().cast, dog)))
    with pytest.raises(ContentError, match="cannot testify"):
        advise(play, "rex")
    play.record(FellUnconscious(who="bertha"), Died(who="ilsa"))
    for who, fate in (("bertha", "unconscious"), ("ilsa", "dead")):
        with pytest.raises(ContentError, match=fate):
            advise(play, who)


def test_an_unknown_playthrough_or_ladder_is_a_named_error() -> None:
    play = begun()
    with pytest.raises(ContentError, match="no ladder"):
        advise(play, story=Story(statement="x", ladder="none"))
    play.playthrough_id = "none"
    with pytest.raises(UnknownPlaythroughError):
        advise(play)


def test_a_ledger_too_large_to_copy_is_a_named_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearse_story, "AT_ONCE", 1)
    monkeypatch.setattr(rehearse_story, "MOST_ENTRIES", 1)
    play = begun()
    for number in range(3):
        play.record(Deed(actor="pip", statement=f"pip counts {number}", witnesses=("pip",)))
    with pytest.raises(ContentError, match="too many"):
        advise(play)


def full_of_news(stories: int) -> Play:
    """Everybody knows something that nobody has told yet."""
    play = begun()
    names = [c.id for c in worked().cast]
    play.record(*(
        Deed(actor="player", statement=f"the player counts to {n}", witnesses=(names[n % len(names)],))
        for n in range(stories)
    ))  # fmt: skip
    return play


@pytest.fixture
def rehearsed_ticks(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each hour was rehearsed."""
    ticks: Counter[int] = Counter()

    async def counted(*args: Any, **more: Any) -> tuple[EventReceipt, ...]:
        receipts = await record_events(*args, **more)
        ticks.update(r.at.tick for r in receipts)
        return receipts

    monkeypatch.setattr(rehearse_story, "record_events", counted)
    return ticks


def test_hours_of_waiting_are_rehearsed_once_for_all_openings(rehearsed_ticks: Counter[int]) -> None:
    cast = (somebody("pip", ("inn", 15)), somebody("bertha", ("inn", 15), ("gate", 16)), somebody("ilsa", ("gate", 16)))
    play = Play(a_village(cast, {("ilsa", "bertha"): 0.75, ("bertha", "pip"): 0.8}))
    play.record(Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=("pip",)))
    advice = advise(play)
    assert advice.openings == advice.rehearsed > 1
    assert {p.tick for p in advice.plans} == {15}
    assert [rehearsed_ticks[tick] for tick in range(8, 15)] == [1] * 7


def test_with_much_on_record_no_more_is_rehearsed_than_the_effort_allows_and_plans_still_come_out(
    rehearsed_ticks: Counter[int],
) -> None:
    play = full_of_news(40)
    whole = advise(play)
    assert whole.openings == whole.rehearsed
    usual = rehearsed_ticks.total()
    rehearsed_ticks.clear()
    some = advise(play, effort=len(play.all()[0]) * 12)
    assert 0 < some.rehearsed < some.openings == whole.openings
    assert rehearsed_ticks.total() <= 12 + some.openings < usual
    assert f"Of {some.openings} openings {some.rehearsed} were played through" in some.summary
    assert some.plans
    for plan in some.plans:
        assert_comes_out(play.fork(), plan, "ilsa")


def test_where_no_effort_is_left_for_any_opening_the_advice_says_so() -> None:
    advice = advise(full_of_news(10), effort=3)
    assert (advice.plans, advice.rehearsed) == ((), 0)
    assert f"Of {advice.openings} openings 0 were played through" in advice.summary
    assert "Nothing that is begun" not in advice.summary


def test_openings_are_moments_at_which_the_target_is_elsewhere() -> None:
    presence = {
        1: {"inn": ["ilsa", "pip"], "well": ["bertha"]},
        2: {"inn": ["bertha", "ilsa"]},
        3: {"well": ["bertha"]},
    }
    found = openings("ilsa", presence, network_of(worked()))
    assert [(o.means, o.tick, o.place, o.to) for o in found] == [
        (Means.DEED, 1, "well", ("bertha",)), (Means.WHISPER, 1, "well", ("bertha",)),
    ]  # fmt: skip


PLACES = ("market", "well", "inn", "gate")


@st.composite
def villages(draw: st.DrawFn) -> World:
    people = [f"c{n}" for n in range(draw(st.integers(3, 6)))]
    cast = tuple(
        somebody(
            who,
            *((draw(st.sampled_from(PLACES)), hour) for hour in draw(st.sets(st.integers(0, 23), max_size=8))),
            sure=draw(st.booleans()),
            sceptic=draw(st.sampled_from((1, 1, 2))),
        )
        for who in people
    )
    pairs = [(a, b) for a in people for b in people if a != b]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=2))
    levels = st.sampled_from((0.2, 0.5, 0.8, 1.0))
    return a_village(cast, {pair: draw(levels) for pair in chosen})


@settings(max_examples=40)
@given(villages(), st.integers(0, 3), st.integers(0, 30))
def test_in_any_village_every_plan_comes_out_as_promised(world: World, seed: int, hours: int) -> None:
    play = Play(world, seed=seed)
    crime = Deed(actor="player", statement=RUNGS[0], place="market", witnesses=("c1", "c2"), ladder="theft")
    play.record(crime, *(HourPassed() for _ in range(hours)))
    for plan in advise(play, "c0").plans:
        assert_comes_out(play.fork(), plan, "c0")
