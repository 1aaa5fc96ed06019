"""Repeatable chance: a draw is a hash of the seed and of what it is drawn for, and of nothing else."""

from ledger_service.domain.ids import CharacterId, EntryId, digest

_DIGITS = 13
_SPAN: int = 16**_DIGITS


def draw(seed: int, *, tick: int, teller: CharacterId, listener: CharacterId, origin: EntryId) -> float:
    """Return a number in [0, 1), the same for the same telling in the same story.

    >>> draw(1, tick=9, teller="pip", listener="bertha", origin="e1") == draw(
    ...     1, tick=9, teller="pip", listener="bertha", origin="e1"
    ... )
    True
    """
    drawn: int = int(digest("draw", seed, tick, teller, listener, origin)[:_DIGITS], 16)
    return drawn / _SPAN
