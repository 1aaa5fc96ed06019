"""What became of an entry later, because of what, and who can tell."""

from msgspec import Struct

from ledger_service.domain.entries import Status
from ledger_service.domain.ids import EntryId
from ledger_service.domain.story_time import StoryTime


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
    author: str | None = None
    """The person who decided it, where a person did."""
