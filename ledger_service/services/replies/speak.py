"""Let somebody speak on a packet."""

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import World
from ledger_service.ports import Responder


async def speak(packet: ContextPacket, world: World, responder: Responder) -> Reply:
    """Return the line that a responder says; a model that is late is answered for, and the reply says so."""
    return await responder.reply(packet, world)
