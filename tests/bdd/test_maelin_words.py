"""Binds the Maelin feature: the whole story, played through the services on stores in memory."""

from pathlib import Path

import anyio
import pytest
from pytest_bdd import parsers, scenarios, then, when

from ledger_service.bootstrap import open_reading
from ledger_service.domain.replies import Reply
from ledger_service.probing.documents import decode_history, decode_world
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.events.play_story import play_history
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.services.replies.score_reply import Judging, score_reply
from ledger_service.stores.memory import MemoryStores

scenarios("maelin.feature")
STORY = Path(__file__).parents[2] / "probes" / "maelin"
WORLD = decode_world((STORY / "world.yaml").read_bytes(), "world.yaml")
HISTORY = decode_history((STORY / "history.yaml").read_bytes(), "history.yaml")
READING = open_reading()
JUDGING = Judging(claim_reader=PatternClaimReader(), embedder=READING.embedder)


@pytest.fixture(scope="module")
def played():
    stores = MemoryStores()

    async def play():
        await add_world(WORLD, open_uow=stores.open_uow)
        opened = await open_playthrough("maelin", open_uow=stores.open_uow)
        mine = opened.playthrough_id
        return mine, await play_history(mine, HISTORY, open_uow=stores.open_uow, embedder=READING.embedder)

    mine, labels = anyio.run(play)
    return stores, mine, labels


@pytest.fixture
def talk():
    return {}


def score(played, talk, reply):
    stores, mine, _ = played

    async def judge():
        packet_id = talk["stored"].packet_id
        return await score_reply(mine, packet_id, reply, open_uow=stores.open_uow, judging=JUDGING, delivered=False)

    return anyio.run(judge).scorecard


@when(parsers.parse('the player says "{line}"'))
def says(played, talk, line):
    stores, mine, _ = played

    async def build():
        request = PacketRequest(speaker="maelin", line=line)
        stored = await build_packet(mine, request, open_uow=stores.open_uow, reading=READING)
        return stored, await TemplateResponder().reply(stored.packet, WORLD)

    talk["stored"], talk["reply"] = anyio.run(build)
    talk["packet"] = talk["stored"].packet


@when(parsers.parse('somebody answers for her "{answer}"'))
def answers(talk, answer):
    talk["reply"] = Reply(text=answer, responder="somebody")


def item(played, talk, label, place=0):
    return next(s for s in talk["packet"].selected if s.entry_id == played[2][label][place])


@then("the packet holds the open promise about the sensor")
def open_promise(played, talk):
    promise = item(played, talk, "sensor")
    assert (promise.status, promise.fields["owner"]) == ("open", "player")


@then("the packet holds the confession as something she witnessed")
def confession(played, talk):
    assert item(played, talk, "confession", 1).how == "witnessed"


@then("she stands up for honesty and not for reliability")
def stands(talk):
    standing = {s.scope: (s.amount, s.absent) for s in talk["packet"].standings}
    assert (standing["honesty_under_pressure"], standing["reliability"]) == ((1.0, False), (0.0, True))


@then("the rule refuses the transmitter until the sensor comes back")
def refuses(talk):
    (rule,) = talk["packet"].consequences
    assert (rule.outcome, rule.would_change) == ("refused", "the sensor comes back")


@then("her line honours the honesty and still refuses")
def honours(talk):
    said = talk["reply"].text.casefold()
    assert "owning up" in said
    assert "not now" in said or "no," in said


@then("all five verdicts hold")
def hold(played, talk):
    card = score(played, talk, talk["reply"])
    assert card.passed, (talk["reply"].text, card)


@then(parsers.parse('the packet flags "{kind}" about "{word}"'))
def flags(talk, kind, word):
    assert any(f.kind == kind and word in f.topic for f in talk["packet"].flags), talk["packet"].flags


@then(parsers.parse('the fault is {stage}, with "{code}"'))
def fault(played, talk, stage, code):
    card = score(played, talk, talk["reply"])
    assert card.fault == stage
    assert code in [f.code for v in card.verdicts for f in v.findings], card
