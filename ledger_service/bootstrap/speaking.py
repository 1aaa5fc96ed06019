"""Who speaks where no model of the settings is asked, and memory systems outside."""

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence

import httpx

from ledger_service.domain.errors import SettingError
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.transcripts import Recorded
from ledger_service.domain.worlds import World
from ledger_service.ports import (
    OutsideMemory,
    RemembersElsewhere,
    Responder,
)
from ledger_service.readers.embedder import WordLlamaEmbedder
from ledger_service.responders.grammar import persons_of, spoken
from ledger_service.responders.http_memory import HttpMemory, MemorySettings
from ledger_service.responders.peers import PEERS, open_peer
from ledger_service.responders.peers.careful import CarefulMemory
from ledger_service.responders.remembering import RememberingResponder
from ledger_service.responders.template import TemplateResponder
from ledger_service.responders.transcript import TranscriptResponder
from ledger_service.settings import Settings


def honest_speaker() -> Responder:
    """Return the speaker that says what a packet holds and nothing besides; it needs no store and no model."""
    return TemplateResponder()


def transcript_speaker(recorded: Mapping[str, Recorded]) -> Responder:
    """Return the speaker that says what was said elsewhere, cell by cell."""
    return TranscriptResponder(recorded)


def as_said(statement: str, world: World, by: CharacterId, to: CharacterId, tick: int) -> str:
    """Put a statement as somebody of a world says it to somebody at a tick: `I`, `you`, and the verbs that go along."""
    return spoken(statement, persons_of(world, by, (to,)), now=tick)


def http_memory(settings: Settings, client: httpx.AsyncClient) -> OutsideMemory:
    """Return the outside memory that the settings name.

    Raises:
        SettingError: none is named.
    """
    if not settings.memory_url:
        cure = "set it to a memory system that answers as `continuity schema memory` says"
        raise SettingError("CONTINUITY_MEMORY_URL", "http_memory has nobody to ask", cure=cure)
    asks = MemorySettings(
        url=settings.memory_url, name=settings.memory_name, key=settings.memory_key,
        deadline_s=settings.memory_deadline_s,
    )  # fmt: skip
    return HttpMemory(asks, client)


@contextlib.asynccontextmanager
async def open_peers(
    settings: Settings, names: Sequence[str] = (), *, filtered: bool = False
) -> AsyncIterator[tuple[list[RemembersElsewhere], list[str]]]:
    """Open the memory systems that are installed, or those named; yield them, and why others are not there.

    `filtered` opens each once more, behind a filter of what entries say of themselves.

    Raises:
        SettingError: one that is named is not there.
    """
    async with httpx.AsyncClient(timeout=None) as client:  # noqa: S113  (each call has a deadline over all of it)
        found: list[RemembersElsewhere] = []
        absent: list[str] = []
        vectors = WordLlamaEmbedder().vectors
        for name in names or (*PEERS, *(["http_memory"] if settings.memory_url else [])):
            try:
                memory = http_memory(settings, client) if name == "http_memory" else open_peer(name, vectors)
            except SettingError as error:
                if names:
                    raise
                absent.append(f"{error}: {error.cure}")
            else:
                found.append(RememberingResponder(memory))
                if filtered:
                    found.append(RememberingResponder(CarefulMemory(memory)))
        yield found, absent
