"""Every command: one use case each, for a person or (with --json) for a program."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.markup import escape

from ledger_service.bootstrap import Application, draw_comic, examine, open_places, run_migrations
from ledger_service.cli import show
from ledger_service.cli.bench import bench
from ledger_service.cli.bench_memory import bench_memory
from ledger_service.cli.demo import demo
from ledger_service.cli.gossip import gossip
from ledger_service.cli.run import (
    STORE_AWAY,
    Group,
    console,
    emit,
    emit_line,
    fail,
    in_application,
    json_option,
    settings,
    write_whole,
)
from ledger_service.domain.errors import LedgerError, UnknownEntryError
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.replies import Reply
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import EntryFilter
from ledger_service.probing.case_verdicts import CaseResult
from ledger_service.probing.cases import decode_case
from ledger_service.probing.documents import decode_event, decode_history, decode_world, problems_of
from ledger_service.probing.source import decode, read_source
from ledger_service.reconcile.difference import difference
from ledger_service.services import mirror_rumours, open_playthrough
from ledger_service.services.build_packet import PacketRequest, build_packet
from ledger_service.services.explain_belief import Explanation, Question, answer_why
from ledger_service.services.play_story import play_history
from ledger_service.services.record_event import record_events
from ledger_service.services.review_packet import review_packet
from ledger_service.services.run_cases import run_case
from ledger_service.services.score_reply import score_reply
from ledger_service.services.speak import speak
from ledger_service.services.transfer_playthrough import export_playthrough, import_playthrough

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="continuity-ledger", prog_name="continuity")
def main() -> None:
    r"""Keep AI game characters continuous: a ledger of claims, context packets, and verdicts on their lines.

    \b
    Examples:
      continuity demo                                       see it all on one story
      continuity world load probes/maelin/world.yaml
      continuity playthrough open maelin
      continuity packet P --speaker maelin --line "May I use the transmitter?"
      continuity case run probes/cases/cases.yaml
    """


@main.command()
@json_option
def migrate(as_json: bool) -> None:
    """Bring the database up to date.

    Example: CONTINUITY_POSTGRES_ADMIN_URL=postgresql://owner@db/continuity continuity migrate
    """
    with open_places(settings(), graph=False) as places:
        revision = run_migrations(places)
    emit({"revision": revision}) if as_json else console.print(f"the schema is at {revision}")


@main.command()
@json_option
def doctor(as_json: bool) -> None:
    """Check disk and both stores, and say what to do about each fault; exits with 3 where something fails.

    Example: continuity doctor --json
    """
    found = examine(settings())
    if as_json:
        emit(found)
    else:
        signs = {"ok": "✔", "warn": "◐", "fail": "✘"}
        rows = ((f"{signs[f.state]} {f.name}", f.detail, f.cure) for f in found)
        console.print(show.rows("Doctor", ("check", "found", "what to do"), rows))
    raise SystemExit(STORE_AWAY if any(f.state == "fail" for f in found) else 0)


@main.group()
def world() -> None:
    """Check, load and show worlds."""


@world.command("validate")
@click.argument("file", type=FILE)
@json_option
def world_validate(file: Path, as_json: bool) -> None:
    """Check a world file; every problem names its line and path, and exits with 2.

    Example: continuity world validate probes/maelin/world.yaml
    """
    source = read_source(file.read_bytes(), str(file))
    found = decode(source, World)
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
    raise SystemExit(2 if problems else 0)


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
def world_show(name: str) -> None:
    """Print a world, by version or plain id, as JSON."""

    async def use(app: Application) -> Any:  # noqa: ANN401
        async with app.open_uow() as uow:
            return await (uow.worlds.get(name) if "@" in name else uow.worlds.find_latest(name))

    emit(in_application(use, graph=False))


@world.command("list")
@json_option
def world_list(as_json: bool) -> None:
    """List the versions that are kept, newest first."""

    async def use(app: Application) -> list[tuple[str, str]]:
        async with app.open_uow() as uow:
            return await uow.worlds.list_versions()

    found = in_application(use, graph=False)
    rows = [{"world_version": v, "title": t} for v, t in found]
    emit(rows) if as_json else console.print(show.rows("Worlds", ("version", "title"), found))


@main.group()
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
@click.option("--limit", default=100, show_default=True)
@click.option("--after", help="The last id of the page before.")
@json_option
def playthrough_list(limit: int, after: str | None, as_json: bool) -> None:
    """List playthroughs and branches."""

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
@click.option("--at-seq", type=int, help="Branch after this event; default is now.")
@click.option("--title", default="")
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
@click.option("--at-seq", type=int, help="Name this point; default is now.")
@json_option
def playthrough_save(playthrough_id: str, name: str, at_seq: int | None, as_json: bool) -> None:
    """Name a point of a playthrough."""

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await open_playthrough.save_point(playthrough_id, name, open_uow=app.open_uow, at_seq=at_seq)

    found = in_application(use, graph=False)
    emit(found) if as_json else console.print(f"{found.name} is event {found.seq}")


@playthrough.command("load")
@click.argument("playthrough_id")
@click.argument("name")
@json_option
def playthrough_load(playthrough_id: str, name: str, as_json: bool) -> None:
    """Go on from a named point; an old one branches there by itself."""

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await open_playthrough.load_save(playthrough_id, name, open_uow=app.open_uow)

    found = in_application(use, graph=False)
    emit(found) if as_json else console.print(found.playthrough_id)


@playthrough.command("saves")
@click.argument("playthrough_id")
@json_option
def playthrough_saves(playthrough_id: str, as_json: bool) -> None:
    """List named points."""

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
def playthrough_export(playthrough_id: str, file: Path) -> None:
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
    console.print(f"{file}: {len(document):,} bytes")


@playthrough.command("import")
@click.argument("file", type=FILE)
@json_option
def playthrough_import(file: Path, as_json: bool) -> None:
    """Read an exported playthrough into a new one; a tampered document is refused and nothing is written."""
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
    """Erase a playthrough whole, its graph too; it cannot be undone (export it first)."""
    if not yes:
        click.confirm(f"Erase {playthrough_id} for good?", abort=True)

    async def use(app: Application) -> int:
        return await open_playthrough.erase_playthrough(playthrough_id, open_uow=app.open_uow, graph=app.graph)

    rows = in_application(use)
    emit({"rows": rows}) if as_json else console.print(f"{rows} rows erased")


@main.command()
@click.argument("playthrough_id")
@click.argument("packet_id")
@click.argument("text", required=False)
@click.option(
    "--speak", "speaker", type=click.Choice(["template", "http_chat"]), help="Let this responder say the line."
)
@click.option("--try", "only_try", is_flag=True, help="Score the line and leave nothing in the story.")
@json_option
def reply(
    playthrough_id: str, packet_id: str, text: str | None, speaker: str | None, only_try: bool, as_json: bool
) -> None:
    """Post the line that was said on a packet, or let a responder say it; it is scored on five axes.

    Example: continuity reply p12ab k34cd "Not before the sensor is back."
    """
    if (text is None) == (speaker is None):
        raise click.UsageError("give the line, or --speak with a responder")

    async def use(app: Application) -> Any:  # noqa: ANN401
        line = Reply(text=text or "", responder="cli")
        if speaker is not None:
            async with app.open_uow(playthrough_id) as uow:
                packet = (await uow.packets.get(packet_id)).packet
                world = await uow.worlds.get(packet.world_version)
            line = await speak(packet, world, app.responder(speaker))
        return await score_reply(
            playthrough_id, packet_id, line, open_uow=app.open_uow, judging=app.judging, delivered=not only_try
        )

    scored = in_application(use, graph=False)
    if as_json:
        emit(scored)
        return
    console.print(f"“{scored.reply.text}” ({scored.reply.responder})", markup=False)
    console.print(show.scorecard(scored.scorecard))


@main.group()
def event() -> None:
    """Post events."""


@event.command("post")
@click.argument("playthrough_id")
@click.argument("file", type=click.Path(allow_dash=True, dir_okay=False, path_type=Path))
@click.option("--expected-seq", type=int, help="Refuse when the history does not end here.")
@json_option
def event_post(playthrough_id: str, file: Path, expected_seq: int | None, as_json: bool) -> None:
    """Post a batch of events (a JSON or YAML list; `-` is standard input), all or nothing.

    Example: echo '[{"kind":"time_passed","hours":2,"key":"k1"}]' | continuity event post p12ab -
    """
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    source = read_source(content, str(file))
    raw = source.values if isinstance(source.values, list) else [source.values]
    events = [decode_event(source, at=f"$[{i}]", value=value) for i, value in enumerate(raw)]

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await record_events(
            playthrough_id,
            events,
            open_uow=app.open_uow,
            embedder=app.reading.embedder,
            expected_seq=expected_seq,
        )

    receipts = in_application(use, graph=False)
    if as_json:
        emit(receipts)
        return
    rows = (
        (str(r.seq), r.kind, r.outcome, "\n".join(f"{e.outcome}: {e.statement}" for e in r.entries), str(len(r.ended)))
        for r in receipts
    )
    console.print(show.rows("Events", ("seq", "kind", "outcome", "entries", "ended"), rows))


@main.command()
@click.argument("playthrough_id")
@click.option("--speaker", required=True, help="Who is about to speak.")
@click.option("--to", "audience", multiple=True, default=(PLAYER,), show_default=True, help="Who listens; repeatable.")
@click.option("--line", default="", help="What was said to them; it is not recorded.")
@click.option("--at-seq", type=int, help="As of a past event.")
@click.option("--action", help="The action that the player intends.")
@click.option("--prompt", "only_prompt", is_flag=True, help="Print the rendered prompt alone.")
@json_option
def packet(**options: Any) -> None:  # noqa: ANN401
    """Build a context packet: what the speaker may draw on, and what was withheld and why.

    Example: continuity packet p12ab --speaker maelin --line "May I use the transmitter?"
    """
    request = PacketRequest(
        speaker=options["speaker"], audience=tuple(options["audience"]), line=options["line"],
        at_seq=options["at_seq"], action=options["action"],
    )  # fmt: skip

    async def use(app: Application) -> Any:  # noqa: ANN401
        stored = await build_packet(options["playthrough_id"], request, open_uow=app.open_uow, reading=app.reading)
        return await review_packet(options["playthrough_id"], stored.packet_id, open_uow=app.open_uow)

    review = in_application(use, graph=False)
    stored = review.stored
    if options["as_json"]:
        emit(
            {
                "packet_id": stored.packet_id,
                "packet": stored.packet,
                "withheld": review.withheld,
                "counts": review.counts,
            }
        )
    elif options["only_prompt"]:
        click.echo(stored.packet.prompt)
    else:
        console.print(show.packet(stored.packet, review.withheld, review.statements))
        console.print(f"packet {stored.packet_id}")


@main.command()
@click.argument("playthrough_id")
@click.argument("before")
@click.argument("after")
@json_option
def diff(playthrough_id: str, before: str, after: str, as_json: bool) -> None:
    """Show what differs between two packets of a playthrough."""

    async def use(app: Application) -> Any:  # noqa: ANN401
        async with app.open_uow(playthrough_id) as uow:
            return (await uow.packets.get(before)).packet, (await uow.packets.get(after)).packet

    changes = difference(*in_application(use, graph=False))
    if as_json:
        emit(changes)
        return
    rows = ((c.what, c.statement or c.name, c.before or "-", c.after or "-") for c in changes)
    console.print(show.rows("Changes", ("what", "name", "before", "after"), rows))


@main.command()
@click.argument("playthrough_id")
@click.argument("entry", required=False)
@click.option("--holder", help="Whose belief: the strongest they have, where no entry is named.")
@click.option("--about", help="Only beliefs about this person or thing.")
@click.option("--origin", help="Only beliefs that go back to this entry.")
@click.option("--as", "as_character", help="Answer as this character may: only their own teller is named.")
@click.option("--graph", "from_graph", is_flag=True, help="Ask the graph instead of the record.")
@click.option("--comic", type=click.Path(dir_okay=False, path_type=Path), help="Draw it as a comic strip (SVG) here.")
@json_option
def why(
    playthrough_id: str, entry: str | None, holder: str | None, about: str | None, origin: str | None,
    as_character: str | None, from_graph: bool, comic: Path | None, as_json: bool,
) -> None:  # fmt: skip
    r"""Tell why somebody believes something, hop by hop, back to who saw it.

    Without an entry: the strongest belief of --holder (or of --as); without either: the newest hearsay.

    \b
    Examples:
      continuity why p12ab --holder ilsa --about player --comic why.svg
      continuity why p12ab e0f3... --as maelin
    """

    async def use(app: Application) -> Explanation:
        asked = any(given is not None for given in (entry, holder, about, origin, as_character))
        name = entry if asked else await _newest_hearsay(app, playthrough_id)
        question = Question(entry_id=name, holder=holder, about=about, origin=origin, as_character=as_character)
        return await answer_why(
            playthrough_id, question, open_uow=app.open_uow, graph=app.graph if from_graph else None
        )

    found = in_application(use, graph=from_graph)
    if comic is not None:
        write_whole(comic, draw_comic(found.chain, found.naming).encode())
    if as_json:
        emit(found.chain)
        return
    console.print(show.chain(found.chain, found.naming))
    if comic is not None:
        console.print(f"the comic strip is in {comic}", soft_wrap=True, markup=False)


async def _newest_hearsay(app: Application, playthrough_id: str) -> str:
    async with app.open_uow(playthrough_id) as uow:
        page = await uow.ledger.page(EntryFilter(kind="hearsay"), limit=1)
    if not page.entries:
        raise UnknownEntryError("the newest hearsay")
    return page.entries[0].entry_id


@main.group()
def mirror() -> None:
    """Look after the graph, which mirrors the record and can always be rebuilt."""


@mirror.command("status")
@json_option
def mirror_status(as_json: bool) -> None:
    """Say whether the graph answers, and how many batches wait for it."""

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await mirror_rumours.mirror_status(app.mirror_queue, app.graph)

    found = in_application(use)
    if as_json:
        emit(found)
    else:
        console.print(f"graph: {'answers' if found.is_up else 'is away'}; {found.waiting} batches wait")


@mirror.command("verify")
@click.argument("playthrough_id")
@json_option
def mirror_verify(playthrough_id: str, as_json: bool) -> None:
    """Compare record and graph, and name every difference; exits with 1 where there is one."""

    async def use(app: Application) -> Any:  # noqa: ANN401
        while await mirror_rumours.mirror_once(app.mirror_queue, app.graph, open_uow=app.open_uow):
            pass
        return await mirror_rumours.verify_mirror(playthrough_id, open_uow=app.open_uow, graph=app.graph)

    found = in_application(use)
    if as_json:
        emit(found)
    else:
        rows = ((d.what, d.name, str(d.record), str(d.graph)) for d in found)
        console.print(show.rows("Differences", ("what", "name", "record", "graph"), rows) if found else "no difference")
    raise SystemExit(1 if found else 0)


@mirror.command("rebuild")
@click.argument("playthrough_id")
@json_option
def mirror_rebuild(playthrough_id: str, as_json: bool) -> None:
    """Throw a playthrough's graph away and project it anew from the record."""

    async def use(app: Application) -> int:
        return await mirror_rumours.rebuild_mirror(playthrough_id, open_uow=app.open_uow, graph=app.graph)

    count = in_application(use)
    emit({"entries": count}) if as_json else console.print(f"{count} entries projected")


@main.group()
def case() -> None:
    """Run self-contained continuity cases."""


@case.command("run")
@click.argument("file", type=FILE)
@click.option("--only", multiple=True, help="Run only this case; repeatable.")
@json_option
def case_run(file: Path, only: tuple[str, ...], as_json: bool) -> None:
    """Run the cases of a file; exits with 0 when all pass and with 1 otherwise.

    A case that cannot be read fails, with its reason among what is missing; the others run, and the exit code is 2.

    Example: continuity case run probes/cases/cases.yaml --json
    """
    from ledger_service.bootstrap import open_reading  # noqa: PLC0415  (loads the word vectors)

    source = read_source(file.read_bytes(), str(file))
    if not isinstance(source.values, list):
        raise source.error("$", "a case file is a list of cases")
    chosen = [
        (i, raw) for i, raw in enumerate(source.values) if not only or (isinstance(raw, dict) and raw.get("id") in only)
    ]
    if only and not chosen:
        raise source.error("$", f"holds no case named {', '.join(only)}")
    reading = open_reading()
    results: list[CaseResult] = []
    unread: list[LedgerError] = []
    for i, raw in chosen:
        try:
            results.append(run_case(decode_case(raw), reading=reading))
        except LedgerError as error:
            unread.append(source.error(f"$[{i}]", str(error)))
            name = str(raw.get("id", i)) if isinstance(raw, dict) else str(i)
            results.append(CaseResult(id=name, passed=False, missing=(f"cannot be read: {error}",)))
        if as_json:
            emit_line(results[-1])
    if not as_json:
        console.print(show.cases(results))
        passed = sum(r.passed for r in results)
        console.print(f"{passed} of {len(results)} cases pass")
    if unread:
        fail(unread[0])
    raise SystemExit(0 if results and all(r.passed for r in results) else 1)


@main.group()
def key() -> None:
    """Make, list and revoke API keys."""


@key.command("add")
@click.argument("label")
@click.option("--role", type=click.Choice(["game", "reviewer", "admin"]), required=True)
@json_option
def key_add(label: str, role: str, as_json: bool) -> None:
    """Make a key; its secret is shown once."""

    async def use(app: Application) -> str:
        return await app.api_keys.add(role=role, label=label)

    secret = in_application(use, graph=False)
    emit({"label": label, "role": role, "key": secret}) if as_json else console.print(secret)


@key.command("list")
@json_option
def key_list(as_json: bool) -> None:
    """List keys by label; secrets are not kept."""

    async def use(app: Application) -> list[tuple[str, str, bool]]:
        return await app.api_keys.list_all()

    found = in_application(use, graph=False)
    rows = [{"label": a, "role": b, "revoked": c} for a, b, c in found]
    table = show.rows("Keys", ("label", "role", "revoked"), ((a, b, str(c)) for a, b, c in found))
    emit(rows) if as_json else console.print(table)


@key.command("revoke")
@click.argument("label")
def key_revoke(label: str) -> None:
    """Revoke a key."""

    async def use(app: Application) -> bool:
        return await app.api_keys.revoke(label)

    done = in_application(use, graph=False)
    console.print("revoked" if done else "no such key")
    raise SystemExit(0 if done else 1)


@main.command()
@click.option("--host", help="Address to listen on; anything but loopback needs a key.")
@click.option("--port", type=int, help="Port to listen on.")
def serve(host: str | None, port: int | None) -> None:
    """Serve the HTTP API, and keep the graph up to date.

    Example: continuity serve --port 8321
    """
    from ledger_service.web.serve import serve as serve_http  # noqa: PLC0415  (Litestar is not needed elsewhere)

    chosen = settings()
    serve_http(msgspec.structs.replace(chosen, host=host or chosen.host, port=port or chosen.port))


@main.command()
def worker() -> None:
    """Keep the graph up to date until stopped; `continuity serve` does it too."""
    import anyio  # noqa: PLC0415

    async def use(_: Application) -> None:
        await anyio.sleep_forever()

    try:
        in_application(use, mirror=True)
    except KeyboardInterrupt:
        console.print("stopped")


main.add_command(demo)
bench.add_command(bench_memory)
main.add_command(bench)
main.add_command(gossip)
