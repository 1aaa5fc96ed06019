"""`python -m ledger_service`, the same as the `continuity` command."""

from ledger_service.cli import main

main()
