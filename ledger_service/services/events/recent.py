"""What events that follow one another need not load again, as long as nobody else has written in between."""

from collections.abc import Iterable
from typing import Final

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import Telling
from ledger_service.ports import OutboxItem, UnitOfWork
from ledger_service.services.events.watching import Watch

MOST_KEPT: Final = 20_000
"""So many entries are kept for the next hour; a world with more in play is loaded anew."""


class Recent:
    """What was read or written on the way to one point of a history, known by the hash that its last event has.

    It is turned to each transaction that goes on from there, before anything is asked of it.
    """

    _uow: UnitOfWork

    def __init__(self) -> None:
        self._head: str | None = None
        self.graph_was_current = False
        """The last hour found what it asked for in the graph, for which nothing waited."""
        self.left: OutboxItem | None = None
        """What the last events left for such a graph: whoever goes on from here mirrors it, and nobody is woken."""
        self._began: str | None = None
        self._mirrored: str | None = None
        self._forget()

    def _forget(self) -> None:
        self.watch = Watch()
        """The open commitments that these events may settle."""
        self._entries: dict[EntryId, LedgerEntry] = {}
        self._amendments: dict[EntryId, dict[tuple[int, str], Amendment]] = {}
        self._tellings: dict[EntryId, dict[str, Telling]] = {}
        """Of each story, all that was told of it."""

    def mirrored(self) -> None:
        """Take note that what was left is in the graph, which so is at this point of the history."""
        self.left, self._mirrored = None, self._head

    @property
    def has_written(self) -> bool:
        """Whether this transaction has written already what no graph can hold before its end."""
        return self._head != self._began

    @property
    def is_mirrored(self) -> bool:
        """Say whether the graph is known to be at this point of the history, so that nothing waits for it."""
        return self._head == self._mirrored

    def turn_to(self, uow: UnitOfWork, *, head: str) -> None:
        """Go on in a transaction from a point of the history, with what is known of it and of no other."""
        if head != self._head or len(self._entries) > MOST_KEPT:
            self._forget()
        self._uow, self._began, self._head = uow, head, head
        self.graph_was_current, self.left = False, None
        self.watch.turn_to(uow)

    async def entries(self, entry_ids: Iterable[EntryId]) -> tuple[list[LedgerEntry], list[Amendment]]:
        """Return entries and what became of them, each loaded once."""
        asked = tuple(dict.fromkeys(entry_ids))
        new = tuple(i for i in asked if i not in self._entries)
        if new:
            found, amendments = await self._uow.ledger.get(new)
            self._entries |= {e.entry_id: e for e in found}
            self._amend(amendments)
        there = [i for i in asked if i in self._entries]
        return [self._entries[i] for i in there], [a for i in there for a in self._amendments.get(i, {}).values()]

    async def tellings(self, origins: Iterable[EntryId]) -> tuple[Telling, ...]:
        """Return all that was told of these stories, in the order in which it was; each story is loaded once."""
        asked = tuple(dict.fromkeys(origins))
        new = [o for o in asked if o not in self._tellings]
        if new:
            self._tellings |= {o: {} for o in new}
            for told in await self._uow.tellings.of_origins(new):
                self._tellings[told.origin][told.telling_id] = told
        found = (t for o in asked for t in self._tellings[o].values())
        return tuple(sorted(found, key=lambda t: (t.seq, t.telling_id)))

    def wrote(
        self, entries: Iterable[LedgerEntry], amendments: Iterable[Amendment], tellings: Iterable[Telling], *, head: str
    ) -> None:
        """Take up what the next event wrote, which now is the last."""
        self._entries |= {e.entry_id: e for e in entries}
        self._amend(a for a in amendments if a.entry_id in self._entries)
        for told in tellings:
            if told.origin in self._tellings:
                self._tellings[told.origin].setdefault(told.telling_id, told)
        self._head = head

    def _amend(self, amendments: Iterable[Amendment]) -> None:
        for a in amendments:
            self._amendments.setdefault(a.entry_id, {}).setdefault((a.cause_seq, str(a.status)), a)
