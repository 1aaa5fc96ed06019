"""Rows on a terminal of any width: a table where every column has room for its words, else a block for each row."""

from collections.abc import Iterable, Sequence
from itertools import compress

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

Cell = str | Text
ROOM = 24
"""A column that holds more than this may be wrapped, to this width and no further."""
BETWEEN = 3
"""What a border and its spaces take beside each column."""
SHORT = 4
"""A first cell up to this long, such as a number, stands before the second one."""


class Listing:
    """Rows under named columns; a column in which nothing stands is left out."""

    def __init__(self, title: str, columns: Sequence[str], rows: Iterable[Iterable[Cell]]) -> None:
        self.title = title
        told = [tuple(_text(cell) for cell in row) for row in rows]
        used = [any(row[i].plain.strip() for row in told) or not told for i, _ in enumerate(columns)]
        self.columns = tuple(compress(columns, used))
        self.rows = [tuple(compress(row, used)) for row in told]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the rows as the width allows."""
        widths = self._widths(options.max_width - 1)
        if widths is not None:
            yield self._table(widths)
            return
        yield Text(self.title, style="italic bold")
        for row in self.rows:
            yield from self._block(row)
        yield Text()

    def _widths(self, room: int) -> list[int] | None:
        """Return how wide each column is to be; None where they have no room beside one another."""
        columns = list(zip(*self.rows, strict=True)) if self.rows else [() for _ in self.columns]
        natural = [_widest(name, cells) for name, cells in zip(self.columns, columns, strict=True)]
        widths = [min(n, max(ROOM, _longest_word(cells))) for n, cells in zip(natural, columns, strict=True)]
        spare = room - BETWEEN * len(widths) - sum(widths)
        if spare < 0:
            return None
        for _ in range(spare):
            tightest = max(range(len(widths)), key=lambda i: natural[i] / widths[i])
            if natural[tightest] <= widths[tightest]:
                break
            widths[tightest] += 1
        return widths

    def _table(self, widths: Sequence[int]) -> Table:
        table = Table(title=self.title, title_justify="left")
        for name, width in zip(self.columns, widths, strict=True):
            table.add_column(name, overflow="fold", width=width)
        for row in self.rows:
            table.add_row(*row)
        return table

    def _block(self, row: Sequence[Text]) -> Iterable[Text | Padding]:
        """Draw one row: what it is on a line of its own, and the rest beneath, each with its column's name."""
        heads = 2 if row[0].cell_len <= SHORT and len(row) > 1 else 1
        yield Text(" ", overflow="fold").join(row[:heads])
        named = [
            Text.assemble((f"{name}: " if name else "", "dim"), cell)
            for name, cell in zip(self.columns[heads:], row[heads:], strict=True)
            if cell.plain.strip()
        ]
        if named:
            yield Padding(Text(" · ", overflow="fold").join(named), (0, 0, 0, SHORT))


def _text(cell: Cell) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))


def _widest(name: str, cells: Iterable[Text]) -> int:
    return max(1, cell_len(name), *(cell_len(line) for cell in cells for line in cell.plain.splitlines()))


def _longest_word(cells: Iterable[Text]) -> int:
    return max((cell_len(word) for cell in cells for word in cell.plain.split()), default=0)
