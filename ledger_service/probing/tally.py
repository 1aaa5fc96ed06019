"""Add up a run: totals that must come to what was planned, rates by cell, faults by stage."""

from collections import Counter
from collections.abc import Iterable
from math import sqrt

from msgspec import Struct

from ledger_service.domain.probes import CellResult, ProbeRun, ResultState

Z95 = 1.959963984540054


class Rate(Struct, frozen=True, kw_only=True):
    """Passes among those that were judged, with the Wilson score interval (Wilson 1927) at 95 %."""

    passed: int
    judged: int
    low: float
    high: float


class Tally(Struct, frozen=True, kw_only=True):
    """A run added up."""

    planned: int
    counts: dict[str, int]
    by_cell: dict[str, Rate]
    """`distance/pressure` to its rate."""
    faults: dict[str, int]

    @property
    def adds_up(self) -> bool:
        """Planned is the sum of pass, fail, error, unscored, skipped and pending."""
        return self.planned == sum(self.counts.values())

    @property
    def passed(self) -> bool:
        """Everything adds up, something passed, and nothing failed, broke or stayed open."""
        bad = (ResultState.FAIL, ResultState.ERROR, ResultState.PENDING)
        something = self.counts.get(ResultState.PASS, 0) > 0
        return self.adds_up and something and not any(self.counts.get(state, 0) for state in bad)


def wilson(passed: int, judged: int) -> Rate:
    """Return a rate with its interval.

    >>> rate = wilson(9, 9)
    >>> (round(rate.low, 2), round(rate.high, 2))
    (0.7, 1.0)

    The examples of Newcombe (1998), table I, method 3:

    >>> [(round(wilson(r, n).low, 4), round(wilson(r, n).high, 4)) for r, n in ((81, 263), (15, 148), (0, 20), (1, 29))]
    [(0.2553, 0.3662), (0.0624, 0.1605), (0.0, 0.1611), (0.0061, 0.1718)]
    """
    if judged == 0:
        return Rate(passed=0, judged=0, low=0.0, high=1.0)
    p = passed / judged
    centre = p + Z95**2 / (2 * judged)
    spread = Z95 * sqrt(p * (1 - p) / judged + Z95**2 / (4 * judged**2))
    below = 1 + Z95**2 / judged
    low = (centre - spread) / below if passed else 0.0
    high = (centre + spread) / below if passed < judged else 1.0
    return Rate(passed=passed, judged=judged, low=low, high=high)


def tally(run: ProbeRun) -> Tally:
    """Add up a run; cells that have no result yet are pending."""
    counts = Counter(str(r.state) for r in run.results)
    counts[ResultState.PENDING] += run.planned - len(run.results)
    groups: dict[str, list[CellResult]] = {}
    for result in run.results:
        groups.setdefault(f"{result.cell.distance}/{result.cell.pressure}", []).append(result)
    faults = Counter(str(r.fault) for r in run.results if r.state in {ResultState.FAIL, ResultState.ERROR})
    return Tally(
        planned=run.planned,
        counts={str(state): counts.get(state, 0) for state in ResultState},
        by_cell={name: _rate(found) for name, found in groups.items()},
        faults=dict(sorted(faults.items())),
    )


def _rate(results: Iterable[CellResult]) -> Rate:
    judged = [r for r in results if r.state in {ResultState.PASS, ResultState.FAIL, ResultState.ERROR}]
    return wilson(sum(r.state is ResultState.PASS for r in judged), len(judged))
