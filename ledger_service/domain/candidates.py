"""Which entries are considered for a packet: the rule that every store follows alike."""

from collections.abc import Collection
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
    Status,
    kind_of,
)
from ledger_service.domain.ids import PLAYER, PUBLIC, EntryId, group_scope
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import is_story
from ledger_service.domain.terms import term_set
from ledger_service.domain.visibility import Roster
from ledger_service.domain.worlds import World

NEWEST: Final = 24
"""Newest entries that the viewer knows."""
PER_TERM: Final = 8
"""Newest entries that the viewer knows, for each term of the line."""
MAX_TERMS: Final = 12
MUST_HAVE: Final = 24
"""Newest of each window of must-haves that the viewer cannot tell to be closed."""
ANYBODY: Final = ""
STORY: Final = "story"
"""The sort of must-have that opinions rest on: stories with a ladder, by whom they are about."""
LAST_SEQ: Final = 9_000_000_000_000_000


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
    """Return the terms under which an entry can be found: its words' stems, and `@id` for each entity."""
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


def must_have_parties(entry: Entry) -> tuple[str, ...]:
    """Return the people whose moments an entry always matters to; empty for entries that have to earn their place.

    A commitment matters to both its parties, a feeling and a stance to who has it, a contradiction to everybody.
    """
    match entry:
        case Commitment(owner=owner, to=to):
            return tuple(dict.fromkeys((owner, to)))
        case Contradiction():
            return (ANYBODY,)
        case EmotionalResidue(holder=holder):
            return (holder,)
        case RelationshipDelta(from_whom=from_whom):
            return (from_whom,)
        case _:
            return ()


def story_subject(entry: LedgerEntry) -> str | None:
    """Return whom an entry says something about that bears on an opinion of them; None where it says no such thing."""
    return entry.subject if entry.ladder is not None and is_story(entry) else None


def must_have_places(entry: LedgerEntry) -> tuple[tuple[str, str], ...]:
    """Return the (sort, party) pairs under which an entry is kept at hand."""
    subject = story_subject(entry)
    story = () if subject is None else ((STORY, subject),)
    return (*((str(kind_of(entry)), party) for party in must_have_parties(entry)), *story)


def must_have_keys(moment: Moment) -> tuple[tuple[str, str], ...]:
    """Return the (sort, party) pairs whose newest entries a moment always considers.

    Stories are those about the player and the audience, under their own names and those they go by; each of these has
    a window of its own, so that an opinion does not hang on how much is told of others.
    """
    parties = dict.fromkeys((moment.viewer, moment.speaker, *moment.audience))
    judged = dict.fromkeys((PLAYER, *moment.audience, *moment.presented_as.values()))
    return (
        *(("commitment", who) for who in parties),
        ("contradiction", ANYBODY),
        ("emotional_residue", moment.viewer),
        ("relationship_delta", moment.viewer),
        *((STORY, who) for who in judged),
    )


def window_of(place: tuple[str, str]) -> tuple[str, str]:
    """Return which must-haves share a window of `MUST_HAVE`: those of a sort, and of stories those about one person."""
    return place if place[0] == STORY else (place[0], ANYBODY)


CLOSING: Final = frozenset(
    {
        Status.FULFILLED, Status.BROKEN, Status.RELEASED, Status.LAPSED, Status.ENDED, Status.SUPERSEDED,
        Status.RETRACTED, Status.EXPIRED, Status.RESOLVED, Status.DISMISSED, Status.EASED,
    }
)  # fmt: skip
"""Statuses after which an entry gives up its place among the must-haves."""


def closes(amendment: Amendment, scopes: Collection[str]) -> bool:
    """Say whether an amendment takes an entry from the must-haves of somebody with these scopes.

    Only what they can tell counts: a promise kept out of their sight is still open to them.
    """
    told = amendment.knowers is None or not set(scopes).isdisjoint(amendment.knowers)
    return amendment.status in CLOSING and not amendment.by and told


class Reach(Struct, frozen=True, kw_only=True):
    """Scopes through which a viewer knows entries, each with the seq before which it counts."""

    scopes: tuple[tuple[str, int], ...]
    now: frozenset[str]
    """Scopes that hold at the moment itself."""


def reach_of(viewer: str, roster: Roster, *, at_seq: int) -> Reach:
    """Return the viewer's own scope, `public`, and each group they were in, up to when they left it."""
    scopes: dict[str, int] = {viewer: LAST_SEQ, PUBLIC: LAST_SEQ}
    for stay in roster.stays_of(viewer, at_seq=at_seq):
        scope = group_scope(stay.group)
        scopes[scope] = max(scopes.get(scope, 0), LAST_SEQ if stay.left_seq is None else stay.left_seq)
    now = roster.groups_of(viewer, at_seq=at_seq) | {viewer, PUBLIC}
    return Reach(scopes=tuple(scopes.items()), now=now)
