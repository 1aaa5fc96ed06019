"""Opinions, customs and notices on every store of the record: one story, byte for byte, and the same packets."""

import msgspec
import pytest

from ledger_service.domain.events import Deed, GameEvent, Happened, HourPassed, Moved, Told
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.worlds import Action, Custom, DeclaredEvent, Ladder, Notice, Rule, World
from ledger_service.ports import OpenUnitOfWork
from ledger_service.readers.line_reader import PatternLineReader
from ledger_service.responders.prompt import JinjaPrompt
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.explain_opinion import explain_opinion
from ledger_service.services.gossip.mirror_rumours import mirror_once, verify_mirror
from ledger_service.services.packets.build_packet import PacketRequest, Reading, build_packet
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough, open_playthrough
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import PlainEmbedder
from tests.villages import RUNGS, a_village, somebody

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
EMBEDDER = PlainEmbedder()
READING = Reading(reader=PatternLineReader(), embedder=EMBEDDER, renderer=JinjaPrompt())
Stores = MemoryStores | PostgresStores

ROBBED = Deed(
    actor="player", statement=RUNGS[2], witnesses=("ilsa",), ladder="theft", place="market", key="theft"
)  # fmt: skip
GIFT = Happened(
    name="gift", actor="player", target="ilsa", statement="the player gave Ilsa a ham", witnesses=("ilsa", "pip")
)
HISTORY: tuple[GameEvent, ...] = (ROBBED, GIFT, *(HourPassed() for _ in range(6)), Happened(name="pardon"))


def the_world() -> World:
    cast = (
        somebody("ilsa", ("gate", 9)), somebody("odo", ("gate", 3), ("inn", 4)), somebody("pip", ("inn", 4)),
        somebody("mira", ("gate", 5)),
    )  # fmt: skip
    world = a_village(
        cast,
        {("pip", "odo"): 0.9},
        events=(DeclaredEvent(name="pardon"), DeclaredEvent(name="gift")),
        actions=(Action(id="pass_gate", name="pass the gate", words=("let me through",), by=("ilsa",)),),
        rules=(
            Rule(
                id="gate", action="pass_gate", grant_when="opinion('ilsa') > -0.3", factor="1.0 - opinion('ilsa')",
                because="of what is told", would_change="it is put right",
            ),
        ),
        customs=(
            Custom(
                id="bribe", event="gift", when="opinion(witness, event.actor) <= -0.3",
                reads_as="{actor} offered {target} a bribe", ladder="theft",
            ),
        ),
        notices=(
            Notice(
                id="wanted", place="gate", by="ilsa", ladder="theft", rung=3, post_when="opinion('ilsa') <= -0.3",
                remove_when="happened('pardon')",
            ),
        ),
    )  # fmt: skip
    theft: Ladder = msgspec.structs.replace(world.ladders[0], subject="player")
    return msgspec.structs.replace(world, ladders=(theft,))


async def play(open_uow: OpenUnitOfWork, *, at_once: bool) -> str:
    version = await add_world(the_world(), open_uow=open_uow)
    played = (await open_playthrough(version, open_uow=open_uow, seed=7)).playthrough_id
    batches = [HISTORY] if at_once else [(event,) for event in HISTORY]
    for batch in batches:
        await record_events(played, batch, open_uow=open_uow, embedder=EMBEDDER)
    return played


async def record_of(open_uow: OpenUnitOfWork, played: str) -> bytes:
    async with open_uow(played) as uow:
        entries, amendments = await uow.ledger.load_all()
        whole = (entries, amendments, await uow.tellings.load_all(), await uow.ledger.find_notices())
        return msgspec.json.encode(whole, order="deterministic")


async def packet(open_uow: OpenUnitOfWork, played: str, *, at_seq: int | None = None) -> ContextPacket:
    request = PacketRequest(speaker="ilsa", line="Let me through.", at_seq=at_seq)
    return (await build_packet(played, request, open_uow=open_uow, reading=READING)).packet


async def test_every_store_keeps_the_same_story_however_it_is_told(record: Stores) -> None:
    memory = MemoryStores()
    reference = await record_of(memory.open_uow, await play(memory.open_uow, at_once=True))
    for at_once in (True, False):
        assert await record_of(record.open_uow, await play(record.open_uow, at_once=at_once)) == reference


async def test_gate_bribe_and_notice(record: Stores) -> None:
    played = await play(record.open_uow, at_once=True)
    async with record.open_uow(played) as uow:
        entries, _ = await uow.ledger.load_all()
        holders = {(e.statement, k.who) for e in entries for k in e.knowers}
        assert await uow.ledger.find_notices() == []
        (hung,) = [e for e in entries if getattr(e, "notice", None) == "wanted"]
        assert await uow.ledger.find_readers([hung.entry_id]) == {(hung.entry_id, "odo"), (hung.entry_id, "mira")}
    assert {("the player offered Ilsa a bribe", "ilsa"), ("the player gave Ilsa a ham", "pip")} <= holders
    opinion = (await explain_opinion(played, "ilsa", open_uow=record.open_uow)).opinion
    assert [(e.weight, e.confidence) for e in opinion.evidence] == [(-0.5, 1.0), (-0.2, 1.0)]
    (gate,) = (await packet(record.open_uow, played)).consequences
    assert (gate.outcome, gate.opinions[0]) == ("refused", opinion)


async def test_a_packet_of_the_past_thinks_what_was_thought_then(record: Stores) -> None:
    played = await play(record.open_uow, at_once=True)
    before = await packet(record.open_uow, played, at_seq=1)
    assert (before.consequences[0].outcome, before.consequences[0].factor) == ("granted", 1.0)
    branch = await fork_playthrough(played, open_uow=record.open_uow, at_seq=2)
    assert (await packet(record.open_uow, branch.playthrough_id)).consequences[0].opinions[0].value == -0.5
    assert await packet(record.open_uow, branch.playthrough_id) == await packet(record.open_uow, played, at_seq=2)


async def test_a_branch_reads_what_hangs_there_and_its_trunk_does_not(record: Stores) -> None:
    played = await play(record.open_uow, at_once=True)
    branch = (await fork_playthrough(played, open_uow=record.open_uow, at_seq=3)).playthrough_id
    for where in (played, branch):
        await record_events(where, (Moved(who="pip", to="gate"),), open_uow=record.open_uow, embedder=EMBEDDER)
    found = {}
    for where in (played, branch):
        async with record.open_uow(where) as uow:
            hung = await uow.ledger.find_notices()
            found[where] = {who for _, who in await uow.ledger.find_readers([e.entry_id for e in hung])}
    assert found == {played: set(), branch: {"pip"}}


async def test_both_stores_build_the_same_packet_of_many_stories(record: Stores) -> None:
    memory = MemoryStores()
    hashes = set()
    for stores in (memory, record):
        played = await play(stores.open_uow, at_once=True)
        many = [
            Told(teller="odo", listener="ilsa", statement=RUNGS[n % 5], confidence=0.01 * n, ladder="theft")
            for n in range(1, 40)
        ]
        others = [
            Told(teller="odo", listener="ilsa", statement=f"pip did {n}", confidence=0.5, subject="pip", ladder="theft")
            for n in range(40)
        ]
        await record_events(played, (*many, *others), open_uow=stores.open_uow, embedder=EMBEDDER)
        built = await packet(stores.open_uow, played)
        (gate,) = built.consequences
        assert gate.opinions[0] == (await explain_opinion(played, "ilsa", open_uow=stores.open_uow)).opinion
        assert len(gate.opinions[0].evidence) == 24
        hashes.add(built.hash)
    assert len(hashes) == 1


@pytest.mark.falkordb
async def test_the_graph_follows_what_is_read_and_hours_from_it_are_the_same(
    stores: PostgresStores, graph: FalkorRumourGraph
) -> None:
    told = []
    for with_graph in (graph, None):
        version = await add_world(the_world(), open_uow=stores.open_uow)
        played = (await open_playthrough(version, open_uow=stores.open_uow, seed=7)).playthrough_id
        await record_events(played, HISTORY[:2], open_uow=stores.open_uow, embedder=EMBEDDER)
        await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
        passed = advance_gossip(
            played, Passing(hours=6), open_uow=stores.open_uow, embedder=EMBEDDER, graph=with_graph,
            queue=stores.mirror_queue if with_graph is not None else None,
        )  # fmt: skip
        assert sum([len(r.tellings) async for r in passed]) > 0
        await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
        assert await verify_mirror(played, open_uow=stores.open_uow, graph=graph) == ()
        told.append(await record_of(stores.open_uow, played))
    assert told[0] == told[1]
