"""What makes a matrix weak without making it wrong, and what it lacks: controls, a language, a way to fail."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import Final

from msgspec import Struct

from ledger_service.domain.probes import Expectation, Matrix, Pressure
from ledger_service.domain.terms import words
from ledger_service.probing.matrix import CONTROL, expand, rewordings
from ledger_service.probing.source import Source
from ledger_service.probing.stages import expectations_of

NEAR: Final = 0.9
Pair = tuple[str, str]
"""Who is asked, and by whom."""


class Concern(Struct, frozen=True, kw_only=True):
    """Something to look at, with its place."""

    line: int | None
    path: str
    why: str


def concerns_of(matrix: Matrix, source: Source) -> Iterator[Concern]:
    """Yield what a matrix could do better; none of it keeps it from being asked."""
    for i, pressure in enumerate(matrix.pressures):
        yield from _near_copies(pressure, f"$.pressures[{i}]", source)
    if all(cell.skipped for cell in expand(matrix)):
        yield _of(source, "$.pressures", "every cell is skipped: nothing would be asked")


def demands_of(matrix: Matrix, source: Source, *, secrets: Mapping[str, Sequence[str]]) -> Iterator[Concern]:
    """Yield the controls that are missing: a matrix without them cannot tell a good memory from silence.

    `secrets` are the labels of `never` that hold somewhere, with whoever knows them.
    """
    yield from _speakers_without_control(matrix, source)
    for i, label in enumerate(matrix.never):
        if label in secrets:
            yield from _secret_without_control(matrix, label, secrets[label], f"$.never[{i}]", source)


def wrong_language(matrix: Matrix, source: Source, language_of: Callable[[str], str]) -> Iterator[Concern]:
    """Yield the rewordings that are in another language than the anchors; `language_of` is empty where none is sure."""
    anchors = Counter(found for p in matrix.pressures if (found := language_of(p.anchor)))
    usual = anchors.most_common(1)[0][0] if anchors else ""
    for i, pressure in enumerate(matrix.pressures):
        wanted = language_of(pressure.anchor) or usual
        for j, text in enumerate(pressure.paraphrases):
            found = language_of(text)
            if wanted and found and found != wanted:
                where = f"$.pressures[{i}].paraphrases[{j}]"
                yield _of(source, where, f"{text!r} reads as {found}, and its anchor as {wanted}: the wrong language")


def _of(source: Source, path: str, why: str) -> Concern:
    return Concern(line=source.line_of(path), path=path.removeprefix("$."), why=why)


def _near_copies(pressure: Pressure, path: str, source: Source) -> Iterator[Concern]:
    """Find wordings of which one tells nothing that the other does not."""
    for (i, one), (j, other) in combinations(enumerate(rewordings(pressure)), 2):
        if SequenceMatcher(a=words(one), b=words(other), autojunk=False).ratio() >= NEAR:
            first = "the anchor" if i == 0 else f"paraphrase {i}"
            yield _of(source, f"{path}.paraphrases[{j - 1}]", f"{other!r} is a near copy of {first}, {one!r}")


def _speakers_without_control(matrix: Matrix, source: Source) -> Iterator[Concern]:
    plain = {_who(p, matrix)[0] for p in matrix.pressures if (p.kind or p.id) == CONTROL}
    for i, pressure in enumerate(matrix.pressures):
        speaker, _ = _who(pressure, matrix)
        if speaker not in plain:
            why = f"`{speaker}` is pressed, and has no `{CONTROL}` row to compare with"
            yield _of(source, f"$.pressures[{i}].speaker", why)
            plain |= {speaker}


def _secret_without_control(
    matrix: Matrix, label: str, knowers: Sequence[str], path: str, source: Source
) -> Iterator[Concern]:
    """Hold a secret against its rows: one who may know must use it, and one who may not is asked and must not."""
    using = [_who(p, matrix) for p in matrix.pressures if _names(p, label, "must_include", "act_only")]
    closed = [_who(p, matrix) for p in matrix.pressures if _names(p, label, "must_exclude")]
    if not using:
        told = ", ".join(knowers) or "nobody"
        why = f"no row must use `{label}` (`must_include`, or `act_only` of who may not say it): silence would pass"
        yield _of(source, path, f"{why}; it is known to {told}")
    if not [pair for pair in closed if pair not in using]:
        yield _of(source, path, f"nobody who may not know `{label}` is asked for it (`must_exclude`)")


def _who(pressure: Pressure, matrix: Matrix) -> Pair:
    return pressure.speaker or matrix.speaker, pressure.listener or matrix.listener


def _names(pressure: Pressure, label: str, *fields: str) -> bool:
    every: list[Expectation] = [expect for _, expect in expectations_of(pressure, "")]
    return any(label in getattr(expect, field) for expect in every for field in fields)
