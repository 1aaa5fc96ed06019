"""Names, slots, gates and endings: each must exist, and be able to come true."""

from ledger_service.domain.entries import LARGEST_AMOUNT, LARGEST_STANDING
from ledger_service.domain.errors import ContentError, EmptyScopeError, UndeclaredError, UnknownCharacterError
from ledger_service.domain.expiry import (
    NEVER,
    AfterScenes,
    AfterTurns,
    AtTick,
    Expiry,
    OnEvent,
    can_come,
    in_words,
    leaves,
)
from ledger_service.domain.ids import ENGINE, GROUP_PREFIX, NARRATOR, PLAYER, PUBLIC
from ledger_service.domain.slots import Slot
from ledger_service.domain.texts import is_blank
from ledger_service.domain.visibility import Disclosure
from ledger_service.domain.vocabulary import check_in_world
from ledger_service.domain.worlds import World

LAST_TICK = 100_000_000
LONGEST_NAME = 200
MOST_ENDINGS = 50
"""Simple endings that one expiry may be made of."""


def check_person(who: str, role: str, world: World) -> None:
    """Refuse somebody whom the world does not have; the player and the narrator are always there."""
    if not who:
        raise EmptyScopeError(role)
    if who != NARRATOR and world.find_character(who) is None:
        cast = dict.fromkeys((*(c.id for c in world.cast), PLAYER))
        raise UnknownCharacterError(who, role, allowed=tuple(cast))


def check_scope(who: str, role: str, world: World) -> None:
    """Refuse what is neither a person, nor a group, nor a reserved scope."""
    if who in {PUBLIC, ENGINE}:
        return
    if who.startswith(GROUP_PREFIX):
        check_group(who.removeprefix(GROUP_PREFIX), world)
    else:
        check_person(who, role, world)


def check_group(group: str, world: World) -> None:
    """Refuse a group that the world does not declare."""
    if not any(g.id == group for g in world.groups):
        raise UndeclaredError("group", group)


def check_ladder(ladder: str | None, world: World) -> None:
    """Refuse a ladder that the world does not have."""
    if ladder is not None and world.find_ladder(ladder) is None:
        raise UndeclaredError("ladder", ladder)


def check_place(place: str, world: World) -> None:
    """Refuse a place that the world does not declare."""
    if not any(p.id == place for p in world.places):
        raise UndeclaredError("place", place)


def check_name(name: str, path: str) -> None:
    """Refuse a name that is empty, or too long to look anything up by."""
    if is_blank(name):
        raise ContentError(path, "is empty")
    if len(name) > LONGEST_NAME:
        raise ContentError(path, f"is longer than {LONGEST_NAME} characters")


def check_slot(slot: Slot, path: str) -> None:
    """Refuse a slot with an empty part, or about a time that cannot be."""
    for part in ("subject", "predicate", "object"):
        check_name(getattr(slot, part), f"{path}.{part}")
    start, end = slot.from_tick, slot.until_tick
    if any(tick is not None and not 0 <= tick <= LAST_TICK for tick in (start, end)):
        raise ContentError(path, f"is about no tick from 0 to {LAST_TICK}")
    if start is not None and end is not None and end <= start:
        raise ContentError(path, f"ends at tick {end}, which is not after it begins at {start}")


def check_gate(gate: Disclosure, path: str, world: World) -> None:
    """Refuse a disclosure whose condition cannot be judged, or to somebody who does not exist."""
    if gate.when:
        check_in_world(gate.when, world)
    for who in gate.to:
        check_scope(who, f"{path}disclosure.to", world)


def check_shift(amount: float | None, cap: float | None, path: str) -> None:
    """Refuse a shift of a standing that is larger than any, or a bound that bounds nothing."""
    if amount is not None and not abs(amount) <= LARGEST_AMOUNT:
        raise ContentError(f"{path}amount", f"{amount} is not from -{LARGEST_AMOUNT:g} to {LARGEST_AMOUNT:g}")
    if cap is not None and not 0 <= cap <= LARGEST_STANDING:
        raise ContentError(f"{path}cap", f"{cap} is not from 0 to {LARGEST_STANDING:g}")


def check_declared(name: str, world: World) -> None:
    """Refuse an event that no world declares, since it can never come."""
    if not any(e.name == name for e in world.events):
        raise UndeclaredError("event", name)


def check_expiry(expiry: Expiry, *, now: int, world: World, path: str = "") -> None:
    """Refuse an ending that can never come: past, beyond the last tick, or with an event that nobody declares."""
    if expiry != NEVER and not can_come(expiry):
        raise ContentError(f"{path}expires", "can never come, since a part of it is `never`")
    parts = leaves(expiry)
    if len(parts) > MOST_ENDINGS:
        raise ContentError(f"{path}expires", f"is made of {len(parts)} endings, and at most {MOST_ENDINGS} are kept")
    for leaf in parts:
        match leaf:
            case AtTick(tick=tick) if tick <= now:
                raise ContentError(f"{path}expires", f"tick {tick} is already past")
            case AtTick(tick=n) | AfterScenes(scenes=n) | AfterTurns(turns=n) if n > LAST_TICK:
                raise ContentError(
                    f"{path}expires", f"{in_words(leaf)} can never come; a story ends at tick {LAST_TICK}"
                )
            case OnEvent(name=name):
                check_declared(name, world)
            case _:
                continue
