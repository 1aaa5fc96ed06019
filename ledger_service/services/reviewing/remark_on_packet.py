"""A reviewer says something of a packet: a note, that it is as it should be, or that it is not."""

from ledger_service.domain.errors import ContentError
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.reviews import LONGEST_REMARK, Mark, Remark
from ledger_service.domain.texts import is_blank
from ledger_service.ports import OpenUnitOfWork

_NEED_WORDS = frozenset({Mark.NOTE, Mark.FLAGGED, Mark.CORRECTED})


async def remark_on_packet(playthrough_id: PlaythroughId, remark: Remark, *, open_uow: OpenUnitOfWork) -> Remark:
    """Keep a remark; nothing that was said before is taken back or changed.

    Raises:
        UnknownPacketError: there is no such packet in this playthrough.
        ContentError: a note or a flag without words, or too many of them.
    """
    said = remark.said.strip()
    if remark.mark in _NEED_WORDS and is_blank(said):
        raise ContentError("said", "is blank; say what is to be seen here")
    if len(said) > LONGEST_REMARK:
        raise ContentError("said", f"has {len(said):,} letters, and at most {LONGEST_REMARK:,} are kept")
    kept = Remark(packet_id=remark.packet_id, mark=remark.mark, who=remark.who, said=said, other_id=remark.other_id)
    async with open_uow(playthrough_id) as uow:
        await uow.packets.get(remark.packet_id)
        await uow.packets.add_remark(kept)
        await uow.commit()
    return kept
