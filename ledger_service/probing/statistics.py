"""Statistics of repeated, clustered, paired outcomes; each is checked against a published figure."""

from collections.abc import Mapping, Sequence
from math import comb, sqrt

from msgspec import Struct

from ledger_service.probing.tally import Z95, Rate, wilson


def pass_hat(passed: int, asked: int, k: int) -> float:
    """Return pass^k: the chance that k repeats drawn from those asked all pass (Yao and others 2024, tau-bench).

    >>> round(pass_hat(4, 8, 1), 3), round(pass_hat(4, 8, 4), 5)
    (0.5, 0.01429)
    >>> pass_hat(3, 8, 4)
    0.0
    """
    return comb(passed, k) / comb(asked, k) if 1 <= k <= asked else 0.0


def mcnemar(better: int, worse: int) -> float:
    """Return the exact two-sided p of McNemar's test: pairs that changed, each way (binomial with a half).

    Of ten pairs that changed, one or two the other way: twice the .011 and .055 of Siegel's table D (1956).

    >>> round(mcnemar(1, 9), 4), round(mcnemar(2, 8), 4), mcnemar(5, 5), mcnemar(0, 0)
    (0.0215, 0.1094, 1.0, 1.0)
    """
    changed = better + worse
    tail: float = sum(comb(changed, i) for i in range(min(better, worse) + 1)) / (1 << changed)
    return min(1.0, 2 * tail)


class Clustered(Struct, frozen=True, kw_only=True):
    """A rate over clusters, and how much wider its interval is than if every cell stood alone."""

    rate: Rate
    design_effect: float
    clusters: int


def clustered(clusters: Sequence[tuple[int, int]]) -> Clustered:
    """Return the rate of (passed, judged) by cluster, its interval widened by the design effect (Kish 1965).

    The variance is that of a ratio over clusters (Cochran 1977, ch. 11); the Wilson interval is then taken at the
    effective number of judgements. Ten clusters of ten that agree within count as ten, not as a hundred: Kish's
    1 + (m - 1) rho with rho = 1 is m = 10, here with its small-sample n / (n - 1).

    >>> found = clustered([(10, 10)] * 5 + [(0, 10)] * 5)
    >>> round(found.design_effect * 9 / 10, 6), found.rate.passed, found.rate.judged
    (10.0, 50, 100)
    >>> clustered([(5, 10)] * 10).design_effect
    1.0
    """
    there = [(p, n) for p, n in clusters if n]
    passed, judged = sum(p for p, _ in there), sum(n for _, n in there)
    plain = wilson(passed, judged)
    if len(there) < 2 or passed in {0, judged}:  # noqa: PLR2004  (no spread to be seen)
        return Clustered(rate=plain, design_effect=1.0, clusters=len(there))
    share = passed / judged
    spread = sum((p - share * n) ** 2 for p, n in there) * len(there) / (len(there) - 1)
    effect = max(1.0, (spread / judged**2) / (share * (1 - share) / judged))
    return Clustered(
        rate=_at(share, judged / effect, passed, judged), design_effect=round(effect, 9), clusters=len(there)
    )


def _at(share: float, effective: float, passed: int, judged: int) -> Rate:
    """Wilson's interval of a share at an effective number that need not be whole."""
    below = 1 + Z95**2 / effective
    centre = share + Z95**2 / (2 * effective)
    half = Z95 * sqrt(share * (1 - share) / effective + Z95**2 / (4 * effective**2))
    return Rate(passed=passed, judged=judged, low=(centre - half) / below, high=(centre + half) / below)


def is_decided(passed: int, asked: int, most: int, *, bar: float = 0.5) -> bool:
    """Say whether repeating further is of no use: Wilson's interval has left the bar, or nothing is left to ask.

    Four of four is [0.51, 1], three of three [0.44, 1].

    >>> is_decided(4, 4, 20), is_decided(3, 3, 20), is_decided(0, 4, 20), is_decided(2, 4, 20), is_decided(10, 20, 20)
    (True, False, True, False, True)
    """
    found = wilson(passed, asked)
    return asked >= most or found.low > bar or found.high < bar


class Comparison(Struct, frozen=True, kw_only=True):
    """Two runs, cell by cell."""

    both: int
    """Cells that were judged in both."""
    better: tuple[str, ...]
    worse: tuple[str, ...]
    p: float
    missing: int
    """Cells that only one of them judged."""

    @property
    def is_worse(self) -> bool:
        """More got worse than better, and not by chance."""
        return len(self.worse) > len(self.better) and self.p < 0.05  # noqa: PLR2004


def compare(before: Mapping[str, bool], after: Mapping[str, bool]) -> Comparison:
    """Pair two runs by cell: what failed and passes, what passed and fails, and McNemar's p.

    >>> compare({"a": True, "b": False, "c": True}, {"a": False, "b": False, "d": True})
    Comparison(both=2, better=(), worse=('a',), p=1.0, missing=2)
    """
    both = [name for name in before if name in after]
    better = tuple(n for n in both if after[n] and not before[n])
    worse = tuple(n for n in both if before[n] and not after[n])
    return Comparison(
        both=len(both), better=better, worse=worse, p=mcnemar(len(better), len(worse)),
        missing=len(before.keys() ^ after.keys()),
    )  # fmt: skip


def spread(by_wording: Mapping[int, tuple[int, int]]) -> tuple[float, float, float] | None:
    """Return the anchor's share of passes, and the lowest and highest of the wordings; 0 is the anchor.

    >>> spread({0: (9, 10), 1: (10, 10), 2: (7, 10)})
    (0.9, 0.7, 1.0)
    """
    shares = {i: passed / judged for i, (passed, judged) in by_wording.items() if judged}
    return (shares[0], min(shares.values()), max(shares.values())) if 0 in shares else None
