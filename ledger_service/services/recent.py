"""What events that follow one another need not load again, as long as nobody else has written in between."""

from collections.abc import Iterable, Sequence
from typing import Final

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import Telling
from ledger_service.ports import OutboxItem, UnitOfWork
from ledger_service.services.watching import Watch

MOST_KEPT: Final = 20_000
"""So many entries are kept for the next hour; a world with more in play is loaded anew."""


class Recent:
    """What was read or written on the way to one point of a history, known by the hash that its last event has."""

    def __init__(self) -> None:
        self._head: str | None = None
        self._watch: Watch | None = None
        self.graph_was_current = False
        """The last hour found what it asked for in the graph, for which nothing waited."""
        self.left: OutboxItem | None = None
        """What the last events left for such a graph: whoever goes on from here mirrors it, and nobody is woken."""
        self._mirrored: str | None = None
        self._forget()

    def _forget(self) -> None:
        self._entries: dict[EntryId, LedgerEntry] = {}
        self._amendments: dict[EntryId, dict[tuple[int, str], Amendment]] = {}
        self._tellings: dict[EntryId, dict[str, Telling]] = {}
        """Of each story, all that was told of it."""

    def mirrored(self) -> None:
        """Take note that what was left is in the graph, which so is at this point of the history."""
        self.left, self._mirrored = None, self._head

    def is_mirrored(self, head: str) -> bool:
        """Say whether the graph is known to be at a point of the history, so that nothing waits for it."""
        return head == self._mirrored

    def watch(self, uow: UnitOfWork, *, head: str) -> Watch:
        """Return what is watched at a point of the history, for a transaction to go on with."""
        if self._watch is None or head != self._head:
            self._watch = Watch()
        self._watch.turn_to(uow)
        return self._watch

    def turn_to(self, head: str) -> None:
        """Keep what is known of this point of the history, and nothing of any other."""
        if head != self._head or len(self._entries) > MOST_KEPT:
            self._forget()
        self._head = head

    async def entries(self, entry_ids: Sequence[EntryId], uow: UnitOfWork) -> tuple[list[LedgerEntry], list[Amendment]]:
        """Return entries and what became of them, each loaded once."""
        new = tuple(i for i in dict.fromkeys(entry_ids) if i not in self._entries)
        if new:
            found, amendments = await uow.ledger.get(new)
            self._entries |= {e.entry_id: e for e in found}
            self._amend(amendments)
        there = [i for i in dict.fromkeys(entry_ids) if i in self._entries]
        return [self._entries[i] for i in there], [a for i in there for a in self._amendments.get(i, {}).values()]

    async def tellings(self, origins: Iterable[EntryId], uow: UnitOfWork) -> tuple[Telling, ...]:
        """Return all that was told of these stories, in the order in which it was; each story is loaded once."""
        asked = tuple(dict.fromkeys(origins))
        new = [o for o in asked if o not in self._tellings]
        if new:
            self._tellings |= {o: {} for o in new}
            for told in await uow.tellings.of_origins(new):
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
