"""Browse a ledger: the entries that fit, as they stood at an event, as a person of the story would see them."""

from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from ledger_service.domain.candidates import MAX_TERMS, Reach
from ledger_service.domain.confidence import Band
from ledger_service.domain.cursors import place_after
from ledger_service.domain.entries import SourceKind, Status
from ledger_service.domain.ids import CharacterId, PlaythroughId
from ledger_service.domain.terms import term_set
from ledger_service.ports import BrowseFilter, BrowsePage, Catalogue, OpenUnitOfWork, UnitOfWork
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Row, Standpoint, stand_in, with_inputs

PAGE: Final = 40
CHUNK: Final = 250
"""So many are read at a time where the fold decides what fits."""
MOST: Final = 1_000
"""So many are folded for a page where the fold decides what fits; what is rarer is found further on."""


class LedgerQuery(Struct, frozen=True, kw_only=True):
    """What somebody wants to see of a ledger; None is any."""

    kind: str | None = None
    knower: str | None = None
    """A person, or a scope such as `group:crew` or `public`."""
    status: Status | None = None
    source: SourceKind | None = None
    band: Band | None = None
    scene: int | None = None
    text: str = ""
    seen_by: CharacterId | None = None
    """As this person sees it: what they know, as surely as they do, with the endings that they can tell of."""
    at_seq: int | None = None
    """As it stood after this event."""

    @property
    def is_folded(self) -> bool:
        """Whether it takes the fold to say what fits."""
        return self.band is not None or self.seen_by is not None

    @property
    def terms(self) -> tuple[str, ...]:
        """Words to look for; entities by their id, as `@maelin`."""
        names = {word for word in self.text.split() if word.startswith("@")}
        plain = " ".join(word for word in self.text.split() if word not in names)
        return tuple(sorted(names | term_set(plain), key=lambda term: (-len(term), term))[:MAX_TERMS])

    @property
    def is_vague(self) -> bool:
        """Whether words were given, and none of them says anything."""
        return bool(self.text.strip()) and not self.terms


class LedgerPage(Struct, frozen=True, kw_only=True):
    """A page of a ledger, newest first, and where the next begins."""

    here: Standpoint
    rows: tuple[Row, ...]
    next_after: str | None
    looked_at: int


async def browse_ledger(
    playthrough_id: PlaythroughId,
    query: LedgerQuery,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    after: str | None = None,
    limit: int = PAGE,
) -> LedgerPage:
    """Return a page of entries that fit; of a rare sort it may hold few and yet go on.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        UnknownCharacterError: the knower, or whose eyes are meant, is nobody of this world.
        ContentError: an event outside the history.
        CursorError: `after` is no place in the list.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow, at_seq=query.at_seq, seen_by=query.seen_by)
        where = filter_of(query, here)
        if query.is_vague:
            return LedgerPage(here=here, rows=(), next_after=None, looked_at=0)
        known = None if query.seen_by is None or query.knower is None else here.reach(query.knower)
        found = _Found(rows=[], after=after)
        while not found.is_enough(limit):
            page = await uow.browser.page(where, limit=CHUNK if query.is_folded else limit, after=found.after)
            found.looked_at += page.looked_at
            found.rows += [row for row in await rows_of(page, here, uow) if _fits(row, query, known)]
            found.after = page.next_after
            found.is_whole = page.next_after is None or not query.is_folded
    return found.page(here, limit)


@dataclass
class _Found:
    """What has been found so far."""

    rows: list[Row]
    after: str | None
    looked_at: int = 0
    is_whole: bool = False

    def is_enough(self, limit: int) -> bool:
        """Say whether one need not look further for this page."""
        return self.is_whole or len(self.rows) >= limit or self.looked_at >= MOST

    def page(self, here: Standpoint, limit: int) -> LedgerPage:
        """Return what fits on the page; whatever else was found begins the next one."""
        shown = tuple(self.rows[:limit])
        after = self.after
        if len(self.rows) > limit:
            after = place_after(shown[-1].entry.seq, shown[-1].entry.entry_id)
        return LedgerPage(here=here, rows=shown, next_after=after, looked_at=self.looked_at)


def filter_of(query: LedgerQuery, here: Standpoint) -> BrowseFilter:
    """Return what the store can decide of a query; what a person can tell of an ending is for the fold."""
    eyes = query.seen_by or query.knower
    reach: Reach | None = None if eyes is None else here.reach(eyes)
    if query.seen_by is not None and query.knower is not None:
        here.reach(query.knower)
    return BrowseFilter(
        kind=query.kind,
        source=None if query.source is None else str(query.source),
        statuses=() if query.status is None or query.seen_by is not None else (str(query.status),),
        scene=query.scene,
        reach=here.everyone if reach is None and query.terms else reach,
        terms=query.terms,
        at_seq=here.seq,
    )


async def rows_of(page: BrowsePage, here: Standpoint, uow: UnitOfWork) -> list[Row]:
    """Fold a page; what its entries are made from is read too, since nobody sees what is made from hidden things."""
    whole = page if here.seen_by is None else await with_inputs(page, uow)
    ledger = here.fold(whole.entries, whole.amendments)
    rows = (here.row(ledger.entries[e.entry_id], ledger) for e in page.entries)
    return [row for row in rows if row is not None]


def _fits(row: Row, query: LedgerQuery, known: Reach | None) -> bool:
    """Say whether a row, as somebody sees it, is what was asked for; with a reach, whether it is known through that."""
    is_known = known is None or _is_known(row, known)
    return is_known and query.status in {None, row.status} and query.band in {None, row.band}


def _is_known(row: Row, reach: Reach) -> bool:
    who = {k.who for k in row.entry.knowers}
    return any(scope in who and row.entry.seq < bound for scope, bound in reach.scopes)
