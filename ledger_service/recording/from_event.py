"""Which entries, amendments and tellings a game event leaves, and who may see them."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.confidence import retold
from ledger_service.domain.entries import (
    Channel,
    Commitment,
    Contradiction,
    EmotionalResidue,
    Hearsay,
    LedgerEntry,
    Observation,
    RelationshipDelta,
    SourceKind,
    Status,
    first_status,
)
from ledger_service.domain.errors import ContentError, UnknownEntryError
from ledger_service.domain.events import (
    ActKind,
    CommitmentBroken,
    CommitmentChanged,
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
    Inferred,
    RelationshipChanged,
    Reviewed,
    Seen,
    Told,
    Utterance,
)
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import Telling
from ledger_service.recording.drafts import entry_of
from ledger_service.recording.presence import Audience, audience_of
from ledger_service.recording.scribe import Scribe
from ledger_service.recording.telling import tell


class Facts(Struct, frozen=True, kw_only=True):
    """What the record already says of whatever an event refers to."""

    ledger: Ledger
    """Entries that the event names, their sources, and what the listener of a telling holds."""
    commitments: tuple[Commitment, ...] = ()
    """Commitments of the name that the event gives, newest first."""
    residue: tuple[LedgerEntry, ...] = ()
    """What the character of an `eased` feels."""
    tellings: tuple[Telling, ...] = ()
    """Tellings behind the entry being passed on."""
    held: tuple[LedgerEntry, ...] = ()
    """What the listener holds of the same origin."""


class Left(Struct, frozen=True, kw_only=True):
    """What an event leaves."""

    entries: tuple[LedgerEntry, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    tellings: tuple[Telling, ...] = ()


def from_event(event: GameEvent, facts: Facts, scribe: Scribe) -> Left:
    """Return what an event leaves behind.

    Raises:
        UnknownEntryError: it refers to an entry or commitment that is not there.
        ContentError: it refers to one of the wrong kind.
    """
    match event:
        case Deed():
            return Left(entries=_deed(event, scribe))
        case Utterance():
            return Left(entries=_utterance(event, scribe))
        case Told():
            told = tell(event, facts.ledger, scribe, held=facts.held, tellings=facts.tellings)
            return Left(entries=told.entries, tellings=told.tellings)
        case Inferred() | DocumentRead() | Happened():
            return Left(entries=_learned(event, facts, scribe))
        case CommitmentMade():
            return Left(entries=(_commitment(event, scribe),))
        case CommitmentFulfilled() | CommitmentBroken() | CommitmentReleased():
            return Left(amendments=(_commitment_changed(event, facts, scribe),))
        case RelationshipChanged() | Felt():
            return Left(entries=(_stance(event, scribe),))
        case Eased():
            return Left(amendments=tuple(_amend(e, Status.EASED, scribe) for e in facts.residue))
        case Corrected():
            return _corrected(event, facts, scribe)
        case ContradictionResolved():
            return Left(amendments=_resolved(event, facts, scribe))
        case Confirmed() | Reviewed():
            return Left(amendments=(_reviewed(event, facts, scribe),))
        case EntriesPosted(entries=drafts, author=author):
            return Left(entries=tuple(entry_of(draft, scribe, author=author) for draft in drafts))
        case _:
            return Left()


def _amend(
    entry: LedgerEntry, status: Status, scribe: Scribe, *, by: tuple[str, ...] = (),
    knowers: Iterable[str] | None = None, reason: str = "", author: str | None = None,
) -> Amendment:  # fmt: skip
    told = None if knowers is None else tuple(sorted(set(knowers)))
    return Amendment(
        entry_id=entry.entry_id, status=status, cause_seq=scribe.seq, at=scribe.after.at, by=by, knowers=told,
        reason=reason, author=author,
    )  # fmt: skip


def _audience(event: Seen, people: Iterable[str | None], scribe: Scribe) -> Audience:
    """Judge presence where people were before the event; nobody learns of it by the event itself moving them."""
    return audience_of(event, people, scribe.before, scribe.world)


def _deed(event: Deed, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    seen = _audience(event, (event.actor, event.target), scribe)
    witnesses = [w for w in seen.witnesses if w not in event.unaware] or [event.actor]
    return (
        scribe.write(
            Observation,
            statement=event.statement,
            source=scribe.source(SourceKind.WITNESSED, event.actor, channel=event.channel),
            knowers=scribe.knowers(witnesses, SourceKind.WITNESSED),
            slot=event.slot,
            unaware=event.unaware,
            disclosure=event.disclosure,
            expires=event.expires,
            subject=event.subject,
            about=event.about,
            place=event.place,
            protected=event.protected,
        ),
        *_muffled(event, seen, f"{event.actor} did something out of sight", scribe),
    )


def _muffled(event: Seen, seen: Audience, statement: str, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    """What outsiders take from something muffled: that it went on, without its content."""
    if not seen.outsiders:
        return ()
    source = scribe.source(SourceKind.WITNESSED, seen.outsiders[0], channel=Channel.MUFFLED)
    knowers = scribe.knowers(seen.outsiders, SourceKind.WITNESSED)
    return (scribe.write(Observation, statement=statement, source=source, knowers=knowers, place=event.place),)


def _utterance(event: Utterance, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    """One active observation that it was said, and what the marked acts are worth to each hearer."""
    seen = _audience(event, (event.speaker, *event.to), scribe)
    said = scribe.write(
        Observation,
        statement=f'{event.speaker} said "{event.text}" to {", ".join(event.to)}',
        source=scribe.source(SourceKind.WITNESSED, event.speaker, channel=event.channel, quote=event.text),
        knowers=scribe.knowers(seen.witnesses, SourceKind.WITNESSED),
        said_by=event.speaker,
        said_to=event.to,
        place=event.place,
    )
    talked = f"{event.speaker} and {', '.join(event.to)} talked"
    acts = [entry for act in event.acts for entry in _act(event, act.kind, act.statement, act.slot, seen, scribe)]
    return (said, *_muffled(event, seen, talked, scribe), *acts)


def _act(
    event: Utterance, kind: ActKind, statement: str, slot: object, seen: Audience, scribe: Scribe
) -> list[LedgerEntry]:
    source = scribe.source(SourceKind.WITNESSED, event.speaker, channel=event.channel, quote=event.text)
    knowers = scribe.knowers(seen.witnesses, SourceKind.WITNESSED)
    match kind:
        case ActKind.ASKS:
            return []
        case ActKind.ADMITS:
            return [
                scribe.write(
                    Observation, statement=statement, source=source, knowers=knowers, slot=slot, said_by=event.speaker
                )
            ]
        case ActKind.PROMISES:
            return [
                scribe.write(
                    Commitment, statement=statement, source=source, knowers=knowers, slot=slot, owner=event.speaker,
                    to=event.to[0], witnesses=seen.witnesses,
                )
            ]  # fmt: skip
        case ActKind.ASSERTS | ActKind.DENIES:
            return _claims(event, statement, slot, seen, scribe)


def _claims(event: Utterance, statement: str, slot: object, seen: Audience, scribe: Scribe) -> list[LedgerEntry]:
    """A sentence is evidence that it was said: each hearer holds it as their speaker's word."""
    by_player = event.speaker == PLAYER
    kind = SourceKind.PLAYER_CLAIM if by_player else SourceKind.TOLD_BY
    found: list[LedgerEntry] = []
    for hearer in (w for w in seen.witnesses if w != event.speaker):
        confidence = None if by_player else _as_told(hearer, event.speaker, scribe)
        found.append(
            scribe.write(
                Hearsay, copy_of=hearer, statement=statement, slot=slot, confidence=confidence, teller=event.speaker, hops=1,
                source=scribe.source(kind, event.speaker, channel=event.channel, quote=event.text), heard=event.text,
                knowers=scribe.knowers((hearer,), kind, from_whom=event.speaker), place=event.place,
            )
        )  # fmt: skip
    return found


def _as_told(hearer: str, speaker: str, scribe: Scribe) -> float:
    return retold(1.0, scribe.world.trust_of(hearer, speaker))


def _learned(event: Inferred | DocumentRead | Happened, facts: Facts, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    match event:
        case Inferred(who=who):
            unknown = [i for i in event.derived_from if not facts.ledger.knows(who, i)]
            if unknown:
                raise ContentError("derived_from", f"{who} does not know {', '.join(unknown)}")
            source, knowers = scribe.source(SourceKind.INFERRED, who), scribe.knowers((who,), SourceKind.INFERRED)
            return (
                scribe.write(
                    Observation, copy_of=who, statement=event.statement, source=source, knowers=knowers, slot=event.slot,
                    confidence=event.confidence, derived_from=event.derived_from,
                ),
            )  # fmt: skip
        case DocumentRead(reader=reader):
            readers = (reader, *(event.witnesses or ()))
            source = scribe.source(SourceKind.DOCUMENT, event.document, channel=Channel.DOCUMENT)
            return (
                scribe.write(
                    Observation, statement=event.statement, source=source, slot=event.slot, subject=event.subject,
                    confidence=event.confidence, knowers=scribe.knowers(readers, SourceKind.DOCUMENT), place=event.place,
                ),
            )  # fmt: skip
        case Happened(name=name, statement=statement):
            seen = _audience(event, (event.actor, event.target), scribe)
            if not seen.witnesses:
                return ()
            source = scribe.source(SourceKind.WITNESSED, event.actor or seen.witnesses[0], channel=event.channel)
            return (
                scribe.write(
                    Observation, statement=statement or f"{name.replace('_', ' ')} happened", source=source,
                    slot=event.slot, knowers=scribe.knowers(seen.witnesses, SourceKind.WITNESSED), place=event.place,
                ),
            )  # fmt: skip


def _commitment(event: CommitmentMade, scribe: Scribe) -> LedgerEntry:
    seen = _audience(event, (event.owner, event.to), scribe)
    return scribe.write(
        Commitment,
        statement=event.statement,
        source=scribe.source(SourceKind.WITNESSED, event.owner, channel=event.channel),
        knowers=scribe.knowers(seen.witnesses, SourceKind.WITNESSED),
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


def _commitment_changed(event: CommitmentChanged, facts: Facts, scribe: Scribe) -> Amendment:
    still_open = [c for c in facts.commitments if facts.ledger.status_of(c) is Status.OPEN]
    if not still_open:
        if facts.commitments:
            status = facts.ledger.status_of(facts.commitments[0])
            raise ContentError("commitment", f"{event.commitment!r} is not open, it is {status}")
        raise UnknownEntryError(event.commitment)
    commitment = still_open[0]
    seen = _audience(event, (commitment.owner, commitment.to), scribe)
    match event:
        case CommitmentFulfilled():
            status = Status.FULFILLED
        case CommitmentBroken():
            status = Status.BROKEN
        case _:
            status = Status.RELEASED
    return _amend(commitment, status, scribe, knowers=seen.witnesses, reason=event.reason)


def _stance(event: RelationshipChanged | Felt, scribe: Scribe) -> LedgerEntry:
    """A stance or a feeling is its holder's own."""
    source = scribe.source(SourceKind.SELF, event.who)
    knowers = scribe.knowers((event.who,), SourceKind.SELF)
    match event:
        case Felt():
            return scribe.write(
                EmotionalResidue, copy_of=event.who, holder=event.who, statement=event.statement, source=source, knowers=knowers,
                emotion=event.emotion, intensity=event.intensity, expires=event.expires, about=event.about,
            )  # fmt: skip
        case RelationshipChanged():
            return scribe.write(
                RelationshipDelta, copy_of=event.who, statement=event.statement, source=source, knowers=knowers,
                from_whom=event.who, to=event.towards, axis=event.axis, amount=event.amount, scope=event.scope,
                reason=event.reason, evidence=event.evidence, cap=event.cap, expires=event.expires,
                subject=event.towards,
            )  # fmt: skip


def _named(entry_id: str, facts: Facts) -> LedgerEntry:
    found = facts.ledger.entries.get(entry_id)
    if found is None:
        raise UnknownEntryError(entry_id)
    return found


def _corrected(event: Corrected, facts: Facts, scribe: Scribe) -> Left:
    """Write the new wording for those who knew the old; the old one is kept, superseded. A correction never raises."""
    old = _named(event.entry_id, facts)
    if event.statement is None and event.slot is None:
        return Left(amendments=(_amend(old, Status.RETRACTED, scribe, reason=event.reason, author=event.author),))
    asked = old.confidence if event.confidence is None else event.confidence
    confidence = min(old.confidence, asked) if isinstance(old, Hearsay) else asked
    holder = old.knowers[0].who if isinstance(old, Hearsay) else ""
    new = msgspec.structs.replace(
        old,
        entry_id=scribe.entry_id(holder),
        statement=event.statement or old.statement,
        slot=event.slot or old.slot,
        confidence=confidence,
        seq=scribe.seq,
        at=scribe.after.at,
        knowers=tuple(
            msgspec.structs.replace(k, since_seq=scribe.seq, since_tick=scribe.after.at.tick) for k in old.knowers
        ),
        origin=old.root,
        supersedes=(old.entry_id,),
        embedding=b"",
    )
    amendment = _amend(old, Status.SUPERSEDED, scribe, by=(new.entry_id,), reason=event.reason, author=event.author)
    return Left(entries=(new,), amendments=(amendment,))


def _resolved(event: ContradictionResolved, facts: Facts, scribe: Scribe) -> tuple[Amendment, ...]:
    contradiction = _named(event.contradiction, facts)
    if not isinstance(contradiction, Contradiction):
        raise ContentError("contradiction", f"{event.contradiction!r} is no contradiction")
    if event.winner is not None and event.winner not in contradiction.members:
        raise ContentError("winner", f"{event.winner!r} is no side of it")
    known = None if event.witnesses is None and event.place is None else _audience(event, (), scribe).witnesses
    status = Status.DISMISSED if event.winner is None else Status.RESOLVED
    why = {"reason": event.reason, "author": event.author}
    losers = [_named(m, facts) for m in contradiction.members if event.winner is not None and m != event.winner]
    settled = _amend(contradiction, status, scribe, knowers=known, **why)  # type: ignore[arg-type]
    return (settled, *(_amend(loser, Status.SUPERSEDED, scribe, knowers=known, **why) for loser in losers))  # type: ignore[arg-type]


def _reviewed(event: Confirmed | Reviewed, facts: Facts, scribe: Scribe) -> Amendment:
    entry = _named(event.entry_id, facts)
    status = event.outcome if isinstance(event, Reviewed) else Status.ACTIVE
    if status is Status.ACTIVE:
        status = first_status(msgspec.structs.replace(entry, quarantined=False))
    return _amend(entry, status, scribe, reason=event.reason, author=event.author)
