"""Server processes: started in their own session, stopped by pid, and explained when they will not start."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded.folders import Folders

START_SECONDS = 30.0
STOP_SECONDS = 15.0

_CURES = (
    ("No space left on device", "the disk is full", "make room, or set CONTINUITY_HOME to a folder on another disk"),
    ("error while loading shared libraries", "a system library is missing", "install the library that the log names"),
    ("could not open shared object", "a system library is missing", "install the library that the log names"),
    (
        "database files are incompatible",
        "the data folder is of another PostgreSQL version",
        "move it away; it is made anew",
    ),
    ("could not create shared memory", "there is no shared memory left", "free some, or raise kernel.shmmax"),
    ("PANIC", "the data folder is damaged", "restore it from a backup, or move it away to begin anew"),
    ("FATAL", "the data folder is damaged or in use", "restore it from a backup, or move it away to begin anew"),
)


def spawn(
    command: Sequence[str], folders: Folders, *, log: Path, cwd: Path, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a server that neither our terminal nor our end takes along.

    Raises:
        StoreSetupError: the binary cannot be run.
    """
    with log.open("ab") as output:
        try:
            return subprocess.Popen(  # noqa: S603  (our own binaries, arguments as a list)
                command,
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                umask=0o077,
                user=folders.uid,
                group=folders.gid,
                extra_groups=None if folders.uid is None else [],
            )
        except OSError as error:
            cure = "install continuity-ledger again on a supported platform (Linux or macOS)"
            raise StoreSetupError(f"{Path(command[0]).name} cannot be run: {error.strerror}", cure=cure) from error


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], *, name: str, log: Path) -> None:
    """Wait for a server to answer.

    Raises:
        StoreSetupError: it ended, or did not answer in time; with the reason its log gives.
    """
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if ready():
            return
        if process.poll() is not None:
            raise explain(name, log)
        time.sleep(0.01)
    raise explain(name, log)


def explain(name: str, log: Path) -> StoreSetupError:
    """Turn the end of a server's log into one line and a cure."""
    tail = log.read_text(errors="replace")[-4_000:] if log.exists() else ""
    for sign, why, cure in _CURES:
        found = next((line for line in reversed(tail.splitlines()) if sign in line), None)
        if found is not None:
            detail = found.split(": ", 1)[-1].strip()[:200]
            return StoreSetupError(f"{name} does not start: {why} ({detail})", cure=cure)
    return StoreSetupError(f"{name} does not start", cure=f"see its log, {log}")


def is_alive(pid: int) -> bool:
    """Say whether a process is there and no zombie of ours."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        ended, _ = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return True
    return ended == 0


def stop_pid(pid: int, sign: signal.Signals) -> None:
    """Ask a process to stop, and insist when it does not."""
    for attempt in (sign, signal.SIGKILL):
        try:
            os.kill(pid, attempt)
        except ProcessLookupError:
            return
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until:
            if not is_alive(pid):
                return
            time.sleep(0.01)
