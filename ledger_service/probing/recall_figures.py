"""How well memories recall: what they had to return, what they must not, cell by cell and added up."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from ledger_service.domain.rubric import Code, Finding

RECALL: Final = (Code.MISSING_ENTRY, Code.SECRET_SELECTED, Code.STALE_SELECTED, Code.NOISE_SELECTED)
"""What a memory that returns items can get wrong; flags are beyond it, and counted beside."""


class RecalledCell(Struct, frozen=True, kw_only=True):
    """What one memory returned for one cell."""

    cell: str
    wanted: int
    """Entries that the packet must hold."""
    held: int
    """Of these, how many it returned."""
    returned: int
    found: tuple[Code, ...]
    """What is wrong with it, each finding once."""
    strange: int = 0
    """Texts that are in no entry."""
    milliseconds: float = 0


class MemoryFigures(Struct, frozen=True, kw_only=True):
    """One memory on a whole matrix."""

    memory: str
    cells: int
    wanted: int
    held: int
    hidden: int
    """Cells in which it returned what the speaker does not know, or must not say to these listeners."""
    over: int
    """Cells in which it returned what no longer holds."""
    unwanted: int
    """Cells in which it returned what is not to be brought up there."""
    right: int
    """Cells with nothing missing, hidden, over or unwanted."""
    flagless: int
    """Cells that expect a flag of the record which is not there."""
    passed: int
    """Cells right in everything, flags too."""
    items: float
    """Returned, on average."""
    strange: int
    milliseconds: float
    """For an answer, on average."""

    @property
    def recall(self) -> float:
        """The share of what must be there that was there."""
        return self.held / self.wanted if self.wanted else 1.0


def figures_of(memory: str, cells: Sequence[RecalledCell]) -> MemoryFigures:
    """Add one memory up."""

    def cells_with(*codes: Code) -> int:
        return sum(not set(codes).isdisjoint(c.found) for c in cells)

    flags = (Code.MISSING_FLAG, Code.WRONG_FLAG)
    return MemoryFigures(
        memory=memory,
        cells=len(cells),
        wanted=sum(c.wanted for c in cells),
        held=sum(c.held for c in cells),
        hidden=cells_with(Code.SECRET_SELECTED),
        over=cells_with(Code.STALE_SELECTED),
        unwanted=cells_with(Code.NOISE_SELECTED),
        right=len(cells) - cells_with(*RECALL),
        flagless=cells_with(*flags),
        passed=len(cells) - cells_with(*RECALL, *flags),
        items=_average([c.returned for c in cells]),
        strange=sum(c.strange for c in cells),
        milliseconds=_average([c.milliseconds for c in cells]),
    )


def codes_of(findings: Iterable[Finding]) -> tuple[Code, ...]:
    """Return what was found, each once, in order."""
    return tuple(dict.fromkeys(f.code for f in findings))


def _average(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
