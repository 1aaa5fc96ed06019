"""How far the ledger browser looks at a time, whatever it is asked for."""

from collections.abc import Sequence
from typing import Final

from ledger_service.domain.candidates import Reach

STRETCH: Final = 2_000
"""Among so many entries a page is looked for; what is rarer is found further on, page by page."""
SPREAD: Final = 10_000
"""So many rows may be looked at over all scopes: through many of them, one looks less far at a time."""


def stretch_of(reach: Reach | None, limit: int, *, is_picky: bool = True) -> int:
    """Return among how many entries a page is looked for; where all of them fit, no more than the page takes.

    >>> stretch_of(None, 50), stretch_of(None, 50, is_picky=False)
    (2000, 51)
    >>> stretch_of(Reach(scopes=(("a", 9),) * 40, now=frozenset()), 50)
    250
    """
    scopes = 1 if reach is None else max(1, len(reach.scopes))
    return max(limit + 1, min(STRETCH, SPREAD // scopes)) if is_picky else limit + 1


def by_rarity(terms: Sequence[str]) -> tuple[str, ...]:
    """Return words with the one to look up first, the longest; the others are then looked for in what it finds."""
    return tuple(sorted(terms, key=lambda term: (-len(term), term)))
