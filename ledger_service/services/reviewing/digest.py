"""The nightly digest: what is new, over, broken, unresolved and failed in a playthrough since an event."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, Status, kind_of
from ledger_service.domain.errors import ContentError
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.ports import BrowseFilter, Catalogue, ListedPacket, OpenUnitOfWork, PacketFilter
from ledger_service.services.packets import packet_words as w
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Standpoint, stand_in

MOST: Final = 500
"""So many entries and changes are counted; where there are more, the digest says so."""
SHOWN: Final = 25
BACK: Final = 100
MOST_PACKETS: Final = 200
_GROUPS: Final = (
    ("expired", "Expired", (Status.EXPIRED, Status.LAPSED, Status.EASED, Status.ENDED)),
    ("broken", "Broken", (Status.BROKEN,)),
    ("kept", "Kept and settled", (Status.FULFILLED, Status.RELEASED, Status.RESOLVED, Status.DISMISSED)),
    ("replaced", "Replaced and taken back", (Status.SUPERSEDED, Status.RETRACTED, Status.SUSPENDED)),
)


class Line(Struct, frozen=True, kw_only=True):
    """One line of a digest."""

    said: str
    note: str
    kind: str = ""
    status: str = ""
    entry_id: EntryId | None = None
    packet_id: str | None = None


class Section(Struct, frozen=True, kw_only=True):
    """One part of a digest."""

    id: str
    title: str
    count: int
    lines: tuple[Line, ...]
    is_more: bool = False
    """There are more than were counted."""
    parts: tuple[tuple[str, int], ...] = ()
    """What the count is made of."""

    @property
    def amount(self) -> str:
        """The count, and whether there are more."""
        return f"{self.count:,}{' or more' if self.is_more else ''}"


class Digest(Struct, frozen=True, kw_only=True):
    """What happened in a playthrough since an event."""

    here: Standpoint
    since: int
    sections: tuple[Section, ...]


async def make_digest(
    playthrough_id: PlaythroughId, *, catalogue: Catalogue, open_uow: OpenUnitOfWork, since: int | None = None
) -> Digest:  # fmt: skip
    """Return the digest of what came after an event; by default after the newest named point, or 100 events back.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        ContentError: the event is outside the history.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow)
        begin = _since(here) if since is None else since
        if not 0 <= begin <= here.seq:
            raise ContentError("since", f"{since} is outside the history, which ends at {here.seq}")
        new = await uow.browser.page(BrowseFilter(after_seq=begin), limit=MOST)
        changes = await uow.browser.became(after_seq=begin, at_seq=here.seq, limit=MOST)
        groups = _grouped(changes)
        ids = tuple(dict.fromkeys(a.entry_id for _, _, group in groups for a in group[:SHOWN]))
        named, _ = await uow.ledger.get(ids) if ids else ((), ())
        open_ones = await uow.browser.page(
            BrowseFilter(kind="contradiction", statuses=(Status.UNRESOLVED,)), limit=MOST
        )  # fmt: skip
    failed = await catalogue.packets(PacketFilter(playthrough_id=playthrough_id, verdict="failed"), limit=MOST_PACKETS)
    statements = {e.entry_id: e for e in named}
    sections = (
        _of_entries("new", "New", new.entries, is_more=new.next_after is not None, here=here),
        *(_of_changes(*group, statements, is_more=len(changes) == MOST) for group in groups),
        _of_entries("unresolved", "Unresolved", open_ones.entries, is_more=open_ones.next_after is not None, here=here),
        _of_packets([p for p in failed.packets if p.seq > begin], is_more=_goes_on(failed.packets, begin), here=here),
    )
    return Digest(here=here, since=begin, sections=sections)


def _since(here: Standpoint) -> int:
    earlier = [save.seq for save in here.saves if save.seq < here.seq]
    return max(earlier, default=max(0, here.seq - BACK))


def _grouped(changes: Sequence[Amendment]) -> list[tuple[str, str, list[Amendment]]]:
    return [(name, title, [a for a in changes if a.status in statuses]) for name, title, statuses in _GROUPS]


def _of_entries(name: str, title: str, entries: Sequence[LedgerEntry], *, is_more: bool, here: Standpoint) -> Section:
    counted = Counter(kind_of(e).replace("_", " ") for e in entries)
    return Section(
        id=name, title=title, count=len(entries), is_more=is_more,
        parts=tuple(counted.most_common()) if name == "new" else (),
        lines=tuple(_entry_line(e, here) for e in entries[:SHOWN]),
    )  # fmt: skip


def _entry_line(entry: LedgerEntry, here: Standpoint) -> Line:
    known = w.names([k.who for k in entry.knowers][:4], here.naming)
    note = f"{w.clock(entry.at.tick)}, event {entry.seq}; known to {known}"
    return Line(said=entry.statement, note=note, kind=kind_of(entry), entry_id=entry.entry_id)


def _of_changes(
    name: str, title: str, changes: Sequence[Amendment], statements: dict[EntryId, LedgerEntry], *, is_more: bool
) -> Section:
    lines = (_change_line(a, statements.get(a.entry_id)) for a in changes[:SHOWN])
    return Section(id=name, title=title, count=len(changes), is_more=is_more, lines=tuple(lines))


def _change_line(change: Amendment, entry: LedgerEntry | None) -> Line:
    author = f", by {change.author}" if change.author else ""
    reason = f": {change.reason}" if change.reason else ""
    return Line(
        said=change.entry_id if entry is None else entry.statement,
        note=f"{w.clock(change.at.tick)}, event {change.cause_seq}{author}{reason}",
        kind="" if entry is None else kind_of(entry),
        status=str(change.status),
        entry_id=change.entry_id,
    )


def _of_packets(packets: Sequence[ListedPacket], *, is_more: bool, here: Standpoint) -> Section:
    counted = Counter(p.fault or "" for p in packets)
    return Section(
        id="failures", title="Lines that failed an axis", count=len(packets), is_more=is_more,
        parts=tuple((stage.replace("_", " "), n) for stage, n in counted.most_common()),
        lines=tuple(_packet_line(p, here) for p in packets[:SHOWN]),
    )  # fmt: skip


def _packet_line(packet: ListedPacket, here: Standpoint) -> Line:
    asked = f"; asked “{packet.line}”" if packet.line else ""
    stage = (packet.fault or "").replace("_", " ")
    return Line(
        said=f"{here.naming.person(packet.speaker)}: {packet.reply or ''}",
        note=f"at fault: {stage}; event {packet.seq}{asked}",
        status="fail",
        packet_id=packet.packet_id,
    )


def _goes_on(packets: Sequence[ListedPacket], begin: int) -> bool:
    return len(packets) == MOST_PACKETS and packets[-1].seq > begin
