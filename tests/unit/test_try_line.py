"""A line that is tried: on a branch, which is dropped where nothing came of it, or here; or refused beforehand."""

import asyncio

import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import (
    ContentError,
    GraphUnavailableError,
    StoreUnavailableError,
    UnknownCharacterError,
)
from ledger_service.domain.events import Died, FellUnconscious, GameEvent, Moved, Utterance
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.worlds import Character
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.events.record_event import record_events
from ledger_service.services.play.meeting import listeners
from ledger_service.services.play.try_line import Attempt, Stage, Tried, try_line
from tests.probing import JUDGING
from tests.speaking import READING, a_stage, the_station

ASKED = "Who replaced the relay fuse?"


class AwayGraph:
    """A graph that is away."""

    def __init__(self) -> None:
        self.dropped: list[str] = []

    async def find_beliefs(self, playthrough_id: str, who: str) -> tuple[()]:  # noqa: ARG002
        raise GraphUnavailableError("away")

    async def drop(self, playthrough_id: str) -> None:
        self.dropped.append(playthrough_id)


class Falls:
    """A speaker whose store goes away in the middle of the line."""

    name = "falls"

    async def reply(self, packet, world):  # noqa: ARG002
        raise StoreUnavailableError("away")


class Playing:
    """The station, and what the audit log would hold."""

    def __init__(self) -> None:
        station = asyncio.run(the_station())
        self.stores, self.id = station.stores, station.playthrough_id
        self.graph = AwayGraph()
        self.audited: list[tuple[str, str]] = []

    def writing(self, action: str, subject: str, **detail: object):  # noqa: ARG002
        self.audited.append((action, subject))
        return self.stores.open_uow

    def record(self, *events: GameEvent) -> None:
        asyncio.run(record_events(self.id, events, open_uow=self.stores.open_uow, embedder=READING.embedder))

    def tries(self, listener: str = "maelin", line: str = ASKED, *, responder=None, **more: object) -> Tried:
        template = TemplateResponder()
        stage = Stage(
            open_uow=self.stores.open_uow, writing=self.writing, responder=responder or template, stand_in=template,
            reading=READING, judging=JUDGING, graph=self.graph,
        )  # fmt: skip
        attempt = Attempt(who="wren", listener=listener, line=line, **more)
        return asyncio.run(try_line(self.id, attempt, stage))

    def events(self, playthrough_id: str | None = None) -> list[GameEvent]:
        async def load() -> list[GameEvent]:
            async with self.stores.open_uow(playthrough_id or self.id) as uow:
                return [e.event for e in await uow.events.load(after_seq=0, limit=500)]

        return asyncio.run(load())

    def playthroughs(self) -> int:
        async def count() -> int:
            async with self.stores.open_uow() as uow:
                return len(await uow.playthroughs.list_all())

        return asyncio.run(count())


@pytest.fixture
def play() -> Playing:
    return Playing()


def said_in(events: list[GameEvent]) -> list[str]:
    return [e.text for e in events if isinstance(e, Utterance)]


def test_on_a_branch_the_playthrough_stays_as_it_is(play: Playing) -> None:
    before = play.events()
    tried = play.tries()
    assert tried.playthrough_id != play.id
    assert play.events() == before
    assert said_in(play.events(tried.playthrough_id))[-2:] == [ASKED, tried.turn.reply.reply.text]
    assert "you replaced the relay fuse" in tried.turn.reply.reply.text.lower()
    assert [action for action, _ in play.audited] == ["branch opened to try a line", "line tried"]


def test_here_the_line_and_its_answer_become_part_of_the_playthrough(play: Playing) -> None:
    tried = play.tries(on_branch=False)
    assert tried.playthrough_id == play.id
    assert said_in(play.events())[-2:] == [ASKED, tried.turn.reply.reply.text]


def test_sent_twice_with_its_key_it_is_said_once(play: Playing) -> None:
    first = play.tries(on_branch=False, key="once")
    again = play.tries(on_branch=False, key="once")
    one, two = first.turn, again.turn
    assert (one.heard_seq, one.packet.packet_id, one.reply) == (two.heard_seq, two.packet.packet_id, two.reply)
    assert said_in(play.events()).count(ASKED) == 1


@pytest.mark.parametrize(
    ("listener", "line", "error", "said"),
    [
        ("maelin", "  \n", ContentError, "blank"), ("maelin", "x" * 100_000, ContentError, "100000 characters"),
        ("maelin", "a\x00b", ContentError, "NUL"), ("nobody", ASKED, UnknownCharacterError, "maelin"),
        ("", ASKED, UnknownCharacterError, "maelin"), (PLAYER, ASKED, UnknownCharacterError, "maelin"),
        ("teo", ASKED, ContentError, "Teo is at the ice field, and you are at the control room"),
    ],
)  # fmt: skip
def test_what_is_refused_is_refused_before_anything_is_written(
    play: Playing, listener: str, line: str, error: type[Exception], said: str
) -> None:
    before, there = play.events(), play.playthroughs()
    for on_branch in (True, False):
        with pytest.raises(error, match=said):
            play.tries(listener, line, on_branch=on_branch)
    assert (play.events(), play.playthroughs(), play.audited) == (before, there, [])


@pytest.mark.parametrize(("event", "fate"), [(Died, "dead"), (FellUnconscious, "unconscious")])
def test_who_cannot_hear_is_named_with_why(play: Playing, event: type[GameEvent], fate: str) -> None:
    play.record(event(who="maelin"))  # type: ignore[call-arg]
    with pytest.raises(ContentError, match=f"Maelin Voss is {fate}, and hears nobody") as refused:
        play.tries()
    assert refused.value.cure is not None


def test_one_may_walk_over_first_and_only_the_branch_has_it(play: Playing) -> None:
    before = play.events()
    tried = play.tries("teo", walks_over=True)
    assert play.events() == before
    walked = [e for e in play.events(tried.playthrough_id) if isinstance(e, Moved)]
    assert [(e.who, e.to) for e in walked][-1] == (PLAYER, "ice_field")
    assert tried.turn.perceived.place == "ice_field"


def test_who_is_here_already_is_not_walked_to(play: Playing) -> None:
    tried = play.tries(walks_over=True)
    assert len([e for e in play.events(tried.playthrough_id) if isinstance(e, Moved)]) == 1


def test_a_branch_on_which_nothing_could_be_said_is_dropped(play: Playing) -> None:
    there = play.playthroughs()
    with pytest.raises(StoreUnavailableError):
        play.tries(responder=Falls())
    assert play.playthroughs() == there
    assert len(play.graph.dropped) == 1


def test_who_is_here_stands_first_and_who_cannot_hear_last() -> None:
    stage = a_stage()
    hound = Character(id="hound", name="the hound", can_testify=False)
    world = replace(stage, cast=(*stage.cast, hound))

    async def state_of():
        station = await the_station()
        async with station.stores.open_uow(station.playthrough_id) as uow:
            return await uow.playthroughs.state(), station.world

    state, station = asyncio.run(state_of())
    found = listeners(replace(state, dead=("supervisor",)), station)
    assert [(one.who, one.is_apart, one.cannot) for one in found] == [
        ("maelin", False, ""), ("teo", True, ""), ("supervisor", True, "dead"),
    ]  # fmt: skip
    assert "hound" not in {one.who for one in listeners(state, world)}
