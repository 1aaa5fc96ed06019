"""What the game reports: every kind of event, and the envelope in which it is kept."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from ledger_service.domain.confidence import Confidence
from ledger_service.domain.entries import Channel, Form, Intensity, Source, Status, Text
from ledger_service.domain.expiry import NEVER, Expiry, Match
from ledger_service.domain.ids import CharacterId, EntryId, PlaceId
from ledger_service.domain.rumours import Refusal, Telling
from ledger_service.domain.slots import Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.texts import LARGEST_NUMBER
from ledger_service.domain.visibility import OPEN, Disclosure, Knower

Tick = Annotated[int, Meta(ge=0, le=100_000_000)]
Name = Annotated[str, Meta(min_length=1, max_length=128)]


class ActKind(StrEnum):
    """What an utterance does, as the game or a writer marked it."""

    ASSERTS = "asserts"
    ADMITS = "admits"
    PROMISES = "promises"
    ASKS = "asks"
    DENIES = "denies"


class Act(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One marked act of an utterance."""

    kind: ActKind
    statement: Text
    slot: Slot | None = None


class Event(Struct, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True):
    """What every event says. Without a tick it happens now; an earlier tick than the story's is an error."""

    key: Annotated[str, Meta(max_length=200)] | None = None
    """Idempotency key: the same key with the same content is written once."""
    tick: Tick | None = None


class Seen(Event, frozen=True, kw_only=True):
    """What an event that others can witness says."""

    place: PlaceId | None = None
    witnesses: tuple[CharacterId, ...] | None = None
    """Who witnessed it; None lets presence decide."""
    channel: Channel = Channel.OPEN


class SceneChanged(Event, frozen=True, kw_only=True, tag="scene_changed"):
    """A new scene begins."""

    title: str = ""
    place: PlaceId | None = None


class TimePassed(Event, frozen=True, kw_only=True, tag="time_passed"):
    """Game hours pass."""

    hours: Annotated[int, Meta(ge=1, le=1_000_000)]


class HoursAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hours that were asked for at once under a key, so that the key means these and no others."""

    hours: Annotated[int, Meta(ge=1)]
    regions: tuple[str, ...] | None = None
    every: int | None = None


class HourPassed(Event, frozen=True, kw_only=True, tag="hour_passed"):
    """One game hour passes, and those who meet in it talk; who tells whom follows from the record and the seed."""

    regions: tuple[str, ...] | None = None
    """Where people talk; None is everywhere."""
    asked: HoursAsked | UnsetType = UNSET
    """Which hours this is one of, where they were asked for under a key."""


class RegionsCaughtUp(Event, frozen=True, kw_only=True, tag="regions_caught_up"):
    """In regions where time went by unwatched, the hours since are made up for at once; the clock stands still."""

    regions: Annotated[tuple[str, ...], Meta(min_length=1)]


class Seeded(Event, frozen=True, kw_only=True, tag="seeded"):
    """Chance in this story is drawn from here on by this seed; the same seed tells the same story."""

    seed: Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """Somebody goes somewhere."""

    who: Name
    to: Name


class Deed(Seen, frozen=True, kw_only=True, tag="deed"):
    """Somebody does something."""

    actor: Name
    statement: Text
    target: CharacterId | None = None
    slot: Slot | None = None
    subject: str | None = None
    about: tuple[str, ...] = ()
    unaware: tuple[CharacterId, ...] = ()
    disclosure: Disclosure = OPEN
    expires: Expiry = NEVER
    ladder: str | None = None
    """The ladder of wordings that retellings climb."""
    corrects: EntryId | None = None
    """The origin of a story that this puts right."""
    protected: bool = False


class Utterance(Seen, frozen=True, kw_only=True, tag="utterance"):
    """Somebody says something to somebody."""

    speaker: Name
    to: tuple[CharacterId, ...]
    text: Text
    acts: tuple[Act, ...] = ()


class Told(Seen, frozen=True, kw_only=True, tag="told"):
    """A teller passes on what they know, or claim to know."""

    teller: Name
    listener: Name
    entry_id: EntryId | None = None
    """The teller's entry being passed on; None for something that was never recorded."""
    statement: Text
    slot: Slot | None = None
    subject: str | None = None
    confidence: Confidence | None = None
    expires: Expiry = NEVER
    ladder: str | None = None
    """The ladder that an unrecorded story climbs from here; a recorded one keeps its own."""


class Inferred(Event, frozen=True, kw_only=True, tag="inferred"):
    """A character concludes something from what they know."""

    who: Name
    statement: Text
    slot: Slot | None = None
    confidence: Confidence | None = None
    derived_from: tuple[EntryId, ...] = ()


class DocumentRead(Seen, frozen=True, kw_only=True, tag="document_read"):
    """Somebody reads a document."""

    reader: Name
    document: Name
    statement: Text
    slot: Slot | None = None
    confidence: Confidence | None = None
    subject: str | None = None


class Happened(Seen, frozen=True, kw_only=True, tag="happened"):
    """A declared game event; it may end, settle or open entries."""

    name: Name
    fields: Match = {}
    actor: CharacterId | None = None
    target: CharacterId | None = None
    statement: Text | None = None
    """What its witnesses then know; without it they know only that it happened."""
    slot: Slot | None = None


class StateSet(Event, frozen=True, kw_only=True, tag="state_set"):
    """The game sets a declared state key. Game state outranks everything that was said or written."""

    state_key: Name
    value: str | int | float | bool


class CommitmentMade(Seen, frozen=True, kw_only=True, tag="commitment_made"):
    """Somebody commits themselves to somebody."""

    owner: Name
    to: Name
    statement: Text
    name: str | None = None
    form: Form = Form.PROMISE
    trigger: str | None = None
    fulfilled_when: str = ""
    broken_when: str = ""
    due: Tick | None = None
    slot: Slot | None = None
    disclosure: Disclosure = OPEN
    expires: Expiry = NEVER


class CommitmentChanged(Seen, frozen=True, kw_only=True):
    """What every change of a commitment says: which one, by id or by name."""

    commitment: Name
    reason: str = ""


class CommitmentFulfilled(CommitmentChanged, frozen=True, kw_only=True, tag="commitment_fulfilled"):
    """It was kept."""


class CommitmentBroken(CommitmentChanged, frozen=True, kw_only=True, tag="commitment_broken"):
    """It was broken."""


class CommitmentReleased(CommitmentChanged, frozen=True, kw_only=True, tag="commitment_released"):
    """It was waived by whom it was owed to."""


class RelationshipChanged(Event, frozen=True, kw_only=True, tag="relationship_changed"):
    """How somebody stands to somebody shifts, in one scope, for a reason."""

    who: Name
    towards: Name
    statement: Text
    scope: Name
    amount: Annotated[float, Meta(ge=-100, le=100)]
    axis: str = "trust"
    reason: str = ""
    evidence: tuple[EntryId, ...] = ()
    expires: Expiry = NEVER
    cap: Annotated[float, Meta(ge=0)] | None = None


class Felt(Event, frozen=True, kw_only=True, tag="felt"):
    """A feeling is left over in somebody."""

    who: Name
    emotion: Name
    statement: Text
    intensity: Intensity = Intensity.MEDIUM
    expires: Expiry = NEVER
    about: tuple[str, ...] = ()


class Eased(Event, frozen=True, kw_only=True, tag="eased"):
    """A feeling is over, by entry id or by emotion."""

    who: Name
    emotion: str = ""
    entry_id: EntryId | None = None


class Access(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may know something, and to whom it may be said, from now on."""

    knowers: Annotated[tuple[Name, ...], Meta(min_length=1)]
    unaware: tuple[CharacterId, ...] = ()
    disclosure: Disclosure = OPEN


class Corrected(Seen, frozen=True, kw_only=True, tag="corrected"):
    """A writer or the game puts an entry right; the old one is kept and superseded."""

    entry_id: EntryId
    statement: Text | None = None
    """The new wording; None only retracts."""
    slot: Slot | None = None
    confidence: Confidence | None = None
    access: Access | None = None
    """Who knows it, where that is what was wrong; whoever is not named knows it no more."""
    reason: str
    author: str | None = None


class ContradictionResolved(Seen, frozen=True, kw_only=True, tag="contradiction_resolved"):
    """An event or a person settles a contradiction; the losing entries are kept."""

    contradiction: EntryId
    winner: EntryId | None = None
    """None dismisses it: both may stand."""
    reason: str
    author: str | None = None


class Confirmed(Event, frozen=True, kw_only=True, tag="confirmed"):
    """A quarantined draft is confirmed, and may be drawn on from now."""

    entry_id: EntryId
    reason: str = ""
    author: str | None = None


class Reviewed(Event, frozen=True, kw_only=True, tag="reviewed"):
    """A person drops, suspends or resumes an entry, with a reason."""

    entry_id: EntryId
    outcome: Status
    reason: str
    author: str | None = None


class EntryDraft(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry as it is posted directly; kinds take the fields that are theirs."""

    kind: str
    statement: Text
    knowers: Annotated[tuple[str | Knower, ...], Meta(min_length=1)]
    source: Source | None = None
    slot: Slot | None = None
    confidence: Confidence | None = None
    unaware: tuple[CharacterId, ...] = ()
    disclosure: Disclosure = OPEN
    expires: Expiry = NEVER
    origin: EntryId | None = None
    derived_from: tuple[EntryId, ...] = ()
    supersedes: tuple[EntryId, ...] = ()
    protected: bool = False
    subject: str | None = None
    about: tuple[str, ...] = ()
    place: str | None = None
    event_tick: Tick | None = None
    said_by: CharacterId | None = None
    said_to: tuple[CharacterId, ...] = ()
    style_of: CharacterId | None = None
    quarantined: bool = False
    claimed_value: str | None = None
    believed_value: str | None = None
    teller: CharacterId | None = None
    hops: Annotated[int, Meta(ge=0)] | None = None
    severity: Annotated[int, Meta(ge=1)] | None = None
    owner: CharacterId | None = None
    to: CharacterId | None = None
    name: str | None = None
    form: Form | None = None
    trigger: str | None = None
    fulfilled_when: str = ""
    broken_when: str = ""
    due: Tick | None = None
    from_whom: CharacterId | None = None
    axis: str | None = None
    amount: float | None = None
    scope: str | None = None
    reason: str = ""
    evidence: tuple[EntryId, ...] = ()
    cap: float | None = None
    members: tuple[EntryId, ...] = ()
    holder: CharacterId | None = None
    emotion: str | None = None
    intensity: Intensity | None = None


class EntriesPosted(Event, frozen=True, kw_only=True, tag="entries_posted"):
    """Entries written directly, by a game or a writer; a direct post is an event too."""

    entries: Annotated[tuple[EntryDraft, ...], Meta(min_length=1, max_length=1_000)]
    author: str | None = None


class GroupJoined(Event, frozen=True, kw_only=True, tag="group_joined"):
    """Somebody joins a group and knows, from now, what it knows."""

    who: Name
    group: Name


class GroupLeft(Event, frozen=True, kw_only=True, tag="group_left"):
    """Somebody leaves a group; they keep what they knew and learn nothing after."""

    who: Name
    group: Name


class FellUnconscious(Event, frozen=True, kw_only=True, tag="fell_unconscious"):
    """Somebody witnesses nothing until they wake."""

    who: Name


class Died(Event, frozen=True, kw_only=True, tag="died"):
    """Somebody is dead: they witness nothing more and tell nobody anything, and do not wake."""

    who: Name


class Woke(Event, frozen=True, kw_only=True, tag="woke"):
    """Somebody is awake again."""

    who: Name


class WorldChanged(Event, frozen=True, kw_only=True, tag="world_changed"):
    """The playthrough goes on under another version of its world."""

    world_version: Name


GameEvent = (
    SceneChanged | TimePassed | HourPassed | RegionsCaughtUp | Seeded | Moved | Deed | Utterance | Told | Inferred
    | DocumentRead | Happened | StateSet
    | CommitmentMade | CommitmentFulfilled | CommitmentBroken | CommitmentReleased | RelationshipChanged | Felt | Eased
    | Corrected | ContradictionResolved | Confirmed | Reviewed | EntriesPosted | GroupJoined | GroupLeft
    | FellUnconscious | Died | Woke | WorldChanged
)  # fmt: skip


EventsWithSlots = Deed | Told | Inferred | DocumentRead | Happened | CommitmentMade | Corrected


def event_kind(event: Event) -> str:
    """Return the kind's name as tables, JSON and screens show it."""
    return str(event.__struct_config__.tag)


class RecordedEvent(Struct, frozen=True, kw_only=True):
    """An event as it stands in the history: numbered without gaps, timed, and chained to the one before."""

    seq: int
    at: StoryTime
    event: GameEvent
    hash: str


class Outcome(StrEnum):
    """What writing an entry came to."""

    CREATED = "created"
    UNCHANGED = "unchanged"
    SUPERSEDED = "superseded"
    CONFLICT = "conflict"


class Receipt(Struct, frozen=True, kw_only=True):
    """What became of one entry in a write."""

    entry_id: EntryId
    kind: str
    outcome: Outcome
    statement: str = ""
    others: tuple[EntryId, ...] = ()
    """Entries superseded, or in conflict with it."""


class EventReceipt(Struct, frozen=True, kw_only=True):
    """What became of one event; `unchanged` where its key had been written before."""

    seq: int
    kind: str
    at: StoryTime
    outcome: Outcome
    entries: tuple[Receipt, ...] = ()
    ended: tuple[EntryId, ...] = ()
    """Entries that this event ended or settled."""
    tellings: tuple[Telling, ...] = ()
    """What was passed on, believed or not."""
    refused: dict[str, int] = {}
    """How often a story was not passed on, by reason."""
    refusals: tuple[Refusal, ...] = ()
    """Each of them, told to who lets the hour go by; what is kept is `refused`."""
