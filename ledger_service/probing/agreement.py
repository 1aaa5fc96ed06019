"""How well a judge agrees with people: Cohen's kappa with its interval, and whether that is enough to gate."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Final

from msgspec import Struct

from ledger_service.probing.tally import Z95

ENOUGH_ITEMS: Final = 50
ENOUGH_KAPPA: Final = 0.6


class Agreement(Struct, frozen=True, kw_only=True):
    """Two readers of the same items."""

    n: int
    raw: float
    base_rate: float
    """Share of items that people fail."""
    kappa: float
    low: float
    high: float
    confusion: dict[str, int]
    """`people/judge` to the number of items."""
    unscored: int = 0
    self_consistency: float | None = None
    """Share of items that the judge answers alike when asked again."""
    milliseconds: float = 0
    tokens: int = 0

    @property
    def may_gate(self) -> bool:
        """Say whether a judge may fail a run: kappa of at least 0.6 on at least 50 items."""
        return self.n >= ENOUGH_ITEMS and self.kappa >= ENOUGH_KAPPA


def agreement(pairs: Sequence[tuple[str, str]]) -> Agreement:
    """Compare people's labels with a judge's.

    >>> agreement([("pass", "pass"), ("fail", "fail")] * 30).may_gate
    True
    """
    n = len(pairs)
    if n == 0:
        return Agreement(n=0, raw=0.0, base_rate=0.0, kappa=0.0, low=-1.0, high=1.0, confusion={})
    people, judge = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    same = sum(a == b for a, b in pairs) / n
    chance = sum(people[label] * judge[label] for label in people) / n**2
    kappa = (same - chance) / (1 - chance) if chance < 1 else 0.0
    spread = Z95 * sqrt(same * (1 - same) / n) / (1 - chance) if chance < 1 else 1.0
    return Agreement(
        n=n,
        raw=round(same, 4),
        base_rate=round(people["fail"] / n, 4),
        kappa=round(kappa, 4),
        low=round(max(-1.0, kappa - spread), 4),
        high=round(min(1.0, kappa + spread), 4),
        confusion={f"{a}/{b}": count for (a, b), count in sorted(Counter(pairs).items())},
    )
