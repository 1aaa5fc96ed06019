"""`continuity bench`: what events and packets cost, beside a bare round trip on the same socket in the same run."""

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import click
from msgspec import Struct

from ledger_service.bootstrap import Application, bare_round_trip, bench_words, load_ledger, settle_statistics
from ledger_service.cli import show
from ledger_service.cli.bench_ground import LINES, open_bench, shut_bench
from ledger_service.cli.bench_memory import bench_memory
from ledger_service.cli.bench_reader import bench_reader
from ledger_service.cli.run import Group, console, emit, errors, in_application, json_option
from ledger_service.cli.served import get, post, served
from ledger_service.domain.events import Deed, GameEvent
from ledger_service.domain.slots import Slot
from ledger_service.services.events.record_event import record_events
from ledger_service.services.packets.build_packet import PacketRequest, build_packet

SIZES = "1000,10000,100000,1000000"
LARGEST = 10_000_000
Once = Callable[[int], Awaitable[Any]]


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


bench.add_command(bench_memory)
bench.add_command(bench_reader)


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
    print_rows("packet", in_application(lambda app: _packet(app, sizes, rounds)), as_json=as_json)


def print_rows(bench: str, rows: list[Row], *, as_json: bool) -> None:
    """Print what a bench measured, as a table or as one JSON object."""
    if as_json:
        emit({"bench": bench, "rows": rows})
        return
    shown = (
        (r.case, f"{r.n:,}", f"{r.p50_ms:.2f}", f"{r.p95_ms:.2f}", f"{r.per_s:,.0f}", f"{r.ratio:.1f}") for r in rows
    )
    console.print(show.rows(f"bench {bench}", ("case", "n", "p50 ms", "p95 ms", "per s", "x bare"), shown))


async def _packet(app: Application, sizes: list[int], rounds: int) -> list[Row]:
    connection = await bare_round_trip(app.places.app_url)
    bare = await measure(lambda _: connection.execute("SELECT 1"), 500)
    rows = [row_of("bare round trip", 1, bare, bare)]
    rows.append(row_of("event, durable, with its contradiction check", 1, await _events(app, rounds), bare))
    loaded = []
    for size in sizes:
        errors.print(f"loading {size:,} entries ...", style="dim")
        loaded.append((size, await load(app, size)))
    if app.places.admin_url is not None:
        await settle_statistics(app.places.admin_url)
    inside = await measure_all({size: partial(_build, app, playthrough_id) for size, playthrough_id in loaded}, rounds)
    rows += [row_of("packet, in process", size, times, bare) for size, times in inside.items()]
    outside = await _over_http(loaded, rounds)
    rows.append(row_of("a route that does nothing, over HTTP", 1, outside.pop(0), bare))
    rows += [row_of("packet, over HTTP", size, times, bare) for size, times in outside.items()]
    await connection.close()
    for _, playthrough_id in loaded:
        await shut_bench(app, playthrough_id)
    return rows


def row_of(case: str, n: int, times: list[float], bare: list[float]) -> Row:
    """Sum up the times of a case beside those of the bare round trip."""
    middle = statistics.median(times)
    return Row(
        case=case,
        n=n,
        p50_ms=round(middle, 3),
        p95_ms=round(statistics.quantiles(times, n=20)[-1], 3),
        per_s=round(1_000 * len(times) / sum(times), 1),
        ratio=round(middle / statistics.median(bare), 2),
    )


async def measure(once: Once, rounds: int) -> list[float]:
    """Run a tenth for warmth, then measure each round in milliseconds."""
    return (await measure_all({0: once}, rounds))[0]


async def measure_all(cases: Mapping[int, Once], rounds: int) -> dict[int, list[float]]:
    """Measure cases by turns, so that what else the machine does meanwhile falls on all of them alike."""
    times: dict[int, list[float]] = {case: [] for case in cases}
    warm = max(3, rounds // 10)
    for i in range(warm + rounds):
        for case, once in cases.items():
            begun = time.perf_counter()
            await once(i)
            times[case].append((time.perf_counter() - begun) * 1_000)
    return {case: found[warm:] for case, found in times.items()}


async def _events(app: Application, rounds: int) -> list[float]:
    playthrough_id = await open_bench(app)

    async def post(i: int) -> None:
        slot = Slot(subject=f"thing{i}", predicate="holds", object=f"value{i}")
        event: GameEvent = Deed(
            actor=f"c{i % 20}",
            statement=f"c{i % 20} mended the lantern {i}",
            witnesses=(f"c{(i + 1) % 20}",),
            slot=slot,
        )
        await record_events(playthrough_id, [event], open_uow=app.open_uow, embedder=app.reading.embedder)

    times = await measure(post, rounds)
    await shut_bench(app, playthrough_id)
    return times


async def load(app: Application, size: int) -> str:
    """Open a playthrough with so many entries, and mirror it."""
    playthrough_id = await open_bench(app)
    words, verbs = bench_words()
    await load_ledger(app.places.app_url, playthrough_id, entries=size, word_stems=words, verb_stems=verbs)
    if await app.graph.is_up():  # an empty graph passes for a mirror: a service making one is not what is measured
        await app.graph.finish(playthrough_id, await app.graph.begin(playthrough_id))
    return playthrough_id


async def _build(app: Application, playthrough_id: str, i: int) -> None:
    request = PacketRequest(speaker=f"c{i % 20}", line=LINES[i % len(LINES)])
    await build_packet(playthrough_id, request, open_uow=app.open_uow, reading=app.reading)


async def _over_http(loaded: list[tuple[int, str]], rounds: int) -> dict[int, list[float]]:
    """Ask a service of its own process, over loopback, with one kept connection; key 0 is a route that does nothing."""
    async with served() as service:

        def packet(playthrough_id: str) -> Once:
            path = f"/playthroughs/{playthrough_id}/packets"
            return lambda i: service.ask(post(path, {"speaker": f"c{i % 20}", "line": LINES[i % len(LINES)]}))

        nothing = get("/roles")
        cases = {size: packet(playthrough_id) for size, playthrough_id in loaded}
        return await measure_all({0: lambda _: service.ask(nothing)} | cases, rounds)
