"""A tray: tries of a worker that are not written down yet."""

import anyio

from ledger_service.domain.probe_runs import Attempt, KeptCell
from ledger_service.ports import ProbeLease

KEEP_SECONDS = 0.1
"""What took no longer is kept together with what comes next; the answer of a model is written down at once."""


class Tray:
    """Tries that are not written down yet: a moment's worth, which a killed worker asks again."""

    def __init__(self, lease: ProbeLease) -> None:
        self._lease = lease
        self._came: list[tuple[KeptCell, Attempt]] = []
        self._since = anyio.current_time()

    async def put(self, cell: KeptCell, attempt: Attempt) -> None:
        """Take a try, and write all down where the last time was a moment ago.

        Raises:
            LostLease: the batch is somebody else's; nothing of it was written.
        """
        self._came.append((cell, attempt))
        if anyio.current_time() - self._since >= KEEP_SECONDS:
            await self.empty()

    async def empty(self) -> None:
        """Write down what is left; for errors see `put`."""
        came, self._came = self._came, []
        if came:
            await self._lease.keep(came)
        self._since = anyio.current_time()
