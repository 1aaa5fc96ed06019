"""Hold what an event leaves against what was there: repeats fall away, updates supersede, conflicts stay open."""

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Contradiction, LedgerEntry, Source, SourceKind, Status, kind_of
from ledger_service.domain.events import Confirmed, GameEvent, Outcome, Receipt
from ledger_service.domain.ids import EntryId, entry_id_of
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import Telling, TellingOutcome
from ledger_service.domain.slots import Relation, Slot, relate
from ledger_service.domain.visibility import OPEN, SECRET, Disclosure
from ledger_service.domain.worlds import World
from ledger_service.ports import UnitOfWork
from ledger_service.reconcile.contradict import Clash, contradict
from ledger_service.recording.facts import Facts, Left
from ledger_service.recording.scribe import clipped

_STANDS = frozenset({Status.ACTIVE, Status.OPEN})
_FIRST_OF_CONTRADICTIONS = 100_000
"""Contradictions are numbered from here, beyond whatever an event leaves itself."""


class Held(Struct, frozen=True, kw_only=True):
    """What is left of an event's entries once they have been held against the ledger."""

    entries: tuple[LedgerEntry, ...] = ()
    contradictions: tuple[LedgerEntry, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    tellings: tuple[Telling, ...] = ()
    unchanged: dict[EntryId, Receipt] = {}
    """Receipts for entries that said nothing new, by the id that they would have had."""


async def held_against(
    event: GameEvent, left: Left, facts: Facts, *, after: StoryState, world: World, uow: UnitOfWork
) -> Held:
    """Hold new entries, or a draft just confirmed, against the entries with the same slots."""
    confirmed = (facts.named(event.entry_id),) if isinstance(event, Confirmed) else ()
    slots = [e.slot for e in (*left.entries, *confirmed) if e.slot is not None]
    if not slots:
        return Held(entries=left.entries, tellings=left.tellings)
    older = await uow.ledger.find_by_slot(list(dict.fromkeys(q for s in slots for q in _questions(s, world))))
    _, amendments = await uow.ledger.get([e.entry_id for e in older]) if older else ((), ())
    ledger = Ledger(older, (*amendments, *left.amendments), roster=after.roster, at_seq=after.seq)
    repeats = _repeats(left.entries, ledger, world)
    kept = tuple(e for e in left.entries if e.entry_id not in repeats)
    found = contradict((*kept, *confirmed), older, ledger, predicates=world.predicates, seq=after.seq)
    return Held(
        entries=kept,
        contradictions=tuple(_contradiction(clash, after, i) for i, clash in enumerate(found.clashes)),
        amendments=found.amendments,
        tellings=tuple(_of_what_is_held(t, repeats) for t in left.tellings),
        unchanged={new: _unchanged(same) for new, same in repeats.items()},
    )


def _questions(slot: Slot, world: World) -> list[Slot]:
    """Return what to look up: the slot's subject under its own predicate, and under those that exclude it.

    Only for a symmetric predicate does it matter who else has the same object.
    """
    declared = world.predicates.get(slot.predicate)
    excluded = {name for name, p in world.predicates.items() if slot.predicate in p.exclusive_with}
    others = sorted(excluded | set(declared.exclusive_with if declared else ()))
    object_ = slot.object if declared is not None and declared.symmetric else slot.subject
    return [Slot(subject=slot.subject, predicate=name, object=object_) for name in (slot.predicate, *others)]


def _repeats(entries: tuple[LedgerEntry, ...], ledger: Ledger, world: World) -> dict[EntryId, LedgerEntry]:
    """Return the entries that say, to nobody new, what the ledger holds already, each with the one that says it."""
    standing = [e for e in ledger.entries.values() if ledger.status_of(e) in _STANDS]
    found = {}
    for entry in entries:
        same = next((e for e in standing if _says_the_same(entry, e, world)), None)
        if same is not None:
            found[entry.entry_id] = same
    return found


def _says_the_same(new: LedgerEntry, old: LedgerEntry, world: World) -> bool:
    if new.slot is None or old.slot is None or type(new) is not type(old) or new.statement != old.statement:
        return False
    agrees = relate(old.slot, new.slot, world.predicates) is Relation.AGREES or new.slot == old.slot
    nobody_new = {k.who for k in new.knowers} <= {k.who for k in old.knowers}
    same_source = (new.source.by, new.source.kind) == (old.source.by, old.source.kind)
    return agrees and nobody_new and same_source and not new.supersedes


def _unchanged(same: LedgerEntry) -> Receipt:
    return Receipt(entry_id=same.entry_id, kind=kind_of(same), outcome=Outcome.UNCHANGED, statement=same.statement)


def _of_what_is_held(telling: Telling, repeats: dict[EntryId, LedgerEntry]) -> Telling:
    same = repeats.get(telling.to_entry or "")
    if same is None:
        return telling
    return msgspec.structs.replace(telling, to_entry=same.entry_id, outcome=TellingOutcome.UNCHANGED)


def _contradiction(clash: Clash, after: StoryState, ordinal: int) -> LedgerEntry:
    """Write down that two entries cannot both hold, for whom both are visible, and no more freely than either."""
    sides = (clash.older, clash.newer)
    return Contradiction(
        entry_id=entry_id_of(seq=after.seq, ordinal=_FIRST_OF_CONTRADICTIONS + ordinal, holder=""),
        statement=clipped(f"{clash.older.statement}; against that, {clash.newer.statement}"),
        source=Source(kind=SourceKind.ENGINE, event_seq=after.seq),
        knowers=clash.knowers,
        unaware=tuple(sorted({who for side in sides for who in side.unaware})),
        disclosure=_stricter(clash.older.disclosure, clash.newer.disclosure),
        seq=after.seq,
        at=after.at,
        subject=clash.newer.subject if clash.newer.subject == clash.older.subject else None,
        members=(clash.older.entry_id, clash.newer.entry_id),
        disputed=clash.older.slot,
    )


def _stricter(a: Disclosure, b: Disclosure) -> Disclosure:
    """Return the stricter of two; two different gates together are never open."""
    if b in {a, OPEN}:
        return a
    return b if a == OPEN else SECRET
