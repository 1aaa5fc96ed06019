"""What reads and what speaks: lines, claims, meanings, prompts, replies, outside memories."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from ledger_service.domain.ids import CharacterId, EntryId, PlaythroughId
from ledger_service.domain.judging import Judgement, Question
from ledger_service.domain.memory_contract import Ask, MemoryItem, Write
from ledger_service.domain.moments import Intent
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.worlds import World


class LineReader(Protocol):
    """Reads a player's line, deterministically, into an intent."""

    version: str
    """Name and version; part of every packet's hash."""

    def read(self, text: str, *, world: World, speaker: CharacterId, audience: Sequence[CharacterId]) -> Intent:
        """Read a line. The same text and world give the same intent."""
        ...


class ClaimReader(Protocol):
    """Reads a reply into claims."""

    def read(
        self, text: str, *, world: World, speaker: CharacterId, audience: Sequence[CharacterId]
    ) -> tuple[Claim, ...]:
        """Read a reply, sentence by sentence."""
        ...


class Judge(Protocol):
    """A model that is asked where rules leave open."""

    name: str

    async def judge(self, question: Question) -> Judgement:
        """Answer with a label of the question's menu, or unscored with the reason; never raise."""
        ...


class Embedder(Protocol):
    """Turns sentences into meanings; it only recalls and never decides."""

    name: str

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one meaning for each text, as stored bytes."""
        ...

    def similarity(self, line: str, meanings: Mapping[EntryId, bytes]) -> dict[EntryId, int]:
        """Return the exact cosine of the line with each meaning, in whole thousandths."""
        ...


class PromptRenderer(Protocol):
    """Renders the prompt of a packet; it is handed selected text only."""

    def prompt(self, packet: ContextPacket, world: World) -> str:
        """Return the prompt's text."""
        ...


class Voice(Protocol):
    """A model that puts in other words what somebody told."""

    name: str

    async def say(self, system: str, told: str) -> str:
        """Return its words; none where it is late, away or talking nonsense."""
        ...


class Responder(Protocol):
    """Says a line on a packet."""

    name: str

    async def reply(self, packet: ContextPacket, world: World) -> Reply:
        """Speak. A model that is late or away is answered for by the template, and the reply says so."""
        ...


@runtime_checkable
class SpeaksFromRecord(Protocol):
    """Says what was recorded; another packet would not change a word of it."""

    is_recorded: bool


@runtime_checkable
class SpeaksByCell(Protocol):
    """Says what was said elsewhere, cell by cell and repeat by repeat."""

    def on(self, cell: str, repeat: int, *, packet: str) -> Responder:
        """Return the speaker of one repeat of a cell, whose packet has this hash.

        Raises:
            NotRecordedError: it has no line, or one that was said on another packet.
        """
        ...


class OutsideMemory(Protocol):
    """A memory system of somebody else's: told what the ledger holds, asked what it would put into a prompt."""

    name: str

    async def reset(self, scope: PlaythroughId) -> None:
        """Have everything of a scope forgotten.

        Raises:
            MemoryAwayError: it does not answer as agreed; the same for every call.
        """
        ...

    async def write(self, told: Write) -> None:
        """Have entries and endings taken up."""
        ...

    async def ask(self, question: Ask) -> tuple[MemoryItem, ...]:
        """Return what it would put into the prompt, best first."""
        ...


@runtime_checkable
class RemembersElsewhere(Protocol):
    """A subject whose packets an outside memory fills."""

    name: str
    memory: OutsideMemory
    told: set[PlaythroughId]
    """Scopes of which it was told everything."""
