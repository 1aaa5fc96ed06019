"""Commands about probe files: lint them, plan them, and the JSON Schema by which an editor checks them."""

from collections import Counter
from pathlib import Path

import anyio
import click
import msgspec
from msgspec import Struct

from ledger_service.bootstrap import new_record, open_reading
from ledger_service.cli.run import BAD_INPUT, FILE, console, emit, json_option, printable
from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.events import GameEvent
from ledger_service.domain.probes import Matrix
from ledger_service.domain.transcripts import Recorded
from ledger_service.domain.worlds import World
from ledger_service.probing.documents import History, decode_history, decode_world
from ledger_service.probing.extending import extended
from ledger_service.probing.lint import Concern, concerns_of
from ledger_service.probing.matrix import expand, problems_of_matrix
from ledger_service.probing.source import Source, decode, read_source
from ledger_service.services.check_matrix import Impossible, check_matrix

_SCHEMAS = {"matrix": Matrix, "world": World, "history": list[GameEvent], "transcript": Recorded}
_SECONDS_A_CELL = 0.01


class Read(Struct, frozen=True, kw_only=True):
    """A matrix with the world and history that stand beside it."""

    source: Source
    matrix: Matrix
    world: World | None
    history: History | None


def _read(file: Path) -> Read:
    def find(name: str) -> bytes:
        try:
            return (file.parent / Path(name).name).read_bytes()
        except OSError as error:
            raise StoryFileError(name, f"cannot be read: {error.strerror or error}") from error

    source = extended(read_source(file.read_bytes(), str(file)), find)
    world, history = file.parent / "world.yaml", file.parent / "history.yaml"
    return Read(
        source=source,
        matrix=decode(source, Matrix),
        world=decode_world(world.read_bytes(), str(world)) if world.exists() else None,
        history=decode_history(history.read_bytes(), str(history)) if history.exists() else None,
    )


@click.command()
@click.argument("file", type=FILE)
@json_option
def lint(file: Path, as_json: bool) -> None:
    """Check a matrix against the world and history beside it; exits with 2 where it could not be asked.

    What is merely weak (near copies, a secret that nobody has to use) is said, and does not fail.

    Example: continuity probe lint probes/maelin/matrix.yaml
    """
    read = _read(file)
    problems = [str(p) for p in problems_of_matrix(read.matrix, read.source, world=read.world, history=read.history)]
    impossible: tuple[Impossible, ...] = ()
    if not problems and read.world is not None and read.history is not None:
        impossible = _impossible(read.matrix, read.world, read.history)
    concerns = [] if problems else list(concerns_of(read.matrix, read.source))
    wrong = bool(problems or impossible)
    if as_json:
        emit({"file": str(file), "ok": not wrong, "problems": problems, "impossible": impossible, "weak": concerns})
    else:
        _print(file, problems, impossible, concerns)
    raise SystemExit(BAD_INPUT if wrong else 0)


def _impossible(matrix: Matrix, world: World, history: History) -> tuple[Impossible, ...]:
    async def run() -> tuple[Impossible, ...]:
        return await check_matrix(matrix, world, history, open_uow=new_record(), reading=open_reading())

    return anyio.run(run)


def _print(file: Path, problems: list[str], impossible: tuple[Impossible, ...], concerns: list[Concern]) -> None:
    for problem in problems:
        console.print(f"[red]✘[/] {printable(problem)}", soft_wrap=True)
    for one in impossible:
        console.print(f"[red]✘[/] {printable(f'{one.distance}/{one.pressure}: {one.why}')}", soft_wrap=True)
    for concern in concerns:
        where = f"{file}:{concern.line}: {concern.path}"
        console.print(f"[yellow]◐[/] {printable(f'{where}: {concern.why}')}", soft_wrap=True)
    if not (problems or impossible):
        console.print(f"✔ {printable(str(file))} can be asked" + (f"; {len(concerns)} to look at" if concerns else ""))


@click.command()
@click.argument("file", type=FILE)
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Lines asked for a cell.")
@click.option("--seconds", type=click.FloatRange(0, 600), default=0.0, help="What a subject takes for a line.")
@json_option
def plan(file: Path, repeats: int, seconds: float, as_json: bool) -> None:
    """Say what a matrix would ask before anything runs: cells, attempts and about how long.

    Example: continuity probe plan probes/maelin/matrix.yaml --repeats 3 --seconds 1.5
    """
    read = _read(file)
    for problem in problems_of_matrix(read.matrix, read.source, world=read.world, history=read.history):
        raise problem
    cells = expand(read.matrix)
    asked = [c for c in cells if not c.skipped]
    attempts = len(asked) * repeats
    planned = {
        "story": read.matrix.story, "cells": len(cells), "skipped": len(cells) - len(asked), "attempts": attempts,
        "seconds": round(len(asked) * _SECONDS_A_CELL + attempts * seconds, 1),
        "by_distance": dict(Counter(c.distance for c in asked)),
        "by_pressure": dict(Counter(c.pressure for c in asked)),
    }  # fmt: skip
    if as_json:
        emit(planned)
        return
    minutes = float(str(planned["seconds"])) / 60
    console.print(
        f"{planned['cells']} cells, {planned['skipped']} of them skipped with a reason; {attempts} attempts,"
        f" about {minutes:.1f} minutes on one worker"
    )
    for name, count in Counter(c.distance for c in asked).items():
        console.print(f"  {name}: {count}")


@click.command()
@click.argument("name", type=click.Choice(list(_SCHEMAS)))
@json_option
def schema(name: str, as_json: bool) -> None:  # noqa: ARG001  (a schema is JSON in either case)
    """Print the JSON Schema of a probe file, for editors.

    Example: continuity schema matrix > matrix.schema.json
    """
    emit({"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(_SCHEMAS[name])})
