"""Commands about playthroughs: open, branch, save, load, export, import, erase."""

import sys
from pathlib import Path
from typing import Any

import click

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import (
    FILE,
    SEQ,
    Group,
    console,
    emit,
    errors,
    in_application,
    json_option,
    write_whole,
)
from ledger_service.probing.documents import decode_history
from ledger_service.services.events.play_story import play_history
from ledger_service.services.playthroughs import open_playthrough
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough


@click.group(cls=Group)
def playthrough() -> None:
    """Open, branch, save, load, export, import and erase playthroughs."""


@playthrough.command("open")
@click.argument("world_name")
@click.option("--title", default="", help="A name for people.")
@click.option("--history", type=FILE, help="Post this history file into it.")
@click.option("--seed", type=click.IntRange(0, 2**53), help="Chance is drawn by it; the same seed, the same story.")
@json_option
def playthrough_open(world_name: str, title: str, history: Path | None, seed: int | None, as_json: bool) -> None:
    """Open a playthrough of a world, by its version or plain id.

    Example: continuity playthrough open maelin --history probes/maelin/history.yaml
    """
    steps = None if history is None else decode_history(history.read_bytes(), str(history))

    async def use(app: Application) -> Any:  # noqa: ANN401
        opened = await open_playthrough.open_playthrough(world_name, open_uow=app.open_uow, title=title, seed=seed)
        if steps is not None:
            embedder = app.reading.embedder
            await play_history(opened.playthrough_id, steps, open_uow=app.open_uow, embedder=embedder)
        return opened

    found = in_application(use, graph=False)
    emit(found) if as_json else console.print(found.playthrough_id)


@playthrough.command("list")
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="How many at most.")
@click.option("--after", help="The last id of the page before.")
@json_option
def playthrough_list(limit: int, after: str | None, as_json: bool) -> None:
    """List playthroughs and branches.

    Example: continuity playthrough list --limit 20
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        async with app.open_uow() as uow:
            return await uow.playthroughs.list_all(limit=limit, after=after)

    found = in_application(use, graph=False)
    if as_json:
        emit(found)
        return
    rows = ((p.playthrough_id, p.title, p.world_version, p.parent_id or "", str(p.forked_at_seq or "")) for p in found)
    console.print(show.rows("Playthroughs", ("id", "title", "world", "branch of", "from"), rows))


@playthrough.command("fork")
@click.argument("playthrough_id")
@click.option("--at-seq", type=SEQ, help="Branch after this event; default is now.")
@click.option("--title", default="", help="A name for people.")
@json_option
def playthrough_fork(playthrough_id: str, at_seq: int | None, title: str, as_json: bool) -> None:
    """Branch a playthrough after an event; nothing is copied.

    Example: continuity playthrough fork p12ab --at-seq 14
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await open_playthrough.fork_playthrough(
            playthrough_id, open_uow=app.open_uow, at_seq=at_seq, title=title
        )

    found = in_application(use, graph=False)
    emit(found) if as_json else console.print(found.playthrough_id)


@playthrough.command("save")
@click.argument("playthrough_id")
@click.argument("name")
@click.option("--at-seq", type=SEQ, help="Name this point; default is now.")
@json_option
def playthrough_save(playthrough_id: str, name: str, at_seq: int | None, as_json: bool) -> None:
    """Name a point of a playthrough.

    Example: continuity playthrough save p12ab before-the-storm
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await open_playthrough.save_point(playthrough_id, name, open_uow=app.open_uow, at_seq=at_seq)

    found = in_application(use, graph=False)
    emit(found) if as_json else console.print(f"{found.name} is event {found.seq}")


@playthrough.command("load")
@click.argument("playthrough_id")
@click.argument("name")
@json_option
def playthrough_load(playthrough_id: str, name: str, as_json: bool) -> None:
    """Go on from a named point; an old one branches there by itself.

    Example: continuity playthrough load p12ab before-the-storm
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await open_playthrough.load_save(playthrough_id, name, open_uow=app.open_uow)

    found = in_application(use, graph=False)
    emit(found) if as_json else console.print(found.playthrough_id)


@playthrough.command("saves")
@click.argument("playthrough_id")
@json_option
def playthrough_saves(playthrough_id: str, as_json: bool) -> None:
    """List named points.

    Example: continuity playthrough saves p12ab
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        async with app.open_uow(playthrough_id) as uow:
            await uow.playthroughs.get(playthrough_id)
            return await uow.playthroughs.list_saves()

    found = in_application(use, graph=False)
    table = show.rows("Saves", ("name", "event"), ((s.name, str(s.seq)) for s in found))
    emit(found) if as_json else console.print(table)


@playthrough.command("export")
@click.argument("playthrough_id")
@click.argument("file", type=click.Path(allow_dash=True, dir_okay=False, path_type=Path))
@json_option
def playthrough_export(playthrough_id: str, file: Path, as_json: bool) -> None:
    """Write a playthrough whole, as one JSON document (`-` is standard output).

    Example: continuity playthrough export p12ab story.json
    """

    async def use(app: Application) -> bytes:
        return await export_playthrough(playthrough_id, open_uow=app.open_uow)

    document = in_application(use, graph=False)
    if str(file) == "-":
        sys.stdout.buffer.write(document)
        return
    write_whole(file, document)
    if as_json:
        emit({"file": str(file), "bytes": len(document)})
    else:
        console.print(f"{file}: {len(document):,} bytes", soft_wrap=True, markup=False)


@playthrough.command("import")
@click.argument("file", type=FILE)
@json_option
def playthrough_import(file: Path, as_json: bool) -> None:
    """Read an exported playthrough into a new one; a tampered document is refused and nothing is written.

    Example: continuity playthrough import story.json
    """
    document = file.read_bytes()

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await import_playthrough(document, open_uow=app.open_uow, embedder=app.reading.embedder)

    found = in_application(use, graph=False)
    emit(found) if as_json else console.print(found.playthrough_id)


@playthrough.command("erase")
@click.argument("playthrough_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def playthrough_erase(playthrough_id: str, yes: bool, as_json: bool) -> None:
    """Erase a playthrough whole, its graph too; it cannot be undone (export it first).

    Example: continuity playthrough erase p12ab --yes
    """
    if not yes and not _is_meant(playthrough_id):
        errors.print("nothing was erased; --yes does it without asking")
        raise SystemExit(1)

    async def use(app: Application) -> int:
        return await open_playthrough.erase_playthrough(playthrough_id, open_uow=app.open_uow, graph=app.graph)

    rows = in_application(use)
    emit({"rows": rows}) if as_json else console.print(f"{rows} rows erased")


def _is_meant(playthrough_id: str) -> bool:
    """Ask whether it is to go; where nobody can answer, it is not."""
    try:
        return click.confirm(f"Erase {playthrough_id} for good?", err=True)
    except click.Abort as aborted:
        if isinstance(aborted.__context__, EOFError):
            return False
        raise
