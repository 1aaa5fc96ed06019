"""Commands about events: post a batch."""

import sys
from pathlib import Path
from typing import Any

import click

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.run import (
    Group,
    console,
    emit,
    in_application,
    json_option,
)
from ledger_service.probing.documents import decode_event
from ledger_service.probing.source import read_source
from ledger_service.services.record_event import record_events


@click.group(cls=Group)
def event() -> None:
    """Post events."""


@event.command("post")
@click.argument("playthrough_id")
@click.argument("file", type=click.Path(allow_dash=True, dir_okay=False, path_type=Path))
@click.option("--expected-seq", type=int, help="Refuse when the history does not end here.")
@json_option
def event_post(playthrough_id: str, file: Path, expected_seq: int | None, as_json: bool) -> None:
    """Post a batch of events (a JSON or YAML list; `-` is standard input), all or nothing.

    Example: echo '[{"kind":"time_passed","hours":2,"key":"k1"}]' | continuity event post p12ab -
    """
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    source = read_source(content, str(file))
    raw = source.values if isinstance(source.values, list) else [source.values]
    events = [decode_event(source, at=f"$[{i}]", value=value) for i, value in enumerate(raw)]

    async def use(app: Application) -> Any:  # noqa: ANN401
        return await record_events(
            playthrough_id,
            events,
            open_uow=app.open_uow,
            embedder=app.reading.embedder,
            expected_seq=expected_seq,
        )

    receipts = in_application(use, graph=False)
    if as_json:
        emit(receipts)
        return
    rows = (
        (str(r.seq), r.kind, r.outcome, "\n".join(f"{e.outcome}: {e.statement}" for e in r.entries), str(len(r.ended)))
        for r in receipts
    )
    console.print(show.rows("Events", ("seq", "kind", "outcome", "entries", "ended"), rows))
