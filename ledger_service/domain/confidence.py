"""How sure: a number from 0 to 1, its named bands, and the defaults by source."""

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from ledger_service.domain.errors import ContentError
from ledger_service.domain.story_time import HOURS_A_DAY

Confidence = Annotated[float, Meta(ge=0, le=1, description="How sure, from 0 to 1.")]

MILLION = 1_000_000
RETELL_LOSS = 0.9
NO_TRUST_EDGE = 0.5


class Band(StrEnum):
    """The name of a stretch of confidence; worlds may show other words for them."""

    CONFIRMED = "confirmed"
    LIKELY = "likely"
    UNVERIFIED = "unverified"
    DOUBTFUL = "doubtful"


_FLOORS = ((0.95, Band.CONFIRMED), (0.7, Band.LIKELY), (0.3, Band.UNVERIFIED))

DEFAULT_BY_SOURCE = {
    "witnessed": 1.0,
    "self": 1.0,
    "engine": 1.0,
    "document": 1.0,
    "derived": 1.0,
    "inferred": 0.6,
    "overheard": 0.5,
    "player_claim": 0.3,
    "generated_line": 0.3,
}


def band_of(confidence: float) -> Band:
    """Name the band; each floor belongs to the band above it.

    >>> [str(band_of(c)) for c in (1.0, 0.95, 0.7, 0.3, 0.29)]
    ['confirmed', 'confirmed', 'likely', 'unverified', 'doubtful']
    """
    return next((band for floor, band in _FLOORS if confidence >= floor), Band.DOUBTFUL)


def check_confidence(value: float, path: str) -> None:
    """Refuse what is not a number from 0 to 1 (values built by hand skip msgspec's own check).

    Raises:
        ContentError: NaN, infinite, below 0 or above 1.
    """
    if not math.isfinite(value) or not 0.0 <= value <= 1.0:
        raise ContentError(path, f"{value} is not a confidence from 0 to 1")


def retold(teller: float, trust: float | None) -> float:
    """Return what is left of a teller's confidence at the listener: teller x trust x 0.9.

    Without a trust edge the trust counts as 0.5.

    >>> retold(1.0, 0.5)
    0.45
    """
    return round(teller * (NO_TRUST_EDGE if trust is None else trust) * RETELL_LOSS, 6)


def telling_cost(trust: float) -> int:
    """Return what it costs a story to pass from a teller to somebody who trusts them: -ln trust, in whole millionths.

    Costs add up as trust multiplies, so that the cheapest route is the most trusted one; they are whole numbers, so
    that every way of adding them up says the same. It is never 0: of two routes of full trust the shorter is cheaper.

    >>> telling_cost(0.5), telling_cost(1.0)
    (693147, 1)
    """
    return max(1, round(-math.log(trust) * MILLION))


def to_millionths(confidence: float) -> int:
    """Return a confidence as the whole number that both stores keep and compare."""
    return round(confidence * MILLION)


def faded(
    c0: float, *, reinforced_at: int, now: int, kept: float = 0.97, floor: float = 0.05, after: int = 24
) -> float:
    """Return what is left of a confidence: max(floor, c0 x kept^midnights), and never more than c0.

    Midnights (ticks divisible by 24) count from the first one that lies `after` hours or more after `reinforced_at`.
    Nothing is rewritten at midnight, so that the same moment reads the same however the hours went by.

    >>> [round(faded(0.75, reinforced_at=10, now=t), 4) for t in (34, 47, 48, 72)]
    [0.75, 0.75, 0.7275, 0.7057]
    """
    first = -(-(reinforced_at + after) // HOURS_A_DAY)
    midnights = max(0, now // HOURS_A_DAY - first + 1)
    return c0 if midnights == 0 else max(min(floor, c0), round(c0 * kept**midnights, 9))


def corroborated(confidences: Iterable[float]) -> float:
    """Return how sure several tellers make somebody together: 1 - (1 - a)(1 - b)..., in whatever order they came.

    >>> round(corroborated((0.324, 0.63)), 2)
    0.75
    """
    return round(1.0 - math.prod(1.0 - c for c in sorted(confidences)), 6)
