"""The subject that remembers elsewhere: an outside memory fills its packets, and the template speaks on them."""

from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import World
from ledger_service.ports import OutsideMemory
from ledger_service.responders.template import TemplateResponder


class RememberingResponder:
    """Speaks as the template does; what it knows is the memory's."""

    def __init__(self, memory: OutsideMemory) -> None:
        self.memory = memory
        self.told: set[PlaythroughId] = set()
        self.name = memory.name
        self._template = TemplateResponder()

    async def reply(self, packet: ContextPacket, world: World) -> Reply:
        """Speak from the packet alone."""
        return await self._template.reply(packet, world)
