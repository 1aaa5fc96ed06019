"""`continuity bench console`: what pages cost on a large ledger, a large run and a large town, in time and in bytes."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click
from msgspec import Struct
from msgspec.structs import replace

from ledger_service.bootstrap import Application, cells_for, load_story, load_tries, settle_statistics
from ledger_service.cli import show
from ledger_service.cli.bench import Once, load, measure_all, row_of
from ledger_service.cli.bench_ground import LINES
from ledger_service.cli.bench_rumours import a_world
from ledger_service.cli.probe_work import ask_all
from ledger_service.cli.run import console, emit, errors, in_application, json_option
from ledger_service.cli.served import Served, page, served
from ledger_service.domain.accounts import EVERY_WORLD, AccountRole
from ledger_service.domain.events import Deed, Moved
from ledger_service.domain.probe_runs import RunPlan, RunSettings
from ledger_service.domain.replies import Reply
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import mirror_once
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.people.keep_accounts import add_account, new_password
from ledger_service.services.people.sign_in import open_session
from ledger_service.services.playthroughs import open_playthrough
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.replies.score_reply import score_reply

WHO: Final = "bench"
SAID = "I mended the lantern by the harbour. " * 8 + "The ferry toll I do not know; ask c3, who sold the copper kettle."
FILTERS = (
    "", "?text=lantern+harbour", "?text=lantern", "?knower=c3", "?kind=observation", "?kind=commitment",
    "?status=superseded", "?status=quarantined", "?source=document", "?band=doubtful", "?scene=2", "?seen=c3",
    "?seen=c3&text=kettle", "?seen=c3&status=superseded", "?knower=c3&source=told_by", "?after=500:x",
)  # fmt: skip
HEADERS = ("page", "n", "p50 ms", "p95 ms", "kB", "x bare")
URLS: Final = ("CONTINUITY_POSTGRES_URL", "CONTINUITY_POSTGRES_ADMIN_URL", "CONTINUITY_FALKORDB_URL")


class PageRow(Struct, frozen=True, kw_only=True):
    """One measured page."""

    page: str
    n: int
    p50_ms: float
    p95_ms: float
    kb: float
    ratio: float
    """p50 over that of a route that does nothing, over the same connection in the same run."""


class Page(Struct, frozen=True, kw_only=True):
    """A page to ask for, and how much there is of what it shows."""

    name: str
    path: str
    n: int


@click.command("console")
@click.option(
    "--entries",
    type=click.IntRange(100, 10_000_000),
    default=100_000,
    show_default=True,
    help="Of one playthrough.",
)
@click.option(
    "--tries", type=click.IntRange(500, 1_000_000), default=50_000, show_default=True, help="Of one run of probes."
)
@click.option(
    "--people",
    type=click.IntRange(20, 5_000),
    default=400,
    show_default=True,
    help="Of the town in spyglass and village.",
)
@click.option(
    "--rounds", type=click.IntRange(2, 10_000), default=40, show_default=True, help="How often each is asked."
)
@json_option
def bench_console(entries: int, tries: int, people: int, rounds: int, as_json: bool) -> None:
    """Measure pages of the console on a large ledger, a large run and a large town, beside a route that does nothing.

    It is measured in a home of its own with servers of its own, of which nothing is left.

    Example: continuity bench console --entries 10000 --tries 5000 --rounds 10 --json
    """
    with _own_home():
        rows = in_application(lambda app: _all(app, entries, tries, people, rounds))
    if as_json:
        emit({"bench": "console", "rows": rows})
        return
    shown = ((r.page, f"{r.n:,}", f"{r.p50_ms:.1f}", f"{r.p95_ms:.1f}", f"{r.kb:.1f}", f"{r.ratio:.1f}") for r in rows)
    console.print(show.rows("bench console", HEADERS, shown))


@contextmanager
def _own_home() -> Iterator[None]:
    before = {name: os.environ.pop(name, None) for name in ("CONTINUITY_HOME", *URLS)}
    try:
        with tempfile.TemporaryDirectory(prefix="continuity-bench-") as home:
            os.environ["CONTINUITY_HOME"] = home
            yield
    finally:
        os.environ.pop("CONTINUITY_HOME", None)
        os.environ.update({name: value for name, value in before.items() if value is not None})


async def _all(app: Application, entries: int, tries: int, people: int, rounds: int) -> list[PageRow]:
    errors.print(f"loading {entries:,} entries, {tries:,} tries and {people:,} people ...", style="dim")
    run = await _asked(app)
    pages = [*await of_ledger(app, entries), *await of_run(app, run, tries), *await of_town(app, people)]
    if app.places.admin_url is not None:
        await settle_statistics(app.places.admin_url)
    await add_account(
        WHO, AccountRole.ENGINEER, new_password(), worlds=(EVERY_WORLD,), accounts=app.accounts, passwords=app.passwords
    )
    token = await open_session(WHO, accounts=app.accounts)
    async with served() as service:
        return await _measured(service, pages, token, rounds)


async def _measured(service: Served, pages: list[Page], token: str, rounds: int) -> list[PageRow]:
    """Ask for all pages by turns."""
    sizes: dict[int, int] = {}

    def asking(n: int, request: bytes) -> Once:
        async def ask(_: int) -> None:
            sizes[n] = len(await service.ask(request))

        return ask

    nothing = Page(name="a route that does nothing", path="/v1/roles", n=1)
    every = [nothing, *pages]
    times = await measure_all({n: asking(n, page(p.path, token)) for n, p in enumerate(every)}, rounds)
    rows = []
    for n, p in enumerate(every):
        row = row_of(p.name, p.n, times[n], times[0])
        rows.append(
            PageRow(page=p.name, n=p.n, p50_ms=row.p50_ms, p95_ms=row.p95_ms, kb=sizes[n] / 1_000, ratio=row.ratio)
        )
    return rows


async def of_ledger(app: Application, entries: int) -> list[Page]:
    """Open a playthrough with so many entries and three packets, the last of them with a line on it."""
    played = await load(app, entries)
    built = []
    for line in LINES[:3]:
        request = PacketRequest(speaker="c3", audience=("c1",), line=line)
        built.append(await build_packet(played, request, open_uow=app.open_uow, reading=app.reading))
    reply = Reply(text=SAID, responder="bench")
    await score_reply(
        played, built[-1].packet_id, reply, open_uow=app.open_uow, judging=app.judging, delivered=False
    )  # fmt: skip
    packet, entry = f"/packets/{built[-1].packet_id}", built[-1].packet.selected[0].entry_id
    home = f"/playthroughs/{played}"
    paths = {
        "timeline": home, "packet": packet, "packet: complete list": f"{packet}/withheld",
        "packet: one entry": f"{packet}/entries/{entry}", "packet: difference": f"{packet}/diff/{built[0].packet_id}",
        "packets": "/packets", "packets of it": f"{home}/packets",
        "packets that failed": f"{home}/packets?verdict=failed",
        "entry": f"{home}/entries/{entry}", "entry as c3 sees it": f"{home}/entries/{entry}?seen=c3",
        "boards": f"{home}/boards", "board of drafts": f"{home}/boards?board=drafts",
        "digest": f"{home}/boards/digest?since=0", "try it": f"{home}/try?listener=c3",
    } | {f"entries {query}".strip(): f"{home}/entries{query}" for query in FILTERS}  # fmt: skip
    return [Page(name=name, path=path, n=entries) for name, path in paths.items()]


async def of_run(app: Application, asked: RunPlan, tries: int) -> list[Page]:
    """Lay a run of so many tries beside one that was asked."""
    wide = cells_for(tries)
    many = replace(asked, run_id=f"{asked.run_id}x", planned=wide)
    await app.stores.probe_runs.add(many, [])
    await load_tries(app.places.app_url, asked.run_id, many.run_id, cells=wide)
    home = f"/probes/{many.run_id}"
    paths = {
        "run with its heat map": home, "heat map of one verdict": f"{home}?axis=response_validity",
        "cells of a run": f"{home}/cells", "one cell": f"{home}/cells/0", "triage": f"/triage?run={many.run_id}",
        "runs": "/probes",
    }  # fmt: skip
    return [Page(name=name, path=path, n=tries) for name, path in paths.items()]


async def _asked(app: Application) -> RunPlan:
    """Ask the template speaker a few cells."""
    story = load_story("maelin", matrix="demo.yaml")
    settings = RunSettings(subject="template", only=("next_turn",))
    planned, cells = probe_runs.plan(story.world, story.history, story.matrix, settings)
    runs = app.stores.probe_runs
    run, _ = await probe_runs.find_or_add(story.world, planned, cells, runs=runs, open_uow=app.open_uow, fresh=True)
    await ask_all(app, run, Stop(), at_once=1, quiet=True)
    return run


async def of_town(app: Application, people: int) -> list[Page]:
    """Open a town of so many, in which a story has just begun."""
    await open_playthrough.add_world(
        replace(a_world(people, seed=3, regions=max(1, people // 20)), id="town"), open_uow=app.open_uow
    )
    opened = await open_playthrough.open_playthrough("town", open_uow=app.open_uow, title="town")
    seen = Deed(tick=7, actor="player", place="market", statement="the player took an apple", ladder="theft")
    first = [Moved(tick=7, who=f"c{n}", to="market") for n in range(3)]
    await record_events(opened.playthrough_id, [*first, seen], open_uow=app.open_uow, embedder=app.reading.embedder)
    await mirror_once(app.mirror_queue, app.graph, open_uow=app.open_uow, only=opened.playthrough_id)
    home = f"/playthroughs/{opened.playthrough_id}"
    paths = {
        "spyglass": f"{home}/spyglass",
        "spymaster": f"{home}/spymaster?target=c5",
        "village": f"{home}/village?since=0",
    }
    return [Page(name=name, path=path, n=people) for name, path in paths.items()]
