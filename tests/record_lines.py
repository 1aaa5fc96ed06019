"""Record what a model says in the leak run: `python -m tests.record_lines --url http://127.0.0.1:18181/v1 --model M`.

Its lines are kept as it said them, before anything is held against a packet; the leak run replays them.
"""

import argparse
import json
import sys
from pathlib import Path

import anyio
import httpx

from ledger_service.ports import StoredPacket
from ledger_service.responders.http_chat import ChatSettings, HttpChatResponder
from tests.leaks import WORLD, conversations

RECORDED = Path(__file__).parent / "recorded" / "village.smollm2-135m.json"


async def record(settings: ChatSettings) -> list[dict[str, str]]:
    """Let a model answer every wording put to every speaker."""
    asked = (await conversations()).asked
    async with httpx.AsyncClient(timeout=None) as client:
        speaker = HttpChatResponder(settings, client)
        return [await _said(speaker, line, stored) for line, stored in asked]


async def _said(speaker: HttpChatResponder, line: str, stored: StoredPacket) -> dict[str, str]:
    reply = await speaker.reply(stored.packet, WORLD)
    if reply.fallback:
        sys.exit(reply.note)
    print(f"{stored.packet.speaker}: {reply.text[:100]}", file=sys.stderr)
    return {"speaker": stored.packet.speaker, "line": line, "packet": stored.packet.hash, "said": reply.text}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--to", type=Path, default=RECORDED)
    given = parser.parse_args()
    asks = ChatSettings(
        url=given.url, model=given.model, deadline_s=120.0, temperature=0.7, max_tokens=80, seed=7
    )  # fmt: skip
    lines = anyio.run(record, asks)
    whole = {"model": asks.model, "temperature": asks.temperature, "max_tokens": asks.max_tokens, "seed": asks.seed}
    given.to.write_text(json.dumps(whole | {"lines": lines}, indent=1, ensure_ascii=False) + "\n")
