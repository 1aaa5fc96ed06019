"""What a sentence leaves: proof that it was said, and what each marked act is worth to whoever heard it."""

from ledger_service.domain.confidence import retold
from ledger_service.domain.entries import Commitment, Hearsay, LedgerEntry, Observation, SourceKind
from ledger_service.domain.events import Act, ActKind, Utterance
from ledger_service.domain.ids import PLAYER, CharacterId
from ledger_service.recording.learned import audience_at, muffled
from ledger_service.recording.presence import Audience
from ledger_service.recording.scribe import Scribe


def utterance_of(event: Utterance, scribe: Scribe) -> tuple[LedgerEntry, ...]:
    """Return one active observation that it was said, and what its marked acts leave."""
    seen = audience_at(event, scribe)
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
    acts = [entry for act in event.acts for entry in _left_by(act, event, seen, scribe)]
    return (said, *muffled(event, seen, talked, scribe), *acts)


def _left_by(act: Act, event: Utterance, seen: Audience, scribe: Scribe) -> list[LedgerEntry]:
    match act.kind:
        case ActKind.ASKS:
            return []
        case ActKind.ADMITS:
            return [_admission(act, event, seen, scribe), *(_claims(act, event, seen, scribe) if act.slot else ())]
        case ActKind.PROMISES:
            return [_promise(act, event, seen, scribe)]
        case ActKind.ASSERTS | ActKind.DENIES:
            return _claims(act, event, seen, scribe)


def _admission(act: Act, event: Utterance, seen: Audience, scribe: Scribe) -> LedgerEntry:
    """That it was admitted is witnessed; whether it is so is a claim of its own, so the slot stays out of this."""
    about = (act.slot.subject, act.slot.object) if act.slot else ()
    return scribe.write(
        Observation,
        statement=act.statement,
        source=scribe.source(SourceKind.WITNESSED, event.speaker, channel=event.channel, quote=event.text),
        knowers=scribe.knowers(seen.witnesses, SourceKind.WITNESSED),
        said_by=event.speaker,
        said_to=event.to,
        about=about,
        place=event.place,
    )


def _promise(act: Act, event: Utterance, seen: Audience, scribe: Scribe) -> LedgerEntry:
    return scribe.write(
        Commitment,
        statement=act.statement,
        source=scribe.source(SourceKind.WITNESSED, event.speaker, channel=event.channel, quote=event.text),
        knowers=scribe.knowers(seen.witnesses, SourceKind.WITNESSED),
        slot=act.slot,
        owner=event.speaker,
        to=event.to[0],
        witnesses=seen.witnesses,
        place=event.place,
    )


def _claims(act: Act, event: Utterance, seen: Audience, scribe: Scribe) -> list[LedgerEntry]:
    """A sentence is evidence that it was said: each hearer holds it as their speaker's word."""
    kind = SourceKind.PLAYER_CLAIM if event.speaker == PLAYER else SourceKind.TOLD_BY
    return [
        scribe.write(
            Hearsay,
            copy_of=hearer,
            statement=act.statement,
            source=scribe.source(kind, event.speaker, channel=event.channel, quote=event.text),
            knowers=scribe.knowers((hearer,), kind, from_whom=event.speaker),
            slot=act.slot,
            confidence=_worth(event.speaker, hearer, scribe),
            teller=event.speaker,
            heard=event.text,
            place=event.place,
        )
        for hearer in seen.witnesses
        if hearer != event.speaker
    ]


def _worth(speaker: CharacterId, hearer: CharacterId, scribe: Scribe) -> float | None:
    """Return how much a hearer believes a word: as told, and for the player whatever the world gives a claim."""
    return None if speaker == PLAYER else retold(1.0, scribe.world.trust_of(hearer, speaker))
