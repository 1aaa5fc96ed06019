"""The game's own clock: ticks, scenes, turns, and the half-open spans between them."""

from msgspec import Struct


class StoryTime(Struct, frozen=True, order=True, kw_only=True):
    """A point in the story. Within one tick, order is the event's `seq`."""

    tick: int = 0
    """Game hours since the start."""
    scene: int = 0
    turn: int = 0
    """Utterances so far, of either side."""


HOURS_A_DAY = 24


def hour_of_day(tick: int) -> int:
    """Return the hour, 0 to 23; tick 0 is midnight."""
    return tick % HOURS_A_DAY


def day_of(tick: int) -> int:
    """Return the day, the first being 1."""
    return tick // HOURS_A_DAY + 1


def in_words(ticks: int) -> str:
    """Say how long ago something was, as a person would.

    >>> [in_words(n) for n in (0, 1, 5, 24, 600)]
    ['just now', 'an hour ago', '5 hours ago', 'yesterday', '25 days ago']
    """
    days = ticks // HOURS_A_DAY
    if ticks <= 0:
        return "just now"
    if ticks == 1:
        return "an hour ago"
    if days == 0:
        return f"{ticks} hours ago"
    return "yesterday" if days == 1 else f"{days} days ago"
