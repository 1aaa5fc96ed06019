"""A reviewer corrects an entry from the packet that showed it, and the packet is built anew beside the old one."""

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from ledger_service.domain.entries import Status
from ledger_service.domain.errors import ContentError, LedgerError
from ledger_service.domain.events import Access, Confirmed, Corrected, GameEvent, Reviewed
from ledger_service.domain.ids import EntryId, PacketId, PlaythroughId
from ledger_service.domain.moments import Moment
from ledger_service.domain.reviews import LONGEST_REMARK, Mark, Remark
from ledger_service.domain.texts import is_blank
from ledger_service.ports import OpenUnitOfWork, RumourGraph, StoredPacket
from ledger_service.services.events.record_event import record_events
from ledger_service.services.packets.build_packet import PacketRequest, Reading, build_packet
from ledger_service.services.playthroughs.open_playthrough import erase_playthrough, fork_playthrough
from ledger_service.services.reviewing.remark_on_packet import remark_on_packet

Writing = Callable[..., OpenUnitOfWork]
"""`writing("entry corrected", entry_id, reason="...")`: transactions that commit with this row of the audit log."""


class What(StrEnum):
    """What a correction does to an entry."""

    ACCESS = "access"
    """Who may know it, and to whom it may be said."""
    WORDING = "wording"
    DROP = "drop"
    SUSPEND = "suspend"
    RESUME = "resume"
    CONFIRM = "confirm"


class Correction(Struct, frozen=True, kw_only=True):
    """What somebody wants put right, and why."""

    entry_id: EntryId
    what: What
    who: str
    reason: str
    statement: str = ""
    access: Access | None = None
    on_branch: bool = True
    """Try it where the packet was built, on a branch of its own; the playthrough stays as it is."""


class Rebuilt(Struct, frozen=True, kw_only=True):
    """What came of a correction: where it was written, and the packet built anew on it."""

    playthrough_id: PlaythroughId
    event_seq: int
    stored: StoredPacket


async def correct_entry(
    playthrough_id: PlaythroughId,
    packet_id: PacketId,
    correction: Correction,
    *,
    open_uow: OpenUnitOfWork,
    writing: Writing,
    reading: Reading,
    graph: RumourGraph,
) -> Rebuilt:
    """Write the correction as an event, build the packet anew, and leave a remark on the old one that leads there.

    On a branch it is tried at the very moment of the packet, so that nothing but the correction differs; else it is
    written where the playthrough stands now.

    Raises:
        UnknownPacketError, UnknownEntryError: it is not there.
        ContentError: nobody says why, or it cannot be corrected so; then nothing is left of a branch.
    """
    event = event_of(correction)
    async with open_uow(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
    target = playthrough_id
    if correction.on_branch:
        target = await _branch(playthrough_id, stored, correction, writing)
    about = {"what": str(correction.what), "reason": correction.reason.strip()[:500], "playthrough": target}
    try:
        correcting = writing("entry corrected", correction.entry_id, **about)
        (receipt,) = await record_events(target, [event], open_uow=correcting, embedder=reading.embedder)
        rebuilding = writing("packet built anew", packet_id, playthrough=target)
        rebuilt = await build_packet(target, request_of(stored.moment), open_uow=rebuilding, reading=reading)
    except LedgerError:
        if correction.on_branch:
            dropping = writing("branch dropped, nothing could be corrected", target)
            await erase_playthrough(target, open_uow=dropping, graph=graph)
        raise
    remark = Remark(
        packet_id=packet_id, mark=Mark.CORRECTED, who=correction.who, said=correction.reason, other_id=rebuilt.packet_id
    )
    await remark_on_packet(playthrough_id, remark, open_uow=writing("packet corrected", packet_id, **about))
    return Rebuilt(playthrough_id=target, event_seq=receipt.seq, stored=rebuilt)


async def _branch(
    playthrough_id: PlaythroughId, stored: StoredPacket, correction: Correction, writing: Writing
) -> PlaythroughId:
    seq = stored.packet.seq
    opening = writing("branch opened to try a correction", playthrough_id, at_seq=seq)
    title = f"{correction.who} tries: {correction.reason.strip()}"[:200]
    branch = await fork_playthrough(playthrough_id, open_uow=opening, at_seq=seq, title=title)
    return branch.playthrough_id


def event_of(correction: Correction) -> GameEvent:
    """Return the event that a correction is.

    Raises:
        ContentError: nobody says why, or what it should come to.
    """
    reason, author, entry_id = correction.reason.strip(), correction.who, correction.entry_id
    if is_blank(reason):
        raise ContentError("reason", "is blank; a correction is made for a reason, which the record keeps")
    if len(reason) > LONGEST_REMARK:
        raise ContentError("reason", f"has {len(reason):,} letters, and at most {LONGEST_REMARK:,} are kept")
    match correction.what:
        case What.ACCESS:
            if correction.access is None or not correction.access.knowers:
                raise ContentError("knowers", "is empty; an entry that nobody knows is dropped")
            return Corrected(entry_id=entry_id, access=correction.access, reason=reason, author=author)
        case What.WORDING:
            if is_blank(correction.statement):
                raise ContentError("statement", "is blank; an entry without words is dropped")
            return Corrected(entry_id=entry_id, statement=correction.statement.strip(), reason=reason, author=author)
        case What.DROP:
            return Reviewed(entry_id=entry_id, outcome=Status.RETRACTED, reason=reason, author=author)
        case What.SUSPEND:
            return Reviewed(entry_id=entry_id, outcome=Status.SUSPENDED, reason=reason, author=author)
        case What.RESUME:
            return Reviewed(entry_id=entry_id, outcome=Status.ACTIVE, reason=reason, author=author)
        case What.CONFIRM:
            return Confirmed(entry_id=entry_id, reason=reason, author=author)


def request_of(moment: Moment) -> PacketRequest:
    """Ask again what was asked, as the story stands where it is asked."""
    return PacketRequest(
        speaker=moment.speaker, audience=moment.audience, line="" if moment.line_seq is not None else moment.line,
        line_seq=moment.line_seq, pov=moment.pov, action=moment.action,
    )  # fmt: skip
