"""Which entries, amendments and tellings a game event leaves, and who may see them."""

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.events import (
    CommitmentBroken,
    CommitmentFulfilled,
    CommitmentMade,
    CommitmentReleased,
    Confirmed,
    ContradictionResolved,
    Corrected,
    Deed,
    DocumentRead,
    Eased,
    EntriesPosted,
    Felt,
    GameEvent,
    Happened,
    HourPassed,
    Inferred,
    RegionsCaughtUp,
    RelationshipChanged,
    Reviewed,
    Told,
    Utterance,
)
from ledger_service.recording.changes import correct, ease, resolve, review, settle_commitment, supersede
from ledger_service.recording.drafts import entries_of
from ledger_service.recording.facts import Facts, Left
from ledger_service.recording.learned import commitment_of, deed_of, happening_of, inference_of, reading_of, stance_of
from ledger_service.recording.scribe import Scribe
from ledger_service.recording.spoken import utterance_of
from ledger_service.recording.telling import tell, tellings_of


def from_event(event: GameEvent, facts: Facts, scribe: Scribe) -> Left:
    """Return what an event leaves behind.

    Raises:
        UnknownEntryError: it refers to an entry or commitment that is not there.
        ContentError: it refers to one of the wrong kind.
    """
    match event:
        case Told():
            return tell(event, facts, scribe)
        case HourPassed() | RegionsCaughtUp():
            return tellings_of(facts, scribe)
        case Corrected():
            return correct(event, facts, scribe)
        case EntriesPosted(entries=drafts, author=author):
            written = entries_of(drafts, scribe, author=author)
            replaced = (a for newer in written if not newer.quarantined for a in supersede(newer, facts, scribe))
            return Left(entries=written, amendments=tuple(replaced))
        case _:
            return Left(entries=_entries(event, facts, scribe), amendments=_amendments(event, facts, scribe))


def _entries(event: GameEvent, facts: Facts, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    match event:
        case Deed():
            return deed_of(event, facts, scribe)
        case Utterance():
            return utterance_of(event, scribe)
        case Inferred():
            return (inference_of(event, facts, scribe),)
        case DocumentRead():
            return (reading_of(event, scribe),)
        case Happened():
            return happening_of(event, facts, scribe)
        case CommitmentMade():
            return (commitment_of(event, scribe),)
        case RelationshipChanged() | Felt():
            return (stance_of(event, scribe),)
        case _:
            return ()


def _amendments(event: GameEvent, facts: Facts, scribe: Scribe) -> tuple[Amendment, ...]:
    match event:
        case CommitmentFulfilled() | CommitmentBroken() | CommitmentReleased():
            return (settle_commitment(event, facts, scribe),)
        case Eased():
            return ease(event, facts, scribe)
        case ContradictionResolved():
            return resolve(event, facts, scribe)
        case Confirmed() | Reviewed():
            return review(event, facts, scribe)
        case _:
            return ()
