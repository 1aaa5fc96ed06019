"""Read a transcript, and hold it against the cells of a run: what is surplus, what stands twice, what is missing."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probes import Cell
from ledger_service.domain.texts import MOST_LETTERS, why_not_kept
from ledger_service.domain.transcripts import Recorded

COLUMNS: Final = tuple(field.name for field in msgspec.structs.fields(Recorded))
MOST_BYTES: Final = 200_000_000
_decode = msgspec.json.Decoder(Recorded).decode
Placed = tuple[int, Recorded]
"""A row with the line of the file on which it stands."""


def read_transcript(raw: bytes, file: str) -> tuple[Placed, ...]:
    """Read JSONL, or CSV with a header where the first line is no JSON object.

    Raises:
        StoryFileError: with the line at which it cannot be read.
    """
    if len(raw) > MOST_BYTES:
        raise StoryFileError(file, f"has {len(raw):,} bytes, and at most {MOST_BYTES:,} are read")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StoryFileError(file, f"is no UTF-8 text ({error.reason} at byte {error.start})") from error
    if not text.strip():
        raise StoryFileError(file, "is empty; `continuity probe transcript-template` writes the rows to be filled in")
    rows = tuple(_jsonl(text, file) if text.lstrip()[0] in "{[" else _csv(text, file))
    for at, row in rows:
        why = _why_unfit(row)
        if why:
            raise StoryFileError(file, f"{row.cell}: {why}", line=at)
    return rows


def _jsonl(text: str, file: str) -> Iterator[Placed]:
    for at, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield at, _row(line.encode(), file, at)


def _row(raw: bytes, file: str, at: int) -> Recorded:
    try:
        return _decode(raw)
    except msgspec.MsgspecError as error:
        raise StoryFileError(file, f"is no row of a transcript: {error}", line=at) from error


def _csv(text: str, file: str) -> Iterator[Placed]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader)]
        _check_header(header, file)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, _from_csv(header, cells, file, reader.line_num)
    except csv.Error as error:
        raise StoryFileError(file, f"is no CSV: {error}", line=reader.line_num) from error


def _check_header(header: Sequence[str], file: str) -> None:
    unknown = [name for name in header if name not in COLUMNS]
    if unknown or "cell" not in header or "line" not in header or len(set(header)) < len(header):
        named = f"; there is no {unknown[0]!r}" if unknown else ""
        why = f"the first line names the columns, `cell` and `line` among them, each once{named}"
        raise StoryFileError(file, f"{why} (there are {', '.join(COLUMNS)})", line=1)


def _from_csv(header: Sequence[str], cells: Sequence[str], file: str, at: int) -> Recorded:
    if len(cells) != len(header):
        raise StoryFileError(file, f"has {len(cells)} columns, and the first line names {len(header)}", line=at)
    given: dict[str, Any] = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
    try:
        return msgspec.convert(given, Recorded, strict=False)
    except msgspec.ValidationError as error:
        raise StoryFileError(file, f"is no row of a transcript: {error}", line=at) from error


def _why_unfit(row: Recorded) -> str:
    if len(row.line) > MOST_LETTERS:
        return f"its line has {len(row.line)} characters, and at most {MOST_LETTERS} can be said at once"
    return why_not_kept(row.line) or ""


def matched(
    rows: Sequence[Placed], cells: Sequence[Cell], selected: Sequence[Cell], *, repeats: int, file: str
) -> dict[str, Recorded]:
    """Return the lines of the selected cells by `key_of`, without what no run reads.

    Raises:
        StoryFileError: a line of a cell that there is not, or that is skipped; a line too many; two of one repeat.
    """
    there = {cell.name: cell for cell in cells}
    wanted = {cell.name for cell in selected}
    first: dict[str, int] = {}
    found: dict[str, Recorded] = {}
    for at, row in rows:
        why = _surplus(row, there, repeats)
        key = key_of(row.cell, row.repeat)
        if not why and key in first:
            why = f"stands on line {first[key]} too; a repeat has one line"
        if why:
            raise StoryFileError(file, f"{row.cell}: {why}", line=at)
        first[key] = at
        if row.line.strip() and row.cell in wanted:
            found[key] = replace(row, speaker="", listener="", asked="", prompt="")
    return found


def _surplus(row: Recorded, there: Mapping[str, Cell], repeats: int) -> str:
    cell = there.get(row.cell)
    if cell is None:
        return "the matrix has no such cell; `continuity probe transcript-template` writes those it has"
    if cell.skipped:
        return f"is not asked ({cell.skipped})"
    return f"repeat {row.repeat} is one too many; the run asks {repeats} (--repeats)" if row.repeat > repeats else ""


def key_of(cell: str, repeat: int) -> str:
    """Name one repeat of one cell."""
    return cell if repeat == 1 else f"{cell}#{repeat}"


def missing(found: Mapping[str, Recorded], selected: Sequence[Cell], *, repeats: int) -> tuple[str, ...]:
    """Return what is to be asked and has no line, in order."""
    asked = (cell.name for cell in selected if not cell.skipped)
    return tuple(key for name in asked for n in range(1, repeats + 1) if (key := key_of(name, n)) not in found)
