"""`continuity bench rumours`: what worlds, hours, beliefs and chains cost, beside a bare read of the graph."""

import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import click

from ledger_service.bootstrap import Application, copying_graph
from ledger_service.cli.bench import Once, Row, Sizes, measure, measure_all, print_rows, row_of
from ledger_service.cli.run import errors, in_application, json_option
from ledger_service.cli.served import get, served
from ledger_service.domain.events import Deed, GameEvent, Told
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.worlds import Character, Ladder, Place, Stay, Trust, World
from ledger_service.ports import RumourGraph
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.explain_belief import explain_belief
from ledger_service.services.gossip.mirror_rumours import mirror_once, rebuild_mirror
from ledger_service.services.playthroughs import open_playthrough

WORLDS = "10,100,500,2000"
RUNGS: Final = (
    "took an apple",
    "stole a basket",
    "robbed the stall",
    "ransacked the market",
    "leads a gang of thieves",
)
PLACES: Final = ("market", "well", "inn", "gate")
CROWD_REGIONS: Final = 50
CROWD_EVERY: Final = 24
HEALTH: Final = "continuity-bench"


@click.command("rumours")
@click.option(
    "--worlds", type=Sizes(), default=WORLDS, show_default=True, help="Worlds open at once, comma separated, growing."
)
@click.option("--rounds", type=click.IntRange(5), default=200, show_default=True, help="Reads measured in each case.")
@click.option("--crowd", type=click.IntRange(0), default=10_000, show_default=True, help="People of the large world.")
@json_option
def bench_rumours(worlds: list[int], rounds: int, crowd: int, as_json: bool) -> None:
    """Measure beliefs read, hours, why, worlds opened and a large world, each against a bare read of the graph.

    Example: continuity bench rumours --worlds 10,100 --crowd 1000 --json
    """
    print_rows("rumours", in_application(lambda app: _all(app, sorted(set(worlds)), rounds, crowd)), as_json=as_json)


async def _timed(once: Callable[[], Awaitable[object]], rounds: int) -> list[float]:
    """Measure each round in milliseconds, from the first on."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        await once()
        times.append((time.perf_counter() - begun) * 1_000)
    return times


async def _all(app: Application, sizes: list[int], rounds: int, crowd: int) -> list[Row]:
    opened: list[PlaythroughId] = []
    try:
        first = await _village(app, seed=0)
        opened.append(first)
        await app.graph.client.write(HEALTH, "RETURN 1")
        bare = await measure(lambda _: app.graph.client.read(HEALTH, "RETURN 1"), max(rounds, 200))
        rows = [row_of("bare read of the graph", 1, bare, bare)]
        rows += await _hours(app, opened, rounds, bare)
        rows += await _why(app, opened, rounds, bare)
        rows += await _opening(app, first, rounds, bare)
        rows += await _beliefs(app, opened, sizes, rounds)
        rows += await _crowd(app, opened, crowd, bare) if crowd else []
    finally:
        errors.print(f"putting away {len(opened):,} worlds ...", style="dim")
        for playthrough_id in opened:
            await open_playthrough.erase_playthrough(playthrough_id, open_uow=app.open_uow, graph=app.graph)
    return rows


async def _open(app: Application, world: World, *, seed: int, thefts: int = 5) -> PlaythroughId:
    """Open a playthrough with something to talk about, and mirror it."""
    version = await open_playthrough.add_world(world, open_uow=app.open_uow)
    played = (await open_playthrough.open_playthrough(version, open_uow=app.open_uow, seed=seed)).playthrough_id
    deeds: list[GameEvent] = [
        Deed(
            actor="player", statement=f"the player {RUNGS[0]} at stall {n}", ladder="theft", subject="player",
            witnesses=(world.cast[n * 7 % len(world.cast)].id,), place="market",
        )
        for n in range(thefts)
    ]  # fmt: skip
    await record_events(played, deeds, open_uow=app.open_uow, embedder=app.reading.embedder)
    await mirror_once(app.mirror_queue, app.graph, open_uow=app.open_uow, only=played)
    return played


async def _village(app: Application, *, seed: int) -> PlaythroughId:
    return await _open(app, a_world(10, seed=1), seed=seed)


def a_world(people: int, *, seed: int, regions: int = 1) -> World:
    """Return a world of so many, each at a place an hour by chance, who trust two in five of their neighbours.

    One in twenty travels to the next region at noon.
    """
    chance = random.Random(seed)  # noqa: S311
    names = [f"c{n}" for n in range(people)]
    home = {name: n % regions for n, name in enumerate(names)}
    rooms = max(1, people // regions // 10)
    cast = tuple(
        Character(id=name, name=name, exaggeration=0.5, schedule=_day(chance, home[name], n, regions, rooms))
        for n, name in enumerate(names)
    )
    places = [
        Place(id=f"{p}_{r}_{room}", name=p, region=f"r{r}")
        for r in range(regions)
        for room in range(rooms)
        for p in PLACES
    ]
    return World(
        id="bench_rumours",
        title="bench",
        cast=cast,
        places=(*places, Place(id="market", name="the market", region="r0")),
        trust=tuple(_trust(chance, names, regions)),
        ladders=(Ladder(id="theft", rungs=tuple(f"the player {rung}" for rung in RUNGS)),),
    )


def _day(chance: random.Random, region: int, number: int, regions: int, rooms: int) -> tuple[Stay, ...]:
    stays = []
    for hour in range(24):
        where = (region + 1) % regions if number % 20 == 0 and 11 <= hour < 14 else region  # noqa: PLR2004
        place = f"{chance.choice(PLACES)}_{where}_{chance.randrange(rooms)}"
        stays.append(Stay(place=place, from_hour=hour, until_hour=hour + 1))
    return tuple(stays)


def _trust(chance: random.Random, names: Sequence[str], regions: int) -> list[Trust]:
    """Let everybody trust some of those of their own region, and one or two of the next."""
    pairs: dict[tuple[str, str], float] = {}
    for n, listener in enumerate(names):
        near = [names[m] for m in range(n % regions, len(names), regions) if m != n]
        beyond = [names[m] for m in range((n + 1) % regions, len(names), regions) if m != n]
        known = chance.sample(near, min(len(near), max(4, min(40, len(near) * 2 // 5)))) + chance.sample(beyond, 1)
        pairs |= {(listener, teller): round(chance.uniform(0.3, 0.9), 2) for teller in known}
    return [Trust(listener=listener, teller=teller, trust=trust) for (listener, teller), trust in pairs.items()]


async def _hours(app: Application, opened: list[PlaythroughId], rounds: int, bare: list[float]) -> list[Row]:
    """Measure hours of ten people, durable in both stores, over days in several villages."""
    days = max(1, rounds // 24)
    villages = [await _village(app, seed=n) for n in range(days + 1)]
    opened += villages
    warm, *measured = villages
    await _day_of(app, warm)
    times = [t for village in measured for t in await _day_of(app, village)]
    return [row_of("hour of a ten-person village, durable in both stores", 10, times, bare)]


async def _day_of(app: Application, played: PlaythroughId) -> list[float]:
    hours = advance_gossip(
        played, Passing(hours=24), open_uow=app.open_uow, embedder=app.reading.embedder, graph=app.graph,
        queue=app.mirror_queue,
    )  # fmt: skip
    return await _timed(lambda: anext(hours), 24)


async def _why(app: Application, opened: list[PlaythroughId], rounds: int, bare: list[float]) -> list[Row]:
    """Measure chains of several depths, and of several tellers at each hop, in process and over HTTP."""
    rows = []
    shapes = ((3, 1), (12, 1), (40, 1), (12, 4), (12, 8))
    chains = [(depth, fan, *(await _chain(app, depth, fan))) for depth, fan in shapes]
    opened += [played for _, _, played, _ in chains]
    async with served() as service:
        for depth, fan, played, entry_id in chains:
            request = get(f"/playthroughs/{played}/entries/{entry_id}/why")
            ways: dict[int, Once] = {
                0: lambda _, p=played, e=entry_id: explain_belief(p, e, open_uow=app.open_uow),  # type: ignore[misc]
                1: lambda _, r=request: service.ask(r),  # type: ignore[misc]
            }
            times = await measure_all(ways, rounds)
            what = f"why at depth {depth}, {fan} tellers a hop"
            rows += [
                row_of(f"{what}, {way}", depth, times[n], bare) for n, way in enumerate(("in process", "over HTTP"))
            ]
    return rows


async def _chain(app: Application, depth: int, fan: int) -> tuple[PlaythroughId, EntryId]:
    """Tell a story along so many hops, each listener told by everybody of the hop before."""
    cast = tuple(Character(id=f"h{hop}_{n}", name=f"h{hop}") for hop in range(depth + 1) for n in range(fan))
    trust = tuple(
        Trust(listener=f"h{hop + 1}_{n}", teller=f"h{hop}_{m}", trust=0.95)
        for hop in range(depth)
        for n in range(fan)
        for m in range(fan)
    )
    world = World(id="bench_rumours", title="bench", cast=cast, trust=trust)
    version = await open_playthrough.add_world(world, open_uow=app.open_uow)
    played = (await open_playthrough.open_playthrough(version, open_uow=app.open_uow)).playthrough_id
    seen = Deed(actor="player", statement="the player took an apple", witnesses=tuple(f"h0_{n}" for n in range(fan)))
    (receipt,) = await record_events(played, (seen,), open_uow=app.open_uow)
    held = dict.fromkeys((f"h0_{n}" for n in range(fan)), receipt.entries[0].entry_id)
    for hop in range(depth):
        for n in range(fan):
            listener = f"h{hop + 1}_{n}"
            told = [
                Told(teller=f"h{hop}_{m}", listener=listener, entry_id=held[f"h{hop}_{m}"], statement=f"version {hop}")
                for m in range(fan)
            ]
            receipts = await record_events(played, told, open_uow=app.open_uow)
            held[listener] = receipts[0].entries[0].entry_id
    return played, held[f"h{depth}_0"]


async def _opening(app: Application, played: PlaythroughId, rounds: int, bare: list[float]) -> list[Row]:
    """Measure a village's graph opened by projection and, where the engine may, by copy."""

    async def opened(graph: RumourGraph) -> list[float]:
        return await _timed(lambda: rebuild_mirror(played, open_uow=app.open_uow, graph=graph), min(rounds, 50))

    return [
        row_of("world opened by projection", 10, await opened(app.graph), bare),
        row_of("world opened by copy of a template", 10, await opened(copying_graph(app)), bare),
    ]


async def _beliefs(app: Application, opened: list[PlaythroughId], sizes: list[int], rounds: int) -> list[Row]:
    """Measure what one character holds, read at random from so many worlds, and what a world weighs."""
    worlds: list[PlaythroughId] = []
    chance = random.Random(2)  # noqa: S311
    rows = []
    before = await app.graph.client.memory_bytes()
    for size in sizes:
        if size > len(worlds):
            errors.print(f"opening {size:,} worlds ...", style="dim")
        while len(worlds) < size:
            worlds.append(await _village(app, seed=len(worlds)))
            opened.append(worlds[-1])
        cold = [t for w in worlds[-min(rounds, size) :] for t in await _timed(partial(_read_of, app, w, chance), 1)]
        for world in worlds:
            await _read_of(app, world, chance)
        ways: dict[int, Once] = {
            0: lambda _: app.graph.client.read(HEALTH, "RETURN 1"),
            1: lambda _: _read_of(app, chance.choice(worlds), chance),
        }
        times = await measure_all(ways, rounds)
        rows.append(row_of("bare read again", size, times[0], times[0]))
        rows.append(row_of("belief read, a world's first", size, cold, times[0]))
        rows.append(row_of("belief read", size, times[1], times[0]))
    weight = (await app.graph.client.memory_bytes() - before) / max(1, len(worlds))
    errors.print(f"a world weighs {weight / 1_000:.0f} kB in the graph ({len(worlds):,} open)", style="dim")
    return rows


async def _read_of(app: Application, played: PlaythroughId, chance: random.Random) -> object:
    return await app.graph.find_beliefs(played, f"c{chance.randrange(10)}")


async def _crowd(app: Application, opened: list[PlaythroughId], people: int, bare: list[float]) -> list[Row]:
    """Measure hours of a large world by level of detail, and in full."""
    errors.print(f"opening a world of {people:,} ...", style="dim")
    rows = []
    for case, every in (("by level of detail", CROWD_EVERY), ("in full", None)):
        played = await _open(app, a_world(people, seed=3, regions=CROWD_REGIONS), seed=4, thefts=20)
        opened.append(played)
        near = ("r0",) if every else None
        hours = []
        for _ in range(24):
            passing = Passing(regions=near, every=every)
            hours += await _timed(lambda p=passing, w=played: _one_hour(app, w, p), 1)  # type: ignore[misc]
        rows.append(row_of(f"hour of a large world, {case}", people, hours, bare))
        errors.print(f"{case}: mean {statistics.mean(hours):.0f} ms an hour", style="dim")
    return rows


async def _one_hour(app: Application, played: PlaythroughId, passing: Passing) -> None:
    hours = advance_gossip(
        played, passing, open_uow=app.open_uow, embedder=app.reading.embedder, graph=app.graph, queue=app.mirror_queue
    )
    async for _ in hours:
        pass
