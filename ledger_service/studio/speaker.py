"""Who says the lines of a run: a responder, or a plain function of the studio's."""

import inspect
from collections.abc import Awaitable, Callable

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import World
from ledger_service.ports import Responder

Speaker = Responder | Callable[[ContextPacket], "str | Awaitable[str]"] | None
"""Who says lines: a responder, a function from a packet to a line, or None for the template."""


def as_responder(speaker: Speaker) -> Responder | None:
    """Return a studio's speaker as the ledger asks one."""
    return _Spoken(speaker) if callable(speaker) else speaker


class _Spoken:
    """A function of a studio's, as a responder."""

    def __init__(self, says: Callable[[ContextPacket], str | Awaitable[str]]) -> None:
        self.name = getattr(says, "__name__", "speaker")
        self._says = says

    async def reply(self, packet: ContextPacket, world: World) -> Reply:  # noqa: ARG002  (a function takes the packet)
        """Speak."""
        said = self._says(packet)
        return Reply(text=await said if inspect.isawaitable(said) else said, responder=self.name)
