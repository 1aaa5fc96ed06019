"""A new process of ours, which knows nothing that this one remembers: what it says, it has read from the stores."""

import os
import subprocess
import sys
from collections.abc import Mapping

import anyio

from ledger_service.domain.errors import ContentError, StoreUnavailableError

SECONDS = 120
_STORE_AWAY = 3


class ReloadProcess:
    """Runs `continuity probe reload`, with the settings of this process unless others are given."""

    def __init__(self, *, shares_record: bool, env: Mapping[str, str] | None = None) -> None:
        self.shares_record = shares_record
        self._env = dict(os.environ if env is None else env)

    async def run(self, order: bytes) -> bytes:
        """Start it, give it its order and return what it prints.

        Raises:
            StoreUnavailableError: it could not open the stores.
            ContentError: it refused, broke, or took longer than two minutes.
        """
        words = [sys.executable, "-m", "ledger_service", "probe", "reload"]
        try:
            with anyio.fail_after(SECONDS):
                ended = await anyio.run_process(
                    words, input=order, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self._env, check=False
                )
        except TimeoutError:
            raise ContentError("reload", f"the new process took longer than {SECONDS} s") from None
        if ended.returncode == _STORE_AWAY:
            raise StoreUnavailableError(_said(ended.stderr))
        if ended.returncode != 0:
            raise ContentError("reload", f"the new process ended with {ended.returncode}: {_said(ended.stderr)}")
        return ended.stdout


def _said(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return lines[0].removeprefix("error: ")[:300] if lines else "it said nothing"
