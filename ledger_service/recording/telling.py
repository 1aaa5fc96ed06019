"""What tellings leave: the listener's own copy, how sure they are since, and a row for every telling."""

from collections.abc import Iterable

from ledger_service.domain.amendments import Amendment, Belief
from ledger_service.domain.confidence import retold
from ledger_service.domain.entries import Channel, Hearsay, LedgerEntry, SourceKind, Status
from ledger_service.domain.events import Told
from ledger_service.domain.expiry import NEVER, Expiry
from ledger_service.domain.ids import PLAYER, EntryId
from ledger_service.domain.rumours import NEW, Heard, Telling, first_heard, recounted, telling_of
from ledger_service.domain.slots import Slot
from ledger_service.recording.facts import Facts, Left
from ledger_service.recording.scribe import Scribe


def tell(event: Told, facts: Facts, scribe: Scribe) -> Left:
    """Pass a story on as it was decided; what was never recorded is the listener's alone, and a story of its own."""
    if event.entry_id is None:
        return Left(entries=(_unrecorded(event, scribe),))
    return tellings_of(facts, scribe, by=event)


def tellings_of(facts: Facts, scribe: Scribe, *, by: Told | None = None) -> Left:
    """Write down what was decided: who holds what since, how surely, and every telling that led to it."""
    written: dict[EntryId, LedgerEntry] = {}
    for heard in facts.heard:
        if heard.outcome in NEW:
            copy = _copy(heard, written.get(heard.told) or facts.named(heard.told), scribe, by)
            written[copy.entry_id] = copy
    beliefs = {h.held: h.belief for h in facts.heard if h.held is not None and h.belief is not None}
    first = {e.entry_id: e.confidence for e in written.values()}
    after = {i: b for i, b in beliefs.items() if first.get(i) != b.confidence or len(b.tellers) > 1}
    lowered = {entry_id: belief for h in facts.heard for entry_id, belief in h.lowered}
    return Left(
        entries=tuple(written.values()),
        amendments=tuple(believed(entry_id, belief, scribe) for entry_id, belief in (after | lowered).items()),
        tellings=tuple(row for h in facts.heard for row in _rows(h, scribe.seq)),
    )


def believed(entry_id: EntryId, belief: Belief, scribe: Scribe) -> Amendment:
    """Say how sure the holder of an entry is since this event."""
    return Amendment(
        entry_id=entry_id, status=Status.ACTIVE, cause_seq=scribe.seq, at=scribe.after.at, belief=belief
    )  # fmt: skip


def _rows(heard: Heard, seq: int) -> Iterable[Telling]:
    """Yield the row of a telling; what had been put aside before counts from now, in rows that say what it came to."""
    for earlier in heard.pending:
        yield recounted(earlier, heard, seq=seq)
    yield telling_of(heard, seq=seq)


def _copy(heard: Heard, told: LedgerEntry, scribe: Scribe, by: Told | None) -> LedgerEntry:
    """Write the listener's copy; in the same words it says the same, and is kept from the same people."""
    words = first_heard(heard)
    same_words = told.statement == words.statement
    kind = SourceKind.PLAYER_CLAIM if heard.teller == PLAYER else SourceKind.TOLD_BY
    sure = heard.belief.confidence if heard.belief is not None else heard.offered
    channel, expires, slot, subject = _as_put(by)
    return scribe.write(
        Hearsay,
        entry_id=heard.held,
        copy_of=heard.listener,
        statement=words.statement,
        source=scribe.source(kind, heard.teller, channel=channel),
        knowers=scribe.knowers((heard.listener,), kind, from_whom=heard.teller),
        confidence=sure,
        slot=slot or (told.slot if same_words else None),
        subject=subject or told.subject,
        about=told.about if same_words else (),
        unaware=told.unaware,
        expires=expires,
        origin=told.root,
        teller=heard.teller,
        hops=heard.hops,
        severity=words.severity,
        heard=words.statement,
        place=heard.place,
        ladder=heard.ladder,
        corrects=heard.corrects,
        roots=heard.roots,
    )


def _as_put(by: Told | None) -> tuple[Channel, Expiry, Slot | None, str | None]:
    if by is None:
        return Channel.OPEN, NEVER, None, None
    return by.channel, by.expires, by.slot, by.subject


def _unrecorded(event: Told, scribe: Scribe) -> LedgerEntry:
    """Write what somebody heard that goes back to nothing in the record."""
    kind = SourceKind.PLAYER_CLAIM if event.teller == PLAYER else SourceKind.TOLD_BY
    return scribe.write(
        Hearsay,
        copy_of=event.listener,
        statement=event.statement,
        source=scribe.source(kind, event.teller, channel=event.channel),
        knowers=scribe.knowers((event.listener,), kind, from_whom=event.teller),
        confidence=_worth(event, scribe),
        slot=event.slot,
        subject=scribe.world.subject_of(event.subject, event.ladder),
        expires=event.expires,
        teller=event.teller,
        hops=1,
        heard=event.statement,
        place=event.place,
        ladder=event.ladder,
        roots=(event.teller,),
    )


def _worth(event: Told, scribe: Scribe) -> float | None:
    """Return how sure the listener is; what was never recorded is worth what the game says it is to them."""
    if event.teller == PLAYER:
        default = scribe.world.default_confidence(SourceKind.PLAYER_CLAIM)
        return default if event.confidence is None else min(default, event.confidence)
    if event.confidence is not None:
        return event.confidence
    return retold(1.0, scribe.world.trust_of(event.listener, event.teller))
