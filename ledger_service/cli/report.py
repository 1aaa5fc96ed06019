"""What the console shows, as a file for whoever has no console."""

from collections.abc import Callable
from pathlib import Path

import click

from ledger_service.bootstrap import Application
from ledger_service.cli.printing import print_to_pdf
from ledger_service.cli.probe_desk import gate_option
from ledger_service.cli.run import SEQ, Group, console, emit, in_application, json_option
from ledger_service.domain.accounts import EVERY_WORLD
from ledger_service.services.probes.report_run import report_run
from ledger_service.services.reviewing.browse_packets import show_packet
from ledger_service.services.reviewing.digest import make_digest
from ledger_service.web.console.reports import (
    digest_html,
    digest_markdown,
    packet_html,
    packet_markdown,
    run_html,
    run_markdown,
)


def as_file(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that every report has."""
    path = click.Path(dir_okay=False, path_type=Path)
    for option in (
        click.option("--output", "-o", type=path, help="Where to write it."),
        click.option("--pdf", "form", flag_value="pdf", help="PDF, printed by an installed Chromium."),
        click.option("--md", "form", flag_value="md", help="Markdown."),
        click.option("--html", "form", flag_value="html", default=True, help="One HTML page (the default)."),
    ):
        command = option(command)
    return command


@click.group(cls=Group)
def report() -> None:
    """Write what the console shows as a file: HTML without outside assets, Markdown, or PDF."""


@report.command()
@click.argument("playthrough_id")
@click.option("--since", type=SEQ, help="After which event; by default the newest named point, or 100 events back.")
@as_file
@json_option
def digest(playthrough_id: str, since: int | None, form: str, output: Path | None, as_json: bool) -> None:
    r"""Say what is new, over, broken, unresolved and failed since an event.

    HTML and Markdown go to the terminal unless --output names a file; a PDF goes to digest-P.pdf.

    \b
    Examples:
      continuity report digest P --md
      continuity report digest P --since 120 --html -o last-night.html
      continuity report digest P --pdf -o last-night.pdf
    """

    async def use(app: Application) -> None:
        catalogue = app.stores.catalogue((EVERY_WORLD,))
        found = await make_digest(playthrough_id, catalogue=catalogue, open_uow=app.open_uow, since=since)
        if as_json:
            shown = {"since": found.since, "until": found.here.seq, "sections": found.sections}
            emit({"playthrough": playthrough_id, **shown})
            return
        text = digest_markdown(found) if form == "md" else digest_html(found)
        _write(text, form, output, f"digest-{playthrough_id}.pdf")

    in_application(use, graph=False)


@report.command()
@click.argument("packet_id")
@as_file
@json_option
def packet(packet_id: str, form: str, output: Path | None, *, as_json: bool) -> None:
    r"""Say what a speaker could draw on, what was held back and why, and how the line was judged.

    HTML and Markdown go to the terminal unless --output names a file; a PDF goes to packet-K.pdf.

    \b
    Examples:
      continuity report packet K --md
      continuity report packet K --html -o why-she-said-that.html
      continuity report packet K --pdf
    """

    async def use(app: Application) -> None:
        catalogue = app.stores.catalogue((EVERY_WORLD,))
        sheet = await show_packet(packet_id, catalogue=catalogue, open_uow=app.open_uow, reader=app.claim_reader)
        if as_json:
            emit(sheet)
            return
        text = packet_markdown(sheet) if form == "md" else packet_html(sheet)
        _write(text, form, output, f"packet-{packet_id}.pdf")

    in_application(use, graph=False)


@report.command()
@click.argument("run_id", metavar="RUN")
@gate_option
@as_file
@json_option
def run(run_id: str, gate: float, form: str, output: Path | None, *, as_json: bool) -> None:
    r"""Say what a run of probes comes to: verdict, rates, a heat map of every verdict, failures with their evidence.

    HTML and Markdown go to the terminal unless --output names a file; a PDF goes to run-RUN.pdf. JUnit XML, NDJSON and
    CSV are written by `continuity probe report RUN`.

    \b
    Examples:
      continuity report run RUN --md
      continuity report run RUN --html -o night.html
      continuity report run RUN --gate 0.95 --pdf
    """

    async def use(app: Application) -> None:
        probes = app.stores.probe_browser((EVERY_WORLD,))
        found = await report_run(run_id, probes=probes, gate=gate)
        if as_json:
            view = found.view
            emit({"run": view.seen.row, "verdict": view.verdict, "summary": view.summary, "maps": found.maps})
            return
        text = run_markdown(found) if form == "md" else run_html(found)
        _write(text, form, output, f"run-{run_id}.pdf")

    in_application(use, graph=False)


def _write(text: str, form: str, output: Path | None, printed: str) -> None:
    target = output or (Path(printed) if form == "pdf" else None)
    if target is None:
        click.echo(text, nl=False)
    elif form == "pdf":
        print_to_pdf(text, target)
    else:
        target.write_text(text, encoding="utf-8")
    if target is not None:
        console.print(f"written to {target}", soft_wrap=True)
