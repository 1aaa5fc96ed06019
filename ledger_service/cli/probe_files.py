"""Commands about probe files: plan what they would ask, and the JSON Schema by which an editor checks them."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec import Struct

from ledger_service.cli.run import FILE, console, emit, json_option
from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.events import GameEvent
from ledger_service.domain.memory_contract import MemoryContract
from ledger_service.domain.probes import Matrix
from ledger_service.domain.transcripts import Recorded
from ledger_service.domain.worlds import World
from ledger_service.probing.case_schema import CaseFile
from ledger_service.probing.coverage import covered
from ledger_service.probing.documents import History, decode_history, decode_world
from ledger_service.probing.extending import extended
from ledger_service.probing.matrix import expand, problems_of_matrix
from ledger_service.probing.recipes import legs_of
from ledger_service.probing.source import Source, decode, read_source

_SCHEMAS: Final[Mapping[str, Any]] = {
    "matrix": Matrix, "world": World, "history": list[GameEvent], "case": list[CaseFile], "transcript": Recorded,
    "memory": MemoryContract,
}  # fmt: skip
_SECONDS_A_CELL: Final = 0.01
_SECONDS_A_RELOAD: Final = 3.0


class Read(Struct, frozen=True, kw_only=True):
    """A matrix with the world and history that stand beside it."""

    source: Source
    matrix: Matrix
    world: World | None
    history: History | None


def read_matrix(file: Path) -> Read:
    """Read a matrix, what it extends, and the world and history beside it.

    Raises:
        StoryFileError: one of them cannot be read.
    """
    source = extended(read_source(file.read_bytes(), str(file)), _beside(file))
    world, history = file.parent / "world.yaml", file.parent / "history.yaml"
    return Read(
        source=source,
        matrix=decode(source, Matrix),
        world=decode_world(world.read_bytes(), str(world)) if world.exists() else None,
        history=decode_history(history.read_bytes(), str(history)) if history.exists() else None,
    )


def _beside(file: Path) -> Callable[[str], bytes]:
    def find(name: str) -> bytes:
        try:
            return (file.parent / Path(name).name).read_bytes()
        except OSError as error:
            raise StoryFileError(name, f"cannot be read: {error.strerror or error}") from error

    return find


@click.command()
@click.argument("file", type=FILE)
@click.option("--repeats", type=click.IntRange(1, 100), help="Lines asked for a cell; else what the matrix says.")
@click.option("--seconds", type=click.FloatRange(0, 600), default=0.0, help="What a subject takes for a line.")
@click.option("--price", type=click.FloatRange(0), default=0.0, help="What a line costs, in any money.")
@json_option
def plan(file: Path, repeats: int | None, seconds: float, price: float, as_json: bool) -> None:
    """Say what a matrix would ask before anything runs: cells by its coverage, attempts, about how long, and the cost.

    Example: continuity probe plan probes/maelin/matrix.yaml --repeats 3 --seconds 1.5 --price 0.0004
    """
    read = read_matrix(file)
    for problem in problems_of_matrix(read.matrix, read.source, world=read.world, history=read.history):
        raise problem
    planned = _planned(read.matrix, repeats or read.matrix.repeats.most, seconds=seconds, price=price)
    emit(planned) if as_json else _print(planned)


def _planned(matrix: Matrix, repeats: int, *, seconds: float, price: float) -> dict[str, Any]:
    every = expand(matrix)
    cells = covered(every, matrix.coverage)
    asked = [c for c in cells if not c.skipped]
    attempts = len(asked) * repeats
    reloads = sum(leg.reload for d in matrix.distances for leg in legs_of(d))
    takes = len(asked) * _SECONDS_A_CELL + reloads * _SECONDS_A_RELOAD + attempts * seconds
    return {
        "story": matrix.story, "coverage": matrix.coverage.mode, "of": len(every), "cells": len(cells),
        "skipped": len(cells) - len(asked), "attempts": attempts, "at_most": matrix.repeats.adaptive,
        "seconds": round(takes, 1), "cost": round(attempts * price, 4), "budgets": matrix.budgets,
        "by_distance": dict(Counter(c.distance for c in asked)),
        "by_pressure": dict(Counter(c.pressure for c in asked)),
    }  # fmt: skip


def _print(planned: dict[str, Any]) -> None:
    some = f" of {planned['of']} ({planned['coverage']})" if planned["cells"] != planned["of"] else ""
    most = "at most " if planned["at_most"] else ""
    cost = f", {planned['cost']:g} in money" if planned["cost"] else ""
    console.print(
        f"{planned['cells']} cells{some}, {planned['skipped']} of them skipped with a reason; {most}"
        f"{planned['attempts']} attempts, about {planned['seconds'] / 60:.1f} minutes on one worker{cost}",
        soft_wrap=True,
    )
    for name, count in planned["by_distance"].items():
        console.print(f"  {name}: {count}")


@click.command()
@click.argument("name", type=click.Choice(list(_SCHEMAS)))
@json_option
def schema(name: str, as_json: bool) -> None:  # noqa: ARG001  (a schema is JSON in either case)
    """Print the JSON Schema of a probe file, for editors.

    Example: continuity schema matrix > matrix.schema.json
    """
    emit({"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(_SCHEMAS[name])})
