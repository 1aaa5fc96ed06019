"""What the console shows, as a file for whoever has no console."""

from pathlib import Path

import click

from ledger_service.bootstrap import Application
from ledger_service.cli.printing import print_to_pdf
from ledger_service.cli.run import SEQ, Group, console, emit, in_application, json_option
from ledger_service.domain.accounts import EVERY_WORLD
from ledger_service.services.digest import make_digest
from ledger_service.web.console.reports import digest_html, digest_markdown


@click.group(cls=Group)
def report() -> None:
    """Write what the console shows as a file: HTML without outside assets, Markdown, or PDF."""


@report.command()
@click.argument("playthrough_id")
@click.option("--since", type=SEQ, help="After which event; by default the newest named point, or 100 events back.")
@click.option("--html", "form", flag_value="html", default=True, help="One HTML page (the default).")
@click.option("--md", "form", flag_value="md", help="Markdown.")
@click.option("--pdf", "form", flag_value="pdf", help="PDF, printed by an installed Chromium.")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Where to write it.")
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
            emit(
                {
                    "playthrough": playthrough_id,
                    "since": found.since,
                    "until": found.here.seq,
                    "sections": found.sections,
                }
            )
        elif form == "pdf":
            target = output or Path(f"digest-{playthrough_id}.pdf")
            print_to_pdf(digest_html(found), target)
            console.print(f"written to {target}", soft_wrap=True)
        else:
            _write(digest_markdown(found) if form == "md" else digest_html(found), output)

    in_application(use, graph=False)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8")
    console.print(f"written to {output}", soft_wrap=True)
