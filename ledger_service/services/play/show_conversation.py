"""Show a conversation with somebody: who could listen, what was said and answered so far, and how to press them."""

from typing import Final

from msgspec import Struct

from ledger_service.domain.ids import CharacterId, PlaythroughId
from ledger_service.ports import Catalogue, ClaimReader, Listed, ListedPacket, OpenUnitOfWork, PacketFilter
from ledger_service.probing.pressing import Press
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.play.meeting import Listener, listeners
from ledger_service.services.play.press_listener import PutInWords, press_listener
from ledger_service.services.reviewing.browse_packets import Sheet, read_sheet
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Standpoint, stand_in

SHOWN: Final = 5
"""Exchanges that are shown with their packets; the list of packets has the others."""


class Conversation(Struct, frozen=True, kw_only=True):
    """A conversation as its page shows it."""

    here: Standpoint
    listeners: tuple[Listener, ...]
    listener: Listener | None
    """Who is talked to; None where nobody of this world talks."""
    exchanges: tuple[Sheet, ...] = ()
    """The newest packets in which they were spoken to, the newest first."""
    is_longer: bool = False
    """More was said before."""
    presses: tuple[Press, ...] = ()
    parent: Listed | None = None
    """What this playthrough is a branch of."""


async def show_conversation(
    playthrough_id: PlaythroughId,
    listener: CharacterId,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    reader: ClaimReader,
    reading: Reading,
    in_words: PutInWords,
) -> Conversation:
    """Return what was said with somebody in a playthrough; without a name, with whom one talked last.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    last = () if listener else await _packets(playthrough_id, None, catalogue, most=1)
    parent_id = listed.playthrough.parent_id
    parent = None if parent_id is None else await catalogue.find(parent_id)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow)
    there = listeners(here.state, here.world)
    chosen = _chosen(listener or next((p.speaker for p in last), ""), there)
    if chosen is None:
        return Conversation(here=here, listeners=there, listener=None, parent=parent)
    packets = await _packets(playthrough_id, chosen.who, catalogue, most=SHOWN + 1)
    async with open_uow(playthrough_id) as uow:
        return Conversation(
            here=here,
            listeners=there,
            listener=chosen,
            exchanges=tuple([await read_sheet(p.packet_id, listed, uow=uow, reader=reader) for p in packets[:SHOWN]]),
            is_longer=len(packets) > SHOWN,
            presses=await press_listener(chosen.who, here, uow, reading=reading, in_words=in_words),
            parent=parent,
        )


def _chosen(who: CharacterId, there: tuple[Listener, ...]) -> Listener | None:
    """Return who is meant, else whoever stands first."""
    return next((one for one in there if one.who == who), there[0] if there else None)


async def _packets(
    playthrough_id: PlaythroughId, speaker: CharacterId | None, catalogue: Catalogue, *, most: int
) -> tuple[ListedPacket, ...]:
    where = PacketFilter(playthrough_id=playthrough_id, speaker=speaker)
    page = await catalogue.packets(where, limit=most)
    return page.packets[:most]
