"""Leases: a shared file lock for each live command, which the kernel drops when its process dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Lease:
    """One command's share in the servers of a home."""

    def __init__(self, run: Path) -> None:
        self._change = run / "change.lock"
        self._use = run / "use.lock"
        self._held: int | None = None

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Be the only one to start or stop servers meanwhile."""
        handle = os.open(self._change, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def hold(self) -> None:
        """Begin to use the servers."""
        self._held = os.open(self._use, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_SH)

    def release_is_last(self) -> bool:
        """Stop using the servers; say whether nobody else does."""
        if self._held is None:
            return False
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            return True
        finally:
            os.close(self._held)
            self._held = None
