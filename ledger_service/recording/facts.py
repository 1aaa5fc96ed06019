"""What an event is read against, and what it leaves."""

from collections.abc import Iterable

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Commitment, LedgerEntry, Status
from ledger_service.domain.errors import UnknownEntryError
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import Heard, Telling
from ledger_service.domain.worlds import Custom
from ledger_service.recording.scribe import Scribe


class Facts(Struct, frozen=True, kw_only=True):
    """What the record already says of whatever an event refers to."""

    ledger: Ledger
    """Entries that the event names, their sources, and what the listener of a telling holds."""
    commitments: tuple[Commitment, ...] = ()
    """Commitments of the name that the event gives, newest first."""
    residue: tuple[LedgerEntry, ...] = ()
    """What the character of an `eased` feels."""
    heard: tuple[Heard, ...] = ()
    """What was decided of the tellings in it."""
    customs: dict[CharacterId, Custom] = {}
    """By what custom each witness takes it for something else."""

    def named(self, entry_id: EntryId) -> LedgerEntry:
        """Return an entry that the event names.

        Raises:
            UnknownEntryError: there is none.
        """
        found = self.ledger.entries.get(entry_id)
        if found is None:
            raise UnknownEntryError(entry_id)
        return found


class Left(Struct, frozen=True, kw_only=True):
    """What an event leaves."""

    entries: tuple[LedgerEntry, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    tellings: tuple[Telling, ...] = ()


def amend(
    entry: LedgerEntry, status: Status, scribe: Scribe, *, by: tuple[EntryId, ...] = (),
    knowers: Iterable[str] | None = None, reason: str = "", author: str | None = None,
) -> Amendment:  # fmt: skip
    """Say what this event made of an entry, and who can tell."""
    told = None if knowers is None else tuple(sorted(set(knowers)))
    return Amendment(
        entry_id=entry.entry_id, status=status, cause_seq=scribe.seq, at=scribe.after.at, by=by, knowers=told,
        reason=reason, author=author,
    )  # fmt: skip
