"""Compare memories on a matrix: each is told the same ledger, asked the same moments, and judged on what it returns."""

from collections.abc import AsyncIterator, Sequence

from msgspec import Struct

from ledger_service.domain.errors import ContentError, LedgerError
from ledger_service.domain.probe_runs import Branch, KeptCell
from ledger_service.domain.probes import Matrix
from ledger_service.domain.worlds import World
from ledger_service.ports import NewProcess, OpenUnitOfWork, RemembersElsewhere
from ledger_service.probing.documents import History
from ledger_service.probing.recall_figures import RecalledCell, codes_of
from ledger_service.scoring.selection_validity import selection_validity
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.probes.check_matrix import played
from ledger_service.services.probes.freeze_cells import Frozen, freeze_cells
from ledger_service.services.probes.recall import recall
from ledger_service.services.probes.run_probes import pass_distance
from ledger_service.services.replies.score_reply import Judging

LEDGER = "this ledger"


class Bench(Struct, frozen=True, kw_only=True):
    """What memories are compared with; nothing of it is kept."""

    open_uow: OpenUnitOfWork
    reading: Reading
    judging: Judging
    afresh: NewProcess | None = None


async def compare_memories(
    world: World,
    history: History,
    matrix: Matrix,
    cells: Sequence[KeptCell],
    memories: Sequence[RemembersElsewhere],
    *,
    bench: Bench,
) -> AsyncIterator[tuple[str, RecalledCell]]:
    """Play the story, and yield what each memory returned for each cell; the ledger's own packet is the first.

    Raises:
        LedgerError: the story cannot be played, a cell cannot be asked, or a memory does not answer.
    """
    ground = await played(world, history, open_uow=bench.open_uow, reading=bench.reading)
    for distance in dict.fromkeys(c.cell.distance for c in cells):
        mine = [c for c in cells if c.cell.distance == distance and not c.cell.skipped]
        branch = await pass_distance(
            matrix, distance, ground, open_uow=bench.open_uow, reading=bench.reading, afresh=bench.afresh
        )
        for name, frozen in await _frozen(mine, matrix, branch, bench):
            yield LEDGER, _judged(name, frozen)
            for memory in memories:
                came = await recall(frozen, memory)
                yield memory.name, _judged(name, came.frozen, strange=len(came.strange), milliseconds=came.milliseconds)


async def _frozen(cells: Sequence[KeptCell], matrix: Matrix, branch: Branch, bench: Bench) -> list[tuple[str, Frozen]]:
    """Freeze the cells of a branch.

    Raises:
        LedgerError: one cannot be asked.
    """
    if branch.error:
        raise ContentError("distance", branch.error)
    found = await freeze_cells(
        cells, matrix, branch, open_uow=bench.open_uow, reading=bench.reading, judging=bench.judging
    )
    frozen = []
    for kept in cells:
        there = found[kept.cell_no]
        if isinstance(there, LedgerError):
            raise there
        frozen.append((kept.cell.name, there))
    return frozen


def _judged(cell: str, frozen: Frozen, *, strange: int = 0, milliseconds: float = 0) -> RecalledCell:
    there = {s.entry_id for s in frozen.packet.selected}
    verdict = selection_validity(frozen.packet, ledger=frozen.ledger, gold=frozen.gold)
    return RecalledCell(
        cell=cell, wanted=len(frozen.gold.must_include), held=len(there & set(frozen.gold.must_include)),
        returned=len(there), found=codes_of(verdict.findings), strange=strange, milliseconds=milliseconds,
    )  # fmt: skip
