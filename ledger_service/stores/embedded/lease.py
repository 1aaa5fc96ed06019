"""Leases: a shared file lock for each live command, which the kernel drops when its process dies."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger_service.stores.embedded import watch
from ledger_service.stores.embedded.folders import graph_pid, postgres_pid, remove_run_folder


class Lease:
    """One command's share in the servers of a home."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._change = home / "locks" / "change.lock"
        self._use = home / "locks" / "use.lock"
        self._watch = home / "locks" / "watch.lock"
        self._held: int | None = None

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Be the only one to start or stop servers meanwhile."""
        handle = _open(self._change)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def hold(self) -> None:
        """Begin to use the servers, and see that they are watched."""
        self._held = _open(self._use)
        fcntl.flock(self._held, fcntl.LOCK_SH)
        self._ensure_watched()

    def release(self) -> None:
        """Stop using the servers; when nobody else does, stop them. Call it while `changing`."""
        if self._held is None:
            return
        held, self._held = self._held, None
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        else:
            watch.stop_servers(postgres_pid(self._home), graph_pid(self._home))
            remove_run_folder(self._home)
            self._end_watch()
        finally:
            os.close(held)

    def _ensure_watched(self) -> None:
        """Start the watch unless there is one: it inherits its lock, so that it holds it exactly while it lives."""
        handle = _open(self._watch)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        else:
            pid = self._start_watch(handle)
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(pid).encode(), 0)
        finally:
            os.close(handle)

    def _start_watch(self, handle: int) -> int:
        files = (self._use, self._change, postgres_pid(self._home), graph_pid(self._home))
        process = subprocess.Popen(  # noqa: S603  (this very Python, a file of ours)
            [sys.executable, "-I", "-S", watch.__file__, *files],
            cwd="/",
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[handle],
        )
        process.returncode = 0  # it outlives us on purpose; else Popen warns
        return process.pid

    def _end_watch(self) -> None:
        pid = watch.read_pid(self._watch, "watch.py")
        if pid is not None:
            watch.stop_pid(pid)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
