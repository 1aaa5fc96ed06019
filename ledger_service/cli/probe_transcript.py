"""Transcripts on the command line: the rows to be filled in elsewhere, and those that a run takes up."""

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio
import click
import msgspec
from msgspec.structs import replace

from ledger_service.bootstrap import find_story, new_record, open_judging, open_reading
from ledger_service.cli.probe_desk import only_option
from ledger_service.cli.run import errors, json_option
from ledger_service.domain.errors import ContentError, MalformedError
from ledger_service.domain.probe_runs import RunSettings
from ledger_service.domain.probes import Matrix
from ledger_service.domain.transcripts import Recorded
from ledger_service.domain.worlds import World
from ledger_service.probing.documents import History
from ledger_service.probing.matrix import expand
from ledger_service.probing.summary import NOTHING
from ledger_service.probing.transcript import COLUMNS, matched, missing, read_transcript
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.blank_transcript import blank_transcript

TRANSCRIPT = "transcript"
_MOST_NAMED = 5


def with_transcript(
    settings: RunSettings, file: Path | None, world: World, history: History, matrix: Matrix
) -> RunSettings:
    """Return a run's settings with the lines of the transcript that is its subject; says what has none.

    Raises:
        MalformedError: no file is named.
        StoryFileError: a row that cannot be read, that is of no cell of the run, or that stands twice.
    """
    if settings.subject != TRANSCRIPT:
        return settings
    if file is None:
        raise MalformedError("--lines", "a transcript stands in a file, and none is named")
    _, kept = probe_runs.plan(world, history, matrix, settings)
    selected = [c.cell for c in kept]
    rows = read_transcript(file.read_bytes(), str(file))
    found = matched(rows, expand(matrix), selected, repeats=settings.repeats, file=str(file))
    left = missing(found, selected, repeats=settings.repeats)
    if left:
        named = ", ".join(left[:_MOST_NAMED]) + (" ..." if len(left) > _MOST_NAMED else "")
        asked = len(left) + len(found)
        errors.print(f"{file}: {len(left)} of {asked} lines are missing: {named}", markup=False, soft_wrap=True)
    return replace(settings, transcript=found)


@click.command("transcript-template")
@click.argument("story")
@only_option
@click.option("--repeats", type=click.IntRange(1, 100), help="Rows for each cell; else as many as the matrix says.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV instead of JSON Lines.")
@json_option
def transcript_template(story: str, only: tuple[str, ...], repeats: int | None, *, as_csv: bool, as_json: bool) -> None:
    """Print the rows of a transcript to be filled in elsewhere: each cell, who asks whom what, and the prompt.

    Fill in `line`; `continuity probe run STORY --subject transcript --lines FILE` scores it, and needs no model.
    A row whose packet has changed since is an error of that row. Columns: `continuity schema transcript`.

    Example: continuity probe transcript-template maelin --only two_scenes > lines.jsonl
    """
    if as_csv and as_json:
        raise ContentError("--csv", "it is either CSV or JSON")
    found = find_story(story)
    settings = RunSettings(only=only, repeats=repeats or found.matrix.repeats.most)
    _, kept = probe_runs.plan(found.world, found.history, found.matrix, settings)
    if not kept:
        errors.print(f"nothing is selected by {' '.join(only)}", markup=False)
        raise SystemExit(NOTHING)
    as_text = _csv_row if as_csv else _json_row

    async def print_all() -> None:
        reading = open_reading()
        judging = open_judging(reading)
        rows = blank_transcript(
            found.world, found.history, found.matrix, kept, repeats=settings.repeats, open_uow=new_record(),
            reading=reading, judging=judging,
        )  # fmt: skip
        if as_csv:
            sys.stdout.write(_csv_text(COLUMNS))
        async for row in rows:
            sys.stdout.write(as_text(row))

    anyio.run(print_all)


def _json_row(row: Recorded) -> str:
    return msgspec.json.encode({"cell": row.cell, "line": ""} | msgspec.to_builtins(row)).decode() + "\n"


def _csv_row(row: Recorded) -> str:
    return _csv_text([getattr(row, name) for name in COLUMNS])


def _csv_text(values: Sequence[object]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(values)
    return text.getvalue()
