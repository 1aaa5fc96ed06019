"""The transcript speaker: says what a subject said elsewhere, cell by cell; nothing is asked of anybody."""

from collections.abc import Mapping

from ledger_service.domain.errors import NotRecordedError
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.transcripts import Recorded
from ledger_service.domain.worlds import World
from ledger_service.responders.scripted import ScriptedResponder


class TranscriptResponder:
    """Keeps the lines of a transcript by `cell`, and `cell#2` for a second time."""

    name = "transcript"

    def __init__(self, recorded: Mapping[str, Recorded]) -> None:
        self._recorded = recorded

    def on(self, cell: str, repeat: int, *, packet: str) -> ScriptedResponder:
        """Return the speaker of one repeat of a cell.

        Raises:
            NotRecordedError: it has no line, or one that was said on another packet.
        """
        said = self._recorded.get(cell if repeat == 1 else f"{cell}#{repeat}")
        if said is None:
            raise NotRecordedError(cell, f"the transcript has no line for its repeat {repeat}")
        if said.packet and said.packet != packet:
            raise NotRecordedError(cell, f"its line was said on packet {said.packet}, and its packet is {packet} now")
        return ScriptedResponder({}, default=said.line, name=said.responder or self.name)

    async def reply(self, packet: ContextPacket, world: World) -> Reply:  # noqa: ARG002  (a port's signature)
        """Say nothing: without a cell there is no line.

        Raises:
            NotRecordedError: always.
        """
        raise NotRecordedError(packet.line, "a transcript speaks by cell")
