"""What lines and replies are read with, and judged; none of it needs a store."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import anyio.to_thread
import httpx
from msgspec.structs import replace

from ledger_service.ports import (
    ClaimReader,
    Judge,
)
from ledger_service.readers.claims import PatternClaimReader
from ledger_service.readers.embedder import WordLlamaEmbedder
from ledger_service.readers.judge import ChatJudge, JudgeSettings
from ledger_service.readers.languages import UNKNOWN
from ledger_service.readers.languages import language_of as read_language
from ledger_service.readers.line_reader import PatternLineReader
from ledger_service.readers.remembering import RememberingClaimReader, RememberingLineReader
from ledger_service.responders.prompt import JinjaPrompt
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.replies.score_reply import Judging

_T = TypeVar("_T")


def open_reading() -> Reading:
    """Return the adapters that read lines and render prompts; they need no store."""
    return Reading(reader=PatternLineReader(), embedder=WordLlamaEmbedder(), renderer=JinjaPrompt())


def open_claim_reader() -> ClaimReader:
    """Return the reader of replies, loaded; it needs no store."""
    reader = PatternClaimReader()
    reader.warm()
    return reader


def open_judging(reading: Reading) -> Judging:
    """Return what replies are read and judged with where no store and no judge is needed."""
    return Judging(claim_reader=open_claim_reader(), embedder=reading.embedder)


def remembered_reading(reading: Reading) -> Reading:
    """Return what lines are read with, so that the same line to the same speaker is read once."""
    return replace(reading, reader=RememberingLineReader(reading.reader))


def remembered_judging(judging: Judging) -> Judging:
    """Return what replies are judged with, so that the same line of the same speaker is read once."""
    return replace(judging, claim_reader=RememberingClaimReader(judging.claim_reader))


def with_judge(
    use: Callable[[Judge], Awaitable[_T]], *, url: str, model: str, key: str | None = None, subject: str = ""
) -> _T:
    """Run something with a judge, which needs no store."""

    async def run() -> _T:
        async with httpx.AsyncClient() as client:
            return await use(ChatJudge(JudgeSettings(url=url, model=model, key=key, subject=subject), client))

    return anyio.run(run)


def language_of(text: str) -> str:
    """Return the language of a sentence; empty where it cannot be told."""
    found = read_language(text, default="")
    return "" if found == UNKNOWN else found
