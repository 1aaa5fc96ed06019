"""Ask a subject one cell, whatever it is: a speaker, lines that were said elsewhere, or an outside memory."""

from msgspec.structs import replace

from ledger_service.domain.errors import MemoryAwayError, NotRecordedError
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.probe_runs import Attempt
from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import World
from ledger_service.ports import RemembersElsewhere, Responder, SpeaksByCell, SpeaksFromRecord
from ledger_service.services.probes.ask_cell import PROVIDER, ask, broken
from ledger_service.services.probes.freeze_cells import Frozen
from ledger_service.services.probes.recall import recall
from ledger_service.services.replies.score_reply import Judging


async def ask_subject(
    frozen: Frozen,
    subject: Responder,
    *,
    cell: str,
    judging: Judging,
    repeat: int,
    attempt: int,
    reference: Responder | None,
) -> Attempt:
    """Return what came of one try.

    Raises:
        StoreError: a store is away.
    """
    try:
        speaker = subject.on(cell, repeat, packet=frozen.packet.hash) if isinstance(subject, SpeaksByCell) else subject
    except NotRecordedError as error:
        return broken(error, repeat=repeat, attempt=attempt, responder=subject.name)
    if isinstance(subject, RemembersElsewhere):
        try:
            frozen = (await recall(frozen, subject)).frozen
        except MemoryAwayError as error:
            away = broken(error, repeat=repeat, attempt=attempt, responder=subject.name)
            return replace(away, subtype=PROVIDER, packet_hash=frozen.packet.hash)
    if isinstance(speaker, SpeaksFromRecord):
        return await ask(frozen, speaker, judging=judging, repeat=repeat, attempt=attempt, reference=reference)
    metered = _Metered(speaker)
    found = await ask(frozen, metered, judging=judging, repeat=repeat, attempt=attempt, reference=reference)
    return replace(found, cost=metered.spent)


class _Metered:
    """Hands on what a speaker says, and adds up what it costs: also what is asked of it beside a try that failed."""

    def __init__(self, speaker: Responder) -> None:
        self._speaker = speaker
        self.name = speaker.name
        self.spent = 0.0

    async def reply(self, packet: ContextPacket, world: World) -> Reply:
        said = await self._speaker.reply(packet, world)
        self.spent += said.cost
        return said


def is_hopeless(attempt: Attempt) -> bool:
    """Say whether a try that broke would break again however often it is made."""
    return attempt.subtype == NotRecordedError.__name__
