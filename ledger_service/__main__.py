"""`python -m ledger_service`, the same as the `continuity` command."""

from ledger_service.cli.main import main

if __name__ == "__main__":
    main()
