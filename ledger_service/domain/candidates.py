"""Which entries are considered for a packet: the rule that every store follows alike."""

from typing import Final

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    Entry,
    LedgerEntry,
    RelationshipDelta,
)
from ledger_service.domain.ids import EntryId
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.terms import term_set
from ledger_service.domain.worlds import World

NEWEST: Final = 24
"""Newest entries that the viewer knows."""
PER_TERM: Final = 8
"""Newest entries that the viewer knows, for each term of the line."""
MAX_TERMS: Final = 12
MUST_HAVE: Final = 24
"""Newest of each sort of must-have."""


class Candidates(Struct, frozen=True, kw_only=True):
    """What a store found for a moment, and what the story stands at."""

    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    world: World
    state: StoryState
    similarity: dict[EntryId, int] = {}
    """Cosine of each statement's meaning with the line's, in thousandths."""
    off_branch: frozenset[EntryId] = frozenset()
    """Entries of an abandoned future, for a reviewer's eyes."""


def recall_terms(entry: Entry) -> frozenset[str]:
    """Return the terms under which an entry can be found: its words' stems, and `@id` for each entity.

    >>> from ledger_service.domain.ids import entry_id_of
    """
    entities = {*entry.about, *((entry.subject,) if entry.subject else ())}
    if entry.slot is not None:
        entities |= {entry.slot.subject, entry.slot.object}
    return term_set(entry.statement) | {f"@{name}" for name in entities}


def line_terms(moment: Moment) -> tuple[str, ...]:
    """Return the terms to look for: entities first, then the longest words, at most `MAX_TERMS`.

    How rare a word is would have to be counted over entries that the speaker cannot see, so it does not matter.
    """
    entities = [f"@{name}" for name in sorted(set(moment.intent.mentions))]
    words = sorted(set(moment.intent.terms), key=lambda term: (-len(term), term))
    return tuple((entities + words)[:MAX_TERMS])


def is_must_have(entry: Entry, moment: Moment) -> bool:
    """Say whether an entry matters to this moment whatever was said.

    Commitments of or to those who talk, contradictions, the viewer's own feelings, how the viewer stands to anybody.
    """
    parties = {moment.viewer, moment.speaker, *moment.audience}
    match entry:
        case Commitment(owner=owner, to=to):
            return owner in parties or to in parties
        case Contradiction():
            return True
        case EmotionalResidue(holder=holder):
            return holder == moment.viewer
        case RelationshipDelta(from_whom=from_whom):
            return from_whom == moment.viewer
        case _:
            return False
