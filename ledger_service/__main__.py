"""`python -m ledger_service`, the same as the `continuity` command."""

import os
import signal
import sys

STOPPED = 130
OUR_FAULT = 4


def main() -> None:
    """Run a command; stopped at any moment, also while it is still being loaded, it ends with one line."""
    try:
        from ledger_service.cli.edge import run  # noqa: PLC0415  (loading it is what may be stopped)

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        code = STOPPED
    except Exception as error:
        if os.environ.get("CONTINUITY_DEBUG"):
            raise
        sys.stderr.write(f"error: it cannot be loaded: {type(error).__name__}: {error}\n")
        sys.stderr.write("try: install it again; CONTINUITY_DEBUG=1 shows the details\n")
        code = OUR_FAULT
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    main()
