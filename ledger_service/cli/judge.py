"""Commands about the judge: how far it may be trusted."""

from pathlib import Path

import click

from ledger_service.cli.run import FILE, Group, console, emit, json_option
from ledger_service.domain.errors import ContentError
from ledger_service.probing.labelled import decode_labelled
from ledger_service.probing.source import read_source
from ledger_service.services.replies.consult_judge import calibrate


@click.group(cls=Group)
def judge() -> None:
    """Ask an optional model about what rules leave open."""


@judge.command("calibrate")
@click.argument("file", type=FILE)
@click.option("--url", envvar="CONTINUITY_JUDGE_URL", required=True, help="OpenAI-compatible endpoint, up to /v1.")
@click.option("--model", envvar="CONTINUITY_JUDGE_MODEL", required=True, help="The one model that judges.")
@click.option("--key", envvar="CONTINUITY_JUDGE_KEY", help="Its key.")
@click.option("--subject", default="", help="The model under test, which may not judge itself.")
@click.option("--most", type=int, default=0, help="Ask about at most this many items.")
@json_option
def judge_calibrate(file: Path, url: str, model: str, key: str | None, subject: str, most: int, as_json: bool) -> None:
    """Hold a judge's answers against labelled replies: kappa, agreement, confusion, and whether it may gate.

    Example: continuity judge calibrate probes/calibration/own.yaml --url http://localhost:11434/v1 --model llama3
    """
    from ledger_service.bootstrap import with_judge  # noqa: PLC0415  (loads the word vectors)

    source = read_source(file.read_bytes(), str(file), unfolding=50)
    items = list(decode_labelled(source.values))
    if most < 0:
        raise ContentError("most", "must not be negative")
    chosen = items[:most] if most else items
    found = with_judge(lambda asked: calibrate(chosen, asked), url=url, model=model, key=key, subject=subject)
    if as_json:
        emit({"agreement": found, "may_gate": found.may_gate})
        return
    console.print(f"kappa {found.kappa:.2f} [{found.low:.2f}, {found.high:.2f}] on {found.n} items", markup=False)
    console.print(f"raw agreement {found.raw:.2f}, base rate {found.base_rate:.2f}, unscored {found.unscored}")
    console.print(f"answers alike when asked again: {found.self_consistency}")
    for pair, count in found.confusion.items():
        console.print(f"  people/judge {pair}: {count}", markup=False)
    console.print(f"{found.milliseconds:g} ms, {found.tokens} tokens; may gate: {'yes' if found.may_gate else 'no'}")
