"""When a worker on a run claims no more: asked to, out of budget, or because the provider is away."""

import anyio

from ledger_service.domain.probe_runs import Attempt
from ledger_service.domain.probes import ResultState
from ledger_service.services.probes.ask_cell import PROVIDER

BREAKS_AFTER = 5
"""So many provider errors in a row, and nobody is asked further."""


class Stop:
    """What a worker looks at before each try; the first reason to stop counts."""

    def __init__(
        self,
        *,
        most_tries: int | None = None,
        most_seconds: float | None = None,
        most_spent: float | None = None,
        spent: float = 0,
    ) -> None:
        self.reason = ""
        self.spent = spent
        self._most_tries = most_tries
        self._most_spent = most_spent
        self._until = None if most_seconds is None else anyio.current_time() + most_seconds
        self.tries = 0
        self.broken_in_a_row = 0

    def ask(self, reason: str) -> None:
        """Stop after the try under way; the first reason counts."""
        self.reason = self.reason or reason

    def count(self, attempt: Attempt) -> None:
        """Count a try."""
        self.tries += 1
        self.spent += attempt.cost
        is_away = attempt.state is ResultState.ERROR and attempt.subtype == PROVIDER
        self.broken_in_a_row = self.broken_in_a_row + 1 if is_away else 0

    @property
    def is_set(self) -> bool:
        """Say whether to claim no more."""
        if self.broken_in_a_row >= BREAKS_AFTER:
            self.ask("provider")
        if self._most_tries is not None and self.tries >= self._most_tries:
            self.ask("budget")
        if self._until is not None and anyio.current_time() >= self._until:
            self.ask("budget")
        if self._most_spent is not None and self.spent >= self._most_spent:
            self.ask("budget")
        return bool(self.reason)
