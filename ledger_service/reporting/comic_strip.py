"""A chain as a comic strip: one panel a hop from who saw it to the belief, as one SVG without outside assets."""

from collections.abc import Sequence

from ledger_service.domain.ids import digest
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.reporting import drawing
from ledger_service.reporting.comic_layout import LEGEND_LINE, MARGIN, lay_out
from ledger_service.reporting.comic_panels import Panel, panels_of
from ledger_service.reporting.comic_pen import Pen
from ledger_service.reporting.lettering import BOLD, clean, clip, escape, isolated, wrap
from ledger_service.rumours.provenance import Naming, first_hand, in_words, known_to, when_in_words


def draw(chain: ProvenanceChain, naming: Naming | None = None) -> str:
    """Draw a chain. The same chain and names give the same bytes; nothing that was said becomes markup.

    How bad a wording is (or how good, for praise) shows in the number of marks and in the outline of its bubble: ragged
    and thick for worse, puffed and thick for better. No meaning hangs on colour.
    """
    called = naming or Naming()
    branches = panels_of(chain)
    panels = [p for branch in branches for p in branch]
    rungs = 0 if called.hides_rungs else max([called.rungs, *(p.severity for p in panels)])
    found = lay_out(branches)
    legend = _legend(found.width, has_ladder=rungs > 1, praises=called.praises)
    height = found.height + len(legend) * LEGEND_LINE + MARGIN
    prefix = "c" + digest("comic", chain.entry_id, *(clean(p.wording) for p in panels))[:8]
    pen = Pen(called, rungs=rungs, last=len(panels), prefix=prefix)
    title, below = _titles(chain, branches, called)
    told = " ".join(f"{line.rstrip(':.')}." for line in in_words(chain, naming=called))
    room = found.width - 2 * MARGIN
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{prefix}" width="{found.width}" height="{height}"'
        f' viewBox="0 0 {found.width} {height}" role="graphics-document document"'
        f' aria-labelledby="{prefix}-title" aria-describedby="{prefix}-told">'
    )
    parts = (
        opening,
        f'<title id="{prefix}-title">{escape(title)}</title>',
        f'<desc id="{prefix}-told">{escape(told)}</desc>',
        f"<style>{drawing.style(prefix)}</style>",
        f"<defs>{drawing.patterns(prefix)}</defs>",
        f'<rect class="paper" width="{found.width}" height="{height}"/>',
        drawing.text(clip(title, 22 * BOLD, room), MARGIN, 42, 22, "strong"),
        drawing.text(clip(below, 13, room), MARGIN, 65, 13, "quiet"),
        *(drawing.text(clip(h.words, 13 * BOLD, h.room), h.x, h.y, 13, "strong") for h in found.headings),
        *(pen.panel(placed) for placed in found.placed),
        *(
            drawing.text(line, MARGIN, found.height + n * LEGEND_LINE, 12, "quiet")
            for n, line in enumerate(legend, start=1)
        ),
        "</svg>\n",
    )
    return "\n".join(parts)


def _titles(chain: ProvenanceChain, branches: Sequence[Sequence[Panel]], called: Naming) -> tuple[str, str]:
    belief = next((k for k in chain.links if k.depth == 0), None)
    if belief is None:
        return "Why", "nothing is recorded"
    holder = isolated(called.person(belief.holder))
    words = f"“{isolated(belief.statement)}”"
    tellings = sum(k.teller is not None for k in chain.links)
    if not tellings:
        return f"{isolated(known_to(belief, called))} {first_hand(belief.how)}: {words}", when_in_words(belief.tick)
    start, end = branches[0][0], branches[0][-1]
    told = "one telling" if tellings == 1 else f"{tellings} tellings"
    ways = f" in {len(branches)} branches" if len(branches) > 1 else ""
    sure = f"from {start.sure:.2f} to {end.sure:.2f}" if start is not end else f"{end.sure:.2f}"
    return f"Why {holder} thinks: {words}", f"{told}{ways}; how sure: {sure}"


def _legend(width: int, *, has_ladder: bool, praises: bool) -> list[str]:
    """Say how to read the drawing, in words that need no colour."""
    words = "The bar is how sure the listener is, with ticks at 0.30, 0.70 and 0.95; hatched is what another teller"
    words += " added; dashed is how much surer the teller was, a triangle how sure the teller was where that is less."
    if has_ladder:
        outline, way = ("puffed", "better") if praises else ("ragged", "worse")
        words = f"The more marks, and the more {outline} and thick the bubble, the {way} the wording. {words}"
    return wrap(words, 12, width - 2 * MARGIN, most=6)
