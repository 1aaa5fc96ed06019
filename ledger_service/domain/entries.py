"""Ledger entries: what every entry says, and the six kinds."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from ledger_service.domain.confidence import Confidence, check_confidence
from ledger_service.domain.errors import ContentError, EmptyScopeError
from ledger_service.domain.expiry import NEVER, Expiry
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.slots import Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.visibility import OPEN, Disclosure, Knower

LARGEST_AMOUNT: Final = 100.0
"""By how much one event may shift a standing, either way."""
LARGEST_STANDING: Final = 1_000_000.0
"""What a standing may come to, either way."""
Text = Annotated[str, Meta(min_length=1, max_length=4_000)]


class SourceKind(StrEnum):
    """Through what an entry came to be known."""

    WITNESSED = "witnessed"
    TOLD_BY = "told_by"
    OVERHEARD = "overheard"
    DOCUMENT = "document"
    INFERRED = "inferred"
    ENGINE = "engine"
    SELF = "self"
    PLAYER_CLAIM = "player_claim"
    GENERATED_LINE = "generated_line"
    DERIVED = "derived"


FIRST_HAND = frozenset({SourceKind.WITNESSED, SourceKind.ENGINE, SourceKind.SELF, SourceKind.DOCUMENT})
"""Sources that can update what may change; a saying cannot."""


class Channel(StrEnum):
    """How far something carries."""

    OPEN = "open"
    PRIVATE = "private"
    MUFFLED = "muffled"
    BROADCAST = "broadcast"
    DOCUMENT = "document"


class Source(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where an entry comes from."""

    kind: SourceKind
    by: str | None = None
    """Witness, teller, author or document."""
    event_seq: int | None = None
    channel: Channel = Channel.OPEN
    quote: str | None = None
    """The exact words it rests on, where there were words."""
    start: int | None = None
    """Where in what was said these words begin."""
    via: tuple[CharacterId, ...] = ()
    """Tellers before `by`, nearest first; for reviewers only, no knower may name them."""


class Status(StrEnum):
    """What has become of an entry."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    QUARANTINED = "quarantined"
    SUSPENDED = "suspended"
    ECHO = "echo"
    OPEN = "open"
    FULFILLED = "fulfilled"
    BROKEN = "broken"
    RELEASED = "released"
    LAPSED = "lapsed"
    ENDED = "ended"
    UNRESOLVED = "unresolved"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"
    FELT = "felt"
    EASED = "eased"
    EXPIRED = "expired"


class Form(StrEnum):
    """What sort of commitment it is."""

    PROMISE = "promise"
    THREAT = "threat"
    DEAL = "deal"
    TASK = "task"


class Intensity(StrEnum):
    """How strongly something is felt."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Entry(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What every entry says. It never changes; an amendment says what became of it."""

    entry_id: EntryId
    statement: Text
    """The sentence that a writer reads."""
    source: Source
    knowers: tuple[Knower, ...]
    seq: int
    """The event that wrote it."""
    at: StoryTime
    """When it was written."""
    slot: Slot | None = None
    confidence: Confidence = 1.0
    unaware: tuple[CharacterId, ...] = ()
    """Who must not learn it."""
    disclosure: Disclosure = OPEN
    expires: Expiry = NEVER
    origin: EntryId | None = None
    """The root entry, however distorted this one is; None is itself."""
    derived_from: tuple[EntryId, ...] = ()
    supersedes: tuple[EntryId, ...] = ()
    protected: bool = False
    """Exempt from fading."""
    subject: str | None = None
    """The person it is about, where it is about one person."""
    about: tuple[str, ...] = ()
    """Entities it mentions, for recall."""
    place: str | None = None
    event_tick: int | None = None
    """When it happened, where that is not when it was learned."""
    said_by: CharacterId | None = None
    said_to: tuple[CharacterId, ...] = ()
    style_of: CharacterId | None = None
    """Whose manner of speaking it describes; nobody else may imitate it."""
    ladder: str | None = None
    """The ladder of wordings that retellings of it climb."""
    corrects: EntryId | None = None
    """The origin of the story that it puts right: whoever hears this is less sure of that one."""
    quarantined: bool = False
    """Written as a draft: nobody may draw on it until a game event or a person confirms it."""
    embedding: bytes = b""
    """The statement's meaning, as the embedder stored it."""

    def __post_init__(self) -> None:
        check_confidence(self.confidence, "confidence")
        if not self.knowers:
            raise EmptyScopeError("knowers")
        both = {k.who for k in self.knowers} & set(self.unaware)
        if both:
            raise ContentError("unaware", f"{', '.join(sorted(both))} cannot both know it and be unaware of it")

    @property
    def root(self) -> EntryId:
        """The entry this one goes back to."""
        return self.origin or self.entry_id


class Observation(Entry, frozen=True, kw_only=True, tag="observation"):
    """A witnessed fact, or what a character itself said."""

    claimed_value: str | None = None
    """What was told to `said_to`, beside `believed_value`: a lie is kept, per audience."""
    believed_value: str | None = None
    notice: str | None = None
    """The notice of the world that it says has been put up; it is live while the notice hangs."""


class Hearsay(Entry, frozen=True, kw_only=True, tag="hearsay"):
    """Something heard; the knower may name only their own teller."""

    teller: CharacterId | None = None
    hops: Annotated[int, Meta(ge=0)] = 1
    severity: Annotated[int, Meta(ge=1)] = 1
    heard: str | None = None
    """The wording that was heard."""
    roots: tuple[CharacterId, ...] = ()
    """The witnesses whom the first telling of it goes back to."""


class Commitment(Entry, frozen=True, kw_only=True, tag="commitment"):
    """A promise, threat, deal or task, with an owner and somebody it is owed to."""

    owner: CharacterId
    to: CharacterId
    name: str | None = None
    """A short name by which conditions can speak of it."""
    witnesses: tuple[CharacterId, ...] = ()
    form: Form = Form.PROMISE
    trigger: str | None = None
    """The declared event at which it falls due."""
    fulfilled_when: str = ""
    broken_when: str = ""
    due: int | None = None
    """The tick at which it falls due."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.owner:
            raise ContentError("owner", "a commitment needs an owner")
        if not self.to:
            raise ContentError("to", "a commitment needs somebody it is owed to")


class RelationshipDelta(Entry, frozen=True, kw_only=True, tag="relationship_delta"):
    """A change in how one character stands to another, within a scope, for a reason."""

    from_whom: CharacterId
    to: CharacterId
    axis: str = "trust"
    amount: float = 0.0
    scope: str = "general"
    reason: str = ""
    evidence: tuple[EntryId, ...] = ()
    cap: float | None = None
    """The most that the standing in this scope may come to, either way."""


class Contradiction(Entry, frozen=True, kw_only=True, tag="contradiction"):
    """Two or more entries that cannot all hold; open until an event or a person settles it."""

    members: Annotated[tuple[EntryId, ...], Meta(min_length=2)]
    disputed: Slot | None = None


class EmotionalResidue(Entry, frozen=True, kw_only=True, tag="emotional_residue"):
    """A feeling left over; it changes tone, never a trait."""

    holder: CharacterId
    emotion: str
    intensity: Intensity = Intensity.MEDIUM


LedgerEntry = Observation | Hearsay | Commitment | RelationshipDelta | Contradiction | EmotionalResidue

KINDS: dict[str, type[LedgerEntry]] = {
    "observation": Observation,
    "hearsay": Hearsay,
    "commitment": Commitment,
    "relationship_delta": RelationshipDelta,
    "contradiction": Contradiction,
    "emotional_residue": EmotionalResidue,
}


def rests_on(entry: LedgerEntry) -> tuple[EntryId, ...]:
    """Return the entries that one was made from, or that bear it out."""
    match entry:
        case Contradiction(members=beneath) | RelationshipDelta(evidence=beneath):
            return tuple(dict.fromkeys((*entry.derived_from, *beneath)))
        case _:
            return tuple(dict.fromkeys(entry.derived_from))


def kind_of(entry: Entry) -> str:
    """Return the kind's name as tables, JSON and screens show it."""
    return str(entry.__struct_config__.tag)


def first_status(entry: Entry) -> Status:
    """Return the status that an entry has before anything happens to it."""
    if entry.quarantined:
        return Status.QUARANTINED
    match entry:
        case Commitment():
            return Status.OPEN
        case Contradiction():
            return Status.UNRESOLVED
        case EmotionalResidue():
            return Status.FELT
        case _:
            return Status.ACTIVE
