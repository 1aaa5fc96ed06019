"""Freeze cells: what each asks, with its packet computed twice, up to the moment of speaking."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ledger_service.domain.errors import LedgerError, StoreError
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.probe_runs import Branch, KeptCell
from ledger_service.domain.probes import Cell, Matrix
from ledger_service.domain.replies import Claim
from ledger_service.domain.rubric import Gold
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork
from ledger_service.recording.plain import check_said
from ledger_service.services.events.story_state import story_state, world_of
from ledger_service.services.packets.build_packet import Reading, compute_packet
from ledger_service.services.probes.counterfactuals import Question
from ledger_service.services.probes.run_probes import gold_of, request_of
from ledger_service.services.replies.score_reply import Judging, considered_by, read_line


class Frozen(Struct, frozen=True, kw_only=True):
    """A cell up to the moment of speaking: whatever is repeated is said on this."""

    packet: ContextPacket
    world: World
    ledger: Ledger
    gold: Gold
    asked: tuple[Claim, ...]
    names: dict[str, str]
    """Entry ids to the labels of the history."""
    question: Question
    """What was asked, so that it can be asked otherwise."""
    flipped: str = ""
    """Why it cannot be trusted: the same question gave another packet."""


class _Computed(Struct, frozen=True, kw_only=True):
    """The packets of some cells as one transaction gave them, and what could not be asked."""

    packets: dict[int, ContextPacket]
    ledgers: dict[int, Ledger]
    world: World
    refused: dict[int, LedgerError]


async def freeze_cells(
    cells: Sequence[KeptCell],
    matrix: Matrix,
    branch: Branch,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
    reading_again: Reading | None = None,
) -> dict[int, Frozen | LedgerError]:
    """Compute packets of cells of one branch twice or oftener, by number; one that cannot be asked stands with why.

    Each time is a transaction of its own, and all but the first ask in the other order: what the database answers
    again, and what was asked before, must make no difference; no more may an interruption, or the process that loaded
    the branch.

    Raises:
        StoreError: a store is away.
    """
    asked, refused = _questions(cells, matrix, branch, open_uow=open_uow, reading=reading)
    first = await _compute(asked, branch, open_uow=open_uow, reading=reading, with_ledgers=True)
    backwards = dict(reversed(asked.items()))
    again = [
        (await _compute(backwards, branch, open_uow=open_uow, reading=reading_again or reading)).packets
        for _ in range(matrix.repeats.selection - 1)
    ]
    names = names_of(branch)
    earlier = {c.cell_no: c.packet_hash or branch.packets.get(c.cell.name, "") for c in cells}
    frozen = {
        number: Frozen(
            packet=packet,
            world=first.world,
            ledger=first.ledgers[number],
            gold=asked[number].gold,
            asked=read_line(packet, world=first.world, reader=judging.claim_reader),
            names=names,
            question=asked[number],
            flipped=_flipped(packet, [packets.get(number) for packets in again], earlier[number]),
        )
        for number, packet in first.packets.items()
    }
    return {**frozen, **first.refused, **refused}


async def freeze(
    cell: Cell,
    matrix: Matrix,
    branch: Branch,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
    earlier: str = "",
) -> Frozen:
    """Freeze one cell that belongs to no run; `earlier` is its packet's hash, where it is known.

    Raises:
        LedgerError: it cannot be asked, or a store is away.
    """
    kept = KeptCell(cell_no=0, batch_no=0, cell=cell, packet_hash=earlier)
    frozen = (await freeze_cells([kept], matrix, branch, open_uow=open_uow, reading=reading, judging=judging))[0]
    if isinstance(frozen, LedgerError):
        raise frozen
    return frozen


def _questions(
    cells: Sequence[KeptCell], matrix: Matrix, branch: Branch, *, open_uow: OpenUnitOfWork, reading: Reading
) -> tuple[dict[int, Question], dict[int, LedgerError]]:
    """Return what cells ask, and which of them expect what is not there."""
    asked: dict[int, Question] = {}
    refused: dict[int, LedgerError] = {}
    for kept in cells:
        try:
            request = request_of(kept.cell, matrix)
            check_said(request.line, "line")
            gold = gold_of(kept.cell.expect, branch.labels)
        except LedgerError as error:
            refused[kept.cell_no] = error
            continue
        asked[kept.cell_no] = Question(
            playthrough_id=branch.playthrough_id, request=request, gold=gold, open_uow=open_uow, reading=reading
        )
    return asked, refused


async def _compute(
    asked: Mapping[int, Question],
    branch: Branch,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    with_ledgers: bool = False,
) -> _Computed:
    """Compute packets in one transaction, which reads once where the branch stands: nobody writes to it any more."""
    packets: dict[int, ContextPacket] = {}
    refused: dict[int, LedgerError] = {}
    async with open_uow(branch.playthrough_id) as uow:
        state = await story_state(uow)
        world = await world_of(uow, state.world_version)
        for number, question in asked.items():
            try:
                packets[number], _, _ = await compute_packet(question.request, uow, reading, now=state)
            except StoreError:
                raise
            except LedgerError as error:
                refused[number] = error
        also = [(packet, asked[number].gold.names) for number, packet in packets.items()]
        ledgers = await considered_by(also, uow) if with_ledgers else []
    by_number = dict(zip(packets, ledgers, strict=True)) if with_ledgers else {}
    return _Computed(packets=packets, ledgers=by_number, world=world, refused=refused)


def _flipped(packet: ContextPacket, again: Sequence[ContextPacket | None], earlier: str) -> str:
    others = (*("nothing" if a is None else a.hash for a in again), earlier or packet.hash)
    other = next((h for h in others if h != packet.hash), None)
    return "" if other is None else f"the same question gave packet {packet.hash} and packet {other}"


def names_of(branch: Branch) -> dict[str, str]:
    """Return what a person calls each entry: its label, with its place where the event left several."""
    return {
        entry: label if place == 1 else f"{label}.{place}"
        for label, entries in branch.labels.items()
        for place, entry in enumerate(entries, start=1)
    }
