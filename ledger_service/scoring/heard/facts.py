"""An entry as it is held against words: the stems that make it what it is, and how near a clause comes to it."""

from msgspec import Struct

from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.scoring.words.overlap import says_no


class Fact(Struct, frozen=True, kw_only=True, gc=False):
    """An entry and the stems that make it what it is, but for the names of those who talk."""

    entry: LedgerEntry
    terms: frozenset[str]

    @property
    def entry_id(self) -> EntryId:
        """The entry's id."""
        return self.entry.entry_id

    @property
    def is_negative(self) -> bool:
        """Its sentence says no."""
        return says_no(self.entry.statement)

    @property
    def is_sure(self) -> bool:
        """It is as good as certain, even from somebody else."""
        return band_of(self.entry.confidence) is Band.CONFIRMED


class Topic(Struct, frozen=True, kw_only=True, gc=False):
    """An entry that a clause may be about."""

    fact: Fact
    words: float
    """How much of what sets the entry apart the clause says by itself, 0 to 1."""
    with_line: float
    """The same for the clause and the line that it answers, together."""
    meaning: float
    """The cosine of the clause, after the line, with the entry; 0 where entries have no meanings."""
    score: float
    """By what topics are put in order."""


class Index(Struct, frozen=True, kw_only=True):
    """Which entries have a stem."""

    places: dict[str, list[tuple[EntryId, float]]]
    """By stem: the entries that have it, each with how much of what sets it apart the stem is, 0 to 1."""
    everywhere: frozenset[str]
    """Every stem on record."""
    of_line: frozenset[str]
    """Those that the line which is answered says, in these or other words."""
