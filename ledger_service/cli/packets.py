"""Commands about packets: build one, compare two, score the line that was said on one."""

from typing import Any

import click

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import (
    SEQ,
    console,
    emit,
    in_application,
    json_option,
)
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.replies import Reply
from ledger_service.reconcile.difference import difference
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.packets.review_packet import review_packet
from ledger_service.services.replies.say_line import say_line
from ledger_service.services.replies.score_reply import score_reply


@click.command()
@click.argument("playthrough_id")
@click.option("--speaker", required=True, help="Who is about to speak.")
@click.option("--to", "audience", multiple=True, default=(PLAYER,), show_default=True, help="Who listens; repeatable.")
@click.option("--line", default="", help="What was said to them; it is not recorded.")
@click.option("--at-seq", type=SEQ, help="As of a past event.")
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


@click.command()
@click.argument("playthrough_id")
@click.argument("before")
@click.argument("after")
@json_option
def diff(playthrough_id: str, before: str, after: str, as_json: bool) -> None:
    """Show what differs between two packets of a playthrough.

    Example: continuity diff p12ab k34cd k56ef
    """

    async def use(app: Application) -> Any:  # noqa: ANN401
        async with app.open_uow(playthrough_id) as uow:
            return (await uow.packets.get(before)).packet, (await uow.packets.get(after)).packet

    changes = difference(*in_application(use, graph=False))
    if as_json:
        emit(changes)
        return
    rows = ((c.what, c.statement or c.name, c.before or "-", c.after or "-") for c in changes)
    console.print(show.rows("Changes", ("what", "name", "before", "after"), rows))


@click.command()
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

    What a model says is delivered where it keeps to the packet; where it names or tells anything else, the template
    speaks instead, and the reply's note says why.

    Example: continuity reply p12ab k34cd "Not before the sensor is back."
    """
    if (text is None) == (speaker is None):
        raise click.UsageError("give the line, or --speak with a responder")
    if text is not None and not text.strip():
        raise click.UsageError("the line is blank; one that was said has words")

    async def use(app: Application) -> Any:  # noqa: ANN401
        if speaker is None:
            line = Reply(text=text or "", responder="cli")
            return await score_reply(
                playthrough_id, packet_id, line, open_uow=app.open_uow, judging=app.judging, delivered=not only_try
            )
        return await say_line(
            playthrough_id, packet_id, app.responder(speaker), stand_in=app.responder("template"),
            open_uow=app.open_uow, judging=app.judging, delivered=not only_try,
        )  # fmt: skip

    scored = in_application(use, graph=False)
    if as_json:
        emit(scored)
        return
    console.print(f"“{scored.reply.text}” ({scored.reply.responder})", markup=False)
    if scored.reply.note:
        console.print(scored.reply.note, markup=False)
    console.print(show.scorecard(scored.scorecard))
