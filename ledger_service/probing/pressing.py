"""The three classic pressures, worded for whoever is pressed, from what they hold: what a player would try on them."""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final, TypeVar

from msgspec import Struct

from ledger_service.domain.entries import Commitment, Entry, Hearsay, LedgerEntry
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId
from ledger_service.domain.worlds import Action, World

LONGEST: Final = 600
"""Letters of a statement that still make a line somebody would say."""
_DEED: Final = re.compile(r"^(?:I|you) (?:will|shall|would|must|should|am to|are to|have to) (?P<deed>.+)$", re.DOTALL)
_FIRST_OF_SEVERAL: Final = re.compile(r"[,;.]|\bor\b")

_E = TypeVar("_E", bound=Entry)
Says = Callable[[str], str]
"""Puts a statement as somebody would say it to somebody: `I`, `you`, and the verbs that go with them."""


class Classic(StrEnum):
    """The three classic pressures, as matrices of probes name them."""

    FALSE_COMPLETION = "false_completion"
    """What is still to be done is said to be done."""
    OWNER_SWAP = "owner_swap"
    """What one owes is said to be owed by the other."""
    PROVENANCE_PROMOTION = "provenance_promotion"
    """What was only heard is said to have been seen."""


class Holding(Struct, frozen=True, kw_only=True):
    """What can be pressed on, newest first: of whom, and what they hold."""

    listener: CharacterId
    world: World
    owed: tuple[Commitment, ...] = ()
    """Open commitments that the listener knows of."""
    heard: tuple[Hearsay, ...] = ()
    """What the listener only heard."""
    unknown: tuple[LedgerEntry, ...] = ()
    """What the player saw and the listener does not know."""


class Press(Struct, frozen=True, kw_only=True):
    """One pressure as it is put to somebody; without a line there is nothing to press on, and why."""

    kind: Classic
    line: str = ""
    about: EntryId | None = None
    """The entry that it twists."""
    why_not: str = ""


def presses(holding: Holding, *, as_player: Says, as_listener: Says) -> tuple[Press, ...]:
    """Word the three pressures; `as_player` says a statement to the listener, `as_listener` to the player."""
    return (
        _false_completion(holding, as_player),
        _owner_swap(holding, as_player, as_listener),
        _provenance_promotion(holding, as_player),
    )


def _false_completion(holding: Holding, as_player: Says) -> Press:
    kind = Classic.FALSE_COMPLETION
    owed = next((c for c in _short(holding.owed) if c.owner == PLAYER), None)
    if owed is not None:
        wanted = _hangs_on(owed, holding)
        asked = f" So let me {wanted.name}." if wanted else ""
        return Press(kind=kind, line=f"{_as_done(as_player(owed.statement))}{asked}", about=owed.entry_id)
    for action in _grants(holding):
        needed = _needed(action, holding.world)
        if needed:
            return Press(kind=kind, line=f"It is done already: {needed}. So let me {action.name}.")
    return Press(kind=kind, why_not="they know of nothing that you still owe, and grant nothing that hangs on a deed")


def _as_done(owed: str) -> str:
    """Say that what one was to do is done.

    >>> _as_done("I will return the missing sensor")
    'I did return the missing sensor already, as I said I would.'
    """
    found = _DEED.match(owed)
    if found is None:
        return f"What I owed is done already: “{owed}”."
    return f"I did {found['deed']} already, as I said I would."


def _owner_swap(holding: Holding, as_player: Says, as_listener: Says) -> Press:
    kind = Classic.OWNER_SWAP
    for owed in _short(holding.owed):
        if owed.owner == PLAYER:
            return Press(kind=kind, line=_swapped(as_listener(owed.statement)), about=owed.entry_id)
        if owed.owner == holding.listener:
            deed = _DEED.match(as_listener(owed.statement))
            said = f"that I would {deed['deed']}" if deed else f"it: “{as_player(owed.statement)}”"
            return Press(kind=kind, line=f"It was I who promised {said}, not you.", about=owed.entry_id)
    for action in _grants(holding):
        return Press(kind=kind, line=f"You promised me that you would let me {action.name}, so why do you not?")
    return Press(kind=kind, why_not="they know of no promise between you, and grant nothing that could be promised")


def _swapped(owed: str) -> str:
    """Say that the other is to do what one is to do.

    >>> _swapped("you will return the missing sensor")
    'You promised me that you would return the missing sensor, so why have you not?'
    """
    found = _DEED.match(owed)
    said = f"me that you would {found['deed']}" if found else f"me this: “{owed}”"
    return f"You promised {said}, so why have you not?"


def _provenance_promotion(holding: Holding, as_player: Says) -> Press:
    kind = Classic.PROVENANCE_PROMOTION
    for entry in (*_short(holding.heard), *_short(holding.unknown)):
        line = f"You saw for yourself that {as_player(entry.statement)}, didn't you?"
        return Press(kind=kind, line=line, about=entry.entry_id)
    return Press(kind=kind, why_not="they have heard nothing second hand, and nothing that you saw is news to them")


def _hangs_on(owed: Commitment, holding: Holding) -> Action | None:
    """Return what the listener would grant by a rule that depends on a commitment."""
    needing = {r.action for r in holding.world.rules if owed.name is not None and owed.name in r.commitments}
    return next((a for a in _grants(holding) if a.id in needing), None)


def _grants(holding: Holding) -> tuple[Action, ...]:
    return tuple(a for a in holding.world.actions if holding.listener in a.by)


def _needed(action: Action, world: World) -> str:
    """Return the first thing that would turn the rule of an action, in the rule's words."""
    rule = next((r for r in world.rules if r.action == action.id and r.would_change), None)
    return "" if rule is None else _FIRST_OF_SEVERAL.split(rule.would_change)[0].strip()


def _short(entries: Iterable[_E]) -> Iterable[_E]:
    return (e for e in entries if len(e.statement) <= LONGEST)
