"""The ledger browser in memory: it goes through everything, a stretch at a time."""

from collections.abc import Sequence

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.browsing import by_rarity, stretch_of
from ledger_service.domain.candidates import Reach, recall_terms
from ledger_service.domain.cursors import place_after, read_place
from ledger_service.domain.entries import Entry, LedgerEntry, Status, first_status, kind_of, rests_on
from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import Telling
from ledger_service.ports import BrowseFilter, BrowsePage
from ledger_service.stores.memory_desk import LAST_SEQ, Desk


class MemoryLedgerBrowser:
    """Looks through the whole ledger for every question."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def page(self, where: BrowseFilter, *, limit: int = 50, after: str | None = None) -> BrowsePage:
        before = (LAST_SEQ, "") if after is None else read_place(after)
        at = LAST_SEQ if where.at_seq is None else where.at_seq
        amendments = [a for a in self._desk.gather(lambda b: b.amendments.values(), _cause) if a.cause_seq <= at]
        window = stretch_of(where.reach, limit, is_picky=where.is_picky)
        entries = self._desk.gather(lambda b: b.entries.values(), _seq)
        stretch = sorted((e for e in entries if _is_in(where, e, before, at)), key=_place, reverse=True)[:window]
        statuses = _last(amendments)
        found = [e for e in stretch if _fits(where, e, statuses)]
        shown = {e.entry_id: e for e in found[:limit]}
        last = found[limit - 1] if len(found) > limit else stretch[-1] if len(stretch) == window else None
        return BrowsePage(
            entries=tuple(shown.values()),
            amendments=tuple(a for a in sorted(amendments, key=_order) if a.entry_id in shown),
            next_after=None if last is None else place_after(*_place(last)),
            looked_at=len(stretch),
        )

    async def resting_on(self, entry_id: EntryId, *, limit: int = 100) -> list[LedgerEntry]:
        entries = self._desk.gather(lambda book: book.entries.values(), _seq)
        found = [e for e in entries if entry_id in rests_on(e)]
        return sorted(found, key=lambda e: (-e.seq, e.entry_id))[:limit]

    async def became(self, *, after_seq: int, at_seq: int, limit: int = 1_000) -> list[Amendment]:
        found = self._desk.gather(lambda book: book.amendments.values(), _cause)
        since = [a for a in found if after_seq < a.cause_seq <= at_seq and a.belief is None]
        return sorted(since, key=_order, reverse=True)[:limit]

    async def told_of(self, entry_id: EntryId, origin: EntryId, *, limit: int = 100) -> list[Telling]:
        told = self._desk.gather(lambda book: book.tellings.values(), lambda t: t.seq)
        found = [t for t in told if t.origin == origin and entry_id in {t.from_entry, t.to_entry}]
        return sorted(found, key=lambda t: (t.seq, t.telling_id), reverse=True)[:limit]


def _place(entry: LedgerEntry) -> tuple[int, EntryId]:
    return entry.seq, entry.entry_id


def _seq(entry: LedgerEntry) -> int:
    return entry.seq


def _cause(amendment: Amendment) -> int:
    return amendment.cause_seq


def _order(amendment: Amendment) -> tuple[int, EntryId, str]:
    return amendment.cause_seq, amendment.entry_id, amendment.status


def _last(amendments: Sequence[Amendment]) -> dict[EntryId, Status]:
    """Return the last status of each entry that has one."""
    return {a.entry_id: a.status for a in sorted(amendments, key=_order) if a.belief is None}


def _is_in(where: BrowseFilter, entry: LedgerEntry, before: tuple[int, EntryId], at: int) -> bool:
    """Say whether an entry is in the stretch that is looked through."""
    return (
        where.after_seq < entry.seq <= at
        and _place(entry) < before
        and (where.reach is not None or where.kind in {None, kind_of(entry)})
        and where.scene in {None, entry.at.scene}
        and (not where.is_of_drafts or entry.quarantined)
        and (
            where.reach is None
            or (_is_known(entry, where.reach) and recall_terms(entry).issuperset(by_rarity(where.terms)[:1]))
        )
    )


def _is_known(entry: Entry, reach: Reach) -> bool:
    who = {k.who for k in entry.knowers}
    return any(scope in who and entry.seq < bound for scope, bound in reach.scopes)


def _fits(where: BrowseFilter, entry: LedgerEntry, statuses: dict[EntryId, Status]) -> bool:
    status = statuses.get(entry.entry_id, first_status(entry))
    return (
        where.source in {None, str(entry.source.kind)}
        and where.kind in {None, kind_of(entry)}
        and (not where.statuses or status in where.statuses)
        and (where.reach is None or recall_terms(entry).issuperset(where.terms))
    )
