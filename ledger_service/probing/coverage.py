"""How much of a matrix is asked: all of it, as few cells as hold every pair, or a sample drawn by a seed."""

from collections.abc import Iterator, Sequence

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.ids import digest
from ledger_service.domain.probes import Cell, Cover, Coverage, Matrix
from ledger_service.probing.source import Source

Pair = tuple[str, str]


def problems_of_coverage(matrix: Matrix, source: Source) -> Iterator[StoryFileError]:
    """Yield what coverage and repeats say that cannot be done."""
    wanted, repeats = matrix.coverage, matrix.repeats
    if wanted.mode is Cover.SAMPLE and not wanted.cells:
        yield source.error("$.coverage.cells", "a sample says how many `cells` are drawn")
    if wanted.mode is not Cover.SAMPLE and wanted.cells:
        yield source.error("$.coverage.cells", f"only a sample says how many; {wanted.mode} asks what it needs")
    if repeats.max and not repeats.adaptive:
        yield source.error("$.repeats.max", "only `adaptive` repeats have a most; else `reply` says how many")
    if repeats.max and repeats.max < repeats.reply:
        yield source.error("$.repeats.max", f"is below `reply`, {repeats.reply}")


def covered(cells: Sequence[Cell], coverage: Coverage) -> tuple[Cell, ...]:
    """Return the cells that are asked, in their order; what is skipped with a reason stays, and is counted.

    The same cells and coverage give the same choice.
    """
    if coverage.mode is Cover.FULL:
        return tuple(cells)
    asked = [c for c in cells if not c.skipped]
    chosen = pairwise(asked) if coverage.mode is Cover.PAIRWISE else sample(asked, coverage.cells, coverage.seed)
    return tuple(c for c in cells if c.skipped or c.name in chosen)


def sample(cells: Sequence[Cell], count: int, seed: int) -> set[str]:
    """Draw so many cells by a seed; another seed draws others, a larger count keeps what a smaller one drew."""
    return {c.name for c in sorted(cells, key=lambda c: digest(seed, c.name))[:count]}


def pairwise(cells: Sequence[Cell]) -> set[str]:
    """Choose cells greedily until each pair of distance, pressure and wording that any cell holds is held.

    Each distance with each pressure needs a cell of its own, and these nearly always hold the other pairs too: the
    wording that brings most new pairs is taken, ties in turns along both.
    """
    rows = list(dict.fromkeys(c.distance for c in cells))
    columns = list(dict.fromkeys(c.pressure for c in cells))
    by_place: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        by_place.setdefault((cell.distance, cell.pressure), []).append(cell)
    held: set[Pair] = set()
    chosen: dict[str, Cell] = {}
    for (distance, pressure), there in by_place.items():
        turn = (rows.index(distance) + columns.index(pressure)) % len(there)
        best = max((*there[turn:], *there[:turn]), key=lambda c: len(_pairs(c) - held))
        chosen[best.name] = best
        held |= _pairs(best)
    for cell in cells:
        if _pairs(cell) - held:
            chosen[cell.name] = cell
            held |= _pairs(cell)
    return set(chosen)


def _pairs(cell: Cell) -> set[Pair]:
    wording = str(cell.paraphrase)
    return {
        (f"distance {cell.distance}", f"pressure {cell.pressure}"),
        (f"distance {cell.distance}", f"wording {wording}"),
        (f"pressure {cell.pressure}", f"wording {wording}"),
    }
