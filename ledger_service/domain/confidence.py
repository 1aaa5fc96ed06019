"""How sure: a number from 0 to 1, its named bands, and the defaults by source."""

import math
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from ledger_service.domain.errors import ContentError

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
    return round(teller * (NO_TRUST_EDGE if trust is None else trust) * RETELL_LOSS, 9)


def to_millionths(confidence: float) -> int:
    """Return a confidence as the whole number that both stores keep and compare."""
    return round(confidence * MILLION)
