"""Who knows, and who may be told: knowers, groups with dated membership, disclosure."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from ledger_service.domain.confidence import check_confidence
from ledger_service.domain.ids import ENGINE, PUBLIC, CharacterId, group_scope


class Knower(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One who knows an entry: a character, `group:<name>`, `public` or `engine`."""

    who: str
    how: str = "witnessed"
    """The kind of source through which this knower has it."""
    from_whom: CharacterId | None = None
    """The teller; a knower may name nobody else."""
    since_seq: int = 0
    since_tick: int = 0
    confidence: float | None = None
    """This knower's own confidence; None is the entry's."""

    def __post_init__(self) -> None:
        if self.confidence is not None:
            check_confidence(self.confidence, f"knowers[{self.who}].confidence")


class Membership(Struct, frozen=True, kw_only=True):
    """Somebody's time in a group, from `joined_seq` on and before `left_seq`."""

    group: str
    who: CharacterId
    joined_seq: int = 0
    left_seq: int | None = None


class Roster(Struct, frozen=True, kw_only=True):
    """Dated membership of every group, resolved when asked and never by copying rows."""

    memberships: tuple[Membership, ...] = ()

    def stays_of(self, character: CharacterId, *, at_seq: int) -> tuple[Membership, ...]:
        """Return every stay of a character in a group that had begun at `at_seq`."""
        return tuple(m for m in self.memberships if m.who == character and m.joined_seq <= at_seq)

    def is_member(self, character: CharacterId, group: str, *, at_seq: int) -> bool:
        """Say whether a character is in the group at that moment."""
        scope = group_scope(group)
        return any(
            group_scope(m.group) == scope and (m.left_seq is None or at_seq < m.left_seq)
            for m in self.stays_of(character, at_seq=at_seq)
        )

    def groups_of(self, character: CharacterId, *, at_seq: int) -> frozenset[str]:
        """Return the scopes of the groups that a character is in at that moment."""
        return frozenset(
            group_scope(m.group)
            for m in self.stays_of(character, at_seq=at_seq)
            if m.left_seq is None or at_seq < m.left_seq
        )

    def find_knower(self, knowers: Iterable[Knower], character: CharacterId, *, at_seq: int) -> Knower | None:
        """Return the knower through which a character knows, their own copy first.

        A member knows a group entry from the later of joining and the entry; who left keeps what they knew.
        `public` is everybody; `engine` is nobody in the story.
        """
        if character == ENGINE:
            return next((k for k in knowers if k.who == ENGINE), None)
        found: Knower | None = None
        for knower in knowers:
            if knower.since_seq > at_seq:
                continue
            if knower.who == character:
                return knower
            if found is None and (knower.who == PUBLIC or self._shares(knower, character, at_seq=at_seq)):
                found = knower
        return found

    def _shares(self, knower: Knower, character: CharacterId, *, at_seq: int) -> bool:
        return any(
            group_scope(m.group) == knower.who and (m.left_seq is None or knower.since_seq < m.left_seq)
            for m in self.stays_of(character, at_seq=at_seq)
        )


class DisclosureMode(StrEnum):
    """May it be said: freely, to some or under a condition, or never."""

    OPEN = "open"
    GUARDED = "guarded"
    SECRET = "secret"  # noqa: S105


class Disclosure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """To whom, and when, a knower may say an entry. Knowing it is another matter."""

    mode: DisclosureMode = DisclosureMode.OPEN
    to: tuple[str, ...] = ()
    """Listeners, or `group:<name>`, to whom a guarded entry may be said."""
    when: str = ""
    """CEL; a guarded entry may be said while this holds, for the listener being judged."""


OPEN = Disclosure()
SECRET = Disclosure(mode=DisclosureMode.SECRET)
