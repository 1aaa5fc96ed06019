"""`continuity bench`: what events and packets cost, beside a bare round trip on the same socket in the same run."""

import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import click
import httpx
from msgspec import Struct

from ledger_service.bootstrap import Application, bare_round_trip, bench_words, load_ledger, settle_statistics
from ledger_service.cli import show
from ledger_service.cli.run import Group, console, emit, errors, in_application, json_option
from ledger_service.domain.events import Deed, GameEvent
from ledger_service.domain.slots import Predicate, Slot
from ledger_service.domain.worlds import Character, World
from ledger_service.services import open_playthrough
from ledger_service.services.build_packet import PacketRequest, build_packet
from ledger_service.services.record_event import record_events

SIZES = "1000,10000,100000,1000000"
LARGEST = 10_000_000
LINES = (
    "Who mended the lantern by the harbour?",
    "Did you see the copper kettle?",
    "What do you know about the ferry toll?",
    "I already carried the barrel to the chapel.",
    "Good morning to you.",
)


class Row(Struct, frozen=True, kw_only=True):
    """One measured case."""

    case: str
    n: int
    p50_ms: float
    p95_ms: float
    per_s: float
    ratio: float
    """p50 over the bare round trip of the same run."""


class Sizes(click.ParamType[list[int]]):
    """Numbers of entries, comma separated."""

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:  # noqa: ANN401
        """Read them."""
        sizes = [int(s) if s.strip().isascii() and s.strip().isdigit() else 0 for s in str(value).split(",")]
        if not all(1 <= size <= LARGEST for size in sizes):
            self.fail(f"{value!r} is no list such as 1000,100000, each from 1 to {LARGEST:,}", param, ctx)
        return sizes


@click.group(cls=Group)
def bench() -> None:
    """Measure, with a ratio against a bare round trip of the same run."""


@bench.command("packet")
@click.option(
    "--sizes", type=Sizes(), default=SIZES, show_default=True, help="Entries in one playthrough, comma separated."
)
@click.option(
    "--rounds", type=click.IntRange(2, 100_000), default=200, show_default=True, help="Packets measured for each size."
)
@json_option
def bench_packet(sizes: list[int], rounds: int, as_json: bool) -> None:
    """Measure events posted and packets built, in process and over HTTP, at several sizes of ledger.

    Example: continuity bench packet --sizes 1000,100000 --json
    """
    rows = in_application(lambda app: _packet(app, sizes, rounds), graph=False)
    if as_json:
        emit({"bench": "packet", "rows": rows})
        return
    shown = (
        (r.case, f"{r.n:,}", f"{r.p50_ms:.2f}", f"{r.p95_ms:.2f}", f"{r.per_s:,.0f}", f"{r.ratio:.1f}") for r in rows
    )
    console.print(show.rows("bench packet", ("case", "n", "p50 ms", "p95 ms", "per s", "x bare"), shown))


async def _packet(app: Application, sizes: list[int], rounds: int) -> list[Row]:
    connection = await bare_round_trip(app.places.app_url)
    bare = await _measure(lambda _: connection.execute("SELECT 1"), 500)
    rows = [_row("bare round trip", 1, bare, bare)]
    rows.append(_row("event, durable, with its contradiction check", 1, await _events(app, rounds), bare))
    loaded = []
    for size in sizes:
        errors.print(f"loading {size:,} entries ...", style="dim")
        loaded.append((size, await _load(app, size)))
    if app.places.admin_url is not None:
        await settle_statistics(app.places.admin_url)
    for size, playthrough_id in loaded:
        times = await _measure(lambda i, p=playthrough_id: _build(app, p, i), rounds)  # type: ignore[misc]
        rows.append(_row("packet, in process", size, times, bare))
    for size, times in await _over_http(loaded, rounds):
        rows.append(_row("packet, over HTTP", size, times, bare))
    await connection.close()
    for _, playthrough_id in loaded:
        await open_playthrough.erase_playthrough(playthrough_id, open_uow=app.open_uow, graph=app.graph)
    return rows


def _row(case: str, n: int, times: list[float], bare: list[float]) -> Row:
    middle = statistics.median(times)
    return Row(
        case=case,
        n=n,
        p50_ms=round(middle, 3),
        p95_ms=round(statistics.quantiles(times, n=20)[-1], 3),
        per_s=round(1_000 * len(times) / sum(times), 1),
        ratio=round(middle / statistics.median(bare), 2),
    )


async def _measure(once: Callable[[int], Awaitable[Any]], rounds: int) -> list[float]:
    """Run once for warmth by a tenth, then measure each round in milliseconds."""
    for i in range(max(3, rounds // 10)):
        await once(i)
    times = []
    for i in range(rounds):
        begun = time.perf_counter()
        await once(i)
        times.append((time.perf_counter() - begun) * 1_000)
    return times


def _world() -> World:
    cast = tuple(Character(id=f"c{i}", name=f"Character {i}") for i in range(20))
    return World(id="bench", title="bench", cast=cast, predicates={"holds": Predicate(functional=True)})


async def _open(app: Application) -> str:
    version = await open_playthrough.add_world(_world(), open_uow=app.open_uow)
    return (await open_playthrough.open_playthrough(version, open_uow=app.open_uow, title="bench")).playthrough_id


async def _events(app: Application, rounds: int) -> list[float]:
    playthrough_id = await _open(app)

    async def post(i: int) -> None:
        slot = Slot(subject=f"thing{i}", predicate="holds", object=f"value{i}")
        event: GameEvent = Deed(
            actor=f"c{i % 20}",
            statement=f"c{i % 20} mended the lantern {i}",
            witnesses=(f"c{(i + 1) % 20}",),
            slot=slot,
        )
        await record_events(playthrough_id, [event], open_uow=app.open_uow, embedder=app.reading.embedder)

    times = await _measure(post, rounds)
    await open_playthrough.erase_playthrough(playthrough_id, open_uow=app.open_uow, graph=app.graph)
    return times


async def _load(app: Application, size: int) -> str:
    playthrough_id = await _open(app)
    words, verbs = bench_words()
    await load_ledger(app.places.app_url, playthrough_id, entries=size, word_stems=words, verb_stems=verbs)
    return playthrough_id


async def _build(app: Application, playthrough_id: str, i: int) -> None:
    request = PacketRequest(speaker=f"c{i % 20}", line=LINES[i % len(LINES)])
    await build_packet(playthrough_id, request, open_uow=app.open_uow, reading=app.reading)


async def _over_http(loaded: list[tuple[int, str]], rounds: int) -> list[tuple[int, list[float]]]:
    """Ask a service of its own process, over loopback, with one kept connection."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "ledger_service", "serve", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ)  # noqa: ASYNC220, S603
    found = []
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/v1", timeout=10) as client:
            await _until_up(client)
            for size, playthrough_id in loaded:

                async def ask(i: int, p: str = playthrough_id) -> None:
                    body = {"speaker": f"c{i % 20}", "line": LINES[i % len(LINES)]}
                    answer = await client.post(f"/playthroughs/{p}/packets", json=body)
                    answer.raise_for_status()

                found.append((size, await _measure(ask, rounds)))
    finally:
        server.terminate()
        server.wait(timeout=20)
    return found


async def _until_up(client: httpx.AsyncClient) -> None:
    for _ in range(300):
        try:
            if (await client.get("/health")).is_success:
                return
        except httpx.TransportError:
            await anyio.sleep(0.1)
    raise AssertionError("the service did not come up")
