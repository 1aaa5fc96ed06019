"""What a run of probes is asked with, here: its subject, the lines of a scripted one, its reference."""

from pathlib import Path

import msgspec

from ledger_service.bootstrap import (
    Application,
    reload_process,
    remembered_judging,
    remembered_reading,
    transcript_speaker,
)
from ledger_service.domain.errors import ContentError, MalformedError
from ledger_service.domain.probe_runs import RunPlan
from ledger_service.domain.probes import Matrix
from ledger_service.services.desk import Desk

SUBJECTS = ("template", "scripted", "faulty", "http_chat", "http_memory", "transcript")
NAMED_BY = {"http_chat": "CONTINUITY_CHAT_MODEL", "http_memory": "CONTINUITY_MEMORY_NAME"}
"""Subjects that the settings of each machine name."""
_decode_lines = msgspec.json.Decoder(dict[str, str]).decode


def desk_of(app: Application, run: RunPlan) -> Desk:
    """Return what a run is asked with.

    Raises:
        ContentError: the model that this machine would ask is another than the run's.
    """
    name = run.settings.subject
    kind = "scripted" if name == "faulty" else name.partition(":")[0]
    responder = (
        transcript_speaker(run.settings.transcript)
        if kind == "transcript"
        else app.responder(kind, run.settings.lines, asks_once=True)
    )
    if kind in NAMED_BY and responder.name != name:
        raise ContentError("subject", f"the run asks {name}, and {NAMED_BY[kind]} here says {responder.name}")
    return Desk(
        runs=app.stores.probe_runs,
        open_uow=app.open_uow,
        reading=remembered_reading(app.reading),
        reading_again=remembered_reading(app.reading),
        judging=remembered_judging(app.judging),
        graph=app.graph,
        responder=responder,
        reference=None if kind == "template" else app.responder("template"),
        repeatable=kind not in {"http_chat", "transcript"},
        afresh=reload_process(),
    )


def subject_name(app: Application, subject: str) -> str:
    """Return the name under which a run keeps its subject: a model by its own."""
    return app.responder(subject).name if subject in NAMED_BY else subject


def lines_of(subject: str, file: Path | None, matrix: Matrix) -> dict[str, str]:
    """Return what a subject that speaks from a file says.

    Raises:
        MalformedError: no file is named, or it is no JSON object of lines.
    """
    if subject == "faulty":
        return {line: p.faulty for p in matrix.pressures for line in (p.anchor, *p.paraphrases)}
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
