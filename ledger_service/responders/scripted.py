"""The scripted speaker: recorded lines by key, for tests, demos and replays."""

from collections.abc import Mapping

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import World


class ScriptedResponder:
    """Says what was recorded for a packet's hash, else for the player's very line, else the default."""

    is_recorded = True
    """What it says is no answer to a packet (see `ports.SpeaksFromRecord`)."""

    def __init__(self, lines: Mapping[str, str], *, default: str = "", name: str = "scripted") -> None:
        self._lines = dict(lines)
        self._default = default
        self.name = name

    async def reply(self, packet: ContextPacket, world: World) -> Reply:  # noqa: ARG002  (a port's signature)
        """Speak by the script."""
        for key, found_by in ((packet.hash, "packet"), (packet.line, "line")):
            if key and key in self._lines:
                return Reply(text=self._lines[key], responder=self.name, note=f"recorded for this {found_by}")
        return Reply(text=self._default, responder=self.name, note="nothing recorded; the default")
