"""When an entry ends by itself: never, at a time, after so many scenes or turns, or by an event."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct

from ledger_service.domain.story_time import StoryTime

Positive = Annotated[int, Meta(ge=1)]
Match = dict[str, str | int | float | bool]


class Never(Struct, frozen=True, tag="never", forbid_unknown_fields=True):
    """It does not end by itself."""


class AtTick(Struct, frozen=True, tag="at_tick", forbid_unknown_fields=True):
    """It has ended at this tick and after."""

    tick: Annotated[int, Meta(ge=0)]


class AfterScenes(Struct, frozen=True, tag="after_scenes", forbid_unknown_fields=True):
    """It ends at the n-th change of scene after it was written."""

    scenes: Positive


class AfterTurns(Struct, frozen=True, tag="after_turns", forbid_unknown_fields=True):
    """It ends at the n-th utterance after it was written."""

    turns: Positive


class OnEvent(Struct, frozen=True, tag="on_event", forbid_unknown_fields=True):
    """It ends when an event of this name, and with these fields, happens after it was written."""

    name: str
    match: Match = {}


class AnyOf(Struct, frozen=True, tag="any_of", forbid_unknown_fields=True):
    """It ends with the first of these."""

    of: Annotated[tuple["Expiry", ...], Meta(min_length=1)]


class AllOf(Struct, frozen=True, tag="all_of", forbid_unknown_fields=True):
    """It ends once all of these have come."""

    of: Annotated[tuple["Expiry", ...], Meta(min_length=1)]


Expiry = Never | AtTick | AfterScenes | AfterTurns | OnEvent | AnyOf | AllOf

NEVER = Never()

Happened = Callable[[str, Match], bool]
"""Did an event of that name, with those fields, happen after the entry was written?"""


def has_expired(expiry: Expiry, *, written: StoryTime, now: StoryTime, happened: Happened) -> bool:
    """Say whether an entry has ended; intervals are half-open, so at the very tick it has.

    >>> has_expired(AtTick(9), written=StoryTime(tick=1), now=StoryTime(tick=9), happened=lambda n, m: False)
    True
    """
    match expiry:
        case Never():
            return False
        case AtTick(tick=tick):
            return now.tick >= tick
        case AfterScenes(scenes=scenes):
            return now.scene - written.scene >= scenes
        case AfterTurns(turns=turns):
            return now.turn - written.turn >= turns
        case OnEvent(name=name, match=match):
            return happened(name, match)
        case AnyOf(of=of):
            return any(has_expired(one, written=written, now=now, happened=happened) for one in of)
        case AllOf(of=of):
            return all(has_expired(one, written=written, now=now, happened=happened) for one in of)


def can_come(expiry: Expiry) -> bool:
    """Say whether an ending can come at all, as far as its parts are such that do.

    >>> can_come(AllOf((Never(), AtTick(9)))), can_come(AnyOf((Never(), AtTick(9))))
    (False, True)
    """
    match expiry:
        case Never():
            return False
        case AnyOf(of=of):
            return any(can_come(one) for one in of)
        case AllOf(of=of):
            return all(can_come(one) for one in of)
        case _:
            return True


def leaves(expiry: Expiry) -> tuple[Never | AtTick | AfterScenes | AfterTurns | OnEvent, ...]:
    """Return the simple endings that an expiry is built of, for indexing and for checks."""
    match expiry:
        case AnyOf(of=of) | AllOf(of=of):
            return tuple(leaf for one in of for leaf in leaves(one))
        case _:
            return (expiry,)


def in_words(expiry: Expiry) -> str:
    """Say what would end an entry, for the fifth of the five questions.

    >>> in_words(AnyOf((OnEvent("private_debrief"), AfterScenes(2))))
    'private debrief, or 2 scene changes, whichever comes first'
    """
    match expiry:
        case Never():
            return "nothing by itself"
        case AtTick(tick=tick):
            return f"tick {tick}"
        case AfterScenes(scenes=n):
            return f"{n} scene change{'s' if n > 1 else ''}"
        case AfterTurns(turns=n):
            return f"{n} line{'s' if n > 1 else ''}"
        case OnEvent(name=name):
            return name.replace("_", " ")
        case AnyOf(of=of):
            return ", or ".join(in_words(one) for one in of) + ", whichever comes first"
        case AllOf(of=of):
            return " and ".join(in_words(one) for one in of)
