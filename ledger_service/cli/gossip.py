"""Commands about rumours: let hours go by and see who told whom what."""

from collections.abc import Iterable

import anyio
import click
from rich.progress import Progress

from ledger_service.bootstrap import Application, load_story, new_record
from ledger_service.cli import show
from ledger_service.cli.run import Group, console, emit, emit_line, errors, in_application, json_option, printable
from ledger_service.domain.events import EventReceipt
from ledger_service.domain.rumours import Refusal, Telling
from ledger_service.domain.story_time import day_of, hour_of_day
from ledger_service.domain.voicings import VoicedTelling
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.revoice_tellings import Revoiced, revoice_tellings
from ledger_service.services.gossip.survey_gossip import Asked, Survey, survey_gossip


@click.group(cls=Group)
def gossip() -> None:
    """Let hours go by, and see how stories travel."""


@gossip.command("advance")
@click.argument("playthrough_id")
@click.option("--hours", type=int, default=1, show_default=True, help="How many game hours go by.")
@click.option("--region", "regions", multiple=True, help="Only here do people talk; repeatable.")
@click.option("--every", type=int, help="Away from the player, catch up with each region every so many hours.")
@click.option("--expected-seq", type=click.IntRange(0, 2**31 - 1), help="Refuse when the history does not end here.")
@click.option(
    "--key", help="These hours go by once, however often they are asked for under it; broken off, they go on."
)
@click.option("--refusals", "with_refusals", is_flag=True, help="Show also what was not passed on, and why.")
@json_option
def advance(
    playthrough_id: str,
    hours: int,
    regions: tuple[str, ...],
    every: int | None,
    expected_seq: int | None,
    key: str | None,
    with_refusals: bool,
    as_json: bool,
) -> None:
    r"""Let game hours go by: people go where their schedules say, meet, and talk.

    At most 10,000 hours at once, each told as it goes by; over HTTP, where they are answered for together, 240.

    \b
    Examples:
      continuity gossip advance P --hours 10
      continuity gossip advance P --hours 24 --refusals
      continuity gossip advance P --hours 2000 --key summer
      continuity gossip advance P --hours 1 --json | jq .tellings
    """

    async def use(app: Application) -> None:
        passed = advance_gossip(
            playthrough_id,
            Passing(hours=hours, regions=regions or None, every=every, expected_seq=expected_seq, key=key),
            open_uow=app.open_uow,
            embedder=app.reading.embedder,
            graph=app.graph,
            queue=app.mirror_queue,
        )
        quiet = 0
        async for receipt in passed:
            if as_json:
                emit_line(receipt)
                continue
            lines = list(_lines(receipt, with_refusals=with_refusals))
            quiet = 0 if lines else quiet + 1
            for line in lines:
                console.print(line, soft_wrap=True)
        if quiet and not as_json:
            console.print(f"[dim]nothing was passed on in the last {quiet} of {hours} hours[/]")

    in_application(use)


@gossip.command("survey")
@click.argument("story_name", metavar="STORY")
@click.option("--seeds", type=int, default=50, show_default=True, help="How many times it is told, by seeds from 0 on.")
@click.option("--to", "to", help="Only how it comes to this character; default is everybody who did not see it.")
@click.option("--story", "label", help="Only this event of the history, by its label.")
@click.option("--hours", type=int, default=48, show_default=True, help="How many game hours go by each time.")
@json_option
def survey(story_name: str, seeds: int, to: str | None, label: str | None, hours: int, as_json: bool) -> None:
    r"""Tell a shipped story by many seeds, in memory, and say when and how much worse its news arrives.

    \b
    Examples:
      continuity gossip survey village --to ilsa
      continuity gossip survey village --seeds 200 --story theft --json | jq .reaches
    """
    story = load_story(story_name)
    asked = Asked(seeds=seeds, hours=hours, story=label, to=to)
    with Progress(transient=True, console=errors, disable=as_json) as bar:
        task = bar.add_task(f"telling {story_name}", total=seeds)

        async def use() -> Survey:
            return await survey_gossip(
                story.world, story.history, asked, new_record=new_record, progress=lambda n: bar.advance(task, n)
            )

        found = anyio.run(use)
    if as_json:
        emit(found)
    else:
        console.print(show.survey(found))


@gossip.command("revoice")
@click.argument("playthrough_id")
@click.option("--most", type=click.IntRange(1, 1_000), default=50, show_default=True, help="How many tellings to put.")
@json_option
def revoice(playthrough_id: str, most: int, as_json: bool) -> None:
    r"""Let the chat model put the newest tellings in the tellers' own words.

    \b
    What it says is kept beside the telling where it changes no name, no number and no rung; else it is dropped, with
    the reason. A service with a chat model does so by itself, whenever hours have gone by.

    Example: continuity gossip revoice P --most 10
    """

    async def use(app: Application) -> tuple[Revoiced, list[VoicedTelling]]:
        voice, embedder = app.voice(), app.reading.embedder
        found = await revoice_tellings(playthrough_id, voice=voice, open_uow=app.open_uow, embedder=embedder, most=most)
        async with app.open_uow(playthrough_id) as uow:
            return found, await uow.tellings.newest(limit=most)

    found, shown = in_application(use, graph=False)
    if as_json:
        emit({"came_to": found, "tellings": shown})
        return
    for one in reversed(shown):
        aside = f" [dim](dropped: {printable(one.voicing.dropped)})[/]" if one.voicing and one.voicing.dropped else ""
        console.print(f"{one.telling.teller} → {one.telling.listener}: {printable(one.said)}{aside}", soft_wrap=True)
    console.print(f"[dim]{found.kept} put, {found.dropped} dropped, {found.silent} without an answer[/]")


def _lines(receipt: EventReceipt, *, with_refusals: bool) -> Iterable[str]:
    when = f"[bold]day {day_of(receipt.at.tick)}, {hour_of_day(receipt.at.tick):02d}:00[/]"
    for telling in receipt.tellings:
        yield f"{when}  {_telling(telling)}"
    if with_refusals:
        for refusal in receipt.refusals:
            yield f"{when}  [dim]{_refusal(refusal)}[/]"
    elif receipt.refused and receipt.tellings:
        counts = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in receipt.refused.items())
        yield f"           [dim]not passed on: {counts}[/]"


def _telling(telling: Telling) -> str:
    where = f" at {telling.place}" if telling.place else ""
    what = f"{printable(telling.statement)} (rung {telling.severity}, offered {telling.offered_millionths / 1e6:.2f})"
    return f"{telling.teller} → {telling.listener}{where}: {what} · {telling.outcome}"


def _refusal(refusal: Refusal) -> str:
    return f"{refusal.teller} ✕ {refusal.listener}: {refusal.reason.replace('_', ' ')}"
