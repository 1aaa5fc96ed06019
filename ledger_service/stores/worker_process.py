"""The service's own worker on runs of probes: a process of its own, started when there is something to ask."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping

import anyio
from anyio.abc import Process

PATIENCE_SECONDS = 5.0
_log = logging.getLogger("continuity")


class WorkerProcess:
    """Runs `continuity worker --once` beside the service, so that asking takes nothing from who plays."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = {**os.environ, **env}
        self._woken = anyio.Event()

    def wake(self) -> None:
        """Say that a run is offered."""
        self._woken.set()

    async def stay(self) -> None:
        """Start a worker each time that it is woken, until cancelled; the one under way ends after its try."""
        while True:
            await self._woken.wait()
            self._woken = anyio.Event()
            await self._work()

    async def _work(self) -> None:
        words = [sys.executable, "-m", "ledger_service", "worker", "--once", "--json"]
        async with await anyio.open_process(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self._env
        ) as process:
            try:
                code = await process.wait()
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await _drain(process)
                raise
        if code:
            _log.warning("the worker on runs of probes ended with %s; `continuity worker` says why", code)


async def _drain(process: Process) -> None:
    """Let a worker end after its try, and end it where that takes long."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)
    with anyio.move_on_after(PATIENCE_SECONDS):
        await process.wait()
        return
    with contextlib.suppress(ProcessLookupError):
        process.kill()
