"""Reports as files: the console's own templates with the style inside, or Markdown; neither loads or runs anything."""

import re
from functools import lru_cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ledger_service.services.digest import Digest
from ledger_service.services.packet_words import clock
from ledger_service.web.console.rendering import content_of, in_plain_words, render

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()<>#+!|~&])")
_LEADING: Final = re.compile(r"^(\d*)([-.)])")


def digest_html(digest: Digest) -> str:
    """Return a digest as one HTML page without outside assets."""
    return render("reports/digest.html.jinja", digest=digest, style=_style())


def digest_markdown(digest: Digest) -> str:
    """Return a digest as Markdown."""
    here = digest.here
    template = _plain().get_template("reports/digest.md.jinja")
    text = template.render(digest=digest, here=here, p=here.listed.playthrough, clock=clock(here.at.tick))
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
