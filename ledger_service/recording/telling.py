"""One telling: what the listener makes of it, and the row that every telling leaves, believed or not."""

from collections.abc import Iterable

from msgspec import Struct

from ledger_service.domain.confidence import retold, to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, SourceKind
from ledger_service.domain.errors import ContentError, UnknownEntryError
from ledger_service.domain.events import Told
from ledger_service.domain.ids import PLAYER, EntryId, digest
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import Telling, TellingOutcome
from ledger_service.recording.scribe import Scribe


class Passed(Struct, frozen=True, kw_only=True):
    """What a telling leaves: at most one entry, always a row."""

    entries: tuple[LedgerEntry, ...] = ()
    tellings: tuple[Telling, ...] = ()


def tell(
    event: Told, ledger: Ledger, scribe: Scribe, *, held: Iterable[LedgerEntry], tellings: Iterable[Telling]
) -> Passed:
    """Pass a story on: teller's confidence x trust x 0.9, in the listener's own copy.

    Never back to anyone in its ancestry (echo). The same teller again changes nothing. A different teller of what the
    listener already holds bears it out and leaves the first wording.

    Raises:
        UnknownEntryError: the entry being passed on is not there.
        ContentError: the teller does not know it.
    """
    own = _teller_entry(event, ledger)
    trust = scribe.world.trust_of(event.listener, event.teller)
    offered = retold(_confidence(event, own, ledger), trust)
    origin = own.root if own is not None else None
    ancestry = (
        {own.source.by, *(t.teller for t in tellings), *(k.who for k in own.knowers)} if own is not None else set()
    )
    already = sorted(held, key=lambda e: (e.seq, e.entry_id))
    if own is not None and (event.listener in ancestry or ledger.knows(event.listener, own.root)):
        return Passed(tellings=(_row(event, scribe, own, None, origin, offered, TellingOutcome.ECHO),))
    if own is not None and already:
        same = already[0].source.by == event.teller
        outcome = TellingOutcome.UNCHANGED if same else TellingOutcome.CORROBORATED
        return Passed(tellings=(_row(event, scribe, own, already[0].entry_id, origin, offered, outcome),))
    entry = _heard(event, own, offered, origin, scribe)
    if own is None:
        return Passed(entries=(entry,))
    return Passed(
        entries=(entry,), tellings=(_row(event, scribe, own, entry.entry_id, origin, offered, TellingOutcome.BELIEVED),)
    )


def _teller_entry(event: Told, ledger: Ledger) -> LedgerEntry | None:
    if event.entry_id is None:
        return None
    own = ledger.entries.get(event.entry_id)
    if own is None:
        raise UnknownEntryError(event.entry_id)
    if ledger.knower_of(own, event.teller) is None:
        raise ContentError("entry_id", f"{event.teller} does not know it, so cannot pass it on")
    return own


def _confidence(event: Told, own: LedgerEntry | None, ledger: Ledger) -> float:
    """The teller's own confidence; a stated one can only be lower than what they hold."""
    if own is None:
        return 1.0 if event.confidence is None else event.confidence
    knower = ledger.knower_of(own, event.teller)
    held = own.confidence if knower is None or knower.confidence is None else knower.confidence
    return held if event.confidence is None else min(held, event.confidence)


def _heard(event: Told, own: LedgerEntry | None, offered: float, origin: EntryId | None, scribe: Scribe) -> LedgerEntry:
    kind = SourceKind.PLAYER_CLAIM if event.teller == PLAYER else SourceKind.TOLD_BY
    hops = own.hops + 1 if isinstance(own, Hearsay) else 1
    confidence = scribe.world.default_confidence(kind) if event.teller == PLAYER and own is None else offered
    if own is None and event.teller != PLAYER and event.confidence is not None:
        confidence = event.confidence
    return scribe.write(
        Hearsay,
        copy_of=event.listener,
        statement=event.statement,
        source=scribe.source(kind, event.teller, channel=event.channel),
        knowers=scribe.knowers((event.listener,), kind, from_whom=event.teller),
        confidence=confidence,
        slot=event.slot,
        subject=event.subject,
        expires=event.expires,
        origin=origin,
        teller=event.teller,
        hops=hops,
        severity=own.severity if isinstance(own, Hearsay) else 1,
        heard=event.statement,
        place=event.place,
    )


def _row(
    event: Told, scribe: Scribe, own: LedgerEntry, to_entry: EntryId | None, origin: EntryId | None, offered: float,
    outcome: TellingOutcome,
) -> Telling:  # fmt: skip
    return Telling(
        telling_id="t" + digest(scribe.seq, event.teller, event.listener, own.entry_id)[:20],
        from_entry=own.entry_id,
        to_entry=to_entry,
        teller=event.teller,
        listener=event.listener,
        origin=origin or own.entry_id,
        seq=scribe.seq,
        tick=scribe.after.at.tick,
        place=event.place,
        offered_millionths=to_millionths(offered),
        outcome=outcome,
    )
