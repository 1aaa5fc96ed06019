"""What is said to an outside memory system, and what it answers: three calls, JSON over HTTP POST."""

from typing import Annotated

from msgspec import Meta, Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Commitment, EmotionalResidue, Hearsay, LedgerEntry, Status, kind_of
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.ledger import LIVE


class MemoryKnower(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One who knows it."""

    who: Annotated[str, Meta(description="a character, `group:<name>`, `public`, or `engine` (nobody in the story)")]
    how: str = "witnessed"
    from_whom: CharacterId | None = None


class MemoryEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of the ledger, as everybody who keeps memories is told it."""

    id: EntryId
    kind: str
    statement: str
    knowers: tuple[MemoryKnower, ...]
    tick: Annotated[int, Meta(description="the game hour at which it was written")]
    seq: Annotated[int, Meta(description="the event that wrote it; later is greater")]
    source: str
    by: str | None = None
    confidence: float = 1.0
    unaware: Annotated[tuple[str, ...], Meta(description="who must not learn it")] = ()
    disclosure: Annotated[str, Meta(description="`open`, `guarded` (to `to` alone) or `secret` (never said)")] = "open"
    to: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    owner: Annotated[CharacterId | None, Meta(description="whose promise it is")] = None
    quarantined: Annotated[bool, Meta(description="a draft that nobody has confirmed")] = False


class MemoryEnding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of an entry later."""

    id: EntryId
    status: Annotated[str, Meta(description="superseded, retracted, expired, fulfilled, broken, lapsed, eased ...")]
    gone: Annotated[bool, Meta(description="nobody may draw on it any more; else it holds on, under this status")]
    tick: int
    seq: int
    why: str = ""
    by: Annotated[tuple[EntryId, ...], Meta(description="the entries that brought it about")] = ()


class Reset(Struct, frozen=True, kw_only=True):
    """`POST {url}/reset`: forget everything of a scope; any answer from 200 to 299 will do."""

    scope: Annotated[str, Meta(description="one player's run; nothing of one may be seen in another")]


class Write(Struct, frozen=True, kw_only=True):
    """`POST {url}/write`: take up entries and endings, in the order in which they came; answered like a reset."""

    scope: str
    entries: tuple[MemoryEntry, ...] = ()
    endings: tuple[MemoryEnding, ...] = ()


class Ask(Struct, frozen=True, kw_only=True):
    """`POST {url}/ask`: what would be put into the prompt of this speaker, now."""

    scope: str
    speaker: CharacterId
    audience: tuple[CharacterId, ...]
    line: Annotated[str, Meta(description="what the speaker is to answer")]
    known_to: Annotated[
        tuple[str, ...], Meta(description="the speaker, `public`, and its groups now: what any of them knows, it knows")
    ]
    tick: int
    limit: Annotated[int, Meta(description="as many items as the ledger itself would hand over at most")]


class MemoryItem(Struct, frozen=True, kw_only=True):
    """One thing that it would put into the prompt: by the entry's id, else by its words."""

    id: EntryId = ""
    text: str = ""


class Answer(Struct, frozen=True, kw_only=True):
    """The answer to `ask`, best first. Other fields are let be."""

    items: tuple[MemoryItem, ...]


class MemoryContract(Struct, frozen=True, kw_only=True):
    """The whole contract: what is posted, and what the last call answers."""

    reset: Reset
    write: Write
    ask: Ask
    answer: Answer


def told(entry: LedgerEntry) -> MemoryEntry:
    """Return an entry as an outside memory is told it; who else claims what of it is left to whoever asks."""
    return MemoryEntry(
        id=entry.entry_id,
        kind=kind_of(entry),
        statement=entry.statement,
        knowers=tuple(MemoryKnower(who=k.who, how=k.how, from_whom=k.from_whom) for k in entry.knowers),
        tick=entry.at.tick,
        seq=entry.seq,
        source=str(entry.source.kind),
        by=entry.teller if isinstance(entry, Hearsay) else entry.source.by,
        confidence=entry.confidence,
        unaware=entry.unaware,
        disclosure=str(entry.disclosure.mode),
        to=entry.disclosure.to,
        about=entry.about,
        owner=entry.owner if isinstance(entry, Commitment) else None,
        quarantined=entry.quarantined,
    )


def ended(amendment: Amendment, entry: LedgerEntry | None) -> MemoryEnding:
    """Return what became of an entry, as an outside memory is told it."""
    is_over = isinstance(entry, EmotionalResidue) and amendment.status is Status.LAPSED
    return MemoryEnding(
        id=amendment.entry_id, status=str(amendment.status), gone=is_over or amendment.status not in LIVE,
        tick=amendment.at.tick, seq=amendment.cause_seq,
        why=amendment.reason, by=amendment.by,
    )  # fmt: skip
