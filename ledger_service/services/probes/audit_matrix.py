"""Audit a matrix: what passes without a packet is weak, and what the reference speaker cannot pass is unsound."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.probe_runs import Branch
from ledger_service.domain.probes import Cell, Matrix
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Axis, Scorecard, State
from ledger_service.domain.worlds import World
from ledger_service.ports import NewProcess, OpenUnitOfWork, Responder
from ledger_service.probing.documents import History
from ledger_service.probing.matrix import expand
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.probes.ask_cell import judge
from ledger_service.services.probes.check_matrix import played
from ledger_service.services.probes.freeze_cells import Frozen, freeze
from ledger_service.services.probes.run_probes import pass_distance
from ledger_service.services.replies.score_reply import Judging
from ledger_service.services.replies.speak import speak

OF_THE_LINE = (Axis.RESPONSE, Axis.GAMEPLAY, Axis.VOICE)


class Unsound(Struct, frozen=True, kw_only=True):
    """A cell that the reference speaker does not pass, and why."""

    cell: str
    why: str
    line: str = ""


class Weak(Struct, frozen=True, kw_only=True):
    """A row whose line passes without a packet, with where it does so."""

    pressure: str
    cells: tuple[str, ...]
    asked: int
    line: str
    """What passes, in one of them."""

    @property
    def is_everywhere(self) -> bool:
        """It passes without a packet wherever it is asked."""
        return len(self.cells) == self.asked


class Audit(Struct, frozen=True, kw_only=True):
    """A matrix, held against a speaker who knows everything and one who knows nothing."""

    asked: int
    weak: tuple[Weak, ...]
    unsound: tuple[Unsound, ...]


class Tools(Struct, frozen=True, kw_only=True):
    """What a matrix is audited with."""

    open_uow: OpenUnitOfWork
    reading: Reading
    judging: Judging
    reference: Responder
    afresh: NewProcess | None = None


async def audit_matrix(
    matrix: Matrix,
    world: World,
    history: History,
    tools: Tools,
    *,
    anchors_only: bool = True,
    progress: Callable[[], None] = lambda: None,
) -> Audit:
    """Ask the reference every cell, once with its packet and once without one; nothing of it is kept.

    Raises:
        LedgerError: the story itself cannot be played.
    """
    ground = await played(world, history, open_uow=tools.open_uow, reading=tools.reading)
    cells = [c for c in expand(matrix) if not c.skipped and not (anchors_only and c.paraphrase)]
    empty: dict[str, list[tuple[str, str]]] = {}
    unsound: list[Unsound] = []
    for distance in matrix.distances:
        there = [c for c in cells if c.distance == distance.id]
        branch = await pass_distance(
            matrix, distance.id, ground, open_uow=tools.open_uow, reading=tools.reading, afresh=tools.afresh
        )
        for cell in there:
            progress()
            fault, line = await _held(cell, matrix, branch, tools)
            if fault is not None:
                unsound.append(fault)
            elif line is not None:
                empty.setdefault(cell.pressure, []).append((cell.name, line))
    return Audit(asked=len(cells), weak=_weak(empty, cells), unsound=tuple(unsound))


def _weak(empty: dict[str, list[tuple[str, str]]], cells: Sequence[Cell]) -> tuple[Weak, ...]:
    return tuple(
        Weak(
            pressure=pressure, cells=tuple(name for name, _ in passed), line=passed[0][1],
            asked=sum(c.pressure == pressure for c in cells),
        )
        for pressure, passed in empty.items()
    )  # fmt: skip


async def _held(cell: Cell, matrix: Matrix, branch: Branch, tools: Tools) -> tuple[Unsound | None, str | None]:
    """Return why the reference does not pass a cell, or the line by which it passes without a packet."""
    if branch.error:
        return Unsound(cell=cell.name, why=branch.error), None
    try:
        frozen = await freeze(
            cell, matrix, branch, open_uow=tools.open_uow, reading=tools.reading, judging=tools.judging,
            earlier=branch.packets.get(cell.name, ""),
        )  # fmt: skip
    except ContentError as error:
        return Unsound(cell=cell.name, why=str(error)), None
    if frozen.flipped:
        return Unsound(cell=cell.name, why=frozen.flipped), None
    said = await speak(frozen.packet, frozen.world, tools.reference)
    card = judge(frozen, said, tools.judging)
    if not card.passed:
        return Unsound(cell=cell.name, why=f"{card.fault}: {card.evidence}", line=said.text), None
    blind = await speak(blank(frozen.packet), frozen.world, tools.reference)
    return None, blind.text if _line_holds(frozen, blind, tools.judging) else None


def blank(packet: ContextPacket) -> ContextPacket:
    """Return a packet that holds nothing: the speaker, the listener, the line and the time."""
    return replace(
        packet, selected=(), act_only=(), withheld=(), flags=(), commitments=(), standings=(), residue=(),
        consequences=(), tokens=0, prompt="", hash="",
    )  # fmt: skip


def _line_holds(frozen: Frozen, reply: Reply, judging: Judging) -> bool:
    """Say whether a line that was said without the packet passes on it all the same."""
    card: Scorecard = judge(frozen, reply, judging)
    return all(card.verdict(axis).state is not State.FAIL for axis in OF_THE_LINE)
