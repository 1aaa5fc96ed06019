"""How far a run is, in words."""

from msgspec.structs import replace

from ledger_service.cli.probe_progress import came_to
from ledger_service.domain.probe_runs import Progress

FAR = Progress(
    planned=10, counts={"pass": 4, "fail": 2, "error": 1, "unscored": 0, "skipped": 1, "pending": 2},
    faults={"generation": 2, "harness": 1}, tries=9, batches=3, batches_done=1,
)  # fmt: skip


def test_what_cells_came_to_stands_before_whose_fault_it_was():
    assert came_to(FAR) == "4 pass, 2 fail, 1 error, 1 skipped, 2 pending; 2 at generation; 1 at harness"
    assert (FAR.done, FAR.adds_up) == (8, True)


def test_what_it_cost_is_said_where_it_cost_something():
    assert came_to(replace(FAR, faults={}, spent=0.25)).endswith("2 pending; spent 0.2500")
