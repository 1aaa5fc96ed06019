"""Server processes: started in their own session, and explained when they will not start."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded.folders import Folders
from ledger_service.stores.embedded.watch import stop_pid

_KEPT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")


class Sign(Struct, frozen=True):
    """Words in a server's log, what they mean and what to do."""

    text: str
    why: str
    cure: str


_LIBRARY = "install the system library that is named (Debian: libgomp1 libssl3 libstdc++6 zlib1g)"
_ROOM = "make room, or set CONTINUITY_HOME to a folder on another disk"
_AGAIN = "restore the data folder from a backup, or move it away to begin anew"
SIGNS: Final = (
    Sign("No space left on device", "the disk is full", _ROOM),
    Sign("Disk quota exceeded", "the disk is full", _ROOM),
    Sign("error while loading shared libraries", "a system library is missing", _LIBRARY),
    Sign("cannot open shared object file", "a system library is missing", _LIBRARY),
    Sign("GLIBC", "the system's C library is too old", "use a newer system, or real servers (CONTINUITY_POSTGRES_URL)"),
    Sign("incompatible with server", "the data folder is of another PostgreSQL version", "move it away to begin anew"),
    Sign("already exists", "another server uses the data folder", "end it, or set CONTINUITY_HOME to another folder"),
    Sign("still in use", "processes of an earlier server still run", "end them, then try again"),
    Sign("has wrong ownership", "the data folder belongs to another user", "run as that user, or choose another home"),
    Sign("has invalid permissions", "others may read the data folder", "run `chmod 700` on its folder `postgres`"),
    Sign("shared memory", "there is no shared memory left", "free some, or give the container more (--shm-size)"),
    Sign("Cannot allocate memory", "there is no memory left", "free some; the two servers need about 300 MB"),
    Sign("does not exist", "a part of the data folder is missing", _AGAIN),
    Sign("PANIC", "the data folder is damaged", _AGAIN),
    Sign("could not open file", "the data folder is damaged", _AGAIN),
    Sign("could not read file", "the data folder is damaged", _AGAIN),
    Sign("invalid", "the data folder is damaged", _AGAIN),
    Sign("FATAL", "it refuses", _AGAIN),
)


def spawn(command: Sequence[str], folders: Folders, *, log: Path, cwd: Path) -> "subprocess.Popen[bytes]":
    """Start a server that neither our terminal nor our end takes along.

    Raises:
        StoreSetupError: the binary cannot be run.
    """
    account = folders.account
    log.unlink(missing_ok=True)
    with log.open("xb") as output:
        try:
            return subprocess.Popen(  # noqa: S603  (our own binaries, arguments as a list)
                command,
                cwd=cwd,
                env={name: os.environ[name] for name in _KEPT if name in os.environ} | {"LC_ALL": "C", "TZ": "UTC"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                umask=0o077,
                user=None if account is None else account.uid,
                group=None if account is None else account.gid,
                extra_groups=None if account is None else [],
            )
        except OSError as error:
            cure = "install continuity-ledger again, on Linux (glibc) or macOS, or use real servers"
            raise StoreSetupError(f"{Path(command[0]).name} cannot be run: {error.strerror}", cure=cure) from error


def wait_until(
    ready: Callable[[], bool], process: "subprocess.Popen[bytes]", *, seconds: float, name: str, log: Path
) -> None:
    """Wait for a server to answer; from then on it is nobody's child to wait for.

    Raises:
        StoreSetupError: it ended, or did not answer in time; with the reason its log gives.
    """
    until = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None:
            raise explain(name, log)
        if time.monotonic() > until:
            stop_pid(process.pid)
            raise StoreSetupError(f"{name} does not answer after {seconds:.0f} s", cure=f"see its log, {log}")
        time.sleep(0.005)
    process.returncode = 0  # it outlives us on purpose; else Popen warns


def explain(name: str, log: Path) -> StoreSetupError:
    """Turn the end of a server's log into one line and a cure."""
    lines = log.read_text(errors="replace")[-8_000:].splitlines() if log.exists() else []
    for sign in SIGNS:
        found = next((line for line in lines if sign.text in line and "HINT" not in line), None)
        if found is not None:
            detail = found.split(": ", 1)[-1].strip()[:200]
            return StoreSetupError(f"{name} does not start: {sign.why} ({detail})", cure=sign.cure)
    return StoreSetupError(
        f"{name} does not start: {lines[-1][:200] if lines else 'it says nothing'}", cure=f"see {log}"
    )
