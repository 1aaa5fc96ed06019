"""`continuity bench memory`: what the service's own process holds, at its start and through a long day."""

from collections.abc import AsyncIterator
from typing import Final

import click
from msgspec import Struct

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.bench_ground import LINES, open_bench, shut_bench
from ledger_service.cli.run import console, emit, in_application, json_option
from ledger_service.cli.served import Served, get, post, served

BATCH: Final = 20
PARTS: Final = 5


class MemoryRow(Struct, frozen=True, kw_only=True):
    """What the process held at one point of the day."""

    case: str
    n: int
    """Events posted until then."""
    packets: int
    resident_mb: float
    grown_mb: float
    """Since the first fifth of the day, when everything has been used once."""


@click.command("memory")
@click.option(
    "--events",
    type=click.IntRange(100, 10_000_000),
    default=30_000,
    show_default=True,
    help="Events posted, in batches of 20.",
)
@click.option(
    "--packets", type=click.IntRange(0, 1_000_000), default=5_000, show_default=True, help="Packets built meanwhile."
)
@json_option
def bench_memory(events: int, packets: int, as_json: bool) -> None:
    """Measure the memory of `continuity serve`: after its start, and as events and packets go by.

    Example: continuity bench memory --events 3000 --packets 500 --json
    """
    rows = in_application(lambda app: _day(app, events, packets))
    if as_json:
        emit({"bench": "memory", "rows": rows})
        return
    shown = ((r.case, f"{r.n:,}", f"{r.packets:,}", f"{r.resident_mb:.0f}", f"{r.grown_mb:+.1f}") for r in rows)
    console.print(show.rows("bench memory", ("case", "events", "packets", "resident MB", "grown MB"), shown))


async def _day(app: Application, events: int, packets: int) -> list[MemoryRow]:
    playthrough_id = await open_bench(app)
    rows: list[MemoryRow] = []
    try:
        async with served() as service:
            await service.ask(get("/health"))
            rows.append(_row("after the start", 0, 0, service.resident_mb(), rows))
            async for part, n, built in _post(service, playthrough_id, events, packets):
                rows.append(_row(f"{part}/{PARTS} of the day", n, built, service.resident_mb(), rows))
    finally:
        await shut_bench(app, playthrough_id)
    return rows


def _row(case: str, n: int, packets: int, resident: float, before: list[MemoryRow]) -> MemoryRow:
    grown = resident - before[1].resident_mb if len(before) > 1 else 0.0
    return MemoryRow(case=case, n=n, packets=packets, resident_mb=round(resident, 1), grown_mb=round(grown, 1))


async def _post(
    service: Served, playthrough_id: str, events: int, packets: int
) -> AsyncIterator[tuple[int, int, int]]:  # fmt: skip
    """Post batches with packets between them; yield (part, events, packets) at the end of each part of the day."""
    path = f"/playthroughs/{playthrough_id}"
    batches = max(PARTS, events // BATCH)
    built = 0
    for batch in range(1, batches + 1):
        await service.ask(post(f"{path}/events", {"events": [_event(batch * BATCH + i) for i in range(BATCH)]}))
        while built < packets * batch // batches:
            line = f"{LINES[built % len(LINES)]} And what of the {_WORDS[built % len(_WORDS)]} {built}?"
            await service.ask(post(f"{path}/packets", {"speaker": f"c{built % 20}", "line": line}))
            built += 1
        if (batch * PARTS) // batches > ((batch - 1) * PARTS) // batches:
            yield batch * PARTS // batches, batch * BATCH, built


_WORDS: Final = "lantern kettle barrel chapel ferry garden harbour market ladder bridge tower cellar".split()


def _event(i: int) -> dict[str, object]:
    """Return one of what a day brings: deeds with slots, things said and told, and time going by."""
    who, other, what = f"c{i % 20}", f"c{(i + 7) % 20}", _WORDS[i % len(_WORDS)]
    match i % 10:
        case 0:
            return {"kind": "time_passed", "hours": 1}
        case 1 | 2 | 3:
            return {"kind": "utterance", "speaker": who, "to": [other], "text": f"I left {what} {i} by the well."}
        case 4:
            statement = f"{other} hid {what} {i} in the mill"
            return {"kind": "told", "teller": who, "listener": other, "statement": statement}
        case _:
            slot = {"subject": f"{what}{i % 500}", "predicate": "holds", "object": f"value{i}"}
            statement = f"{who} carried {what} {i} past the mill"
            return {
                "kind": "deed",
                "actor": who,
                "statement": statement,
                "witnesses": [other],
                "slot": slot,
                "key": f"k{i}",
            }
