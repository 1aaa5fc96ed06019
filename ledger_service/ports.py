"""What the use cases need from the world outside: stores, readers, speakers and the graph, as Protocols."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from msgspec import Struct

from ledger_service.domain.accounts import Account, AccountRole, AuditFilter, AuditRow, Note
from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Reach
from ledger_service.domain.entries import Commitment, LedgerEntry, Observation
from ledger_service.domain.events import EventReceipt, RecordedEvent
from ledger_service.domain.ids import CharacterId, EntryId, PacketId, PlaythroughId, ReplyId
from ledger_service.domain.judging import Judgement, Question
from ledger_service.domain.memory_contract import Ask, MemoryItem, Write
from ledger_service.domain.mirror import MirrorBatch, MirrorWorld, WorldState
from ledger_service.domain.moments import Intent, Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import Ancestor, Playthrough, Save, StoryState
from ledger_service.domain.probe_runs import Attempt, Branch, KeptCell, Progress, RunPlan, RunState
from ledger_service.domain.probe_views import CellFilter, FailureMark, Failures, RunRow, SeenRun, Square, Trend
from ledger_service.domain.probes import ResultState
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.reviews import Remark
from ledger_service.domain.rubric import Scorecard
from ledger_service.domain.rumours import STORIES, HeldBelief, Holding, ProvenanceChain, Telling
from ledger_service.domain.slots import Slot
from ledger_service.domain.spyglass import AskedQuery, GraphPicture
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.voicings import VoicedTelling, Voicing
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


class WorldStore(Protocol):
    """Worlds by content hash; an edit makes a new version. Worlds hold no playthrough's data."""

    async def add(self, world: World) -> str:
        """Keep a version (again is fine) and return it."""
        ...

    async def get(self, world_version: str) -> World:
        """Return a world by its version.

        Raises:
            UnknownWorldError: no such version.
        """
        ...

    async def find_latest(self, world_id: str) -> World | None:
        """Return the version added last, by the world's plain id."""
        ...

    async def list_versions(self) -> list[tuple[str, str]]:
        """Return (version, title) of all, newest first."""
        ...


class PlaythroughStore(Protocol):
    """Playthroughs, their branches and named points."""

    async def open(self, playthrough: Playthrough, state: StoryState) -> None:
        """Write a new playthrough with its lineage (its own history, and its parent's up to the fork)."""
        ...

    async def get(self, playthrough_id: PlaythroughId) -> Playthrough:
        """Return a playthrough.

        Raises:
            UnknownPlaythroughError: there is none.
        """
        ...

    async def list_all(self, *, limit: int = 100, after: PlaythroughId | None = None) -> list[Playthrough]:
        """Return playthroughs by id, a page at a time.

        Raises:
            CursorError: `after` can be nobody's id.
        """
        ...

    async def lock_state(self) -> StoryState:
        """Return where the story stands, locked against other writers until the transaction ends."""
        ...

    async def state(self) -> StoryState:
        """Return where the story stands now."""
        ...

    async def opening_world(self) -> str:
        """Return the version of the world that this story, or the one it branched from, began in."""
        ...

    async def put_state(self, state: StoryState) -> None:
        """Keep where the story stands now."""
        ...

    async def lineage(self) -> tuple[Ancestor, ...]:
        """Return the playthroughs whose history this one reads, itself first."""
        ...

    async def put_save(self, save: Save) -> None:
        """Name a point.

        Raises:
            DuplicateNameError: the name stands for another point.
        """
        ...

    async def get_save(self, name: str) -> Save:
        """Return a named point.

        Raises:
            UnknownSaveError: there is none of that name.
        """
        ...

    async def list_saves(self) -> list[Save]:
        """Return all named points, by seq."""
        ...

    async def erase(self) -> int:
        """Delete everything that this playthrough holds and return how many rows that were."""
        ...


class EventStore(Protocol):
    """The history: what the game reported, gap-free and chained."""

    async def append(self, events: Sequence[RecordedEvent], receipts: Sequence[EventReceipt]) -> None:
        """Write events with what they came to."""
        ...

    async def find_by_keys(self, keys: Sequence[str]) -> dict[str, tuple[RecordedEvent, EventReceipt]]:
        """Return what was already written under these idempotency keys."""
        ...

    async def load(
        self, *, after_seq: int = 0, until_seq: int | None = None, limit: int = 1_000
    ) -> list[RecordedEvent]:
        """Return a stretch of the history, ancestors included, oldest first."""
        ...

    async def load_receipts(
        self, *, after_seq: int = 0, until_seq: int | None = None, limit: int = 100
    ) -> list[tuple[RecordedEvent, EventReceipt]]:
        """Return the same stretch, each event with what it came to."""
        ...


class Page(Struct, frozen=True, kw_only=True):
    """One page of entries, newest first, and where the next begins."""

    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    next_after: str | None = None


class EntryFilter(Struct, frozen=True, kw_only=True):
    """Which entries a list shows; None is any."""

    kind: str | None = None
    knower: str | None = None
    """Entries that this character knows."""
    source: str | None = None
    term: str | None = None
    """Entries whose statement has this word."""
    at_seq: int | None = None


class LedgerStore(Protocol):
    """Entries, and what became of them. Reads go through the lineage; nothing is ever changed in place."""

    async def append(self, entries: Sequence[LedgerEntry]) -> None:
        """Write entries with their knowers, terms and endings."""
        ...

    async def amend(self, amendments: Sequence[Amendment]) -> None:
        """Write what became of entries; the same (entry, cause, status) again is left as it is."""
        ...

    async def load_candidates(
        self, moment: Moment, *, terms: Sequence[str], reach: Reach
    ) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return what could matter to a moment, by the rule of `domain.candidates`, ordered by (seq, entry_id).

        Of the entries known through `reach` at `moment.seq`: the newest NEWEST; the newest PER_TERM of each of
        `terms`; the newest MUST_HAVE of each window of `must_have_keys` that no amendment closes for the viewer;
        then, one level deep, what those rest on and what superseded them, known or not. And the amendments of all.
        """
        ...

    async def load_all(self, *, at_seq: int | None = None) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return the whole ledger: for a reviewer's complete list, export and tests."""
        ...

    async def get(self, entry_ids: Sequence[EntryId]) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return entries by id with what became of them; ids that are not there are left out."""
        ...

    async def page(self, where: EntryFilter, *, limit: int = 50, after: str | None = None) -> Page:
        """Return a page of entries, newest first, by keyset.

        Raises:
            CursorError: `after` is no place that a page ended with.
        """
        ...

    async def find_by_slot(self, slots: Sequence[Slot], *, limit: int = 100) -> list[LedgerEntry]:
        """Return entries with the same subject and predicate as any of these (either way round), newest first."""
        ...

    async def find_ending(
        self, *, before: StoryState, now: StoryState, event_names: Sequence[str]
    ) -> list[LedgerEntry]:
        """Return entries with an ending in this step: a tick, scene or turn in (before, now], or an event."""
        ...

    async def find_open_commitments(self, *, limit: int = 500) -> list[Commitment]:
        """Return commitments that nothing has closed and that have a condition to watch."""
        ...

    async def find_commitments(self, name: str) -> list[Commitment]:
        """Return commitments of that name or id, newest first."""
        ...

    async def find_by_origin(self, origin: EntryId, *, knower: CharacterId) -> list[LedgerEntry]:
        """Return what somebody holds that goes back to one origin, oldest first."""
        ...

    async def find_stories(
        self, reach: Reach, about: Sequence[str], *, at_seq: int
    ) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return the stories with a ladder about some people, as `load_candidates` finds those of its moment."""
        ...

    async def find_notices(self) -> list[Observation]:
        """Return the entries of the notices that hang now, oldest first."""
        ...

    async def find_readers(self, notices: Sequence[EntryId]) -> frozenset[tuple[EntryId, CharacterId]]:
        """Return (entry of the notice, who) for everybody who has read one of these notices."""
        ...

    async def load_conditional(
        self, kinds: Sequence[str]
    ) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:  # fmt: skip
        """Return the entries of these kinds, newest first, at most 5,000, with their amendments: for conditions."""
        ...

    async def find_residue(self, holder: CharacterId, emotion: str) -> list[LedgerEntry]:
        """Return residue of a holder that nothing has ended; an empty emotion is any."""
        ...


class BrowseFilter(Struct, frozen=True, kw_only=True):
    """Which entries the ledger browser shows, as of an event; None and () are any."""

    kind: str | None = None
    source: str | None = None
    statuses: tuple[str, ...] = ()
    """As it is, whoever can tell."""
    scene: int | None = None
    reach: Reach | None = None
    """Entries that somebody who knows through these scopes knows."""
    terms: tuple[str, ...] = ()
    """Entries that have all of these words, among those known through `reach`; without it, words are not asked for."""
    after_seq: int = 0
    """Entries of events after this one."""
    at_seq: int | None = None

    @property
    def is_of_drafts(self) -> bool:
        """Whether drafts alone are looked through, which are few."""
        return self.statuses == ("quarantined",) and self.reach is None

    @property
    def is_picky(self) -> bool:
        """Whether some of what is looked through may not fit."""
        return bool(self.source or self.statuses or len(self.terms) > 1 or (self.kind and self.reach))


class BrowsePage(Struct, frozen=True, kw_only=True):
    """A page of entries, newest first, and where to look on; of a rare sort, a page may hold few and yet go on."""

    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    next_after: str | None = None
    looked_at: int = 0
    """Among how many entries these were found."""


class LedgerBrowser(Protocol):
    """Looks through a ledger as people do, a bounded stretch at a time, whatever they ask for."""

    async def page(self, where: BrowseFilter, *, limit: int = 50, after: str | None = None) -> BrowsePage:
        """Return entries that fit, newest first, among the next stretch; `next_after` says where to look on.

        Raises:
            CursorError: `after` is no place that a page ended with.
        """
        ...

    async def resting_on(self, entry_id: EntryId, *, limit: int = 100) -> list[LedgerEntry]:
        """Return the newest entries that were made from an entry, or that it bears out."""
        ...

    async def became(self, *, after_seq: int, at_seq: int, limit: int = 1_000) -> list[Amendment]:
        """Return the newest changes of status that events after one, up to another, brought about."""
        ...

    async def told_of(self, entry_id: EntryId, origin: EntryId, *, limit: int = 100) -> list[Telling]:
        """Return the newest tellings of a story in which this version was passed on, or came about."""
        ...


class Behind(Struct, frozen=True, kw_only=True):
    """What an entry goes back to: versions, what became of them, and the tellings that made them."""

    entries: tuple[LedgerEntry, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    tellings: tuple[Telling, ...] = ()


class TellingStore(Protocol):
    """Tellings, and the chains that they make."""

    name: str
    """What a chain says of where it comes from."""

    async def append(self, tellings: Sequence[Telling]) -> None:
        """Write tellings."""
        ...

    async def behind(self, entry_id: EntryId) -> Behind:
        """Return everything that an entry goes back to, itself included, at any depth, by one question."""
        ...

    async def load_all(self) -> list[Telling]:
        """Return every telling of this playthrough's lineage, in order."""
        ...

    async def of_origins(self, origins: Sequence[EntryId]) -> list[Telling]:
        """Return every telling of some stories, in order."""
        ...

    async def find_holdings(self, people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        """Return the newest STORIES stories that each of these people holds themselves.

        A story is what somebody saw or heard (see `rumours.is_story`); scopes hold none.
        """
        ...

    async def newest(self, *, limit: int, unvoiced: bool = False) -> list[VoicedTelling]:
        """Return the newest tellings of this playthrough itself, each with how it was put; or those never put so."""
        ...

    async def voice(self, voicing: Voicing) -> None:
        """Keep how a telling was put; the first that is kept stays."""
        ...


class StoredPacket(Struct, frozen=True, kw_only=True):
    """A packet as it is kept, with its id and with the replies it got."""

    packet_id: PacketId
    packet: ContextPacket
    moment: Moment
    reply_ids: tuple[ReplyId, ...] = ()


class StoredReply(Struct, frozen=True, kw_only=True):
    """A reply as it is kept, with its scorecard where it has been scored."""

    reply_id: ReplyId
    packet_id: PacketId
    reply: Reply
    scorecard: Scorecard | None = None


class PacketStore(Protocol):
    """Packets, the replies on them, and their scorecards."""

    async def add(self, packet_id: PacketId, packet: ContextPacket, moment: Moment) -> None:
        """Keep a packet."""
        ...

    async def get(self, packet_id: PacketId) -> StoredPacket:
        """Return a packet.

        Raises:
            UnknownPacketError: there is none.
        """
        ...

    async def page(self, *, limit: int = 50, after: PacketId | None = None) -> list[StoredPacket]:
        """Return packets, newest first.

        Raises:
            CursorError: `after` is no packet of this playthrough.
        """
        ...

    async def add_scorecard(self, reply_id: ReplyId, scorecard: Scorecard) -> None:
        """Keep a later score of a reply as a row of its own; the last one counts."""
        ...

    async def overruled(self) -> list[StoredReply]:
        """Return the replies of which a reviewer overruled a finding."""
        ...

    async def add_reply(self, stored: StoredReply) -> None:
        """Keep a reply with its scorecard."""
        ...

    async def get_reply(self, reply_id: ReplyId) -> StoredReply:
        """Return a reply.

        Raises:
            UnknownReplyError: there is none.
        """
        ...

    async def replies_of(self, packet_id: PacketId) -> list[StoredReply]:
        """Return the replies on a packet, oldest first."""
        ...

    async def add_remark(self, remark: Remark) -> None:
        """Keep what a reviewer says of a packet."""
        ...

    async def remarks_on(self, packet_id: PacketId, *, limit: int = 200) -> list[Remark]:
        """Return the newest remarks on a packet, oldest first."""
        ...


class OutboxItem(Struct, frozen=True, kw_only=True):
    """A batch waiting for the graph."""

    outbox_id: int
    playthrough_id: PlaythroughId
    batch: MirrorBatch


class Outbox(Protocol):
    """What is to be mirrored, written in the transaction of the entries themselves."""

    async def put(self, batch: MirrorBatch, *, wake: bool = True) -> None:
        """Leave a batch for the mirror, and wake it; or leave it to the writer, who looks after it at once."""
        ...

    @property
    def last(self) -> int | None:
        """The number under which the last batch waits, once the events are written; None where nothing was left."""
        ...

    async def is_empty(self) -> bool:
        """Say whether nothing of this playthrough waits for the mirror."""
        ...


class UnitOfWork(Protocol):
    """One transaction, over one playthrough, or over none for worlds and lists. Left without commit, it rolls back."""

    worlds: WorldStore
    playthroughs: PlaythroughStore
    events: EventStore
    ledger: LedgerStore
    browser: LedgerBrowser
    tellings: TellingStore
    packets: PacketStore
    outbox: Outbox

    async def __aenter__(self) -> Self:
        """Begin."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Roll back what was not committed."""
        ...

    async def commit(self, *, durable: bool = True) -> None:
        """Make it durable; with `durable=False`, visible at once and on the disk within moments."""
        ...


class OpenUnitOfWork(Protocol):
    """Opens a unit of work; without a playthrough only worlds and the list of playthroughs are in reach."""

    def __call__(self, playthrough_id: PlaythroughId | None = None) -> UnitOfWork:
        """Open one."""
        ...


class Snapshot(Struct, frozen=True, kw_only=True):
    """Everything of a playthrough that what happens next can depend on."""

    playthrough: Playthrough
    """Cut off from whatever it branched from; `forked_at_seq` is where its history goes on."""
    state: StoryState
    worlds: dict[str, World]
    """By version."""
    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    tellings: tuple[Telling, ...]


class NewProcess(Protocol):
    """Runs an order in a process of its own, which opens the stores by itself."""

    shares_record: bool
    """It sees the record that this process sees; else the order has to hold everything."""

    async def run(self, order: bytes) -> bytes:
        """Return the answer.

        Raises:
            StoreError: it could not open the stores.
            ContentError: it refused, or broke.
        """
        ...


class Rehearse(Protocol):
    """Opens a copy of a playthrough in memory, on which what might happen is played and forgotten."""

    def __call__(self, snapshot: Snapshot) -> OpenUnitOfWork:
        """Return the way to transactions on the copy."""
        ...


class MirrorQueue(Protocol):
    """The worker's side of the outbox, over all playthroughs."""

    async def take(self, *, limit: int = 200, only: PlaythroughId | None = None) -> list[OutboxItem]:
        """Return the oldest batches not yet mirrored, of all or of one playthrough, in order, without removing them."""
        ...

    async def mark_sent(self, outbox_ids: Sequence[int]) -> None:
        """Record that batches have been mirrored."""
        ...

    async def lag(self) -> int:
        """Return how many batches wait."""
        ...

    def wake(self) -> AbstractAsyncContextManager[AsyncIterator[None]]:
        """Yield whenever something was put (NOTIFY), and at least once a second (polling)."""
        ...


class GraphState(Struct, frozen=True, kw_only=True):
    """What the graph holds of a playthrough: entry ids with millionths of confidence for each holder, telling ids."""

    beliefs: dict[str, int]
    """`entry_id|holder` to millionths."""
    tellings: frozenset[str]
    world: WorldState = {}
    """Cast, places, trust, and who is where."""


class RumourGraph(Protocol):
    """The mirror: one graph for each playthrough, which can be thrown away and rebuilt."""

    async def apply(self, playthrough_id: PlaythroughId, batch: MirrorBatch, *, filling: str = "") -> bool:
        """Mirror a batch with one idempotent query (a large one with several), if the graph is whole.

        With a token, only if it is being filled under that token. False: it is not, and it must be made anew.

        Raises:
            GraphUnavailableError: the graph is away.
        """
        ...

    async def begin(self, playthrough_id: PlaythroughId, world: MirrorWorld | None = None) -> str:
        """Throw away what is there and begin a new graph with a world; return the token under which to fill it."""
        ...

    async def finish(self, playthrough_id: PlaythroughId, filling: str) -> bool:
        """Declare a graph whole; False where somebody else began to fill it meanwhile."""
        ...

    async def is_whole(self, playthrough_id: PlaythroughId) -> bool:
        """Say whether a playthrough's graph is there and complete up to what still waits in the outbox."""
        ...

    async def drop(self, playthrough_id: PlaythroughId) -> None:
        """Throw a playthrough's graph away; one that is not there is fine."""
        ...

    async def state(self, playthrough_id: PlaythroughId) -> GraphState:
        """Return what the graph holds, for comparing with the record."""
        ...

    async def chain(self, playthrough_id: PlaythroughId, entry_id: EntryId) -> ProvenanceChain:
        """Return the chain that `build_chain` makes of what `TellingStore.behind` finds, from the graph instead.

        Raises:
            UnknownEntryError: there is no such entry.
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def find_beliefs(
        self, playthrough_id: PlaythroughId, who: CharacterId, *, most: int = STORIES
    ) -> tuple[HeldBelief, ...]:
        """Return what somebody holds themselves that can be passed on, the surest first.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def find_holdings(self, playthrough_id: PlaythroughId, people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        """Return the same as `TellingStore.find_holdings`, by one query.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def find_route(
        self, playthrough_id: PlaythroughId, teller: CharacterId, listener: CharacterId, *, most_hops: int
    ) -> tuple[CharacterId, ...]:
        """Return the same as `rumours.influence.likeliest_route`, both ends included; nothing where there is none.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def sample_brokers(
        self, playthrough_id: PlaythroughId, *, samples: int, seed: int
    ) -> dict[CharacterId, float]:
        """Return through whom how many shortest ways of trust lead, from a sample; the same seed, the same sample.

        Raises:
            GraphUnavailableError: the graph is away, or does not hold this playthrough yet.
        """
        ...

    async def picture(self, playthrough_id: PlaythroughId) -> GraphPicture:
        """Return what the graph holds, as far as fits on a screen.

        Raises:
            GraphUnavailableError: it is away.
            NotProjectedError: it does not hold this playthrough whole.
        """
        ...

    def last_queries(self, playthrough_id: PlaythroughId, *, most: int) -> tuple[AskedQuery, ...]:
        """Return the newest queries that this process put to a playthrough's graph, the newest first."""
        ...

    async def is_up(self) -> bool:
        """Say whether a real query is answered."""
        ...

    async def incarnation(self) -> str:
        """Return a mark that changes when the server has lost what it held.

        Raises:
            GraphUnavailableError: the graph is away.
        """
        ...


class ProbeLease(Protocol):
    """A batch of a run, held by one worker; every write checks that it still is."""

    batch_no: int
    fence: int
    distance: str
    branch: Branch | None
    """The branch that an earlier holder prepared."""

    async def keep_branch(self, branch: Branch) -> None:
        """Keep the branch on which the batch is asked.

        Raises:
            LostLease: the batch is no longer this worker's.
        """
        ...

    async def open_cells(self) -> list[KeptCell]:
        """Return the cells that have come to nothing yet, with the tries they have had."""
        ...

    async def keep(self, came: Sequence[tuple[KeptCell, Attempt]]) -> None:
        """Keep further tries, in their order, each with what its cell comes to by it: all of them, or none.

        Raises:
            LostLease: the batch is no longer this worker's, or one of the cells has come to something already.
        """
        ...

    async def finish(self) -> None:
        """Say that nothing is left of the batch; its branch is forgotten."""
        ...


class GroundHold(Protocol):
    """The played story of a run, held while it is being prepared or cleared away."""

    ground: Branch | None

    async def keep(self, ground: Branch | None) -> None:
        """Keep it, or that there is none any more."""
        ...


class ProbeRuns(Protocol):
    """Runs of probe matrices, as rows."""

    async def add(self, run: RunPlan, cells: Sequence[KeptCell]) -> None:
        """Keep a run with its cells and their batches (numbered from 0, each of one distance), whole or not at all."""
        ...

    async def find(self, run_id: str) -> RunPlan | None:
        """Return a run."""
        ...

    async def list_newest(self, *, limit: int = 50) -> list[RunPlan]:
        """Return runs, the newest first."""
        ...

    async def set_state(self, run_id: str, state: RunState) -> None:
        """Let workers go on, or claim no more."""
        ...

    def hold_ground(self, run_id: str) -> AbstractAsyncContextManager[GroundHold]:
        """Wait until nobody else holds the ground of a run, and hold it."""
        ...

    def claim(self, run_id: str) -> AbstractAsyncContextManager[ProbeLease | None]:
        """Claim an unfinished batch of an active run that nobody holds; None where there is none."""
        ...

    async def offer(self, run_id: str) -> None:
        """Offer an active run to whatever workers there are, and wake them: with a job for each open batch."""
        ...

    async def withdraw(self, run_id: str) -> None:
        """Offer a run no longer; a worker that holds a batch of it ends that."""
        ...

    async def offered(self) -> list[RunPlan]:
        """Return the active runs that are offered, the oldest first."""
        ...

    async def progress(self, run_id: str) -> Progress:
        """Count a run's cells by what they came to."""
        ...

    async def cells(self, run_id: str, *, after: int = -1, limit: int = 500) -> list[KeptCell]:
        """Return cells with their tries, by number, a page at a time."""
        ...

    async def ask_again(self, run_id: str, states: Sequence[ResultState]) -> int:
        """Open the cells of these states again and return how many; their tries stay, those of errors are retried."""
        ...


class ProbeBrowser(Protocol):
    """Runs of probes as the console shows them: those of the worlds that somebody was given, no others."""

    async def runs(
        self, *, story: str | None = None, subject: str | None = None, limit: int = 50, before: int | None = None
    ) -> list[RunRow]:
        """Return runs, the newest first, begun before a place in the order of beginning."""
        ...

    async def find(self, run_id: str) -> SeenRun | None:
        """Return a run, or None where there is none or it may not be seen."""
        ...

    async def row(self, run_id: str) -> RunRow | None:
        """Return how far a run is."""
        ...

    async def squares(self, run_id: str) -> list[Square]:
        """Return a run added up by distance, pressure and wording, in the order of the matrix."""
        ...

    async def cells(
        self, run_id: str, where: CellFilter, *, after: int = -1, limit: int | None = 100
    ) -> list[KeptCell]:
        """Return cells with their tries, by number."""
        ...

    async def cell(self, run_id: str, cell_no: int) -> KeptCell | None:
        """Return a cell with its tries."""
        ...

    async def states(self, run_id: str) -> dict[str, str]:
        """Return what every cell came to, by name."""
        ...

    async def numbers(self, run_id: str, names: Sequence[str]) -> dict[str, int]:
        """Return the numbers of cells by name."""
        ...

    async def failures(self, run_id: str, *, limit: int = 60) -> list[Failures]:
        """Return failures by sort, the most frequent first, each with one of them."""
        ...

    async def marks(self, subjects: Sequence[str]) -> dict[str, FailureMark]:
        """Return what people made of failures, by what these are called in the audit log."""
        ...

    async def trend(self, story: str, subject: str, *, limit: int = 24) -> list[Trend]:
        """Return the newest runs of a story and subject, the oldest of them first."""
        ...


class PlaythroughFilter(Struct, frozen=True, kw_only=True):
    """Which playthroughs a list shows; None is any."""

    world_id: str | None = None
    parent_id: PlaythroughId | None = None
    text: str | None = None
    """Part of the title, or the whole id."""


class Listed(Struct, frozen=True, kw_only=True):
    """A playthrough as a list shows it."""

    playthrough: Playthrough
    opened_no: int
    """Its place in the order of opening."""
    seq: int
    at: StoryTime
    branches: int


class PacketFilter(Struct, frozen=True, kw_only=True):
    """Which packets a list shows; None is any."""

    playthrough_id: PlaythroughId | None = None
    speaker: CharacterId | None = None
    verdict: str | None = None
    """`passed`, `failed`, `unanswered`, or the stage at fault."""
    mark: str | None = None
    """`approved`, `flagged` or `unmarked`."""


class ListedPacket(Struct, frozen=True, kw_only=True):
    """A packet as a list shows it, with the last line that was said on it."""

    packet_no: int
    """Its place in the order of building."""
    packet_id: PacketId
    playthrough_id: PlaythroughId
    title: str
    """The playthrough's."""
    world_id: str
    seq: int
    tick: int
    speaker: CharacterId
    audience: tuple[CharacterId, ...]
    line: str
    reply: str | None = None
    responder: str | None = None
    fault: str | None = None
    mark: str | None = None
    marked_by: str | None = None


class PacketPage(Struct, frozen=True, kw_only=True):
    """A page of packets, newest first, and where to look on; of a rare sort, a page may hold few and yet go on."""

    packets: tuple[ListedPacket, ...]
    next_before: int | None = None
    looked_at: int = 0
    """Among how many packets these were found."""


class Catalogue(Protocol):
    """What the console lists before a playthrough is chosen: of the worlds that somebody was given, no others."""

    async def page(self, where: PlaythroughFilter, *, limit: int = 50, before: int | None = None) -> list[Listed]:
        """Return playthroughs, the newest first, opened before a place in the order of opening."""
        ...

    async def find(self, playthrough_id: PlaythroughId) -> Listed | None:
        """Return a playthrough, or None where there is none or it may not be seen."""
        ...

    async def worlds(self) -> list[tuple[str, str]]:
        """Return (plain id, title) of the worlds, by id."""
        ...

    async def packets(self, where: PacketFilter, *, limit: int = 50, before: int | None = None) -> PacketPage:
        """Return packets, the newest first, built before a place in the order of building."""
        ...

    async def packets_like(
        self, playthroughs: Sequence[PlaythroughId], moment: Moment, *, limit: int = 20
    ) -> list[ListedPacket]:
        """Return the newest packets of these playthroughs in which the same is said to the same speaker by the same."""
        ...

    async def playthrough_of(self, packet_id: PacketId) -> PlaythroughId | None:
        """Return whose packet it is, or None where there is none or it may not be seen."""
        ...

    async def audit(self, where: AuditFilter, *, limit: int = 50, before: int | None = None) -> list[AuditRow]:
        """Return rows of the audit log that are about these worlds, newest first."""
        ...


class Passwords(Protocol):
    """Hashes passwords, slowly on purpose."""

    async def hash(self, password: str) -> str:
        """Return what may be kept of a password."""
        ...

    async def matches(self, password: str, password_hash: str | None) -> bool:
        """Say whether it is the password; without a hash it is not, and that takes as long."""
        ...


class Accounts(Protocol):
    """Who may sign in. Every change is written together with its row of the audit log."""

    async def add(self, account: Account, password_hash: str, *, note: Note, only_first: bool = False) -> None:
        """Keep an account; with `only_first`, only where there is none yet.

        Raises:
            DuplicateNameError: the name is taken, or it is not the first.
        """
        ...

    async def find(self, name: str) -> Account | None:
        """Return an account by name."""
        ...

    async def find_password(self, name: str) -> str | None:
        """Return the hash of the password of an account that may sign in."""
        ...

    async def list_all(self) -> list[Account]:
        """Return all accounts by name."""
        ...

    async def is_empty(self) -> bool:
        """Say whether nobody has an account yet."""
        ...

    async def set_password(self, name: str, password_hash: str, *, note: Note) -> None:
        """Change a password and end the account's sessions.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def set_role(self, name: str, role: AccountRole, *, note: Note) -> None:
        """Change what somebody is, and end their sessions.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def set_disabled(self, name: str, *, disabled: bool, note: Note) -> None:
        """Let somebody sign in no more, or again; their sessions end.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def give_worlds(self, name: str, worlds: Sequence[str], *, note: Note) -> None:
        """Let somebody see worlds.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def take_worlds(self, name: str, worlds: Sequence[str], *, note: Note) -> None:
        """Let somebody see worlds no more, from the next request on.

        Raises:
            UnknownAccountError: there is none of that name.
        """
        ...

    async def open_session(self, name: str, session_hash: str, *, hours: float, note: Note) -> None:
        """Keep a session by the hash of its token."""
        ...

    async def find_session(self, session_hash: str) -> Account | None:
        """Return whose session it is, while it lasts and they may sign in."""
        ...

    async def close_session(self, session_hash: str, *, note: Note) -> None:
        """End a session."""
        ...

    async def note(self, note: Note) -> None:
        """Add a row to the audit log, of something that changed nothing here."""
        ...

    async def audit(self, where: AuditFilter, *, limit: int = 50, before: int | None = None) -> list[AuditRow]:
        """Return rows of the audit log, newest first."""
        ...


class ProbeJobs(Protocol):
    """The queue of jobs that wake workers; what there is to do stands with the runs, and not in it."""

    async def serve(
        self, help_with: Callable[[str], Awaitable[None]], *, at_once: int, until: Callable[[], Awaitable[object]]
    ) -> None:
        """Help with a run for each job, so many at once, until `until` returns; those under way are ended first."""
        ...
