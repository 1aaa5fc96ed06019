"""How fast somebody may go on: a bucket for each, that fills again with time; in this process alone."""

import time
from collections.abc import Callable

from ledger_service.domain.errors import TooOftenError

MOST_KEPT = 10_000


class Pace:
    """At most `burst` steps at once, and `per_minute` over time, for each name."""

    def __init__(
        self, what: str, *, burst: int, per_minute: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._what = what
        self._burst = burst
        self._rate = per_minute / 60
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def step(self, name: str) -> None:
        """Take a step.

        Raises:
            TooOftenError: with how long to wait.
        """
        now = self._clock()
        left = self._now(name, now)
        if left < 1:
            raise TooOftenError(self._what, (1 - left) / self._rate)
        self._left.pop(name, None)
        self._left[name] = (left - 1, now)
        while len(self._left) > MOST_KEPT:
            self._left.pop(next(iter(self._left)))

    def forgive(self, name: str) -> None:
        """Forget the steps of somebody."""
        self._left.pop(name, None)

    def _now(self, name: str, now: float) -> float:
        left, then = self._left.get(name, (float(self._burst), now))
        return min(float(self._burst), left + (now - then) * self._rate)
