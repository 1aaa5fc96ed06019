"""What keeps the ledger of a playthrough: entries, tellings, and how they are listed and browsed."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import Reach
from ledger_service.domain.entries import Commitment, LedgerEntry, Observation
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import Holding, Telling
from ledger_service.domain.slots import Slot
from ledger_service.domain.voicings import VoicedTelling, Voicing


class Page(Struct, frozen=True, kw_only=True):
    """One page of entries, newest first, and where the next begins."""

    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    next_after: str | None = None


class EntryFilter(Struct, frozen=True, kw_only=True):
    """Which entries a list shows; None is any."""

    kind: str | None = None
    knower: str | None = None
    """Entries that this character knows."""
    source: str | None = None
    term: str | None = None
    """Entries whose statement has this word."""
    at_seq: int | None = None


class LedgerStore(Protocol):
    """Entries, and what became of them. Reads go through the lineage; nothing is ever changed in place."""

    async def append(self, entries: Sequence[LedgerEntry]) -> None:
        """Write entries with their knowers, terms and endings."""
        ...

    async def amend(self, amendments: Sequence[Amendment]) -> None:
        """Write what became of entries; the same (entry, cause, status) again is left as it is."""
        ...

    async def load_candidates(
        self, moment: Moment, *, terms: Sequence[str], reach: Reach
    ) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return what could matter to a moment, by the rule of `domain.candidates`, ordered by (seq, entry_id).

        Of the entries known through `reach` at `moment.seq`: the newest NEWEST; the newest PER_TERM of each of
        `terms`; the newest MUST_HAVE of each window of `must_have_keys` that no amendment closes for the viewer;
        then, one level deep, what those rest on and what superseded them, known or not. And the amendments of all.
        """
        ...

    async def load_all(self, *, at_seq: int | None = None) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return the whole ledger: for a reviewer's complete list, export and tests."""
        ...

    async def get(self, entry_ids: Sequence[EntryId]) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return entries by id with what became of them; ids that are not there are left out."""
        ...

    async def page(self, where: EntryFilter, *, limit: int = 50, after: str | None = None) -> Page:
        """Return a page of entries, newest first, by keyset.

        Raises:
            CursorError: `after` is no place that a page ended with.
        """
        ...

    async def find_by_slot(self, slots: Sequence[Slot], *, limit: int = 100) -> list[LedgerEntry]:
        """Return entries with the same subject and predicate as any of these (either way round), newest first."""
        ...

    async def find_ending(
        self, *, before: StoryState, now: StoryState, event_names: Sequence[str]
    ) -> list[LedgerEntry]:
        """Return entries with an ending in this step: a tick, scene or turn in (before, now], or an event."""
        ...

    async def find_open_commitments(self, *, limit: int = 500) -> list[Commitment]:
        """Return commitments that nothing has closed and that have a condition to watch."""
        ...

    async def find_commitments(self, name: str) -> list[Commitment]:
        """Return commitments of that name or id, newest first."""
        ...

    async def find_by_origin(self, origin: EntryId, *, knower: CharacterId) -> list[LedgerEntry]:
        """Return what somebody holds that goes back to one origin, oldest first."""
        ...

    async def find_stories(
        self, reach: Reach, about: Sequence[str], *, at_seq: int
    ) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        """Return the stories with a ladder about some people, as `load_candidates` finds those of its moment."""
        ...

    async def find_notices(self) -> list[Observation]:
        """Return the entries of the notices that hang now, oldest first."""
        ...

    async def find_readers(self, notices: Sequence[EntryId]) -> frozenset[tuple[EntryId, CharacterId]]:
        """Return (entry of the notice, who) for everybody who has read one of these notices."""
        ...

    async def load_conditional(
        self, kinds: Sequence[str]
    ) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:  # fmt: skip
        """Return the entries of these kinds, newest first, at most 5,000, with their amendments: for conditions."""
        ...

    async def find_residue(self, holder: CharacterId, emotion: str) -> list[LedgerEntry]:
        """Return residue of a holder that nothing has ended; an empty emotion is any."""
        ...


class BrowseFilter(Struct, frozen=True, kw_only=True):
    """Which entries the ledger browser shows, as of an event; None and () are any."""

    kind: str | None = None
    source: str | None = None
    statuses: tuple[str, ...] = ()
    """As it is, whoever can tell."""
    scene: int | None = None
    reach: Reach | None = None
    """Entries that somebody who knows through these scopes knows."""
    terms: tuple[str, ...] = ()
    """Entries that have all of these words, among those known through `reach`; without it, words are not asked for."""
    after_seq: int = 0
    """Entries of events after this one."""
    at_seq: int | None = None

    @property
    def is_of_drafts(self) -> bool:
        """Whether drafts alone are looked through, which are few."""
        return self.statuses == ("quarantined",) and self.reach is None

    @property
    def is_picky(self) -> bool:
        """Whether some of what is looked through may not fit."""
        return bool(self.source or self.statuses or len(self.terms) > 1 or (self.kind and self.reach))


class BrowsePage(Struct, frozen=True, kw_only=True):
    """A page of entries, newest first, and where to look on; of a rare sort, a page may hold few and yet go on."""

    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    next_after: str | None = None
    looked_at: int = 0
    """Among how many entries these were found."""


class LedgerBrowser(Protocol):
    """Looks through a ledger as people do, a bounded stretch at a time, whatever they ask for."""

    async def page(self, where: BrowseFilter, *, limit: int = 50, after: str | None = None) -> BrowsePage:
        """Return entries that fit, newest first, among the next stretch; `next_after` says where to look on.

        Raises:
            CursorError: `after` is no place that a page ended with.
        """
        ...

    async def resting_on(self, entry_id: EntryId, *, limit: int = 100) -> list[LedgerEntry]:
        """Return the newest entries that were made from an entry, or that it bears out."""
        ...

    async def became(self, *, after_seq: int, at_seq: int, limit: int = 1_000) -> list[Amendment]:
        """Return the newest changes of status that events after one, up to another, brought about."""
        ...

    async def told_of(self, entry_id: EntryId, origin: EntryId, *, limit: int = 100) -> list[Telling]:
        """Return the newest tellings of a story in which this version was passed on, or came about."""
        ...


class Behind(Struct, frozen=True, kw_only=True):
    """What an entry goes back to: versions, what became of them, and the tellings that made them."""

    entries: tuple[LedgerEntry, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    tellings: tuple[Telling, ...] = ()


class TellingStore(Protocol):
    """Tellings, and the chains that they make."""

    name: str
    """What a chain says of where it comes from."""

    async def append(self, tellings: Sequence[Telling]) -> None:
        """Write tellings."""
        ...

    async def behind(self, entry_id: EntryId) -> Behind:
        """Return everything that an entry goes back to, itself included, at any depth, by one question."""
        ...

    async def load_all(self) -> list[Telling]:
        """Return every telling of this playthrough's lineage, in order."""
        ...

    async def of_origins(self, origins: Sequence[EntryId]) -> list[Telling]:
        """Return every telling of some stories, in order."""
        ...

    async def find_holdings(self, people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        """Return the newest STORIES stories that each of these people holds themselves.

        A story is what somebody saw or heard (see `rumours.is_story`); scopes hold none.
        """
        ...

    async def newest(self, *, limit: int, unvoiced: bool = False) -> list[VoicedTelling]:
        """Return the newest tellings of this playthrough itself, each with how it was put; or those never put so."""
        ...

    async def voice(self, voicing: Voicing) -> None:
        """Keep how a telling was put; the first that is kept stays."""
        ...
