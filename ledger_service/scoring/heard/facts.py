"""An entry as it is held against words: the stems that make it what it is, and how near a clause comes to it."""

from typing import Final

from msgspec import Struct

from ledger_service.domain.confidence import Band, band_of
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.scoring.words.overlap import says_no

_OF_LINE: Final = 0.6
"""What a word of the line that is answered weighs against one of the clause itself."""
_OF_MEANING: Final = 1.5
"""What nearness in meaning weighs against all words of an entry said."""


class Fact(Struct, frozen=True, kw_only=True):
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


class Topic(Struct, frozen=True, kw_only=True):
    """An entry that a clause may be about."""

    fact: Fact
    words: float
    """How much of what sets the entry apart the clause says by itself, 0 to 1."""
    with_line: float
    """The same for the clause and the line that it answers, together."""
    meaning: float
    """The cosine of the clause, after the line, with the entry; 0 where entries have no meanings."""

    @property
    def score(self) -> float:
        """By what topics are put in order."""
        return self.words + _OF_LINE * (self.with_line - self.words) + _OF_MEANING * self.meaning
