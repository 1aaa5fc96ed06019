"""All stores in dicts, for tests and dry runs: a transaction works on a copy, and commit swaps it in."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import anyio
import anyio.lowlevel
from msgspec.structs import replace

from ledger_service.domain.accounts import Note
from ledger_service.domain.cursors import read_id
from ledger_service.domain.errors import (
    CursorError,
    DuplicateNameError,
    PlaythroughHasForksError,
    SequenceTakenError,
    UnknownPacketError,
    UnknownPlaythroughError,
    UnknownReplyError,
    UnknownSaveError,
)
from ledger_service.domain.events import EventReceipt, RecordedEvent
from ledger_service.domain.ids import CharacterId, EntryId, PacketId, PlaythroughId, ReplyId, WorldId
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import Ancestor, Playthrough, Save, StoryState
from ledger_service.domain.reviews import Remark
from ledger_service.domain.rubric import Scorecard
from ledger_service.domain.rumours import Holding, Telling, holdings_of
from ledger_service.domain.voicings import VoicedTelling, Voicing
from ledger_service.ports import (
    Behind,
    EventStore,
    LedgerBrowser,
    LedgerStore,
    Outbox,
    OutboxItem,
    PacketStore,
    PlaythroughStore,
    StoredPacket,
    StoredReply,
    TellingStore,
    UnitOfWork,
    WorldStore,
)
from ledger_service.stores.memory_browser import MemoryLedgerBrowser
from ledger_service.stores.memory_desk import LAST_SEQ, Book, Desk, Shelf, Vault
from ledger_service.stores.memory_ledger import MemoryLedger
from ledger_service.stores.memory_probe_browser import MemoryProbeBrowser
from ledger_service.stores.memory_probes import MemoryProbeRuns
from ledger_service.stores.memory_worlds import MemoryWorlds


class MemoryStores:
    """The record in memory; `open_uow` opens transactions on it."""

    def __init__(self) -> None:
        self._vault = Vault()
        self.mirror_queue = MemoryMirrorQueue(self._vault)
        self.probe_runs = MemoryProbeRuns()
        self.notes: list[Note] = []
        """What people did, in order."""

    def probe_browser(self, worlds: Sequence[WorldId]) -> MemoryProbeBrowser:
        """Return what shows the runs of probes of some worlds."""
        return MemoryProbeBrowser(self.probe_runs, worlds, self.notes)

    def open_uow(self, playthrough_id: PlaythroughId | None = None) -> UnitOfWork:
        """Open a unit of work (see `ports.OpenUnitOfWork`)."""
        return MemoryUnitOfWork(self._vault, playthrough_id)

    def copy(self) -> "MemoryStores":
        """Return the same record apart from this one: what is written to either is not in the other."""
        copied = MemoryStores()
        copied._vault.shelf = Shelf.copy(self._vault.shelf)
        return copied


class MemoryUnitOfWork:
    """A transaction over one playthrough, or over none."""

    worlds: WorldStore
    playthroughs: PlaythroughStore
    events: EventStore
    ledger: LedgerStore
    browser: LedgerBrowser
    tellings: TellingStore
    packets: PacketStore
    outbox: Outbox

    def __init__(self, vault: Vault, playthrough_id: PlaythroughId | None) -> None:
        self._vault = vault
        self._playthrough_id = playthrough_id

    async def __aenter__(self) -> Self:
        self._desk = desk = Desk(self._vault, self._playthrough_id)
        self._playthroughs = MemoryPlaythroughs(desk)
        self.worlds, self.playthroughs, self.events = MemoryWorlds(desk), self._playthroughs, MemoryEvents(desk)
        self.ledger, self.tellings = MemoryLedger(desk), MemoryTellings(desk)
        self.browser = MemoryLedgerBrowser(desk)
        self.packets, self.outbox = MemoryPackets(desk), MemoryOutbox(desk)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._playthroughs.release()

    async def commit(self, *, durable: bool = True) -> None:  # noqa: ARG002  (memory knows no disk)
        """Make it durable."""
        self._desk.commit()


class MemoryPlaythroughs:
    """Playthroughs, their branches and named points."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._held: anyio.Lock | None = None

    def release(self) -> None:
        """Let other writers in."""
        if self._held is not None:
            self._held.release()
            self._held = None

    async def open(self, playthrough: Playthrough, state: StoryState) -> None:
        parent = self._desk.shelf.books.get(playthrough.parent_id or "")
        if playthrough.parent_id is not None and parent is None:
            raise UnknownPlaythroughError(playthrough.parent_id)
        own = Ancestor(playthrough_id=playthrough.playthrough_id, until_seq=LAST_SEQ)
        fork = playthrough.forked_at_seq or 0
        shared = (
            Ancestor(playthrough_id=a.playthrough_id, until_seq=min(a.until_seq, fork))
            for a in (parent.lineage if parent else ())
        )
        book = Book(playthrough=playthrough, state=state, lineage=(own, *shared))

        def put(shelf: Shelf) -> None:
            if playthrough.playthrough_id in shelf.books:
                raise DuplicateNameError("playthrough", playthrough.playthrough_id)
            shelf.books[playthrough.playthrough_id] = book.copy()

        self._desk.change(put)
        self._desk.playthrough_id = playthrough.playthrough_id

    async def get(self, playthrough_id: PlaythroughId) -> Playthrough:
        if playthrough_id != self._desk.playthrough_id:
            raise UnknownPlaythroughError(playthrough_id)
        return self._desk.book().playthrough

    async def list_all(self, *, limit: int = 100, after: PlaythroughId | None = None) -> list[Playthrough]:
        begin = "" if after is None else read_id(after)
        found = sorted(name for name in self._desk.shelf.books if name > begin)
        return [self._desk.shelf.books[name].playthrough for name in found[:limit]]

    async def lock_state(self) -> StoryState:
        if self._held is None:
            lock = self._desk.vault.locks.setdefault(self._desk.playthrough_id or "", anyio.Lock())
            await lock.acquire()
            self._held = lock
            self._desk.look_again()
        return await self.state()

    async def state(self) -> StoryState:
        return self._desk.book().state

    async def opening_world(self) -> str:
        return self._desk.book().playthrough.opening_world

    async def put_state(self, state: StoryState) -> None:
        self._desk.write(lambda book: setattr(book, "state", state))

    async def lineage(self) -> tuple[Ancestor, ...]:
        return self._desk.book().lineage

    async def put_save(self, save: Save) -> None:
        def put(book: Book) -> None:
            if book.saves.setdefault(save.name, save).seq != save.seq:
                raise DuplicateNameError("save", save.name)

        self._desk.write(put)

    async def get_save(self, name: str) -> Save:
        found = next((s for s in reversed(await self.list_saves()) if s.name == name), None)
        if found is None:
            raise UnknownSaveError(name)
        return found

    async def list_saves(self) -> list[Save]:
        saves = self._desk.gather(lambda book: book.saves.values(), lambda save: save.seq)
        return sorted(saves, key=lambda s: (s.seq, s.name))

    async def erase(self) -> int:
        book = self._desk.book()
        name = book.playthrough.playthrough_id
        forks = sum(b.playthrough.parent_id == name for b in self._desk.shelf.books.values())
        if forks:
            raise PlaythroughHasForksError(name, forks)
        waiting = [i for i, item in self._desk.shelf.outbox.items() if item.playthrough_id == name]

        def drop(shelf: Shelf) -> None:
            shelf.books.pop(name, None)
            for i in waiting:
                shelf.outbox.pop(i, None)

        self._desk.change(drop)
        return book.rows() + len(waiting)


class MemoryEvents:
    """The history."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def append(self, events: Sequence[RecordedEvent], receipts: Sequence[EventReceipt]) -> None:
        pairs = list(zip(events, receipts, strict=True))

        def put(book: Book) -> None:
            for event, receipt in pairs:
                last = book.events[-1][0].seq if book.events else book.playthrough.forked_at_seq or 0
                if event.seq != last + 1:
                    raise SequenceTakenError(event.seq - 1, last)
                book.events.append((event, receipt))

        self._desk.write(put)

    async def find_by_keys(self, keys: Sequence[str]) -> dict[str, tuple[RecordedEvent, EventReceipt]]:
        wanted = set(keys)
        return {pair[0].event.key: pair for pair in self._all() if pair[0].event.key in wanted and pair[0].event.key}

    async def load(
        self, *, after_seq: int = 0, until_seq: int | None = None, limit: int = 1_000
    ) -> list[RecordedEvent]:
        found = await self.load_receipts(after_seq=after_seq, until_seq=until_seq, limit=limit)
        return [event for event, _ in found]

    async def load_receipts(
        self, *, after_seq: int = 0, until_seq: int | None = None, limit: int = 100
    ) -> list[tuple[RecordedEvent, EventReceipt]]:
        until = LAST_SEQ if until_seq is None else until_seq
        return [pair for pair in self._all() if after_seq < pair[0].seq <= until][:limit]

    def _all(self) -> list[tuple[RecordedEvent, EventReceipt]]:
        return sorted(self._desk.gather(lambda book: book.events, lambda pair: pair[0].seq), key=lambda p: p[0].seq)


class MemoryTellings:
    """Tellings, and the chains that they make."""

    name = "memory"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def append(self, tellings: Sequence[Telling]) -> None:
        new = {t.telling_id: t for t in tellings}
        self._desk.write(lambda book: book.tellings.update({k: t for k, t in new.items() if k not in book.tellings}))

    async def behind(self, entry_id: EntryId) -> Behind:
        told = await self.load_all()
        found: dict[str, Telling] = {}
        frontier = {entry_id}
        while frontier:
            nearer = [t for t in told if t.to_entry in frontier and t.telling_id not in found]
            found |= {t.telling_id: t for t in nearer}
            frontier = {t.from_entry for t in nearer}
        ids = {entry_id, *(t.from_entry for t in found.values())}
        entries, amendments = await MemoryLedger(self._desk).get(tuple(ids))
        return Behind(entries=entries, amendments=amendments, tellings=tuple(found.values()))

    async def load_all(self) -> list[Telling]:
        found = self._desk.gather(lambda book: book.tellings.values(), lambda t: t.seq)
        return sorted(found, key=lambda t: (t.seq, t.telling_id))

    async def of_origins(self, origins: Sequence[EntryId]) -> list[Telling]:
        return [t for t in await self.load_all() if t.origin in set(origins)]

    async def find_holdings(self, people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        entries = self._desk.gather(lambda book: book.entries.values(), lambda e: e.seq)
        return holdings_of(people, entries)

    async def newest(self, *, limit: int, unvoiced: bool = False) -> list[VoicedTelling]:
        book = self._desk.book()
        told = sorted(book.tellings.values(), key=lambda t: (t.seq, t.telling_id), reverse=True)
        wanted = [t for t in told if not (unvoiced and t.telling_id in book.voicings)][:limit]
        return [VoicedTelling(telling=t, voicing=book.voicings.get(t.telling_id)) for t in wanted]

    async def voice(self, voicing: Voicing) -> None:
        self._desk.write(lambda book: book.voicings.update({voicing.telling_id: voicing} | book.voicings))


class MemoryPackets:
    """Packets, the replies on them, and their scorecards."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add(self, packet_id: PacketId, packet: ContextPacket, moment: Moment) -> None:
        stored = StoredPacket(packet_id=packet_id, packet=packet, moment=moment)
        self._desk.write(lambda book: book.packets.update({packet_id: stored}))

    async def get(self, packet_id: PacketId) -> StoredPacket:
        found = self._desk.book().packets.get(packet_id)
        if found is None:
            raise UnknownPacketError(packet_id)
        return await self._with_replies(found)

    async def page(self, *, limit: int = 50, after: PacketId | None = None) -> list[StoredPacket]:
        newest = list(reversed(self._desk.book().packets))
        if after is not None and after not in newest:
            raise CursorError(after)
        rest = newest if after is None else newest[newest.index(after) + 1 :]
        return [await self.get(packet_id) for packet_id in rest[:limit]]

    async def add_reply(self, stored: StoredReply) -> None:
        self._desk.write(lambda book: book.replies.update({stored.reply_id: stored}))

    async def add_scorecard(self, reply_id: ReplyId, scorecard: Scorecard) -> None:
        kept = await self.get_reply(reply_id)
        self._desk.write(lambda book: book.replies.update({reply_id: replace(kept, scorecard=scorecard)}))

    async def overruled(self) -> list[StoredReply]:
        return [r for r in self._desk.book().replies.values() if r.scorecard is not None and r.scorecard.overruled]

    async def get_reply(self, reply_id: ReplyId) -> StoredReply:
        found = self._desk.book().replies.get(reply_id)
        if found is None:
            raise UnknownReplyError(reply_id)
        return found

    async def replies_of(self, packet_id: PacketId) -> list[StoredReply]:
        return [r for r in self._desk.book().replies.values() if r.packet_id == packet_id]

    async def add_remark(self, remark: Remark) -> None:
        self._desk.write(lambda book: book.remarks.append(remark))

    async def remarks_on(self, packet_id: PacketId, *, limit: int = 200) -> list[Remark]:
        return [r for r in self._desk.book().remarks if r.packet_id == packet_id][-limit:]

    async def _with_replies(self, found: StoredPacket) -> StoredPacket:
        ids = tuple(r.reply_id for r in await self.replies_of(found.packet_id))
        return StoredPacket(packet_id=found.packet_id, packet=found.packet, moment=found.moment, reply_ids=ids)


class MemoryOutbox:
    """The writing side of the outbox."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.last: int | None = None

    async def put(self, batch: MirrorBatch, *, wake: bool = True) -> None:  # noqa: ARG002  (here each look is a reason)
        playthrough_id = self._desk.book().playthrough.playthrough_id

        def put(shelf: Shelf) -> None:
            shelf.put += 1
            self.last = shelf.put
            shelf.outbox[shelf.put] = OutboxItem(outbox_id=shelf.put, playthrough_id=playthrough_id, batch=batch)

        if not batch.is_empty:
            self._desk.change(put)

    async def is_empty(self) -> bool:
        playthrough_id = self._desk.book().playthrough.playthrough_id
        return all(i.playthrough_id != playthrough_id for i in self._desk.vault.shelf.outbox.values())


class MemoryMirrorQueue:
    """The worker's side of the outbox."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def take(self, *, limit: int = 200, only: PlaythroughId | None = None) -> list[OutboxItem]:
        return [i for i in self._vault.shelf.outbox.values() if only in {None, i.playthrough_id}][:limit]

    async def mark_sent(self, outbox_ids: Sequence[int]) -> None:
        for outbox_id in outbox_ids:
            self._vault.shelf.outbox.pop(outbox_id, None)

    async def lag(self) -> int:
        return len(self._vault.shelf.outbox)

    @asynccontextmanager
    async def wake(self) -> AsyncIterator[AsyncIterator[None]]:
        """Yield a stream of reasons to look; here each look is a reason."""
        yield _reasons()


async def _reasons() -> AsyncIterator[None]:
    while True:
        yield None
        await anyio.lowlevel.checkpoint()
