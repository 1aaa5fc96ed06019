"""Entries of what characters see, read, conclude, promise and feel."""

from collections.abc import Sequence

from ledger_service.domain.entries import (
    Channel,
    Commitment,
    EmotionalResidue,
    LedgerEntry,
    Observation,
    RelationshipDelta,
    SourceKind,
)
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import (
    CommitmentMade,
    Deed,
    DocumentRead,
    Felt,
    Happened,
    Inferred,
    RelationshipChanged,
    Seen,
)
from ledger_service.domain.ids import CharacterId
from ledger_service.recording.customs import taken_otherwise
from ledger_service.recording.facts import Facts
from ledger_service.recording.presence import Audience, audience_of, participants_of
from ledger_service.recording.scribe import Scribe


def audience_at(event: Seen, scribe: Scribe) -> Audience:
    """Return who witnesses an event, by where people are at its tick; who acts always knows what they did."""
    people = participants_of(event)
    seen = audience_of(event, people, scribe.after, scribe.world)
    if seen.witnesses or not people or people[0] is None:
        return seen
    return Audience(witnesses=(people[0],), outsiders=seen.outsiders)


def muffled(event: Seen, seen: Audience, statement: str, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    """What outsiders take from something muffled: that it went on, without its content."""
    if not seen.outsiders:
        return ()
    source = scribe.source(SourceKind.WITNESSED, seen.outsiders[0], channel=Channel.MUFFLED)
    knowers = scribe.knowers(seen.outsiders, SourceKind.WITNESSED)
    return (scribe.write(Observation, statement=statement, source=source, knowers=knowers, place=event.place),)


def deed_of(event: Deed, facts: Facts, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    """Return what a deed leaves with its witnesses, except those who must not learn it."""
    seen = audience_at(event, scribe)
    aware = [w for w in seen.witnesses if w not in event.unaware]
    witnesses = [w for w in aware if w not in facts.customs] or [event.actor]
    done = scribe.write(
        Observation,
        statement=event.statement,
        source=scribe.source(SourceKind.WITNESSED, event.actor, channel=event.channel),
        knowers=scribe.knowers(witnesses, SourceKind.WITNESSED),
        slot=event.slot,
        unaware=event.unaware,
        disclosure=event.disclosure,
        expires=event.expires,
        subject=scribe.world.subject_of(event.subject, event.ladder),
        about=event.about,
        place=event.place,
        ladder=event.ladder,
        corrects=event.corrects,
        protected=event.protected,
    )
    otherwise = taken_otherwise(event, aware, facts.customs, scribe, origin=done.entry_id)
    return (done, *otherwise, *muffled(event, seen, f"{event.actor} did something out of sight", scribe))


def happening_of(event: Happened, facts: Facts, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    """Return what a declared event leaves with its witnesses; without any, the game alone knows."""
    seen = audience_at(event, scribe)
    if not seen.witnesses:
        return ()
    plain = [w for w in seen.witnesses if w not in facts.customs]
    seen_it = (_happening(event, plain, scribe),) if plain else ()
    origin = seen_it[0].entry_id if seen_it else None
    otherwise = taken_otherwise(event, seen.witnesses, facts.customs, scribe, origin=origin)
    return (*seen_it, *otherwise, *muffled(event, seen, "something happened out of sight", scribe))


def _happening(event: Happened, witnesses: Sequence[CharacterId], scribe: Scribe) -> LedgerEntry:
    return scribe.write(
        Observation,
        statement=event.statement or f"{event.name.replace('_', ' ')} happened",
        source=scribe.source(SourceKind.WITNESSED, event.actor or witnesses[0], channel=event.channel),
        slot=event.slot,
        knowers=scribe.knowers(witnesses, SourceKind.WITNESSED),
        place=event.place,
    )


def inference_of(event: Inferred, facts: Facts, scribe: Scribe) -> LedgerEntry:
    """Return what somebody concludes, in their own copy.

    Raises:
        ContentError: it rests on something that they do not know.
    """
    unknown = [i for i in event.derived_from if not facts.ledger.knows(event.who, i)]
    if unknown:
        raise ContentError("derived_from", f"{event.who} does not know {', '.join(unknown)}")
    return scribe.write(
        Observation,
        copy_of=event.who,
        statement=event.statement,
        source=scribe.source(SourceKind.INFERRED, event.who),
        knowers=scribe.knowers((event.who,), SourceKind.INFERRED),
        slot=event.slot,
        confidence=event.confidence,
        derived_from=event.derived_from,
    )


def reading_of(event: DocumentRead, scribe: Scribe) -> LedgerEntry:
    """Return what a document says, for its reader and whoever read along."""
    readers = (event.reader, *(event.witnesses or ()))
    return scribe.write(
        Observation,
        statement=event.statement,
        source=scribe.source(SourceKind.DOCUMENT, event.document, channel=Channel.DOCUMENT),
        slot=event.slot,
        subject=event.subject,
        confidence=event.confidence,
        knowers=scribe.knowers(readers, SourceKind.DOCUMENT),
        place=event.place,
    )


def commitment_of(event: CommitmentMade, scribe: Scribe) -> LedgerEntry:
    """Return a commitment, known to both parties and to whoever was there."""
    seen = audience_at(event, scribe)
    known = dict.fromkeys((*seen.witnesses, event.owner, event.to))
    return scribe.write(
        Commitment,
        statement=event.statement,
        source=scribe.source(SourceKind.WITNESSED, event.owner, channel=event.channel),
        knowers=scribe.knowers(known, SourceKind.WITNESSED),
        owner=event.owner,
        to=event.to,
        name=event.name,
        witnesses=seen.witnesses,
        form=event.form,
        trigger=event.trigger,
        fulfilled_when=event.fulfilled_when,
        broken_when=event.broken_when,
        due=event.due,
        slot=event.slot,
        disclosure=event.disclosure,
        expires=event.expires,
        place=event.place,
    )


def stance_of(event: RelationshipChanged | Felt, scribe: Scribe) -> LedgerEntry:
    """Return a stance or a feeling: its holder's own."""
    source = scribe.source(SourceKind.SELF, event.who)
    knowers = scribe.knowers((event.who,), SourceKind.SELF)
    if isinstance(event, Felt):
        return scribe.write(
            EmotionalResidue, copy_of=event.who, holder=event.who, statement=event.statement, source=source,
            knowers=knowers, emotion=event.emotion, intensity=event.intensity, expires=event.expires,
            about=event.about,
        )  # fmt: skip
    return scribe.write(
        RelationshipDelta, copy_of=event.who, statement=event.statement, source=source, knowers=knowers,
        from_whom=event.who, to=event.towards, axis=event.axis, amount=event.amount, scope=event.scope,
        reason=event.reason, evidence=event.evidence, cap=event.cap, expires=event.expires, subject=event.towards,
    )  # fmt: skip
