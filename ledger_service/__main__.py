"""`python -m ledger_service`, the same as the `continuity` command."""

import signal
import sys

STOPPED = 130


def main() -> None:
    """Run a command; stopped at any moment, also while it is still being loaded, it ends with one line."""
    try:
        from ledger_service.cli.edge import run  # noqa: PLC0415  (loading it is what may be stopped)

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        code = STOPPED
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    main()
