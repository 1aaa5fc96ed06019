"""Review a packet: everything a person needs to see beside it, which the speaker's prompt must not hold."""

from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.packets import ContextPacket
from ledger_service.ports import OpenUnitOfWork


async def statements_of(
    playthrough_id: PlaythroughId, packet: ContextPacket, *, open_uow: OpenUnitOfWork
) -> dict[EntryId, str]:
    """Return the statement of every entry that a packet considered, the withheld ones included."""
    ids = [w.entry_id for w in packet.withheld]
    known = {s.entry_id: s.statement for s in packet.selected} | {a.entry_id: a.statement for a in packet.act_only}
    if not ids:
        return known
    async with open_uow(playthrough_id) as uow:
        entries, _ = await uow.ledger.get(ids)
    return known | {e.entry_id: e.statement for e in entries}
