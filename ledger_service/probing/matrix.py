"""Read a matrix, and expand it into cells."""

from ledger_service.domain.probes import Cell, Matrix, Pressure
from ledger_service.probing.source import decode, read_source

CONTROL = "plain"


def decode_matrix(content: bytes, file: str) -> Matrix:
    """Read a matrix.

    Raises:
        StoryFileError: also for a missing control, a name or text that stands twice, or a distance that is not there.
    """
    source = read_source(content, file)
    matrix = decode(source, Matrix)
    distances = [d.id for d in matrix.distances]
    pressures = [p.id for p in matrix.pressures]
    if CONTROL not in pressures:
        raise source.error("$.pressures", f"the control `{CONTROL}` is missing")
    for where, names in (("distances", distances), ("pressures", pressures)):
        for i, name in enumerate(names):
            if name in names[:i]:
                raise source.error(f"$.{where}[{i}].id", f"`{name}` stands here twice")
    seen: dict[str, str] = {}
    for i, pressure in enumerate(matrix.pressures):
        for name in (*pressure.expect_at, *pressure.skip_at):
            if name not in distances:
                raise source.error(
                    f"$.pressures[{i}]", f"unknown distance `{name}` (there are: {', '.join(distances)})"
                )
        for text in (pressure.anchor, *pressure.paraphrases):
            if text.casefold() in seen:
                raise source.error(f"$.pressures[{i}]", f"{text!r} stands already in `{seen[text.casefold()]}`")
            seen[text.casefold()] = pressure.id
    return matrix


def expand(matrix: Matrix) -> tuple[Cell, ...]:
    """Return every cell, by distance, pressure, paraphrase; the anchor is paraphrase 0."""
    return tuple(
        Cell(
            distance=distance.id,
            pressure=pressure.id,
            paraphrase=i,
            line=line,
            expect=pressure.expect_at.get(distance.id, pressure.expect),
            skipped=pressure.skip_at.get(distance.id, ""),
        )
        for distance in matrix.distances
        for pressure in matrix.pressures
        for i, line in enumerate(_lines(pressure))
    )


def _lines(pressure: Pressure) -> tuple[str, ...]:
    return (pressure.anchor, *pressure.paraphrases)
