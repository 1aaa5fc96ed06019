"""Turns: heard, perceived, decided by rules, spoken from the packet, remembered; once for each key, on every store."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from ledger_service.domain.entries import Observation
from ledger_service.domain.errors import (
    ContentError,
    DuplicateKeyError,
    EmptyScopeError,
    UnknownCharacterError,
    UnknownPlaythroughError,
)
from ledger_service.domain.events import Deed, FellUnconscious, GameEvent, HourPassed, Moved, Utterance
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import Action, Rule, World
from ledger_service.ports import OpenUnitOfWork, Responder, RumourGraph
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import mirror_once
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.replies.score_reply import Judging
from ledger_service.services.replies.take_turn import Turn, TurnRequest, take_turn
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph, graph_name
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.speaking import READING, NoMeanings
from tests.villages import RUNGS, a_village, somebody

pytestmark = [pytest.mark.anyio, pytest.mark.falkordb]
PLAYED = "turns-test"
JUDGING = Judging(claim_reader=PatternClaimReader(), embedder=NoMeanings())
ASKED = "What do you know about the apples? May I pass the gate?"
Stores = MemoryStores | PostgresStores


@pytest.fixture
async def client(client: GraphClient) -> AsyncIterator[GraphClient]:
    yield client
    await client.drop(graph_name(PLAYED))


def the_gate() -> World:
    cast = (somebody("ilsa", ("gate", 8), ("gate", 9)), somebody("bertha", ("gate", 8)), somebody("pip", ("inn", 8)))
    return msgspec.structs.replace(
        a_village(cast, {("ilsa", "bertha"): 0.75}),
        actions=(Action(id="pass_gate", name="pass the gate", words=("pass the gate",), by=("ilsa",)),),
        rules=(
            Rule(id="name", action="pass_gate", grant_when="opinion('ilsa') > -0.3", because="the watch remembers"),
        ),
    )


async def begin(stores: Stores, graph: FalkorRumourGraph) -> None:
    """Ilsa has seen a robbery, Bertha a song, and at eight the two and the player are at the gate."""
    await graph.drop(PLAYED)
    version = await add_world(the_gate(), open_uow=stores.open_uow)
    await open_playthrough(version, open_uow=stores.open_uow, playthrough_id=PLAYED)
    events: list[GameEvent] = [
        Deed(tick=7, actor="player", statement=RUNGS[2], witnesses=("ilsa",), ladder="theft", subject="player"),
        Deed(tick=7, actor="player", statement="the player sang", witnesses=("bertha",)),
        Moved(who="player", to="gate"),
        HourPassed(),
    ]
    await record_events(PLAYED, events, open_uow=stores.open_uow, embedder=NoMeanings())
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)


async def taken(
    stores: Stores, graph: RumourGraph, request: TurnRequest, *, responder: Responder | None = None
) -> Turn:
    template = TemplateResponder()
    return await take_turn(
        PLAYED, request, responder=responder or template, stand_in=template, open_uow=stores.open_uow,
        reading=READING, judging=JUDGING, graph=graph,
    )  # fmt: skip


async def history(open_uow: OpenUnitOfWork) -> list[GameEvent]:
    async with open_uow(PLAYED) as uow:
        return [e.event for e in await uow.events.load(limit=100)]


def what_came_of(turn: Turn) -> tuple[object, ...]:
    return (turn.at, turn.heard_seq, turn.packet.packet_id, turn.packet.packet.hash, turn.reply)


class Blabs:
    """Says what no packet holds."""

    name = "blabs"

    async def reply(self, packet: ContextPacket, world: World) -> Reply:  # noqa: ARG002  (a responder's shape)
        return Reply(text="Ask Pip, he has the key of the well.", responder=self.name)


async def test_a_turn_is_heard_perceived_decided_spoken_and_remembered(
    record: Stores, graph: FalkorRumourGraph
) -> None:
    await begin(record, graph)
    turn = await taken(record, graph, TurnRequest(speaker="ilsa", line=ASKED, action="pass_gate"))
    assert (turn.perceived.place, set(turn.perceived.present)) == ("gate", {"bertha", "player"})
    assert turn.perceived.store == "graph"
    said = {s.entry_id: s.statement for s in turn.packet.packet.selected}
    assert next(said[e] for e in turn.perceived.stories) == RUNGS[2]
    (decided,) = [c for c in turn.packet.packet.consequences if c.action == "pass_gate"]
    assert (decided.outcome, decided.because) == ("refused", "the watch remembers")
    assert turn.reply.reply.responder == "template"
    assert turn.reply.reply.text
    assert turn.reply.scorecard is not None
    heard, answered = [e for e in await history(record.open_uow) if isinstance(e, Utterance)]
    assert (heard.speaker, heard.text, turn.heard_seq) == ("player", ASKED, 5)
    assert (answered.speaker, answered.text, set(answered.to)) == ("ilsa", turn.reply.reply.text, {"player", "bertha"})
    async with record.open_uow(PLAYED) as uow:
        entries, _ = await uow.ledger.load_all()
    knowers = {
        (e.said_by, k.who) for e in entries if isinstance(e, Observation) and e.said_by for k in e.knowers
    }  # fmt: skip
    assert {("player", "ilsa"), ("player", "bertha"), ("ilsa", "bertha")} <= knowers
    assert "pip" not in {who for _, who in knowers}


async def test_a_line_with_a_key_is_said_and_answered_once(record: Stores, graph: FalkorRumourGraph) -> None:
    await begin(record, graph)
    asked = TurnRequest(speaker="ilsa", line=ASKED, key="first")
    first = await taken(record, graph, asked)
    before = await history(record.open_uow)
    assert what_came_of(await taken(record, graph, asked)) == what_came_of(first)
    assert await history(record.open_uow) == before
    with pytest.raises(DuplicateKeyError):
        await taken(record, graph, TurnRequest(speaker="ilsa", line="Good day.", key="first"))
    second = await taken(record, graph, TurnRequest(speaker="ilsa", line=ASKED, key="second"))
    assert second.packet.packet_id != first.packet.packet_id


async def test_what_a_model_says_beyond_its_packet_is_not_said(record: Stores, graph: FalkorRumourGraph) -> None:
    await begin(record, graph)
    turn = await taken(record, graph, TurnRequest(speaker="ilsa", line=ASKED), responder=Blabs())
    assert turn.reply.reply.responder == "template"
    assert "blabs spoke of" in turn.reply.reply.note
    assert all("key of the well" not in str(e) for e in await history(record.open_uow))


async def test_with_the_graph_away_the_record_says_the_same(record: Stores, graph: FalkorRumourGraph) -> None:
    await begin(record, graph)
    away = FalkorRumourGraph(GraphClient("redis://127.0.0.1:1"))
    there = await taken(record, graph, TurnRequest(speaker="ilsa", line=ASKED, key="one"))
    gone = await taken(record, away, TurnRequest(speaker="ilsa", line=ASKED, key="one"))
    assert gone.perceived.store == "record"
    assert set(gone.perceived.stories) == set(there.perceived.stories)
    assert what_came_of(gone) == what_came_of(there)


async def test_a_speaker_may_begin_and_a_game_may_say_who_listens(record: Stores, graph: FalkorRumourGraph) -> None:
    await begin(record, graph)
    begun = await taken(record, graph, TurnRequest(speaker="ilsa"))
    assert begun.heard_seq is None
    assert begun.packet.packet.line == ""
    alone = await taken(record, graph, TurnRequest(speaker="ilsa", line=ASKED, audience=("player",)))
    assert alone.packet.packet.audience == ("player",)
    heard, answered = [e for e in await history(record.open_uow) if isinstance(e, Utterance)][-2:]
    assert (heard.to, answered.to) == (("ilsa",), ("player",))
    told = await taken(record, graph, TurnRequest(speaker="ilsa", line=ASKED, audience=("player", "pip")))
    heard = [e for e in await history(record.open_uow) if isinstance(e, Utterance)][-2]
    assert (heard.to, told.packet.packet.audience) == (("ilsa", "pip"), ("player", "pip"))


@pytest.mark.parametrize(
    ("request_", "error", "said"),
    [
        (TurnRequest(speaker="nobody", line="Hello?"), UnknownCharacterError, "nobody"),
        (TurnRequest(speaker="ilsa", line="  "), ContentError, "blank"),
        (TurnRequest(speaker="pip", line="Hello?"), ContentError, "pip is unconscious"),
        (TurnRequest(speaker="ilsa", line="Hello?", audience=()), EmptyScopeError, "audience"),
        (TurnRequest(speaker="player", line="hi"), ContentError, "speaker: the player speaks by `line`"),
        (TurnRequest(speaker="ilsa", line="\u200b\u202e"), ContentError, "line: is blank"),
        (TurnRequest(speaker="ilsa", line="Hello?", action="fly"), ContentError, "no action"),
        (TurnRequest(speaker="ilsa", line="x" * 100_000), ContentError, "line|text"),
    ],
)
async def test_a_turn_that_cannot_be_is_a_named_error_and_nothing_is_said(
    record: Stores, graph: FalkorRumourGraph, request_: TurnRequest, error: type[Exception], said: str
) -> None:
    await begin(record, graph)
    await record_events(PLAYED, [FellUnconscious(who="pip")], open_uow=record.open_uow)
    before = await history(record.open_uow)
    with pytest.raises(error, match=said):
        await taken(record, graph, request_)
    assert await history(record.open_uow) == before


async def test_a_turn_in_a_playthrough_that_is_not_there_is_refused(record: Stores, graph: FalkorRumourGraph) -> None:
    with pytest.raises(UnknownPlaythroughError):
        await taken(record, graph, TurnRequest(speaker="ilsa"))
