"""Fifty conversations in three wordings each: nobody mentions anybody or anything from outside their packet."""

import json

import anyio
import msgspec
import pytest

from ledger_service.domain.replies import Reply
from ledger_service.ports import StoredPacket, StoredReply
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.responders.scripted import ScriptedResponder
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.replies.say_line import say_line
from ledger_service.services.replies.score_reply import Judging
from tests.leaks import SPEAKERS, TOPICS, WORLD, Played, conversations, leaked
from tests.record_lines import RECORDED
from tests.speaking import NoMeanings

pytestmark = pytest.mark.anyio
JUDGING = Judging(claim_reader=PatternClaimReader(), embedder=NoMeanings())


@pytest.fixture(scope="module")
def played() -> Played:
    return anyio.run(conversations)


@pytest.fixture(scope="module")
def asked(played: Played) -> list[tuple[str, StoredPacket]]:
    return played.asked


@pytest.fixture(scope="module")
def recorded() -> dict[tuple[str, str], str]:
    """What a real small model said, as it said it."""
    return {(row["speaker"], row["line"]): row["said"] for row in json.loads(RECORDED.read_text())["lines"]}


@pytest.fixture(scope="module")
def delivered(played: Played, recorded: dict[tuple[str, str], str]) -> list[StoredReply]:
    """What came out where that model spoke."""

    async def say() -> list[StoredReply]:
        said = []
        for line, stored in played.asked:
            model = ScriptedResponder({line: recorded[stored.packet.speaker, line]}, name="http_chat:smollm2-135m")
            said.append(
                await say_line(
                    played.playthrough_id, stored.packet_id, model, stand_in=TemplateResponder(),
                    open_uow=played.stores.open_uow, judging=JUDGING, delivered=False,
                )
            )  # fmt: skip
        return said

    return anyio.run(say)


async def test_there_are_fifty_conversations_in_three_wordings_and_much_to_tell(
    asked: list[tuple[str, StoredPacket]],
) -> None:
    assert len(asked) == len(SPEAKERS) * sum(map(len, TOPICS)) == 150
    assert sum(bool(stored.packet.selected) for _, stored in asked) >= 100
    told = {item.statement for _, stored in asked for item in stored.packet.selected}
    assert all(told - {item.statement for item in stored.packet.selected} for _, stored in asked)


async def test_the_template_speaker_mentions_nothing_from_outside_its_packet(
    asked: list[tuple[str, StoredPacket]],
) -> None:
    template = TemplateResponder()
    for line, stored in asked:
        reply = await template.reply(stored.packet, WORLD)
        assert leaked(reply.text, stored.packet, WORLD, line=line) == [], (stored.packet.speaker, line, reply.text)


async def test_the_model_said_something_to_each_and_often_more_than_it_was_given(
    asked: list[tuple[str, StoredPacket]], recorded: dict[tuple[str, str], str]
) -> None:
    lines = [(recorded[s.packet.speaker, line], s.packet, line) for line, s in asked]
    assert all(text.strip() for text, _, _ in lines)
    assert sum(bool(leaked(text, packet, WORLD, line=line)) for text, packet, line in lines) >= 5


async def test_where_the_model_speaks_nothing_from_outside_the_packet_is_delivered(
    asked: list[tuple[str, StoredPacket]], delivered: list[StoredReply]
) -> None:
    for (line, stored), said in zip(asked, delivered, strict=True):
        assert leaked(said.reply.text, stored.packet, WORLD, line=line) == [], (stored.packet.speaker, said.reply.text)
        assert not any(f.code == "leak" for v in said.scorecard.verdicts for f in v.findings)


async def test_what_keeps_to_its_packet_is_delivered_as_the_model_said_it_and_what_does_not_says_who_spoke(
    asked: list[tuple[str, StoredPacket]], delivered: list[StoredReply], recorded: dict[tuple[str, str], str]
) -> None:
    own = [said.reply for said in delivered if not said.reply.fallback]
    assert len(own) >= 30
    for (line, stored), said in zip(asked, delivered, strict=True):
        if said.reply.fallback:
            assert (said.reply.responder, said.scorecard.responder) == ("template", "template")
            assert said.reply.note.startswith("http_chat:smollm2-135m ")
            assert said.reply.note.endswith("; the template spoke")
        else:
            assert said.reply.text == recorded[stored.packet.speaker, line]


async def test_a_line_that_names_somebody_from_outside_is_caught(asked: list[tuple[str, StoredPacket]]) -> None:
    line, stored = next((q, s) for q, s in asked if s.packet.speaker == "dorte" and "news from the market" in q)
    reply = Reply(text="Brother Anselm says the player ransacked the whole market.", responder="scripted")
    assert leaked(reply.text, stored.packet, WORLD, line=line)
    assert msgspec.json.encode(stored.packet)
