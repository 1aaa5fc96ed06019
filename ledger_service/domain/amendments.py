"""What became of an entry later, because of what, and who can tell."""

from msgspec import Struct

from ledger_service.domain.entries import Status
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.story_time import StoryTime


class Belief(Struct, frozen=True, kw_only=True):
    """How sure a holder is after a telling, before any of it fades."""

    who: CharacterId
    confidence: float
    """By the world's way of adding tellers up, less what corrections took."""
    independent: float
    """The same by `independent_roots`, for a reviewer to compare."""
    reinforced_at: int
    """The tick at which it was last borne out; a correction is no reminder."""
    tellers: tuple[CharacterId, ...] = ()
    roots: tuple[CharacterId, ...] = ()
    """The witnesses whom it goes back to, by every telling so far."""


class Amendment(Struct, frozen=True, kw_only=True):
    """One change of an entry's status; written once for each (entry, cause, status)."""

    entry_id: EntryId
    status: Status
    cause_seq: int
    """The event that caused it."""
    at: StoryTime
    by: tuple[EntryId, ...] = ()
    """Entries that brought it about. Only who can see them all can tell that it happened."""
    knowers: tuple[str, ...] | None = None
    """Who can tell that it happened; None is everybody who knows the entry."""
    reason: str = ""
    belief: Belief | None = None
    """Where its holder was told more: how sure they are from then on; the status stays what it was."""
    author: str | None = None
    """The person who decided it, where a person did."""
