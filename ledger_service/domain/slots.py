"""Structured claims: which of them update each other, and which two cannot both hold."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class Slot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A claim as subject, predicate, object; given by the game or a writer, never read from text on the write path."""

    subject: str
    predicate: str
    object: str
    polarity: bool = True
    """False claims that it is not so."""
    from_tick: int | None = None
    until_tick: int | None = None
    """The claim is about [from_tick, until_tick); None is open on that side."""

    def overlaps(self, other: "Slot") -> bool:
        """Say whether both claims are about some common time."""
        start = max(self.from_tick or 0, other.from_tick or 0)
        ends = [tick for tick in (self.until_tick, other.until_tick) if tick is not None]
        return not ends or start < min(ends)


class Predicate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a world says of a predicate. One that is not declared can neither conflict nor update."""

    functional: bool = False
    """One value at a time for each subject."""
    fluent: bool = False
    """It may change: a later event is an update, not a contradiction."""
    exclusive_with: tuple[str, ...] = ()
    """Predicates that cannot hold of the same subject and object at once."""
    symmetric: bool = False
    """`a p b` says the same as `b p a`."""
    same_as: bool = False
    """It says that two names are one person; who knows the entry knows the link."""


Predicates = Mapping[str, Predicate]


class Relation(StrEnum):
    """How a later claim stands to an earlier one."""

    UNRELATED = "unrelated"
    AGREES = "agrees"
    UPDATES = "updates"
    CONFLICTS = "conflicts"


def _turned(slot: Slot, predicate: Predicate) -> Slot:
    """Put a symmetric claim into its one canonical order."""
    if not predicate.symmetric or slot.subject <= slot.object:
        return slot
    return Slot(
        subject=slot.object, predicate=slot.predicate, object=slot.subject, polarity=slot.polarity,
        from_tick=slot.from_tick, until_tick=slot.until_tick,
    )  # fmt: skip


def relate(earlier: Slot, later: Slot, predicates: Predicates) -> Relation:
    """Say how `later` stands to `earlier`, by the predicates that the world declares."""
    declared = predicates.get(earlier.predicate)
    if declared is None or later.predicate not in predicates:
        return Relation.UNRELATED
    if earlier.predicate != later.predicate:
        return _relate_exclusive(earlier, later, predicates)
    a, b = _turned(earlier, declared), _turned(later, declared)
    if a.subject != b.subject or not a.overlaps(b):
        return Relation.UNRELATED
    if a.object == b.object:
        return Relation.AGREES if a.polarity == b.polarity else _clash(declared)
    both_hold = a.polarity and b.polarity
    return _clash(declared) if declared.functional and both_hold else Relation.UNRELATED


def _clash(predicate: Predicate) -> Relation:
    return Relation.UPDATES if predicate.fluent else Relation.CONFLICTS


def _relate_exclusive(earlier: Slot, later: Slot, predicates: Predicates) -> Relation:
    ours, theirs = predicates[earlier.predicate], predicates[later.predicate]
    exclusive = later.predicate in ours.exclusive_with or earlier.predicate in theirs.exclusive_with
    same = earlier.subject == later.subject and earlier.object == later.object
    if not (exclusive and same and earlier.polarity and later.polarity and earlier.overlaps(later)):
        return Relation.UNRELATED
    return Relation.UPDATES if ours.fluent and theirs.fluent else Relation.CONFLICTS
