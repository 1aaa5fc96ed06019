"""Reports as files: the console's own templates with the style inside, or Markdown; neither loads or runs anything."""

import re
from functools import lru_cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ledger_service.services.packets import packet_words as words
from ledger_service.services.probes.report_run import RunReport
from ledger_service.services.reviewing.browse_packets import Sheet
from ledger_service.services.reviewing.digest import Digest
from ledger_service.web.console.rendering import content_of, in_plain_words, render

SORTS_SHOWN: Final = 40
"""So many sorts of failures, the most frequent ones, with their evidence."""
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()<>#+!|~&])")
_LEADING: Final = re.compile(r"^(\d*)([-.)])")


def digest_html(digest: Digest) -> str:
    """Return a digest as one HTML page without outside assets."""
    return render("reports/digest.html.jinja", digest=digest, style=_style())


def packet_html(sheet: Sheet) -> str:
    """Return a packet as one HTML page without outside assets: what could be said, what was held back, the line."""
    return render("reports/packet.html.jinja", sheet=sheet, style=_style(), **in_words(sheet))


def packet_markdown(sheet: Sheet) -> str:
    """Return a packet as Markdown."""
    packet, naming = sheet.packet, sheet.naming
    return _tidy(
        _plain().get_template("reports/packet.md.jinja").render(
            sheet=sheet, packet=packet, p=sheet.listed.playthrough, me=naming.person(packet.speaker),
            to=words.names(packet.audience, naming), clock=words.clock(packet.at.tick), **in_words(sheet),
        )
    )  # fmt: skip


def in_words(sheet: Sheet) -> dict[str, Any]:
    """Return what the record says of the line, and what follows by the rules, in words."""
    packet = sheet.packet
    return {
        "flags": [(flag, words.flag_in_words(flag, sheet.statements)) for flag in packet.flags],
        "consequences": [(words.consequence_in_words(c, packet, sheet.world), c) for c in packet.consequences],
    }


def run_html(report: RunReport) -> str:
    """Return a run of probes as one HTML page without outside assets: verdict, heat maps, failures with evidence."""
    return render("reports/run.html.jinja", report=report, most=SORTS_SHOWN, style=_style())


def run_markdown(report: RunReport) -> str:
    """Return a run of probes as Markdown."""
    view = report.view
    template = _plain().get_template("reports/run.md.jinja")
    return _tidy(
        template.render(
            report=report, view=view, run=view.seen.row, s=view.summary, most=SORTS_SHOWN, word=view.verdict.word
        )
    )


def digest_markdown(digest: Digest) -> str:
    """Return a digest as Markdown."""
    here = digest.here
    template = _plain().get_template("reports/digest.md.jinja")
    clock = words.clock(here.at.tick)
    return _tidy(template.render(digest=digest, here=here, p=here.listed.playthrough, clock=clock))


def _tidy(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def in_markdown(text: str) -> str:
    r"""Return a text so that Markdown shows it as it is, on one line.

    >>> in_markdown("a *b*\n<script>")
    'a \\*b\\* \\<script\\>'
    """
    return _LEADING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", " ".join(str(text).split())))


def _style() -> Markup:
    """Return our style sheet, which holds nothing of anybody else's."""
    return Markup((content_of("console.css") or b"").decode())  # noqa: S704


@lru_cache(maxsize=1)
def _plain() -> Environment:
    made = Environment(  # noqa: S701  (Markdown: `md` escapes it)
        loader=PackageLoader("ledger_service.web.console"), undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {"md": in_markdown, "words": in_plain_words}
    return made
