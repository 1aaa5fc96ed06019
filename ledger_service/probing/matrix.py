"""Read a matrix, and expand it into cells."""

from collections.abc import Callable, Collection, Iterator

from msgspec.structs import replace

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.probes import Cell, Matrix, Pressure
from ledger_service.domain.worlds import World
from ledger_service.probing.advice import suggest
from ledger_service.probing.coverage import problems_of_coverage
from ledger_service.probing.documents import History, read_steps
from ledger_service.probing.extending import extended
from ledger_service.probing.recipes import class_of, events_of, expected, legs_of, paths_of, where_expected, why_skipped
from ledger_service.probing.references import people_of, unknown
from ledger_service.probing.source import Source, decode, read_source
from ledger_service.probing.stages import expectations_of, labels_in, problems_of_stages

CONTROL = "plain"
MOST_CELLS = 1_000_000
Problems = Iterator[StoryFileError]


def decode_matrix(
    content: bytes,
    file: str,
    *,
    world: World | None = None,
    history: History | None = None,
    find: Callable[[str], bytes] | None = None,
) -> Matrix:
    """Read a matrix; with its world and history, what it names is held against them too.

    `find` reads the files that it extends.

    Raises:
        StoryFileError: also for a missing control, a name or text that stands twice, or a name that leads nowhere.
    """
    source = extended(read_source(content, file), find)
    matrix = decode(source, Matrix)
    for problem in problems_of_matrix(matrix, source, world=world, history=history):
        raise problem
    return matrix


def problems_of_matrix(
    matrix: Matrix, source: Source, *, world: World | None = None, history: History | None = None
) -> Problems:
    """Yield everything by which a matrix could not be asked, or could not be understood."""
    cells = len(matrix.distances) * sum(len(rewordings(p)) for p in matrix.pressures)
    if cells > MOST_CELLS:
        yield source.error(
            "$.pressures", f"come to {cells:,} cells with the distances; at most {MOST_CELLS:,} are asked"
        )
        return
    if CONTROL not in [p.id for p in matrix.pressures]:
        yield source.error("$.pressures", f"the control `{CONTROL}` is missing")
    yield from _twice(source, "distances", [d.id for d in matrix.distances])
    yield from _twice(source, "pressures", [p.id for p in matrix.pressures])
    yield from _texts(matrix, source)
    if world is not None:
        people = people_of(world)
        yield from unknown(source, "$.story", "story", named=(matrix.story,), known=(world.id,))
        yield from unknown(source, "$.speaker", "speaker", named=(matrix.speaker,), known=people)
        yield from unknown(source, "$.listener", "listener", named=(matrix.listener,), known=people)
    yield from problems_of_coverage(matrix, source)
    labels = _labels_at(matrix, source, history)
    yield from _shared(matrix, source, labels)
    for i, pressure in enumerate(matrix.pressures):
        yield from _distances(pressure, f"$.pressures[{i}]", matrix, source)
        yield from _flags(pressure, f"$.pressures[{i}]", source)
        if world is not None:
            yield from _people(pressure, f"$.pressures[{i}]", source, world)
        yield from _labels(pressure, f"$.pressures[{i}]", labels, matrix=matrix, source=source)
        yield from problems_of_stages(pressure, f"$.pressures[{i}]", source, world=world)


def _twice(source: Source, where: str, names: list[str]) -> Problems:
    for i, name in enumerate(names):
        if name in names[:i]:
            yield source.error(f"$.{where}[{i}].id", f"`{name}` stands here twice")


def _texts(matrix: Matrix, source: Source) -> Problems:
    """A question is asked once of each speaker: with the same words another pressure would measure the same thing."""
    seen: dict[tuple[str, ...], str] = {}
    for i, pressure in enumerate(matrix.pressures):
        for j, text in enumerate(rewordings(pressure)):
            path = f"$.pressures[{i}]." + (f"paraphrases[{j - 1}]" if j else "anchor")
            words = (pressure.speaker, pressure.listener, *text.casefold().split())
            if words in seen:
                yield source.error(path, f"{text!r} stands already in `{seen[words]}`")
            seen.setdefault(words, pressure.id)


def _distances(pressure: Pressure, path: str, matrix: Matrix, source: Source) -> Problems:
    there = [name for d in matrix.distances for name in (d.id, class_of(d))]
    for field, names in (("expect_at", pressure.expect_at), ("skip_at", pressure.skip_at)):
        for name in names:
            yield from unknown(source, f"{path}.{field}.{name}", "distance", named=(name,), known=there)
    for name, reason in pressure.skip_at.items():
        if not reason.strip():
            yield source.error(f"{path}.skip_at.{name}", "a combination is skipped for a reason, which is missing")


def _people(pressure: Pressure, path: str, source: Source, world: World) -> Problems:
    for field, who in (("speaker", pressure.speaker), ("listener", pressure.listener)):
        yield from unknown(source, f"{path}.{field}", field, named=(who,) if who else (), known=people_of(world))


def _flags(pressure: Pressure, path: str, source: Source) -> Problems:
    kinds = [str(kind) for kind in FlagKind]
    for where, expect in expectations_of(pressure, path):
        for field in ("flags", "flags_must_exclude"):
            for i, flag in enumerate(getattr(expect, field)):
                named = (flag.partition(":")[0],)
                yield from unknown(source, f"{where}.{field}[{i}]", "flag", named=named, known=kinds)
        for name in set(expect.must_include) & set(expect.must_exclude):
            yield source.error(f"{where}.must_exclude", f"`{name}` cannot be both included and excluded")


def _labels_at(matrix: Matrix, source: Source, history: History | None) -> dict[str, Collection[str]] | None:
    """Read the recipes, and return the labels that are known at each distance; None where no history says."""
    known = None if history is None else [s.label for s in history.steps if s.label is not None]
    found: dict[str, Collection[str]] = {}
    for i, distance in enumerate(matrix.distances):
        there = set(known or ())
        for leg, where in zip(legs_of(distance), paths_of(distance), strict=True):
            before = None if known is None else there
            steps = read_steps(
                source, list(events_of(leg, distance, matrix)), at=f"$.distances[{i}].{where}", known=before
            )
            there |= {s.label for s in steps if s.label is not None}
        found[distance.id] = there
    return None if known is None else found


def _shared(matrix: Matrix, source: Source, labels: dict[str, Collection[str]] | None) -> Problems:
    """Hold what the whole matrix names against what any distance knows."""
    if labels is None:
        return
    every = {name for known in labels.values() for name in known}
    for i, name in enumerate(matrix.never):
        yield from unknown(source, f"$.never[{i}]", "label", named=(name.partition(".")[0],), known=every)
    for i, distance in enumerate(matrix.distances):
        named = () if distance.branch_at is None else (distance.branch_at.partition(".")[0],)
        yield from unknown(source, f"$.distances[{i}].branch_at", "label", named=named, known=every)


def _labels(
    pressure: Pressure, path: str, labels: dict[str, Collection[str]] | None, *, matrix: Matrix, source: Source
) -> Problems:
    """Hold every label that a cell expects against those that its distance knows."""
    for distance in matrix.distances if labels is not None else ():
        if why_skipped(pressure, distance):
            continue
        known = labels[distance.id] if labels is not None else ()
        expect = expected(pressure, distance, replace(matrix, never=()))
        where = f"{path}.{where_expected(pressure, distance)}"
        for field, name in labels_in(expect):
            label = name.partition(".")[0]
            if label not in known:
                there = suggest(label, sorted(known), "there are")
                why = f"at {distance.id}, `{name}` is the label of no event{there}"
                yield source.error(f"{where}.{field}", why)


def expand(matrix: Matrix) -> tuple[Cell, ...]:
    """Return every cell, by distance, pressure, paraphrase; the anchor is paraphrase 0."""
    return tuple(
        Cell(
            distance=distance.id,
            pressure=pressure.id,
            paraphrase=i,
            line=line,
            expect=expected(pressure, distance, matrix),
            skipped=why_skipped(pressure, distance),
            speaker=pressure.speaker,
            listener=pressure.listener,
        )
        for distance in matrix.distances
        for pressure in matrix.pressures
        for i, line in enumerate(rewordings(pressure))
    )


def rewordings(pressure: Pressure) -> tuple[str, ...]:
    """Return the ways in which a pressure is worded, the anchor first."""
    return (pressure.anchor, *pressure.paraphrases)
