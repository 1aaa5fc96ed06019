"""What a worker on a run of probes asks with."""

from msgspec import Struct

from ledger_service.ports import NewProcess, OpenUnitOfWork, ProbeRuns, Responder, RumourGraph
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.replies.score_reply import Judging


class Desk(Struct, frozen=True, kw_only=True):
    """What a worker asks with."""

    runs: ProbeRuns
    open_uow: OpenUnitOfWork
    reading: Reading
    reading_again: Reading | None = None
    """What a packet is computed with for the second time, where it is not the same: what one remembers, the other has
    read by itself."""
    judging: Judging
    graph: RumourGraph
    responder: Responder
    reference: Responder | None = None
    """Another speaker, whose line on a failed cell's packet shows where the fault is; None where it is the subject."""
    repeatable: bool = False
    """The subject says the same on the same packet, or something is wrong with it."""
    afresh: NewProcess | None = None
    """Loads what a distance saved, in a new process; None loads it in this one."""
