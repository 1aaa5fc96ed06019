"""Composition root: settings in, a running application out; what was opened is closed."""

from ledger_service.bootstrap.application import Application, copying_graph, open_application, single
from ledger_service.bootstrap.files import (
    baseline_file,
    find_shipped,
    find_story,
    load_story,
    reports_folder,
    shipped_matrices,
)
from ledger_service.bootstrap.places import (
    NO_GRAPH,
    Places,
    bring_up_to_date,
    examine,
    keep_running,
    open_places,
    run_migrations,
)
from ledger_service.bootstrap.probing import NAMED_BY, bench_words, desk_of, new_record, probe_jobs, reload_process
from ledger_service.bootstrap.reading import (
    language_of,
    open_claim_reader,
    open_judging,
    open_reading,
    remembered_judging,
    remembered_reading,
    with_judge,
)
from ledger_service.bootstrap.speaking import as_said, honest_speaker, open_peers, transcript_speaker
from ledger_service.reporting.comic_strip import draw as draw_comic
from ledger_service.reporting.graph_layout import lay_out
from ledger_service.reporting.render import Worked, write_page
from ledger_service.reporting.run_files import write_reports as write_run_reports
from ledger_service.reporting.run_files import write_whole
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.bench_load import bare_round_trip, load_ledger, settle_statistics
from ledger_service.stores.postgres.bench_runs import cells_for, load_tries
from ledger_service.stores.probe_files import Story
from ledger_service.stores.rehearsal import rehearse

__all__ = [
    "NAMED_BY",
    "NO_GRAPH",
    "Application",
    "MemoryStores",
    "Places",
    "Story",
    "Worked",
    "as_said",
    "bare_round_trip",
    "baseline_file",
    "bench_words",
    "bring_up_to_date",
    "cells_for",
    "copying_graph",
    "desk_of",
    "draw_comic",
    "examine",
    "find_shipped",
    "find_story",
    "honest_speaker",
    "keep_running",
    "language_of",
    "lay_out",
    "load_ledger",
    "load_story",
    "load_tries",
    "new_record",
    "open_application",
    "open_claim_reader",
    "open_judging",
    "open_peers",
    "open_places",
    "open_reading",
    "probe_jobs",
    "rehearse",
    "reload_process",
    "remembered_judging",
    "remembered_reading",
    "reports_folder",
    "run_migrations",
    "settle_statistics",
    "shipped_matrices",
    "single",
    "transcript_speaker",
    "with_judge",
    "write_page",
    "write_run_reports",
    "write_whole",
]
