"""Commands about worlds: check, load, show."""

from collections.abc import Iterable
from pathlib import Path

import click
from rich.markup import escape

from ledger_service.bootstrap import Application, rehearse
from ledger_service.cli import show
from ledger_service.cli.run import (
    BAD_INPUT,
    FILE,
    Group,
    console,
    emit,
    in_application,
    json_option,
    printable,
)
from ledger_service.domain.accounts import EVERY_WORLD
from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.worlds import World
from ledger_service.ports import ListedPacket
from ledger_service.probing.documents import decode_world
from ledger_service.services.playthroughs import open_playthrough
from ledger_service.services.worlds.check_world import check_world_file
from ledger_service.services.worlds.dry_run_world import TriedText, differences_of, dry_run_text, in_words


@click.group(cls=Group)
def world() -> None:
    """Check, load and show worlds."""


@world.command("validate")
@click.argument("file", type=FILE)
@json_option
def world_validate(file: Path, as_json: bool) -> None:
    """Check a world file; every problem names its line and path, all of them at once, and exits with 2.

    Example: continuity world validate probes/maelin/world.yaml
    """
    checked = check_world_file(file.read_bytes(), str(file))
    problems = checked.errors
    if as_json:
        emit(
            {
                "file": str(file),
                "ok": not problems,
                "version": checked.version,
                "problems": [str(p) for p in problems],
                "faults": checked.faults,
            }
        )
    else:
        _show(problems)
        if not problems:
            console.print(f"✔ {file} is {checked.version}")
    raise SystemExit(BAD_INPUT if problems else 0)


def _show(problems: Iterable[StoryFileError]) -> None:
    for problem in problems:
        console.print("[red]✘[/]", escape(str(problem)), soft_wrap=True, markup=True)


@world.command("load")
@click.argument("file", type=FILE)
@json_option
def world_load(file: Path, as_json: bool) -> None:
    """Keep a world with its text; the same content again is the same version.

    Example: continuity world load probes/maelin/world.yaml
    """
    content = file.read_bytes()
    found = decode_world(content, str(file))

    async def use(app: Application) -> str:
        return await open_playthrough.add_world(found, open_uow=app.open_uow, source=content.decode("utf-8-sig"))

    version = in_application(use, graph=False)
    emit({"world_version": version}) if as_json else console.print(version)


@world.command("dry-run")
@click.argument("file", type=FILE)
@click.option("--against", metavar="WORLD", help="Version or id it is an edit of; default: the file's own id, newest.")
@json_option
def world_dry_run(file: Path, against: str | None, as_json: bool) -> None:
    r"""Show which kept packets an edited world file would change; nothing is written.

    The stories of the version it is an edit of are told again in memory, event for event, under the edited file.

    \b
    Example: continuity world dry-run world.yaml
             continuity world dry-run world.yaml --against maelin@51c0e8d2a7f3 --json
    """
    content = file.read_bytes()
    checked = check_world_file(content, str(file))
    if checked.world is None:
        if as_json:
            emit(TriedText(file=str(file), base_version=against or "", faults=checked.faults))
        else:
            _show(checked.errors)
        raise SystemExit(BAD_INPUT)
    name = against or checked.world.id

    async def use(app: Application) -> TriedText:
        async with app.open_uow() as uow:
            base = await open_playthrough.find_world(name, uow)
        return await dry_run_text(
            content.decode("utf-8-sig"), str(file), base, catalogue=app.stores.catalogue((EVERY_WORLD,)),
            open_uow=app.stores.reading((EVERY_WORLD,)), reading=app.reading, rehearse=rehearse,
            most_letters=None,
        )  # fmt: skip

    tried = in_application(use, graph=False)
    if as_json:
        emit(tried)
    else:
        _print_tried(tried)
    raise SystemExit(BAD_INPUT if tried.result is None else 0)


def _print_tried(tried: TriedText) -> None:
    """Print each packet that would be another with what differs in it, and how many would not."""
    for fault in tried.faults:
        console.print("[red]✘[/]", escape(f"{tried.file}:{fault.line}: {fault.path}: {fault.why}"), soft_wrap=True)
    run = tried.result
    if run is None:
        return
    for change in run.changed:
        console.print("≠", printable(_packet_line(change.packet)), soft_wrap=True)
        for difference in differences_of(change):
            console.print("   ", printable(difference), soft_wrap=True)
    for sign, packets in (("✘", run.lost), ("–", run.left_out)):
        for one in packets:
            console.print(sign, printable(f"{_packet_line(one.packet)}: {one.why}"), soft_wrap=True)
    console.print(printable(in_words(run)), soft_wrap=True)


def _packet_line(packet: ListedPacket) -> str:
    said = f" “{packet.line}”" if packet.line else ""
    return f"{packet.packet_id} {packet.speaker} at event {packet.seq} of {packet.title or packet.playthrough_id}{said}"


@world.command("show")
@click.argument("name")
@json_option
def world_show(name: str, as_json: bool) -> None:  # noqa: ARG001  (a world is shown as JSON in either case)
    """Print a world, by version or plain id, as JSON.

    Example: continuity world show maelin > world.json
    """

    async def use(app: Application) -> World:
        async with app.open_uow() as uow:
            return await open_playthrough.find_world(name, uow)

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
