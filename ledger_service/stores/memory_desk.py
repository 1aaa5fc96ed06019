"""What the memory stores share: a shelf of books, and the desk of one transaction on it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

import anyio

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import (
    LedgerEntry,
)
from ledger_service.domain.errors import (
    UnknownPlaythroughError,
)
from ledger_service.domain.events import EventReceipt, RecordedEvent
from ledger_service.domain.ids import EntryId, PacketId, PlaythroughId, ReplyId
from ledger_service.domain.playthroughs import Ancestor, Playthrough, Save, StoryState
from ledger_service.domain.reviews import Remark
from ledger_service.domain.revisions import Revision
from ledger_service.domain.rumours import Telling
from ledger_service.domain.voicings import Voicing
from ledger_service.domain.worlds import World
from ledger_service.ports import (
    OutboxItem,
    StoredPacket,
    StoredReply,
)

LAST_SEQ: Final = 9_000_000_000_000_000
T_ = TypeVar("T_")


@dataclass
class Book:
    """What one playthrough itself has written."""

    playthrough: Playthrough
    state: StoryState
    lineage: tuple[Ancestor, ...]
    saves: dict[str, Save] = field(default_factory=dict)
    events: list[tuple[RecordedEvent, EventReceipt]] = field(default_factory=list)
    entries: dict[EntryId, LedgerEntry] = field(default_factory=dict)
    amendments: dict[tuple[EntryId, int, str], Amendment] = field(default_factory=dict)
    tellings: dict[str, Telling] = field(default_factory=dict)
    voicings: dict[str, Voicing] = field(default_factory=dict)
    packets: dict[PacketId, StoredPacket] = field(default_factory=dict)
    replies: dict[ReplyId, StoredReply] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)

    def copy(self) -> "Book":
        held = {name: value.copy() for name, value in vars(self).items() if isinstance(value, dict | list)}
        return Book(**{**vars(self), **held})

    def rows(self) -> int:
        return 1 + len(self.lineage) + sum(len(v) for v in vars(self).values() if isinstance(v, dict | list))


@dataclass
class Shelf:
    """Everything there is."""

    worlds: dict[str, World] = field(default_factory=dict)
    revisions: tuple[Revision, ...] = ()
    books: dict[PlaythroughId, Book] = field(default_factory=dict)
    outbox: dict[int, OutboxItem] = field(default_factory=dict)
    put: int = 0

    def copy(self) -> "Shelf":
        return Shelf(self.worlds.copy(), self.revisions, self.books.copy(), self.outbox.copy(), self.put)


class Vault:
    """What is committed, and who may write."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.locks: dict[PlaythroughId, anyio.Lock] = {}


class Desk:
    """One transaction's view: a copy to read and write, and the changes to make again on what is there at commit."""

    def __init__(self, vault: Vault, playthrough_id: PlaythroughId | None) -> None:
        self.vault = vault
        self.playthrough_id = playthrough_id
        self.changes: list[Callable[[Shelf], None]] = []
        self.look_again()

    def look_again(self) -> None:
        """Take a fresh copy; what this transaction has written is kept."""
        self.shelf = Shelf.copy(self.vault.shelf)
        self.mine: set[PlaythroughId] = set()
        for change in self.changes:
            change(self._owned(self.shelf))

    def _owned(self, shelf: Shelf) -> Shelf:
        book = shelf.books.get(self.playthrough_id or "")
        if book is not None and book.playthrough.playthrough_id not in self.mine:
            self.mine.add(book.playthrough.playthrough_id)
            shelf.books[book.playthrough.playthrough_id] = book.copy()
        return shelf

    def change(self, make: Callable[[Shelf], None]) -> None:
        make(self._owned(self.shelf))
        self.changes.append(make)

    def write(self, make: Callable[[Book], None]) -> None:
        """Change this playthrough's own book."""
        playthrough_id = self.book().playthrough.playthrough_id
        self.change(lambda shelf: make(shelf.books[playthrough_id]))

    def commit(self) -> None:
        self.look_again()
        self.vault.shelf = self.shelf
        self.changes = []

    def book(self) -> Book:
        found = self.shelf.books.get(self.playthrough_id or "")
        if found is None:
            raise UnknownPlaythroughError(self.playthrough_id or "")
        return found

    def gather(self, rows: Callable[[Book], Iterable[T_]], seq_of: Callable[[T_], int]) -> list[T_]:
        """Read through the lineage: each ancestor up to where it was left."""
        found = self.shelf.books.get(self.playthrough_id or "")
        lineage = found.lineage if found else ()
        return [
            row
            for ancestor in reversed(lineage)
            if (book := self.shelf.books.get(ancestor.playthrough_id)) is not None
            for row in rows(book)
            if seq_of(row) <= ancestor.until_seq
        ]
