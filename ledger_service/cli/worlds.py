"""Commands about worlds: check, load, show."""

from pathlib import Path

import click
from rich.markup import escape

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import (
    BAD_INPUT,
    FILE,
    Group,
    console,
    emit,
    in_application,
    json_option,
)
from ledger_service.domain.errors import StoryFileError, UnknownWorldError
from ledger_service.domain.worlds import World, version_of
from ledger_service.probing.documents import decode_world, problems_of
from ledger_service.probing.source import decode, read_source
from ledger_service.services import open_playthrough


@click.group(cls=Group)
def world() -> None:
    """Check, load and show worlds."""


@world.command("validate")
@click.argument("file", type=FILE)
@json_option
def world_validate(file: Path, as_json: bool) -> None:
    """Check a world file; every problem names its line and path, and exits with 2.

    Example: continuity world validate probes/maelin/world.yaml
    """
    try:
        source = read_source(file.read_bytes(), str(file))
        found = decode(source, World)
    except StoryFileError as error:
        if not as_json:
            raise
        emit({"file": str(file), "ok": False, "version": None, "problems": [str(error)]})
        raise SystemExit(BAD_INPUT) from None
    problems = list(problems_of(found, source))
    if as_json:
        emit(
            {
                "file": str(file),
                "ok": not problems,
                "version": version_of(found),
                "problems": [str(p) for p in problems],
            }
        )
    else:
        for problem in problems:
            console.print("[red]✘[/]", escape(str(problem)), soft_wrap=True, markup=True)
        if not problems:
            console.print(f"✔ {file} is {version_of(found)}")
    raise SystemExit(BAD_INPUT if problems else 0)


@world.command("load")
@click.argument("file", type=FILE)
@json_option
def world_load(file: Path, as_json: bool) -> None:
    """Keep a world; the same content again is the same version.

    Example: continuity world load probes/maelin/world.yaml
    """
    found = decode_world(file.read_bytes(), str(file))

    async def use(app: Application) -> str:
        return await open_playthrough.add_world(found, open_uow=app.open_uow)

    version = in_application(use, graph=False)
    emit({"world_version": version}) if as_json else console.print(version)


@world.command("show")
@click.argument("name")
@json_option
def world_show(name: str, as_json: bool) -> None:  # noqa: ARG001  (a world is shown as JSON in either case)
    """Print a world, by version or plain id, as JSON.

    Example: continuity world show maelin > world.json
    """

    async def use(app: Application) -> World:
        async with app.open_uow() as uow:
            found = await (uow.worlds.get(name) if "@" in name else uow.worlds.find_latest(name))
        if found is None:
            raise UnknownWorldError(name)
        return found

    emit(in_application(use, graph=False))


@world.command("list")
@json_option
def world_list(as_json: bool) -> None:
    """List the versions that are kept, newest first.

    Example: continuity world list --json
    """

    async def use(app: Application) -> list[tuple[str, str]]:
        async with app.open_uow() as uow:
            return await uow.worlds.list_versions()

    found = in_application(use, graph=False)
    rows = [{"world_version": v, "title": t} for v, t in found]
    emit(rows) if as_json else console.print(show.rows("Worlds", ("version", "title"), found))
