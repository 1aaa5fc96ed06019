"""`continuity bench probes`: what it prints, and the matrix that it widens."""

import io

from rich.console import Console

from ledger_service.cli.bench_probes import ProbeRow, table, widened
from ledger_service.probing.matrix import expand
from tests.probing import a_story


def test_each_case_is_a_row_with_its_rate_beside_that_of_one_worker():
    rows = [
        ProbeRow(case="one worker", n=1_092, seconds=9.1, per_s=120.0, ratio=1.0),
        ProbeRow(case="2 workers", n=1_092, seconds=5.2, per_s=210.0, ratio=1.75, grown_mb=-3.2),
    ]
    out = io.StringIO()
    Console(file=out, width=100).print(table(rows))
    one, two = (line.split("│")[1:-1] for line in out.getvalue().splitlines() if "worker" in line)
    assert [cell.strip() for cell in one] == ["one worker", "1,092", "9.100", "120", "1.00", "+0"]
    assert [cell.strip() for cell in two] == ["2 workers", "1,092", "5.200", "210", "1.75", "-3"]


def test_a_widened_matrix_has_as_many_cells_as_are_wanted_each_of_another_name():
    matrix = widened(a_story().matrix, 1_000)
    names = [cell.name for cell in expand(matrix)]
    assert len(names) == len(set(names)) >= 1_000
