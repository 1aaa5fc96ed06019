"""A chain as a comic strip: one panel a hop from who saw it to the belief, as one SVG without outside assets."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from ledger_service.domain.ids import EntryId, digest
from ledger_service.domain.rumours import ChainLink, ProvenanceChain
from ledger_service.domain.story_time import day_of, hour_of_day
from ledger_service.reporting import drawing
from ledger_service.reporting.drawing import Box, Look
from ledger_service.reporting.lettering import BOLD, clean, clip, escape, isolated, width_of, wrap
from ledger_service.rumours.provenance import NOTICED, Naming, first_hand, in_words, known_to, strands, when_in_words

COLUMNS = 4
PANEL, GAP, MARGIN, PAD = 288, 26, 24, 14
HEADER, HEADING, LEGEND_LINE = 84, 34, 18
CAPTION, MARKS, TAIL, NAME, METER = 50, 30, 26, 24, 50
SPIKE = 11
"""How far spikes and puffs may reach beyond the even outline of a bubble."""
INSET = 12
ROOM = PANEL - 2 * (PAD + SPIKE + INSET)
LEAST_WIDE, LEAST_HIGH = 120, 52
SIZES = ((16, 4), (14, 7), (12, 16))
"""Letter sizes of a bubble, each with the most lines for which it is taken."""
NOTE_LINE = 15
LEVELS = 4
"""How many ways there are to be worse than the mildest."""
TELLER, LISTENER = 70, PANEL - 70


class Panel(Struct, frozen=True, kw_only=True):
    """One hop: who told whom, in which words, and how sure that left them."""

    number: int
    link: ChainLink
    wording: str
    severity: int
    base: float
    """How sure the holder was without what others added; where this telling adds, how sure before it."""
    sure: float
    note: str
    again: bool = False
    """The holder had it before, from somebody else; this telling bears it out."""
    comes_from: int | None = None
    """The panel in which the teller got it, where that is not the one before."""
    joins: int | None = None
    """The panel whose version this telling bears out."""


class Placed(Struct, frozen=True, kw_only=True):
    """Where a panel stands, and how its words are set; the bubble is in the panel's own coordinates."""

    panel: Panel
    box: Box
    ground: int
    """How far down people stand."""
    bubble: Box
    lines: tuple[str, ...]
    size: int
    follows: bool
    """The hop before it is the panel to its left."""


class Heading(Struct, frozen=True, kw_only=True):
    """What stands above a further branch."""

    x: int
    y: int
    room: int
    words: str


class Layout(Struct, frozen=True, kw_only=True):
    """A whole strip before it is drawn."""

    width: int
    height: int
    placed: tuple[Placed, ...]
    headings: tuple[Heading, ...]


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
    pen = _Pen(called, rungs=rungs, last=len(panels), prefix=prefix)
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


# ---- panels


def panels_of(chain: ProvenanceChain) -> tuple[tuple[Panel, ...], ...]:
    """Number a chain's hops: the belief's own way first, from its far end; then every further branch likewise."""
    told: dict[EntryId, list[ChainLink]] = {}
    for link in chain.links:
        told.setdefault(link.entry_id, []).append(link)
    shown_in: dict[EntryId, int] = {}
    branches: list[tuple[Panel, ...]] = []
    number = 1
    for way in strands(chain):
        branch = []
        for link in reversed(way.links):
            again = way.joins is not None and link is way.links[0]
            source = shown_in.get(link.told_by_entry or "")
            branch.append(
                _panel(
                    number,
                    link,
                    told,
                    comes_from=None if source == number - 1 else source,
                    joins=shown_in.get(link.entry_id) if again else None,
                )
            )
            shown_in.setdefault(link.entry_id, number)
            number += 1
        branches.append(tuple(branch))
    return tuple(branches)


def _panel(
    number: int, link: ChainLink, told: dict[EntryId, list[ChainLink]], *, comes_from: int | None, joins: int | None
) -> Panel:
    mine = told[link.entry_id]
    after = link.confidence if link.after is None else link.after
    if joins is None:
        note = mine[-1].named
        if link.depth == 0 and link.left is not None and link.confidence - link.left >= NOTICED:
            note = f"{note}, faded to {link.left:.2f} since" if note else f"faded to {link.left:.2f} since"
        return Panel(
            number=number, link=link, wording=link.statement, severity=link.severity, base=min(after, link.confidence),
            sure=link.confidence, note=note, comes_from=comes_from,
        )  # fmt: skip
    before = mine[mine.index(link) - 1].after or 0.0
    theirs = told.get(link.told_by_entry or "", [link])[0]
    return Panel(
        number=number, link=link, wording=link.said or theirs.statement,
        severity=link.said_severity if link.said else theirs.severity, base=min(before, after), sure=after,
        note=f"bears it out: {before:.2f} becomes {after:.2f}", again=True, comes_from=comes_from, joins=joins,
    )  # fmt: skip


# ---- where everything stands


def lay_out(branches: Sequence[Sequence[Panel]]) -> Layout:
    """Place every panel: the belief's own way in rows, further branches beneath, beside each other where they fit."""
    rows = list(_rows(branches))
    columns = max((len(row) for row in rows), default=1)
    width = 2 * MARGIN + max(columns, 2) * (PANEL + GAP) - GAP
    placed: list[Placed] = []
    headings: list[Heading] = []
    y = HEADER
    for row in rows:
        words = [_branch_words(n, branch) if n is not None else "" for n, branch, _ in row]
        y += HEADING if any(words) else 0
        set_in = [_lettered(panel.wording) for _, _, panel in row]
        area = max(_high(lines, size) for lines, size in set_in)
        ground = CAPTION + MARKS + 2 * SPIKE + area + TAIL + drawing.TALL
        height = ground + NAME + METER + max(len(_noted(panel)) for _, _, panel in row) * NOTE_LINE
        for column, (_, branch, panel) in enumerate(row):
            x = MARGIN + column * (PANEL + GAP)
            if words[column]:
                room = min(len(branch), len(row) - column) * (PANEL + GAP) - GAP
                headings.append(Heading(x=x, y=y - 12, room=room, words=words[column]))
            lines, size = set_in[column]
            follows = column > 0 and row[column - 1][2].number == panel.number - 1 and panel is not branch[0]
            bubble = _bubble(lines, size, area)
            box = Box(x, y, PANEL, height)
            placed.append(
                Placed(
                    panel=panel, box=box, ground=ground, bubble=bubble, lines=tuple(lines), size=size, follows=follows
                )
            )
        y += height + GAP
    return Layout(width=width, height=y - GAP + 6, placed=tuple(placed), headings=tuple(headings))


_Cell = tuple[int | None, Sequence[Panel], Panel]
"""The number of a further branch at its first panel, the branch, and a panel of it."""


def _rows(branches: Sequence[Sequence[Panel]]) -> Iterator[list[_Cell]]:
    row: list[_Cell] = []
    for n, branch in enumerate(branches, start=1):
        if row and (n == 2 or len(row) + len(branch) > COLUMNS):  # noqa: PLR2004  (the first branch stands alone)
            yield row
            row = []
        for panel in branch:
            if len(row) == COLUMNS:
                yield row
                row = []
            row.append((n if n > 1 and panel is branch[0] else None, branch, panel))
    if row:
        yield row


def _branch_words(number: int, branch: Sequence[Panel]) -> str:
    begins = branch[0].comes_from
    source = f"from {begins}" if begins is not None else f"from its own source, {branch[0].number}"
    joins = branch[-1].joins
    return f"Branch {number} · {source}" + ("" if joins is None else f", joins {joins}")


def _lettered(wording: str) -> tuple[list[str], int]:
    """Set a wording as large as it goes into a bubble; what is too long even so ends in an ellipsis."""
    said = clean(wording)
    for size, most in SIZES:
        lines = wrap(said, size, ROOM, most=most + 1)
        if len(lines) <= most:
            return lines, size
    size, most = SIZES[-1]
    return wrap(said, size, ROOM, most=most), size


def _high(lines: Sequence[str], size: int) -> int:
    return max(LEAST_HIGH, len(lines) * _leading(size) + 2 * INSET)


def _noted(panel: Panel) -> list[str]:
    return wrap(clean(panel.note), 12, PANEL - 2 * PAD, most=2)


def _leading(size: int) -> int:
    return size * 5 // 4


def _bubble(lines: Sequence[str], size: int, area: int) -> Box:
    wide = max(LEAST_WIDE, round(max(width_of(line, size) for line in lines)) + 2 * INSET)
    high = _high(lines, size)
    return Box((PANEL - wide) // 2, CAPTION + MARKS + SPIKE + (area - high), wide, high)


# ---- drawing


class _Pen:
    """Draws panels with one set of names."""

    def __init__(self, called: Naming, *, rungs: int, last: int, prefix: str) -> None:
        self.called = called
        self.rungs = rungs
        self.last = last
        self.prefix = prefix

    @property
    def has_ladder(self) -> bool:
        """Wordings can be better or worse than one another."""
        return self.rungs > 1

    def panel(self, placed: Placed) -> str:
        """Draw one panel."""
        panel, box = placed.panel, placed.box
        parts = (
            f"<title>{escape(self._spoken(panel))}</title>",
            f'<rect class="frame{" join" if panel.again else ""}" width="{box.w}" height="{box.h}" rx="7"/>',
            *self._caption(panel),
            *(self._marks(panel) if self.has_ladder else ()),
            *self._speech(placed),
            *self._people(placed),
            *self._meter(panel, placed.ground + NAME),
        )
        arrow = drawing.arrow(box.x - GAP + 6, box.y + box.h // 2, GAP - 12) if placed.follows else ""
        return f'<g role="img" transform="translate({box.x} {box.y})">{"".join(parts)}</g>{arrow}'

    def _spoken(self, panel: Panel) -> str:
        link = panel.link
        who = self.called.person(link.teller) if link.teller is not None else known_to(link, self.called)
        did = f"told {self.called.person(link.holder)}" if link.teller is not None else first_hand(link.how)
        where = f" at {self.called.place(link.place)}" if link.place else ""
        rung = f" Rung {panel.severity} of {self.rungs}." if self.has_ladder else ""
        sure = f"How sure: {panel.sure:.2f}, {self.called.band(panel.sure)}."
        note = f" {panel.note}." if panel.note else ""
        begin = f"Panel {panel.number} of {self.last}. {when_in_words(link.tick)}{where}:"
        return f"{begin} {who} {did}: {panel.wording}.{rung} {sure}{note}"

    def _caption(self, panel: Panel) -> Iterable[str]:
        link = panel.link
        yield f'<path class="caption" d="M1 8 q0 -7 7 -7 H{PANEL - 8} q7 0 7 7 V{CAPTION - 6} H1 Z"/>'
        yield f'<circle class="dark" cx="24" cy="22" r="14"/>{drawing.text(str(panel.number), 24, 27, 14, "number")}'
        aside = f"from {panel.comes_from}" if panel.comes_from is not None else ""
        room = PANEL - 46 - PAD
        place = clean(self.called.place(link.place)) or "somewhere"
        yield drawing.text(clip(isolated(place), 14 * BOLD, room), 46, 19, 14, "strong start")
        when = f"day {day_of(link.tick)}, {hour_of_day(link.tick):02d}:00 · tick {link.tick}"
        left = room - (width_of(aside, 12 * BOLD) + 8 if aside else 0)
        yield drawing.text(clip(when, 12, left), 46, 36, 12, "quiet start")
        if aside:
            yield drawing.text(aside, PANEL - PAD, 36, 12, "strong end")

    def _marks(self, panel: Panel) -> Iterable[str]:
        yield drawing.marks(PAD, CAPTION + 4, panel.severity, self.rungs, praises=self.called.praises)
        words = f"rung {panel.severity} of {self.rungs}"
        yield drawing.text(words, PANEL - PAD, CAPTION + 16, 12, "quiet end")

    def level(self, severity: int) -> int:
        """Return how far up its ladder a wording is, from 0 to LEVELS."""
        span = max(1, self.rungs - 1)
        return -(-LEVELS * (min(severity, self.rungs) - 1) // span)

    def _speech(self, placed: Placed) -> Iterable[str]:
        bubble = placed.bubble
        tip = (TELLER + 16, placed.ground - drawing.TALL + 4)
        if placed.panel.link.teller is None:
            yield drawing.thought(bubble, tip)
        else:
            manner = "even" if not self.has_ladder else "puffed" if self.called.praises else "ragged"
            yield drawing.bubble(bubble, tip, self.level(placed.panel.severity), manner=manner, reach=SPIKE)
        leading = _leading(placed.size)
        top = bubble.y + (bubble.h - leading * len(placed.lines)) // 2 + placed.size
        for n, line in enumerate(placed.lines):
            yield drawing.text(line, bubble.x + bubble.w // 2, top + n * leading, placed.size, "said", turned=True)

    def _people(self, placed: Placed) -> Iterable[str]:
        link, ground = placed.panel.link, placed.ground
        yield f'<path class="fine" d="M{PAD} {ground} H{PANEL - PAD}"/>'
        if link.teller is None:
            look = Look.SEES if link.how == "witnessed" else Look.LISTENS
            yield drawing.figure(link.holder, TELLER, ground, look, prefix=self.prefix, faces_right=True)
            yield drawing.sight(LISTENER, ground - 52, seen=link.how != "document")
            yield drawing.text(first_hand(link.how), LISTENER, ground - 8, 14, "strong middle")
            yield self._name(known_to(link, self.called), TELLER, ground)
            return
        top = self.level(placed.panel.severity) >= LEVELS - 1
        look = Look.PLEASED if self.called.praises else Look.STARTLED if top and self.has_ladder else Look.LISTENS
        yield drawing.figure(link.teller, TELLER, ground, Look.TALKS, prefix=self.prefix, faces_right=True)
        yield drawing.figure(link.holder, LISTENER, ground, look, prefix=self.prefix, faces_right=False)
        yield self._name(self.called.person(link.teller), TELLER, ground)
        yield self._name(self.called.person(link.holder), LISTENER, ground)

    def _name(self, called: str, x: int, ground: int) -> str:
        name = clip(clean(called), 13 * BOLD, 2 * TELLER - 12)
        return drawing.text(name, x, ground + 17, 13, "strong middle", turned=True)

    def _meter(self, panel: Panel, y: int) -> Iterable[str]:
        teller = None if panel.again else panel.link.teller_held
        band = clip(clean(self.called.band(panel.sure)), 13, 100)
        yield drawing.text(f"{panel.sure:.2f}", PAD, y + 16, 16, "strong start")
        yield drawing.text(band, PAD + 48, y + 16, 13, "start")
        room = PANEL - 2 * PAD - 48 - width_of(band, 13) - 12
        if panel.joins is not None:
            yield drawing.text(f"joins {panel.joins}", PANEL - PAD, y + 16, 12, "strong end")
        else:
            name = isolated(self.called.person(panel.link.holder))
            yield drawing.text(clip(name, 12, room), PANEL - PAD, y + 16, 12, "quiet end")
        bar = Box(PAD, y + 24, PANEL - 2 * PAD, 11)
        yield drawing.meter(bar, base=panel.base, sure=panel.sure, teller=teller, prefix=self.prefix)
        for n, line in enumerate(_noted(panel)):
            yield drawing.text(line, PAD, y + 53 + n * NOTE_LINE, 12, "quiet start")


def _legend(width: int, *, has_ladder: bool, praises: bool) -> list[str]:
    """Say how to read the drawing, in words that need no colour."""
    words = "The bar is how sure the listener is, with ticks at 0.30, 0.70 and 0.95; hatched is what another teller"
    words += " added; dashed is how much surer the teller was, a triangle how sure the teller was where that is less."
    if has_ladder:
        outline, way = ("puffed", "better") if praises else ("ragged", "worse")
        words = f"The more marks, and the more {outline} and thick the bubble, the {way} the wording. {words}"
    return wrap(words, 12, width - 2 * MARGIN, most=6)
