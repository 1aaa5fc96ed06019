"""Where everything of a comic strip stands: panels in rows, words in their bubbles, all of it measured beforehand."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ledger_service.reporting import drawing
from ledger_service.reporting.comic_panels import Panel
from ledger_service.reporting.drawing import Box
from ledger_service.reporting.lettering import clean, width_of, wrap

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
        height = ground + NAME + METER + max(len(noted(panel)) for _, _, panel in row) * NOTE_LINE
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
    return max(LEAST_HIGH, len(lines) * leading(size) + 2 * INSET)


def noted(panel: Panel) -> list[str]:
    """Return the lines of what stands below a panel."""
    return wrap(clean(panel.note), 12, PANEL - 2 * PAD, most=2)


def leading(size: int) -> int:
    """Return how far one line is below another."""
    return size * 5 // 4


def _bubble(lines: Sequence[str], size: int, area: int) -> Box:
    wide = max(LEAST_WIDE, round(max(width_of(line, size) for line in lines)) + 2 * INSET)
    high = _high(lines, size)
    return Box((PANEL - wide) // 2, CAPTION + MARKS + SPIKE + (area - high), wide, high)
