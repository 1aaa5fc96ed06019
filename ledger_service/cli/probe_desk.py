"""What a run of probes is asked with, here: its cells, its gate, its subject, the lines of a scripted one."""

from pathlib import Path

import click
import msgspec

from ledger_service.bootstrap import NAMED_BY, Application, desk_of
from ledger_service.domain.errors import MalformedError
from ledger_service.domain.probes import Matrix
from ledger_service.services.probes.begin_run import faulty_lines

__all__ = [
    "NAMED_BY",
    "SUBJECTS",
    "at_once_option",
    "desk_of",
    "gate_option",
    "lines_of",
    "only_option",
    "subject_name",
]

SUBJECTS = ("template", "scripted", "faulty", "http_chat", "http_memory", "transcript")
only_option = click.option(
    "--only", multiple=True, help="DISTANCE, DISTANCE/PRESSURE or a pattern of them; repeatable."
)
gate_option = click.option(
    "--gate", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="Share of cells that must pass."
)
at_once_option = click.option(
    "--at-once", type=click.IntRange(1, 12), default=1, show_default=True, help="Batches asked side by side."
)
_decode_lines = msgspec.json.Decoder(dict[str, str]).decode


def subject_name(app: Application, subject: str) -> str:
    """Return the name under which a run keeps its subject: a model by its own."""
    return app.responder(subject).name if subject in NAMED_BY else subject


def lines_of(subject: str, file: Path | None, matrix: Matrix) -> dict[str, str]:
    """Return what a subject that speaks from a file says.

    Raises:
        MalformedError: no file is named, or it is no JSON object of lines.
    """
    if subject == "faulty":
        return faulty_lines(matrix)
    if subject == "transcript":
        return {}
    if file is None:
        if subject == "scripted":
            raise MalformedError("--lines", "a scripted subject says what stands in a file, and none is named")
        return {}
    try:
        return _decode_lines(file.read_bytes())
    except (msgspec.MsgspecError, OSError) as error:
        raise MalformedError(str(file), f"is no JSON object of lines: {error}") from error
