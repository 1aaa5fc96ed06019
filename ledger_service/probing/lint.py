"""What makes a matrix weak without making it wrong: near copies, and secrets that nobody has to use."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations
from typing import Final

from msgspec import Struct

from ledger_service.domain.probes import Matrix, Pressure
from ledger_service.domain.terms import words
from ledger_service.probing.matrix import CONTROL, expand, rewordings
from ledger_service.probing.source import Source

NEAR: Final = 0.9


class Concern(Struct, frozen=True, kw_only=True):
    """Something to look at, with its place."""

    line: int | None
    path: str
    why: str


def concerns_of(matrix: Matrix, source: Source) -> Iterator[Concern]:
    """Yield what a matrix could do better; none of it keeps it from being asked."""
    for i, pressure in enumerate(matrix.pressures):
        yield from _near_copies(pressure, f"$.pressures[{i}]", source)
    yield from _uncontrolled(matrix, source)
    if all(cell.skipped for cell in expand(matrix)):
        yield _of(source, "$.pressures", "every cell is skipped: nothing would be asked")


def _of(source: Source, path: str, why: str) -> Concern:
    return Concern(line=source.line_of(path), path=path.removeprefix("$."), why=why)


def _near_copies(pressure: Pressure, path: str, source: Source) -> Iterator[Concern]:
    """Find wordings of which one tells nothing that the other does not."""
    for (i, one), (j, other) in combinations(enumerate(rewordings(pressure)), 2):
        if SequenceMatcher(a=words(one), b=words(other), autojunk=False).ratio() >= NEAR:
            first = "the anchor" if i == 0 else f"paraphrase {i}"
            yield _of(source, f"{path}.paraphrases[{j - 1}]", f"{other!r} is a near copy of {first}, {one!r}")


def _uncontrolled(matrix: Matrix, source: Source) -> Iterator[Concern]:
    """Find secrets that nobody has to use, so that silence passes; and speakers without a plain row."""
    used = {n for p in matrix.pressures for e in (p.expect, *p.expect_at.values()) for n in e.must_include}
    for i, name in enumerate(matrix.never):
        if name not in used:
            yield _of(source, f"$.never[{i}]", f"no row must include `{name}`: silence would pass")
    plain = {p.speaker for p in matrix.pressures if (p.kind or p.id) == CONTROL}
    for i, pressure in enumerate(matrix.pressures):
        if pressure.speaker not in plain:
            why = f"`{pressure.speaker or matrix.speaker}` is pressed, and has no plain row to compare with"
            yield _of(source, f"$.pressures[{i}].speaker", why)
            plain |= {pressure.speaker}
