"""Load what an event refers to, and see that all of it is there."""

from collections.abc import Iterable

from ledger_service.domain.entries import Contradiction, LedgerEntry, RelationshipDelta
from ledger_service.domain.errors import ProvenanceCycleError, UnknownEntryError
from ledger_service.domain.events import (
    CommitmentChanged,
    Confirmed,
    ContradictionResolved,
    Corrected,
    Eased,
    EntriesPosted,
    GameEvent,
    Inferred,
    Reviewed,
)
from ledger_service.domain.ids import EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import StoryState
from ledger_service.ports import UnitOfWork
from ledger_service.recording.facts import Facts


async def facts_of(event: GameEvent, before: StoryState, uow: UnitOfWork) -> Facts:
    """Return what the record says of whatever an event refers to."""
    match event:
        case CommitmentChanged(commitment=name):
            commitments = tuple(await uow.ledger.find_commitments(name))
            return Facts(
                ledger=await _ledger([c.entry_id for c in commitments], before, uow), commitments=commitments
            )  # fmt: skip
        case Eased(who=who, emotion=emotion, entry_id=entry_id):
            residue = await uow.ledger.find_residue(who, emotion)
            named = tuple(r for r in residue if entry_id in {None, r.entry_id})
            return Facts(ledger=await _ledger((), before, uow), residue=named)
        case _:
            return Facts(ledger=await _ledger(await _named_by(event, uow), before, uow))


async def _named_by(event: GameEvent, uow: UnitOfWork) -> tuple[EntryId, ...]:
    match event:
        case Inferred(derived_from=derived_from):
            return derived_from
        case Corrected(entry_id=entry_id) | Reviewed(entry_id=entry_id):
            return (entry_id,)
        case Confirmed(entry_id=entry_id):
            entries, _ = await uow.ledger.get((entry_id,))
            return (entry_id, *(older for e in entries for older in e.supersedes))
        case EntriesPosted(entries=drafts):
            return tuple(older for draft in drafts for older in draft.supersedes)
        case ContradictionResolved(contradiction=entry_id):
            entries, _ = await uow.ledger.get((entry_id,))
            return (entry_id, *(m for e in entries if isinstance(e, Contradiction) for m in e.members))
        case _:
            return ()


async def _ledger(ids: Iterable[EntryId], before: StoryState, uow: UnitOfWork) -> Ledger:
    wanted = tuple(dict.fromkeys(ids))
    entries, amendments = await uow.ledger.get(wanted) if wanted else ((), ())
    return Ledger(entries, amendments, roster=before.roster, at_seq=before.seq)


async def check_references(entries: Iterable[LedgerEntry], facts: Facts, uow: UnitOfWork) -> None:
    """See that everything new entries rest on was there before them, so that what rests on what is never a circle.

    What the facts hold, and what that goes back to, is there; the rest is looked up.

    Raises:
        UnknownEntryError: there is no such entry.
        ProvenanceCycleError: it rests on itself, or on something written after it.
    """
    new = list(entries)
    there = facts.ledger.entries
    written: set[EntryId] = {*there, *(e.root for e in there.values())}
    named: dict[EntryId, None] = {}
    for entry in new:
        for beneath in _rests_on(entry):
            if beneath not in written and any(beneath == e.entry_id for e in new):
                raise ProvenanceCycleError(entry.entry_id)
            named |= {} if beneath in written else {beneath: None}
        written.add(entry.entry_id)
    found, _ = await uow.ledger.get(tuple(named)) if named else ((), ())
    missing = [i for i in named if i not in {e.entry_id for e in found}]
    if missing:
        raise UnknownEntryError(missing[0])


def _rests_on(entry: LedgerEntry) -> tuple[EntryId, ...]:
    members = entry.members if isinstance(entry, Contradiction) else ()
    evidence = entry.evidence if isinstance(entry, RelationshipDelta) else ()
    roots = tuple(root for root in (entry.origin, entry.corrects) if root is not None)
    return (*entry.derived_from, *entry.supersedes, *roots, *members, *evidence)
