"""One transaction over one playthrough: worlds, histories, packets, and the unit of work that holds them together."""

from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.events import EventReceipt, RecordedEvent
from ledger_service.domain.ids import PacketId, PlaythroughId, ReplyId, WorldId
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import Ancestor, Playthrough, Save, StoryState
from ledger_service.domain.replies import Reply
from ledger_service.domain.reviews import Remark
from ledger_service.domain.revisions import Revision
from ledger_service.domain.rubric import Scorecard
from ledger_service.domain.rumours import Telling
from ledger_service.domain.worlds import World
from ledger_service.ports.graph import Outbox
from ledger_service.ports.ledger import LedgerBrowser, LedgerStore, TellingStore


class WorldStore(Protocol):
    """Worlds by content hash; an edit makes a new version. Worlds hold no playthrough's data."""

    async def add(self, world: World, *, source: str | None = None) -> str:
        """Keep a version (again is fine) and return it; one that was not there yet is the world's next revision.

        A text is kept with its version, unless that has one already or another came after it.
        """
        ...

    async def hold(self, world_id: WorldId) -> int:
        """Let nobody else save this world until the transaction ends; return the number of its newest revision.

        0 is a world that was never saved.
        """
        ...

    async def revise(self, world: World, *, source: str, author: str) -> Revision:
        """Keep a text as the next revision of its world, whatever version that is; for who holds it."""
        ...

    async def revision(self, world_id: WorldId, number: int) -> Revision:
        """Return a revision with its text, where it has one.

        Raises:
            UnknownWorldError: no such world, or no such revision of it.
        """
        ...

    async def revisions(self, world_id: WorldId, *, limit: int = 200, before: int | None = None) -> list[Revision]:
        """Return revisions without their texts, newest first, those before a number."""
        ...

    async def get(self, world_version: str) -> World:
        """Return a world by its version.

        Raises:
            UnknownWorldError: no such version.
        """
        ...

    async def find_latest(self, world_id: str) -> World | None:
        """Return the version of the newest revision, by the world's plain id."""
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
