"""The boards: what is still open in a story, and how a person settles it."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from ledger_service.domain.entries import Commitment, Contradiction, EmotionalResidue, LedgerEntry, Status
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import Confirmed, ContradictionResolved, EventReceipt, GameEvent, Reviewed
from ledger_service.domain.expiry import AfterScenes, AfterTurns, AtTick, OnEvent, leaves
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.story_time import HOURS_A_DAY
from ledger_service.ports import BrowseFilter, BrowsePage, Catalogue, Embedder, OpenUnitOfWork, UnitOfWork
from ledger_service.services.events.record_event import record_events
from ledger_service.services.packets import packet_words as w
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Row, Standpoint, stand_in

PAGE: Final = 30
FEW: Final = 6
"""So many of each board are shown on the page of all."""


class Board(StrEnum):
    """What is still open, by sort."""

    COMMITMENTS = "commitments"
    CONTRADICTIONS = "contradictions"
    RESIDUE = "residue"
    DRAFTS = "drafts"


_FILTERS: Final = {
    Board.COMMITMENTS: BrowseFilter(kind="commitment", statuses=(Status.OPEN,)),
    Board.CONTRADICTIONS: BrowseFilter(kind="contradiction", statuses=(Status.UNRESOLVED,)),
    Board.RESIDUE: BrowseFilter(kind="emotional_residue", statuses=(Status.FELT,)),
    Board.DRAFTS: BrowseFilter(statuses=(Status.QUARANTINED,)),
}


class Risk(Struct, frozen=True, kw_only=True):
    """How near a commitment is to being broken: a level from 0 (none) to 3 (overdue), and why."""

    level: int
    said: str


class Side(Struct, frozen=True, kw_only=True):
    """One side of a contradiction."""

    row: Row
    known_to: str


class Card(Struct, frozen=True, kw_only=True):
    """Something open, as a board shows it."""

    row: Row
    ends: str
    """What would change or end it."""
    risk: Risk | None = None
    sides: tuple[Side, ...] = ()
    seen_by: str = ""
    """Who can see both sides of a contradiction."""


class BoardPage(Struct, frozen=True, kw_only=True):
    """A page of one board, newest first."""

    board: Board
    cards: tuple[Card, ...]
    next_after: str | None
    looked_at: int


class Boards(Struct, frozen=True, kw_only=True):
    """Some boards of a playthrough."""

    here: Standpoint
    pages: tuple[BoardPage, ...]


async def show_boards(
    playthrough_id: PlaythroughId, boards: Sequence[Board], *, catalogue: Catalogue, open_uow: OpenUnitOfWork,
    limit: int = PAGE, after: str | None = None,
) -> Boards:  # fmt: skip
    """Return a page of each of some boards, as the story stands now.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        CursorError: `after` is no place on the board.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow)
        pages = [await _page(board, here, uow, limit=limit, after=after) for board in boards]
    return Boards(here=here, pages=tuple(pages))


async def _page(board: Board, here: Standpoint, uow: UnitOfWork, *, limit: int, after: str | None) -> BoardPage:
    found = await uow.browser.page(_FILTERS[board], limit=limit, after=after)
    ledger = await _ledger_of(found, here, uow)
    cards = [_card(ledger.entries[e.entry_id], ledger, here) for e in found.entries]
    cards.sort(key=lambda card: 0 if card.risk is None else -card.risk.level)
    return BoardPage(board=board, cards=tuple(cards), next_after=found.next_after, looked_at=found.looked_at)


async def _ledger_of(found: BrowsePage, here: Standpoint, uow: UnitOfWork) -> Ledger:
    """Fold a page together with the sides of its contradictions."""
    there = {e.entry_id for e in found.entries}
    sides = {m for e in found.entries if isinstance(e, Contradiction) for m in e.members} - there
    entries, amendments = await uow.ledger.get(tuple(sorted(sides))) if sides else ((), ())
    return here.fold((*found.entries, *entries), (*found.amendments, *amendments))


def _card(entry: LedgerEntry, ledger: Ledger, here: Standpoint) -> Card:
    row = _row(entry, ledger, here)
    match entry:
        case Commitment():
            return Card(row=row, ends=w.ending(entry, here.world), risk=risk_of(entry, here))
        case Contradiction():
            sides = [ledger.entries[m] for m in entry.members if m in ledger.entries]
            both = [who for who, _ in here.people if all(ledger.knows(who, s.entry_id) for s in sides)]
            shown = tuple(Side(row=_row(s, ledger, here), known_to=_known_to(s, here)) for s in sides)
            return Card(row=row, ends=w.ending(entry, here.world), sides=shown, seen_by=w.names(both, here.naming))
        case EmotionalResidue():
            return Card(row=row, ends=fading(entry, here) or w.ending(entry, here.world))
        case _:
            return Card(row=row, ends=w.ending(entry, here.world))


def _row(entry: LedgerEntry, ledger: Ledger, here: Standpoint) -> Row:
    row = here.row(entry, ledger)
    if row is None:
        raise AssertionError(entry.entry_id)
    return row


def _known_to(entry: LedgerEntry, here: Standpoint) -> str:
    return w.names((k.who for k in entry.knowers), here.naming)


def risk_of(entry: Commitment, here: Standpoint) -> Risk:
    """Say how near a commitment is to being broken."""
    now = here.at.tick
    if entry.due is not None and entry.due <= now:
        return Risk(level=3, said=f"overdue since {w.clock(entry.due)}")
    happened = next((o for o in here.state.occurrences if o.name == entry.trigger and o.seq > entry.seq), None)
    if happened is not None:
        return Risk(level=2, said=f"due since event {happened.seq}")
    if entry.due is not None and entry.due - now <= HOURS_A_DAY:
        return Risk(level=1, said=f"due in {entry.due - now} hour{'' if entry.due - now == 1 else 's'}")
    if entry.due is None and not entry.trigger and not entry.fulfilled_when:
        return Risk(level=0, said="nothing says when it is due")
    return Risk(level=0, said="not yet due")


def fading(entry: LedgerEntry, here: Standpoint) -> str:
    """Say how much is left until an entry ends by itself, of its nearest ending; nothing where it does not."""
    left = [(rest, said) for leaf in leaves(entry.expires) for rest, said in [_left(leaf, entry, here)] if said]
    return min(left, default=(0, ""))[1]


def _left(leaf: object, entry: LedgerEntry, here: Standpoint) -> tuple[int, str]:
    match leaf:
        case AtTick(tick=tick):
            return _amount(tick - here.at.tick, "hour")
        case AfterScenes(scenes=n):
            return _amount(entry.at.scene + n - here.at.scene, "scene")
        case AfterTurns(turns=n):
            return _amount(entry.at.turn + n - here.at.turn, "turn")
        case OnEvent(name=name):
            return 1_000_000, f"it fades with {name.replace('_', ' ')}"
        case _:
            return 0, ""


def _amount(left: int, word: str) -> tuple[int, str]:
    left = max(0, left)
    return left, f"it fades after {left} more {word}{'' if left == 1 else 's'}"


class Settling(Struct, frozen=True, kw_only=True):
    """What a person decides of something open, and why."""

    entry_id: EntryId
    who: str
    reason: str
    winner: EntryId | None = None
    """The side of a contradiction that holds; None sets it aside."""


def resolution_of(settling: Settling) -> GameEvent:
    """Return the event that settles a contradiction.

    Raises:
        ContentError: nobody says why.
    """
    return ContradictionResolved(
        contradiction=settling.entry_id, winner=settling.winner, reason=_reason(settling), author=settling.who
    )  # fmt: skip


def confirmation_of(settling: Settling) -> GameEvent:
    """Return the event that confirms a draft; see `resolution_of`."""
    return Confirmed(entry_id=settling.entry_id, reason=_reason(settling), author=settling.who)


def drop_of(settling: Settling) -> GameEvent:
    """Return the event that drops a draft; see `resolution_of`."""
    return Reviewed(
        entry_id=settling.entry_id, outcome=Status.RETRACTED, reason=_reason(settling), author=settling.who
    )  # fmt: skip


def _reason(settling: Settling) -> str:
    reason = settling.reason.strip()
    if not reason:
        raise ContentError(
            "reason", "is blank; whatever a person decides is decided for a reason, which the record keeps"
        )
    return reason


async def settle(
    playthrough_id: PlaythroughId, event: GameEvent, *, open_uow: OpenUnitOfWork, embedder: Embedder
) -> EventReceipt:
    """Write what a person decided.

    Raises:
        UnknownEntryError, ContentError: it is not there, or is no longer open.
    """
    (receipt,) = await record_events(playthrough_id, [event], open_uow=open_uow, embedder=embedder)
    return receipt
