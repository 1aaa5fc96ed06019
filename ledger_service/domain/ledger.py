"""The ledger as a fold: entries and what became of them, as one character could tell at one moment."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.confidence import faded
from ledger_service.domain.entries import (
    LARGEST_AMOUNT,
    LARGEST_STANDING,
    Entry,
    LedgerEntry,
    RelationshipDelta,
    Status,
    first_status,
    kind_of,
)
from ledger_service.domain.ids import ENGINE, CharacterId, EntryId
from ledger_service.domain.playthroughs import Occurrence
from ledger_service.domain.visibility import Knower, Roster
from ledger_service.domain.worlds import Forgetting

LIVE = frozenset({Status.ACTIVE, Status.OPEN, Status.UNRESOLVED, Status.FELT, Status.FULFILLED, Status.BROKEN,
                  Status.RELEASED, Status.LAPSED})  # fmt: skip
"""Statuses under which an entry may still be drawn on. How a commitment ended is itself worth knowing."""

E_ = TypeVar("E_", bound=Entry)


class Ledger:
    """Entries folded with amendments up to a moment. It holds what it was given and changes nothing."""

    def __init__(
        self,
        entries: Iterable[LedgerEntry],
        amendments: Iterable[Amendment] = (),
        *,
        roster: Roster,
        at_seq: int,
        tick: int | None = None,
        forgetting: Forgetting | None = None,
        occurrences: Sequence[Occurrence] = (),
    ) -> None:
        """Fold; with a tick and a way of forgetting, entries stand with the confidence that is left by then."""
        self.roster = roster
        self.at_seq = at_seq
        self.occurrences = tuple(occurrences)
        self._amendments: dict[EntryId, list[Amendment]] = defaultdict(list)
        self._beliefs: dict[EntryId, Belief] = {}
        for amendment in sorted(amendments, key=lambda a: a.cause_seq):
            if amendment.cause_seq > at_seq:
                continue
            if amendment.belief is None:
                self._amendments[amendment.entry_id].append(amendment)
            else:
                self._beliefs[amendment.entry_id] = amendment.belief
        self.entries: Mapping[EntryId, LedgerEntry] = {
            e.entry_id: self._as_held(e, tick, forgetting) for e in entries if e.seq <= at_seq
        }

    def _as_held(self, entry: LedgerEntry, tick: int | None, forgetting: Forgetting | None) -> LedgerEntry:
        """Return an entry with the confidence that tellings since, and time, have left it."""
        belief = self._beliefs.get(entry.entry_id)
        held = entry.confidence if belief is None else belief.confidence
        if tick is not None and forgetting is not None and kind_of(entry) in forgetting.kinds and not entry.protected:
            reinforced_at = entry.at.tick if belief is None else belief.reinforced_at
            held = left_of(held, forgetting, reinforced_at=reinforced_at, now=tick)
        return entry if held == entry.confidence else msgspec.structs.replace(entry, confidence=held)

    def belief_of(self, entry_id: EntryId) -> Belief | None:
        """Return how sure the holder of a hearsay is since the last telling; None where there was but the first."""
        return self._beliefs.get(entry_id)

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


def left_of(confidence: float, forgetting: Forgetting, *, reinforced_at: int, now: int) -> float:
    """Return what a world's forgetting has left of a confidence."""
    return faded(
        confidence,
        reinforced_at=reinforced_at,
        now=now,
        kept=forgetting.kept,
        floor=forgetting.floor,
        after=forgetting.after_hours,
    )


def standing(
    deltas: Iterable[RelationshipDelta], from_whom: CharacterId, to: CharacterId, scope: str
) -> float:  # fmt: skip
    """Sum the live deltas of one character towards another in one scope, within the tightest cap.

    It is a number of its own: neither trust nor opinion.
    """
    held = [d for d in deltas if d.from_whom == from_whom and d.to == to and d.scope == scope]
    total = sum(_within(d.amount, LARGEST_AMOUNT) for d in held)
    return _within(total, min([LARGEST_STANDING, *(abs(d.cap) for d in held if d.cap is not None)]))


def _within(amount: float, most: float) -> float:
    """Hold a number within bounds, either way; what came in from elsewhere may be of any size."""
    return max(-most, min(most, float(amount)))


def find_all(entries: Iterable[LedgerEntry], kind: type[E_], where: Callable[[E_], bool] = lambda _: True) -> list[E_]:
    """Return the entries of one kind for which `where` holds."""
    return [entry for entry in entries if isinstance(entry, kind) and where(entry)]
