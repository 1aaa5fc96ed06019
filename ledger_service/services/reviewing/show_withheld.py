"""Show what a packet does not hold: a stretch of the ledger at its moment, each entry with why it was left out."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ledger_service.domain.candidates import Candidates
from ledger_service.domain.cursors import place_after
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId, PacketId, PlaythroughId
from ledger_service.domain.packets import ContextPacket, Reason, Withheld
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import BrowseFilter, BrowsePage, OpenUnitOfWork, StoredPacket, UnitOfWork
from ledger_service.reconcile.pipeline import reconcile
from ledger_service.rumours.provenance import Naming
from ledger_service.services.events.story_state import story_state, world_of
from ledger_service.services.gossip.explain_belief import naming_of
from ledger_service.services.packets.packet_words import names, why_withheld
from ledger_service.services.reviewing.standpoint import with_inputs

ROWS: Final = 200
STRETCH: Final = 1_000
"""So many entries are looked at for one reason; what is rarer is found further on."""


class WithheldRow(Struct, frozen=True, kw_only=True):
    """An entry that was not handed over, with why in words."""

    entry_id: EntryId
    statement: str
    reason: Reason
    why: str
    detail: str


class WithheldPage(Struct, frozen=True, kw_only=True):
    """A stretch of what the ledger held and a packet does not, newest first, and where the next begins."""

    counts: tuple[tuple[Reason, str, int], ...]
    """Each reason that there is in this stretch, in words, and how often."""
    rows: tuple[WithheldRow, ...]
    looked_at: int
    next_after: str | None


async def show_withheld(
    packet_id: PacketId,
    playthrough_id: PlaythroughId,
    *,
    open_uow: OpenUnitOfWork,
    reason: Reason | None = None,
    after: str | None = None,
    limit: int = ROWS,
) -> WithheldPage:
    """Return why entries were left out, of one reason or of all; it takes as long however large the ledger is.

    Raises:
        UnknownPacketError: there is no such packet.
        CursorError: `after` is no place in the list.
    """
    async with open_uow(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
        state = await story_state(uow, at_seq=stored.packet.seq)
        world = await world_of(uow, state.world_version)
        where = BrowseFilter(at_seq=stored.packet.seq)
        page = await uow.browser.page(where, limit=STRETCH if reason else limit, after=after)
        left_out = await _left_out(page, stored, state, world, uow)
    listed = [(e, w) for e, w in left_out if reason in {None, w.reason}]
    naming = naming_of(world)
    shown = listed[:limit]
    cut = len(listed) > limit
    me = stored.packet.pov or stored.packet.speaker
    counts = Counter(w.reason for _, w in left_out)
    return WithheldPage(
        counts=tuple((r, why_withheld(r, me, naming), n) for r, n in sorted(counts.items())),
        rows=tuple(_row(entry, withheld, me, naming) for entry, withheld in shown),
        looked_at=len(page.entries),
        next_after=place_after(shown[-1][0].seq, shown[-1][0].entry_id) if cut else page.next_after,
    )


async def _left_out(
    page: BrowsePage, stored: StoredPacket, state: StoryState, world: World, uow: UnitOfWork
) -> list[tuple[LedgerEntry, Withheld]]:
    """Say why each of a stretch is not in the packet; what their texts are made from is read too."""
    whole = await with_inputs(page, uow)
    candidates = Candidates(entries=whole.entries, amendments=whole.amendments, world=world, state=state)
    reasons = {w.entry_id: w for w in reconcile(candidates, stored.moment).withheld}
    reasons |= {w.entry_id: w for w in stored.packet.withheld}
    return list(_of(page, stored.packet, reasons))


def _of(
    page: BrowsePage, packet: ContextPacket, reasons: dict[EntryId, Withheld]
) -> Iterator[tuple[LedgerEntry, Withheld]]:
    held = packet.held
    for entry in page.entries:
        if entry.entry_id not in held:
            # What would have been chosen here had to leave its place to what fitted better.
            beaten = Withheld(entry_id=entry.entry_id, reason=Reason.OVER_BUDGET)
            yield entry, reasons.get(entry.entry_id, beaten)


def _row(entry: LedgerEntry, withheld: Withheld, me: str, naming: Naming) -> WithheldRow:
    hidden = withheld.reason is Reason.NOT_VISIBLE
    return WithheldRow(
        entry_id=entry.entry_id,
        statement=entry.statement,
        reason=withheld.reason,
        why=why_withheld(withheld.reason, me, naming),
        detail=f"known to {names([k.who for k in entry.knowers], naming)}" if hidden else withheld.detail,
    )
