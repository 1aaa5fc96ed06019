"""A transcript to be filled in elsewhere: every cell that would be asked, with what is asked and the prompt for it."""

from collections.abc import AsyncIterator, Sequence

from ledger_service.domain.errors import ContentError, LedgerError
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.probe_runs import KeptCell
from ledger_service.domain.probes import Matrix
from ledger_service.domain.transcripts import Recorded
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork
from ledger_service.probing.documents import History
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.probes.check_matrix import played
from ledger_service.services.probes.freeze_cells import freeze_cells
from ledger_service.services.probes.run_probes import pass_distance
from ledger_service.services.replies.score_reply import Judging


async def blank_transcript(
    world: World,
    history: History,
    matrix: Matrix,
    cells: Sequence[KeptCell],
    *,
    repeats: int,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
) -> AsyncIterator[Recorded]:
    """Play the story in a record of its own, and yield a row for every repeat of every cell, without its line.

    Raises:
        LedgerError: the story cannot be played, or a cell cannot be asked.
    """
    ground = await played(world, history, open_uow=open_uow, reading=reading)
    for distance in dict.fromkeys(c.cell.distance for c in cells):
        mine = [c for c in cells if c.cell.distance == distance and not c.cell.skipped]
        branch = await pass_distance(matrix, distance, ground, open_uow=open_uow, reading=reading)
        if branch.error:
            raise ContentError("distance", branch.error)
        frozen = await freeze_cells(mine, matrix, branch, open_uow=open_uow, reading=reading, judging=judging)
        for kept in mine:
            there = frozen[kept.cell_no]
            if isinstance(there, LedgerError):
                raise there
            for repeat in range(1, repeats + 1):
                yield Recorded(
                    cell=kept.cell.name, repeat=repeat, packet=there.packet.hash, speaker=there.packet.speaker,
                    listener=PLAYER if PLAYER in there.packet.audience else there.packet.audience[0],
                    asked=kept.cell.line, prompt=there.packet.prompt,
                )  # fmt: skip
