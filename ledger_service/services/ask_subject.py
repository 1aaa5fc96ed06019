"""Ask a subject one cell, whatever it is: a speaker, or lines that were said elsewhere."""

from ledger_service.domain.errors import NotRecordedError
from ledger_service.domain.probe_runs import Attempt
from ledger_service.ports import Responder, SpeaksByCell
from ledger_service.services.ask_cell import ask, broken
from ledger_service.services.freeze_cells import Frozen
from ledger_service.services.score_reply import Judging


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
    return await ask(frozen, speaker, judging=judging, repeat=repeat, attempt=attempt, reference=reference)


def is_hopeless(attempt: Attempt) -> bool:
    """Say whether a try that broke would break again however often it is made."""
    return attempt.subtype == NotRecordedError.__name__
