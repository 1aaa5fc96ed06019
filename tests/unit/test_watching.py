"""A batch watches its open commitments at the cost of what changes, and settles what its events would one by one."""

from collections.abc import Sequence

import pytest

from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import (
    CommitmentBroken,
    CommitmentFulfilled,
    CommitmentMade,
    CommitmentReleased,
    Deed,
    Eased,
    Felt,
    GameEvent,
    Happened,
    RelationshipChanged,
    SceneChanged,
    StateSet,
    TimePassed,
    Utterance,
)
from ledger_service.domain.expiry import AtTick
from ledger_service.services.events import watching
from ledger_service.services.events.record_event import MOST_IN_A_BATCH
from ledger_service.stores.memory_ledger import MemoryLedger
from tests.playing import Play


def a_promise(name: str, when: str, **fields: object) -> CommitmentMade:
    return CommitmentMade(
        owner="player", to="maelin", statement=f"player will see to {name}", name=name, fulfilled_when=when, **fields
    )


WAVE = Deed(actor="brun", statement="brun waves")
DEBT = CommitmentMade(owner="orla", to="maelin", statement="orla will pay", name="debt")
KIND = RelationshipChanged(who="maelin", towards="player", statement="x", scope="honesty", amount=2)
JOY = Felt(who="orla", emotion="joy", statement="orla is glad")
HELLO = Utterance(speaker="maelin", to=("orla",), text="hello")


@pytest.mark.parametrize(
    ("condition", "events"),
    [
        ("state.alarm > 1", [StateSet(state_key="alarm", value=2)]),
        ("tick >= 5", [TimePassed(hours=5)]),
        ("hour == 3", [TimePassed(hours=27)]),
        ("scene >= 2", [SceneChanged(), SceneChanged()]),
        ("turn >= 1", [HELLO]),
        ("happened('storm')", [Happened(name="storm")]),
        ("event.name == 'storm'", [Happened(name="storm")]),
        ("standing('maelin', 'player', 'honesty') >= 2.0", [KIND]),
        ("standing('maelin', 'player', 'honesty') < 1.0 && tick > 8", [KIND, TimePassed(hours=9)]),
        ("felt('orla', 'joy')", [JOY]),
        ("turn > 0 && !felt('orla', 'joy')", [JOY, HELLO, Eased(who="orla", emotion="joy")]),
        ("open('debt')", [DEBT]),
        ("fulfilled('debt')", [DEBT, CommitmentFulfilled(commitment="debt")]),
        ("broken('debt')", [DEBT, CommitmentBroken(commitment="debt")]),
        ("turn > 0 && !open('debt')", [DEBT, HELLO, CommitmentReleased(commitment="debt")]),
        ("knows('brun', 'debt') && tick > 3", [DEBT, TimePassed(hours=4)]),
        ("present.exists(p, open(p)) || state.alarm > 3", [StateSet(state_key="alarm", value=4)]),
        ("fulfilled('first')", [StateSet(state_key="power", value=False)]),
    ],
)
def test_a_condition_holds_in_a_batch_when_it_holds_alone(condition: str, events: list[GameEvent]) -> None:
    story = [a_promise("first", "!state.power"), a_promise("it", condition)]
    for event in events:
        story += [WAVE, event, WAVE]
    told(story)


def told(story: Sequence[GameEvent]) -> Play:
    """Record a story one by one and as one batch, and see that both come to the same."""
    alone, together = Play(), Play()
    for event in story:
        alone.record(event)
    together.record(*story)
    assert together.all() == alone.all()
    assert together.history() == alone.history()
    return together


def test_among_these_conditions_are_such_that_come_to_hold() -> None:
    play = told([a_promise("it", "fulfilled('first')"), a_promise("first", "!state.power"), WAVE,
                 StateSet(state_key="power", value=False), WAVE])  # fmt: skip
    assert {play.status(e) for e in play.all()[0] if isinstance(e, Commitment)} == {Status.FULFILLED}


def test_where_more_are_open_than_are_watched_an_older_one_takes_the_place_of_one_that_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "WATCHED", 3)
    story: list[GameEvent] = [a_promise(f"p{n}", f"state.alarm >= {n}") for n in range(1, 8)]
    story += [StateSet(state_key="alarm", value=n) for n in (1, 7, 7, 7, 7)]
    story[4:4] = [a_promise("brief", "false", expires=AtTick(2)), TimePassed(hours=3)]
    play = told(story)
    kept = {e.name: play.status(e) for e in play.all()[0] if isinstance(e, Commitment)}
    assert kept["brief"] is Status.LAPSED
    assert {kept[f"p{n}"] for n in range(1, 8)} == {Status.FULFILLED}


@pytest.mark.parametrize("condition", ["state.alarm > {n}", "open('x{n}')", "happened('storm') && tick > {n}"])
def test_a_batch_asks_the_store_once_for_what_it_watches_and_each_condition_once(
    condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    asked: list[int] = []
    looked = MemoryLedger.find_open_commitments
    due = watching.Watch.due

    async def find_open_commitments(self: MemoryLedger, *, limit: int = 500) -> list[Commitment]:
        calls.append("find_open_commitments")
        return await looked(self, limit=limit)

    async def load_conditional(self: MemoryLedger, kinds: Sequence[str]) -> object:
        calls.append("load_conditional")
        return (), ()

    async def counted(self: watching.Watch) -> list[Commitment]:
        found = await due(self)
        asked.append(len(found))
        return found

    monkeypatch.setattr(MemoryLedger, "find_open_commitments", find_open_commitments)
    monkeypatch.setattr(MemoryLedger, "load_conditional", load_conditional)
    monkeypatch.setattr(watching.Watch, "due", counted)
    Play().record(*(a_promise(f"p{n}", condition.format(n=n)) for n in range(60)))
    assert calls == ["find_open_commitments"]
    assert sum(asked) == 60


def test_a_batch_larger_than_can_be_written_in_time_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ContentError, match=f"1 to {MOST_IN_A_BATCH} events, not {MOST_IN_A_BATCH + 1}"):
        Play().record(*[WAVE] * (MOST_IN_A_BATCH + 1))
