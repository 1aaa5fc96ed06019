"""One telling: what the listener makes of it, and the row that every telling leaves, believed or not."""

from ledger_service.domain.confidence import retold, to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, SourceKind
from ledger_service.domain.errors import ContentError, UnknownEntryError
from ledger_service.domain.events import Told
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId, digest
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import Telling, TellingOutcome
from ledger_service.recording.facts import Facts, Left
from ledger_service.recording.scribe import Scribe


def tell(event: Told, facts: Facts, scribe: Scribe) -> Left:
    """Pass a story on: teller's confidence x trust x 0.9, in the listener's own copy; always leave a row of it.

    Never back to anyone in its ancestry (echo). The same teller again changes nothing. A different teller of what the
    listener already holds bears it out and leaves the first wording.

    Raises:
        UnknownEntryError: the entry being passed on is not there.
        ContentError: the teller does not know it, or the listener must not learn it.
    """
    own = _teller_entry(event, facts.ledger)
    offered = retold(_confidence(event, own, facts.ledger), scribe.world.trust_of(event.listener, event.teller))
    if own is None:
        return Left(entries=(_heard(event, None, offered, scribe),))
    if _is_echo(event, own, facts):
        return Left(tellings=(_row(event, scribe, own, None, offered, TellingOutcome.ECHO),))
    held = min(facts.held, key=lambda e: (e.seq, e.entry_id), default=None)
    if held is not None:
        again = _has_told(event.teller, held, facts)
        outcome = TellingOutcome.UNCHANGED if again else TellingOutcome.CORROBORATED
        return Left(tellings=(_row(event, scribe, own, held.entry_id, offered, outcome),))
    entry = _heard(event, own, offered, scribe)
    return Left(
        entries=(entry,), tellings=(_row(event, scribe, own, entry.entry_id, offered, TellingOutcome.BELIEVED),)
    )


def _is_echo(event: Told, own: LedgerEntry, facts: Facts) -> bool:
    """Say whether the listener is one of those whom the story came through, or saw it themselves."""
    ancestry = {own.source.by, *(t.teller for t in facts.tellings)}
    knows = any(facts.ledger.knows(event.listener, entry_id) for entry_id in (own.entry_id, own.root))
    return knows or event.listener in ancestry


def _has_told(teller: CharacterId, held: LedgerEntry, facts: Facts) -> bool:
    return held.source.by == teller or any(
        t.to_entry == held.entry_id and t.teller == teller for t in facts.heard
    )  # fmt: skip


def _teller_entry(event: Told, ledger: Ledger) -> LedgerEntry | None:
    if event.entry_id is None:
        return None
    own = ledger.entries.get(event.entry_id)
    if own is None:
        raise UnknownEntryError(event.entry_id)
    if ledger.knower_of(own, event.teller) is None:
        raise ContentError("entry_id", f"{event.teller} does not know it, so cannot pass it on")
    if event.listener in own.unaware:
        raise ContentError("listener", f"{event.listener} must not learn it")
    return own


def _confidence(event: Told, own: LedgerEntry | None, ledger: Ledger) -> float:
    """The teller's own confidence; a stated one can only be lower than what they hold."""
    if own is None:
        return 1.0 if event.confidence is None else event.confidence
    knower = ledger.knower_of(own, event.teller)
    held = own.confidence if knower is None or knower.confidence is None else knower.confidence
    return held if event.confidence is None else min(held, event.confidence)


def _heard(event: Told, own: LedgerEntry | None, offered: float, scribe: Scribe) -> LedgerEntry:
    """Write the listener's copy; in the same words it says the same, and is kept from the same people."""
    kind = SourceKind.PLAYER_CLAIM if event.teller == PLAYER else SourceKind.TOLD_BY
    same_words = own is not None and own.statement == event.statement
    return scribe.write(
        Hearsay,
        copy_of=event.listener,
        statement=event.statement,
        source=scribe.source(kind, event.teller, channel=event.channel),
        knowers=scribe.knowers((event.listener,), kind, from_whom=event.teller),
        confidence=_believed(event, own, offered, scribe),
        slot=event.slot or (own.slot if own is not None and same_words else None),
        subject=event.subject or (own.subject if own is not None else None),
        about=own.about if own is not None and same_words else (),
        unaware=own.unaware if own is not None else (),
        expires=event.expires,
        origin=own.root if own is not None else None,
        teller=event.teller,
        hops=own.hops + 1 if isinstance(own, Hearsay) else 1,
        severity=own.severity if isinstance(own, Hearsay) else 1,
        heard=event.statement,
        place=event.place,
    )


def _believed(event: Told, own: LedgerEntry | None, offered: float, scribe: Scribe) -> float | None:
    """Return the listener's confidence; what was never recorded is worth what the game says it is to them."""
    if own is not None:
        return offered
    if event.teller == PLAYER:
        default = scribe.world.default_confidence(SourceKind.PLAYER_CLAIM)
        return default if event.confidence is None else min(default, event.confidence)
    return offered if event.confidence is None else event.confidence


def _row(
    event: Told, scribe: Scribe, own: LedgerEntry, to_entry: EntryId | None, offered: float, outcome: TellingOutcome
) -> Telling:  # fmt: skip
    return Telling(
        telling_id="t" + digest(scribe.seq, event.teller, event.listener, own.entry_id)[:20],
        from_entry=own.entry_id,
        to_entry=to_entry,
        teller=event.teller,
        listener=event.listener,
        origin=own.root,
        seq=scribe.seq,
        tick=scribe.after.at.tick,
        place=event.place,
        offered_millionths=to_millionths(offered),
        outcome=outcome,
    )
