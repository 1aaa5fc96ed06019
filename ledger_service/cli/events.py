"""Commands about events: post a batch."""

import sys
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import (
    SEQ,
    Group,
    console,
    emit,
    in_application,
    json_option,
)
from ledger_service.domain.errors import LedgerError, StoreError
from ledger_service.probing.documents import decode_event
from ledger_service.probing.source import Source, read_source
from ledger_service.services.events.record_event import record_events


class Batch(Struct, frozen=True, kw_only=True):
    """The events of a file, and where in it they stand."""

    values: list[Any]
    under: str = "$"
    expected_seq: int | None = None

    def path(self, position: int) -> str:
        """Return the path of an event."""
        return f"{self.under}[{position}]" if self.under != "$." else "$"


def _batch(source: Source) -> Batch:
    """Return the events of a list, of an HTTP body, or one alone."""
    match source.values:
        case list() as values:
            return Batch(values=values)
        case {"events": list() as values, **more}:
            unknown = [name for name in more if name != "expected_seq"]
            if unknown:
                raise source.error(f"$.{unknown[0]}", "only `events` and `expected_seq` stand beside each other")
            expected = more.get("expected_seq")
            if not isinstance(expected, int | None) or isinstance(expected, bool):
                raise source.error("$.expected_seq", "it is a whole number")
            return Batch(values=values, under="$.events", expected_seq=expected)
        case alone:
            return Batch(values=[alone], under="$.")


def _placed(error: LedgerError, batch: Batch, source: Source) -> LedgerError:
    """Say of an error which event it is about, by file and line."""
    if error.position is None:
        return error
    placed = source.error(batch.path(error.position), str(error))
    placed.cure = error.cure
    return placed


@click.group(cls=Group)
def event() -> None:
    """Post events."""


@event.command("post")
@click.argument("playthrough_id")
@click.argument("file", type=click.Path(exists=True, allow_dash=True, dir_okay=False, path_type=Path))
@click.option("--expected-seq", type=SEQ, help="Refuse when the history does not end here.")
@json_option
def event_post(playthrough_id: str, file: Path, expected_seq: int | None, as_json: bool) -> None:
    """Post a batch of events, all or nothing: a JSON or YAML list, or the body that HTTP takes; `-` is standard input.

    Example: echo '[{"kind":"time_passed","hours":2,"key":"k1"}]' | continuity event post p12ab -
    """
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    source = read_source(content, str(file))
    batch = _batch(source)
    events = [decode_event(source, at=batch.path(i), value=value) for i, value in enumerate(batch.values)]

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await record_events(
            playthrough_id,
            events,
            open_uow=app.open_uow,
            embedder=app.reading.embedder,
            expected_seq=batch.expected_seq if expected_seq is None else expected_seq,
        )

    try:
        receipts = in_application(use, graph=False)
    except StoreError:
        raise
    except LedgerError as error:
        raise _placed(error, batch, source) from error
    if as_json:
        emit(receipts)
        return
    rows = (
        (str(r.seq), r.kind, r.outcome, "\n".join(f"{e.outcome}: {e.statement}" for e in r.entries), str(len(r.ended)))
        for r in receipts
    )
    console.print(show.rows("Events", ("seq", "kind", "outcome", "entries", "ended"), rows))
