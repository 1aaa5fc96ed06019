"""Commands about replies: say one on a packet, and check a file of labelled ones."""

from pathlib import Path
from typing import Any, Final

import click
import msgspec

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.packets import reply as say
from ledger_service.cli.run import FILE, Group, console, emit, emit_line, in_application, json_option
from ledger_service.ports import StoredReply
from ledger_service.probing.labelled import Labelled, decode_labelled
from ledger_service.probing.reply_figures import Figures, Pair, Share, summarise
from ledger_service.probing.source import read_source
from ledger_service.services.probes.check_replies import check_reply
from ledger_service.services.replies.overrule_finding import export_overruled, overrule_finding

UNFOLDING: Final = 50
"""Labelled replies name the same ledger in every item."""


class ReplyGroup(Group):
    """A group whose first word may also be a playthrough: then the reply is scored on its packet."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:  # fmt: skip
        """Take what is no command of ours as the arguments of `say`."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return "say", say, args
        return super().resolve_command(ctx, args)


@click.group(cls=ReplyGroup)
def reply() -> None:
    """Score a reply on its packet, check labelled replies, overrule a finding.

    Example: continuity reply p12ab k34cd "Not before the sensor is back."
    """


reply.add_command(say, "say")


@reply.command("check")
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@click.option("--half", type=click.Choice(["tuning", "test"]), help="Only this half; items without one are `test`.")
@json_option
def reply_check(files: tuple[Path, ...], half: str | None, as_json: bool) -> None:
    """Run the labelled replies of files; prints one line each, then how often the checker is right on all of them.

    Examples:
      continuity reply check probes/calibration/own.yaml --half test --json
      continuity reply check probes/calibration/spoken/*.yaml --half test
    """
    from ledger_service.bootstrap import open_claim_reader, open_reading  # noqa: PLC0415  (loads the word vectors)

    items = [item for file in files for item in _items(file) if half is None or item.half == half]
    reading, reader = open_reading(), open_claim_reader()
    pairs: list[Pair] = []
    for item in items:
        checked = check_reply(item, reading=reading, reader=reader)
        pairs.append((item, checked))
        if as_json:
            emit_line(checked)
    summary = summarise(pairs)
    if as_json:
        emit_line({"summary": msgspec.to_builtins(summary)})
        return
    for axis, figures in summary["axes"].items():
        console.print(f"{axis:10} {_in_words(figures)}", markup=False)
    for name in ("by_difficulty", "by_language"):
        for key, figures in summary[name].items():
            console.print(f"  {key:10} {_in_words(figures)}", markup=False)
    for code, row in summary["codes"].items():
        note = "" if row["enough"] else "  (too few items to claim anything)"
        console.print(f"  {code:26} {_in_words(row['figures'])}{note}", markup=False)
    spans = summary["spans_overlap"]
    console.print(f"true findings that overlap the labelled words: {_share(spans)} of {spans.n}", markup=False)
    console.print(f"ms a reply: {summary['ms']}", markup=False)


def _items(file: Path) -> list[Labelled]:
    """Read one file whole, so that an unreadable one stops the command before anything is checked."""
    return list(decode_labelled(read_source(file.read_bytes(), str(file), unfolding=UNFOLDING).values))


@reply.command("overrule")
@click.argument("playthrough_id")
@click.argument("reply_id")
@click.option("--code", required=True, help="The finding's code.")
@click.option("--span", default="", help="Some of its words, where a code was found twice.")
@click.option("--by", required=True, help="Who says so.")
@click.option("--why", required=True, help="Why it is no fault.")
@json_option
def reply_overrule(playthrough_id: str, reply_id: str, code: str, span: str, by: str, why: str, as_json: bool) -> None:
    """Overrule a finding: the reply gets a new score row with who and why.

    Example: continuity reply overrule p12ab r34cd --code leak --by wen --why "she may tell him since dawn"
    """

    async def use(app: Application) -> StoredReply:
        return await overrule_finding(
            playthrough_id, reply_id, code, by=by, why=why, span=span, open_uow=app.open_uow
        )  # fmt: skip

    kept = in_application(use, graph=False)
    if as_json:
        emit(kept)
        return
    if kept.scorecard is not None:
        console.print(show.scorecard(kept.scorecard))


@reply.command("export")
@click.argument("playthrough_id")
@json_option
def reply_export(playthrough_id: str, as_json: bool) -> None:  # noqa: ARG001  (it is JSON in either case)
    """Print every overruled reply as a labelled item, for `reply check`.

    Example: continuity reply export p12ab > overruled.json
    """

    async def use(app: Application) -> dict[str, Any]:
        return await export_overruled(playthrough_id, open_uow=app.open_uow)

    emit(in_application(use, graph=False))


def _in_words(figures: Figures) -> str:
    counts = (
        f"n {figures.n}, right {figures.right}, false {figures.false_alarms}, missed {figures.missed}, "
        f"unscored {figures.unscored}"
    )
    rates = (f"{name} {_share(getattr(figures, name))}" for name in ("precision", "recall", "f1"))
    return f"{counts}: {', '.join(rates)}"


def _share(value: Share) -> str:
    """Return a share with its interval."""
    return f"{'n/a' if value.rate is None else format(value.rate, '.2f')} [{value.low:.2f}, {value.high:.2f}]"
