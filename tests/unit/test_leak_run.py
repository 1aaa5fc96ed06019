"""Fifty conversations in three wordings each: nobody mentions anybody or anything from outside their packet."""

import anyio
import msgspec
import pytest

from ledger_service.domain.replies import Reply
from ledger_service.ports import StoredPacket
from ledger_service.responders.template import TemplateResponder
from tests.leaks import SPEAKERS, TOPICS, WORLD, conversations, leaked

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def asked() -> list[tuple[str, StoredPacket]]:
    return anyio.run(conversations)


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


async def test_a_line_that_names_somebody_from_outside_is_caught(asked: list[tuple[str, StoredPacket]]) -> None:
    line, stored = next((q, s) for q, s in asked if s.packet.speaker == "dorte" and "news from the market" in q)
    reply = Reply(text="Brother Anselm says the player ransacked the whole market.", responder="scripted")
    assert leaked(reply.text, stored.packet, WORLD, line=line)
    assert msgspec.json.encode(stored.packet)
