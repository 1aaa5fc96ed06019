"""A provider's lane: so many requests a minute, so many at once, and none for a while where one after another broke."""

import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
from msgspec import Struct

_MINUTE = 60.0


Gate = Callable[[], AbstractAsyncContextManager[None]]
"""Holds off whoever else asks the same provider, in whatever process; one goes through at a time, and takes its gap."""


class LaneSettings(Struct, frozen=True, kw_only=True):
    """What a provider is to be spared; each process keeps to it by itself, but for a minute behind a shared gate."""

    per_minute: float = 0
    """Requests begun in any minute, evenly spaced; 0 is as many as there are."""
    in_flight: int = 8
    """Requests under way at once."""
    breaks_after: int = 5
    """So many that broke in a row, and it is left alone."""
    rests_s: float = 30.0
    """For so long; then one request tries whether it is back."""


class LaneClosed(Exception):  # noqa: N818  (never leaves the speakers)
    """The provider is being left alone."""


class Lane:
    """Keeps count of what is asked of one provider; whoever asks takes a turn."""

    def __init__(
        self,
        settings: LaneSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        gate: Gate | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._gate = gate
        self._door = anyio.Lock()
        self._places = anyio.Semaphore(settings.in_flight)
        self._next = -math.inf
        self._broken_in_a_row = 0
        self._closed_until = -math.inf
        self._last = ""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until it may be asked; what is raised within, a cancelled wait too, counts as broken.

        Raises:
            LaneClosed: it broke too often of late.
        """
        self._check()
        async with self._places:
            await self._spaced()
            self._let_one_try()
            try:
                yield
            except BaseException as error:
                self._broke(str(error) if isinstance(error, Exception) else "did not answer")
                raise
            self._broken_in_a_row, self._closed_until = 0, -math.inf

    def hold(self, seconds: float) -> None:
        """Let nobody begin for so long: the provider said so."""
        self._next = max(self._next, self._clock() + seconds)

    async def _spaced(self) -> None:
        gap = _MINUTE / self._settings.per_minute if self._settings.per_minute else 0.0
        if gap and self._gate is not None:
            async with self._door, self._gate():
                await self._sleep(max(gap, self._next - self._clock()))
            return
        now = self._clock()
        begins = max(now, self._next)
        self._next = begins + gap if gap else self._next
        await self._sleep(begins - now)

    def _check(self) -> None:
        left = self._closed_until - self._clock()
        if left > 0:
            times = f"{self._broken_in_a_row} times in a row"
            raise LaneClosed(f"{self._last} {times}, and is left alone for {left:.0f} s")

    def _let_one_try(self) -> None:
        """Look again, since others may have broken meanwhile; after a rest, shut the others out until this is back."""
        self._check()
        if self._broken_in_a_row >= self._settings.breaks_after:
            self._closed_until = self._clock() + self._settings.rests_s

    def _broke(self, how: str) -> None:
        self._last = how
        self._broken_in_a_row += 1
        if self._broken_in_a_row >= self._settings.breaks_after:
            self._closed_until = self._clock() + self._settings.rests_s
