"""Replies: what was said on a packet, by which responder, and the claims in it."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, EntryId

MOST_READ: Final = 24_000
"""Letters of a reply that are read; what comes after is not, and a reply that goes on so long does not pass."""


class Reply(Struct, frozen=True, kw_only=True):
    """One line said on a packet."""

    text: str
    responder: str
    """Who spoke: template, scripted, http_chat:<model>, or the game's own name for it."""
    fallback: bool = False
    """The template spoke: the model was late or away, or its line went beyond the packet."""
    note: str = ""
    milliseconds: float = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0
    """What a provider takes for it, over all tries, at the prices that the settings name."""


class Stance(StrEnum):
    """How a line holds a claim."""

    ASSERT = "assert"
    DENY = "deny"
    HEDGE = "hedge"
    ATTRIBUTE = "attribute"
    ASK = "ask"
    PROMISE = "promise"
    REFUSE = "refuse"
    GRANT = "grant"
    THANK = "thank"
    UNKNOWN = "unknown"
    QUOTE = "quote"


class Claim(Struct, frozen=True, kw_only=True):
    """What one sentence of a reply holds, and how."""

    stance: Stance
    text: str
    start: int
    end: int
    """The sentence is reply[start:end]."""
    terms: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    person: str = ""
    """`speaker`, `listener`, or the id of whom it is about."""
    attributed_to: CharacterId | None = None
    negative: bool = False
    entry_ids: tuple[EntryId, ...] = ()
    """Entries that it speaks of, best first."""
    cues: frozenset[str] = frozenset()
    """What its words do, by the names of the cues in the language's file."""
    subject: str = ""
    """Who does what it says: an id of the cast, resolved from I, you and names; empty where nobody is named."""
    lang: str = "en"

    def says(self, cue: str) -> bool:
        """Say whether its words give a cue."""
        return cue in self.cues

    @property
    def is_stage(self) -> bool:
        """It is a stage direction: shown, and not said."""
        return self.text.startswith("*")
