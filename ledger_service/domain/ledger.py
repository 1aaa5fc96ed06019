"""The ledger as a fold: entries and what became of them, as one character could tell at one moment."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TypeVar

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Entry, LedgerEntry, RelationshipDelta, Status, first_status
from ledger_service.domain.ids import ENGINE, CharacterId, EntryId
from ledger_service.domain.visibility import Knower, Roster

LIVE = frozenset({Status.ACTIVE, Status.OPEN, Status.UNRESOLVED, Status.FELT, Status.FULFILLED, Status.BROKEN,
                  Status.RELEASED, Status.LAPSED})  # fmt: skip
"""Statuses under which an entry may still be drawn on. How a commitment ended is itself worth knowing."""

E_ = TypeVar("E_", bound=Entry)


class Ledger:
    """Entries folded with amendments up to a moment. It holds what it was given and changes nothing."""

    def __init__(
        self, entries: Iterable[LedgerEntry], amendments: Iterable[Amendment] = (), *, roster: Roster, at_seq: int
    ) -> None:
        self.roster = roster
        self.at_seq = at_seq
        self.entries: Mapping[EntryId, LedgerEntry] = {e.entry_id: e for e in entries if e.seq <= at_seq}
        self._amendments: dict[EntryId, list[Amendment]] = defaultdict(list)
        for amendment in sorted(amendments, key=lambda a: a.cause_seq):
            if amendment.cause_seq <= at_seq:
                self._amendments[amendment.entry_id].append(amendment)

    def knower_of(self, entry: Entry, character: CharacterId) -> Knower | None:
        """Return how a character knows an entry, or None where they do not; who must not learn it never does."""
        if character in entry.unaware:
            return None
        return self.roster.find_knower(entry.knowers, character, at_seq=self.at_seq)

    def knows(self, character: CharacterId, entry_id: EntryId) -> bool:
        """Say whether a character knows an entry; one that is not here is known to nobody."""
        entry = self.entries.get(entry_id)
        return entry is not None and self.knower_of(entry, character) is not None

    def amendments_of(self, entry_id: EntryId) -> tuple[Amendment, ...]:
        """Return what became of an entry, oldest first."""
        return tuple(self._amendments.get(entry_id, ()))

    def last_amendment(self, entry: Entry, *, viewer: CharacterId | None = None) -> Amendment | None:
        """Return the last amendment that a viewer can tell of; without a viewer, the last of all."""
        told = (a for a in reversed(self._amendments.get(entry.entry_id, ())) if self._can_tell(a, viewer))
        return next(told, None)

    def status_of(self, entry: Entry, *, viewer: CharacterId | None = None) -> Status:
        """Return an entry's status as a viewer could tell it; without a viewer, as it is."""
        last = self.last_amendment(entry, viewer=viewer)
        return first_status(entry) if last is None else last.status

    def live(self) -> list[LedgerEntry]:
        """Return the entries that may still be drawn on by somebody."""
        return [e for e in self.entries.values() if self.status_of(e) in LIVE]

    def _can_tell(self, amendment: Amendment, viewer: CharacterId | None) -> bool:
        if viewer is None or viewer == ENGINE:
            return True
        if amendment.by and not all(self.knows(viewer, entry_id) for entry_id in amendment.by):
            return False
        if amendment.knowers is None:
            return True
        scopes = self.roster.groups_of(viewer, at_seq=self.at_seq) | {viewer, "public"}
        return not scopes.isdisjoint(amendment.knowers)

    @cached_property
    def successors(self) -> Mapping[EntryId, tuple[EntryId, ...]]:
        """Which entries supersede which, by what entries say of themselves."""
        found: dict[EntryId, list[EntryId]] = defaultdict(list)
        for entry in self.entries.values():
            for older in entry.supersedes:
                found[older].append(entry.entry_id)
        return {older: tuple(newer) for older, newer in found.items()}


def standing(
    deltas: Iterable[RelationshipDelta], from_whom: CharacterId, to: CharacterId, scope: str
) -> float:  # fmt: skip
    """Sum the live deltas of one character towards another in one scope, within the tightest cap.

    It is a number of its own: neither trust nor opinion.
    """
    held = [d for d in deltas if d.from_whom == from_whom and d.to == to and d.scope == scope]
    total = float(sum(d.amount for d in held))
    caps = [abs(d.cap) for d in held if d.cap is not None]
    return max(-min(caps), min(*caps, total)) if caps else total


def find_all(entries: Iterable[LedgerEntry], kind: type[E_], where: Callable[[E_], bool] = lambda _: True) -> list[E_]:
    """Return the entries of one kind for which `where` holds."""
    return [entry for entry in entries if isinstance(entry, kind) and where(entry)]
