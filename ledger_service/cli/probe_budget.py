"""What a run of probes may use up: tries, minutes, money; after any of them it stops, to be resumed."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, Self

import click
from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.probes import Budgets
from ledger_service.services.probes.stopping import Stop


class Budget(Struct, frozen=True, kw_only=True):
    """The most of each; None is as much as it takes."""

    tries: int | None = None
    minutes: float | None = None
    spend: float | None = None

    def within(self, budgets: Budgets) -> Self:
        """Return it with what the matrix says where nothing else is given; 0 there is no limit."""
        return replace(
            self,
            tries=self.tries or budgets.tries or None,
            minutes=self.minutes or budgets.minutes or None,
            spend=self.spend or budgets.spend or None,
        )

    @property
    def kept(self) -> Budgets:
        """Return it as a run keeps it, for all who help with it together."""
        return Budgets(tries=self.tries or 0, minutes=self.minutes or 0, spend=self.spend or 0)

    def stop(self, *, spent: float) -> Stop:
        """Return what stops a worker by it; `spent` is what the run took so far."""
        seconds = None if self.minutes is None else self.minutes * 60
        return Stop(most_tries=self.tries, most_seconds=seconds, most_spent=self.spend, spent=spent)


UNLIMITED: Final = Budget()


def budget_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a budget, and hand it over as one."""

    @click.option("--most-tries", type=click.IntRange(1), help="Budget: after so many tries it stops, to be resumed.")
    @click.option("--most-minutes", type=click.FloatRange(0, min_open=True), help="Budget in time.")
    @click.option(
        "--most-spend", type=click.FloatRange(0, min_open=True),
        help="Budget in money, over the whole run, at CONTINUITY_CHAT_PRICE_IN and _OUT.",
    )  # fmt: skip
    @wraps(command)
    def with_budget(
        *, most_tries: int | None, most_minutes: float | None, most_spend: float | None, **others: Any  # noqa: ANN401
    ) -> None:  # fmt: skip
        command(**others, budget=Budget(tries=most_tries, minutes=most_minutes, spend=most_spend))

    return with_budget
