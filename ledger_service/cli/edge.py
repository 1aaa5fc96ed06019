"""The outermost edge of the command line: whatever happens, a person reads one line with a cure, and gets a code."""

import io
import os
import sys
import traceback
from collections.abc import Sequence

import click

from ledger_service.bootstrap import single
from ledger_service.cli.main import main
from ledger_service.cli.run import BAD_INPUT, OUR_FAULT, code_of, say_error, say_stopped
from ledger_service.domain.errors import LedgerError, MalformedError

DEBUG = "CONTINUITY_DEBUG"


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        _check_text(arguments)
        found = main.main(args=list(arguments), prog_name="continuity", standalone_mode=False)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        return say_stopped()
    except click.Abort:
        return say_stopped()
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except BaseException as error:  # noqa: BLE001  (nothing lies further out)
        return _told(error, debug=bool(os.environ.get(DEBUG)) or "--debug" in arguments)
    return found if isinstance(found, int) else 0


def _check_text(arguments: Sequence[str]) -> None:
    for i, argument in enumerate(arguments, start=1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument.encode(errors="surrogateescape").decode(errors="replace")
            raise MalformedError(f"argument {i} ({shown!r})", "is no UTF-8 text") from None


def _told(error: BaseException, *, debug: bool) -> int:
    """Say what happened in a line and what to do in another; the details only where they are asked for."""
    if debug:
        traceback.print_exception(error)
    match single(error) if isinstance(error, BaseExceptionGroup) else error:
        case KeyboardInterrupt():
            return say_stopped()
        case LedgerError() as ours:
            say_error(str(ours), ours.cure)
            return code_of(ours)
        case RecursionError():
            say_error("what was given is nested too deeply", "take out some of its levels; a story needs a dozen")
            return BAD_INPUT
        case MemoryError():
            say_error("there is not enough memory for this", "give it less at once, or close other programs")
            return OUR_FAULT
        case OSError() as refused:
            where = f"{refused.filename}: " if refused.filename else ""
            say_error(f"{where}{refused.strerror or refused}", "see that it is there, may be used, and has room")
            return BAD_INPUT
        case other:
            said = " ".join(str(other).split())[:200]
            cure = f"run it again with {DEBUG}=1 for the details; `continuity doctor` checks both stores"
            say_error(f"something that nobody foresaw: {type(other).__name__}: {said}", cure)
            return OUR_FAULT
