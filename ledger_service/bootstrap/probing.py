"""What runs of probes and measurements are asked with."""

from ledger_service.bootstrap.application import Application
from ledger_service.bootstrap.places import Places
from ledger_service.bootstrap.reading import remembered_judging, remembered_reading
from ledger_service.bootstrap.speaking import transcript_speaker
from ledger_service.domain.errors import ContentError
from ledger_service.domain.probe_runs import RunPlan
from ledger_service.domain.terms import stem
from ledger_service.ports import (
    NewProcess,
    OpenUnitOfWork,
    ProbeJobs,
)
from ledger_service.services.probes.desk import Desk
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.new_process import ReloadProcess
from ledger_service.stores.postgres.bench_load import (
    VERBS,
    WORDS,
)

NAMED_BY = {"http_chat": "CONTINUITY_CHAT_MODEL", "http_memory": "CONTINUITY_MEMORY_NAME"}
"""Subjects of probes that the settings of each machine name."""


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


def reload_process(*, shares_record: bool = True) -> NewProcess:
    """Return how a save is loaded in a new process: from the record that it opens itself, or from a document."""
    return ReloadProcess(shares_record=shares_record)


def probe_jobs(places: Places) -> ProbeJobs:
    """Return the queue of jobs for runs of probes."""
    from ledger_service.stores.postgres.probe_jobs import PostgresProbeJobs  # noqa: PLC0415  (for a worker alone)

    return PostgresProbeJobs(places.worker_url or places.app_url)


def new_record() -> OpenUnitOfWork:
    """Return an empty record in memory, for dry runs; nothing of it is kept."""
    return MemoryStores().open_uow


def bench_words() -> tuple[list[str], list[str]]:
    """Return the stems of the words that a measured ledger is made of."""
    return [stem(w) for w in WORDS], [stem(v) for v in VERBS]
