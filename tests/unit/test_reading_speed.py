"""What reading and scoring a reply costs, with room for a machine that does other things as well."""

from ledger_service.bootstrap import open_claim_reader, open_reading
from ledger_service.cli.bench_reader import measure

ROUNDS = 40


def test_a_reply_against_two_hundred_entries_costs_milliseconds_and_the_reader_little() -> None:
    figures = measure(open_claim_reader(), ROUNDS, embedder=open_reading().embedder)
    assert figures.entries == 200
    assert figures.cpu_p50_ms < 30
    assert figures.start_cpu_s < 2
    assert figures.resident_mb < 250
