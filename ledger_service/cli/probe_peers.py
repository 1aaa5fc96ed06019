"""`continuity probe peers`: other memory systems on the same matrix, beside this ledger."""

import anyio
import click
from rich.console import RenderableType

from ledger_service.bootstrap import (
    find_story,
    new_record,
    open_judging,
    open_peers,
    open_reading,
    reload_process,
)
from ledger_service.cli import show
from ledger_service.cli.probe_desk import only_option
from ledger_service.cli.run import console, emit, errors, json_option, settings
from ledger_service.domain.probe_runs import RunSettings
from ledger_service.probing.recall_figures import MemoryFigures, RecalledCell, figures_of
from ledger_service.probing.summary import NOTHING
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.compare_memories import Bench, compare_memories

NAMES = ("bm25s", "mem0", "langmem", "http_memory")
_COLUMNS = ("memory", "cells", "held", "hidden", "over", "unwanted", "right", "no flag", "passed", "items", "ms")


@click.command("peers")
@click.argument("story")
@only_option
@click.option("--peer", "names", type=click.Choice(NAMES), multiple=True, help="Only these; repeatable.")
@click.option("--filtered", is_flag=True, help="Each once more, behind a filter of what entries say of themselves.")
@json_option
def peers(story: str, only: tuple[str, ...], names: tuple[str, ...], filtered: bool, as_json: bool) -> None:
    """Ask memory systems that are installed a story's matrix, on what they return alone; nothing is kept.

    Each is told the whole ledger, asked every cell twice, and held against what the packet must and must not hold.
    `pip install 'continuity-ledger[peers]'` brings them; with CONTINUITY_MEMORY_URL yours is asked too.

    With --filtered, what by an entry's own word the speaker does not know, or may not say to these listeners, is left
    out of what each returns, as a careful integrator would do.

    held: of what must be there. hidden, over, unwanted: cells in which it returned what the speaker may not know or
    say, what no longer holds, what is not to be brought up. right: cells without any of these. no flag: cells that
    expect a flag of the record. passed: right, with its flags.

    Example: continuity probe peers maelin --only two_scenes
    """
    found = find_story(story)
    _, kept = probe_runs.plan(found.world, found.history, found.matrix, RunSettings(only=only))
    if not kept:
        errors.print(f"nothing is selected by {' '.join(only)}", markup=False)
        raise SystemExit(NOTHING)

    async def ask() -> list[MemoryFigures]:
        reading = open_reading()
        judging = open_judging(reading)
        bench = Bench(
            open_uow=new_record(), reading=reading, judging=judging, afresh=reload_process(shares_record=False)
        )  # fmt: skip
        came: dict[str, list[RecalledCell]] = {}
        async with open_peers(settings(), names, filtered=filtered) as (memories, absent):
            for why in absent:
                errors.print(why, markup=False, soft_wrap=True)
            rows = compare_memories(found.world, found.history, found.matrix, kept, memories, bench=bench)
            async for memory, cell in rows:
                came.setdefault(memory, []).append(cell)
        return [figures_of(memory, cells) for memory, cells in came.items()]

    shown = anyio.run(ask)
    emit(shown) if as_json else console.print(_table(story, shown))


def _table(story: str, shown: list[MemoryFigures]) -> RenderableType:
    rows = (
        (
            row.memory, str(row.cells), f"{row.recall:.0%}", str(row.hidden), str(row.over), str(row.unwanted),
            f"{row.right / max(row.cells, 1):.0%}", str(row.flagless), f"{row.passed / max(row.cells, 1):.0%}",
            f"{row.items:.1f}", f"{row.milliseconds:.1f}",
        )
        for row in shown
    )  # fmt: skip
    return show.rows(f"What memories return: {story}", _COLUMNS, rows)
