"""Record events: a batch, all or nothing, once for each key; what they end, settle and contradict happens here."""

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.conditions import Scope
from ledger_service.domain.entries import (
    Channel,
    Contradiction,
    Hearsay,
    LedgerEntry,
    RelationshipDelta,
    Source,
    SourceKind,
    Status,
    kind_of,
)
from ledger_service.domain.errors import ContentError, DuplicateKeyError, SequenceTakenError
from ledger_service.domain.events import (
    CommitmentBroken,
    CommitmentFulfilled,
    CommitmentReleased,
    Confirmed,
    ContradictionResolved,
    Corrected,
    Eased,
    EventReceipt,
    GameEvent,
    Happened,
    Inferred,
    Outcome,
    Receipt,
    RecordedEvent,
    Reviewed,
    Told,
    event_kind,
)
from ledger_service.domain.ids import PlaythroughId, digest, entry_id_of
from ledger_service.domain.ledger import LIVE, Ledger, standing
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import Telling
from ledger_service.domain.slots import Relation, Slot, relate
from ledger_service.domain.story_time import hour_of_day
from ledger_service.domain.worlds import World
from ledger_service.ports import Embedder, OpenUnitOfWork, UnitOfWork
from ledger_service.reconcile.contradict import Clash, contradict
from ledger_service.reconcile.expire import expire
from ledger_service.reconcile.settle import settle
from ledger_service.recording.check import check_event
from ledger_service.recording.from_event import Facts, Left, from_event
from ledger_service.recording.mirror import mirror_batch
from ledger_service.recording.scribe import Scribe
from ledger_service.recording.story import advance
from ledger_service.services.story_state import world_of

MOST_IN_A_BATCH = 5_000
_canonical = msgspec.json.Encoder(order="deterministic").encode


class _Written(Struct, frozen=True, kw_only=True):
    """What one event came to."""

    recorded: RecordedEvent
    receipt: EventReceipt
    state: StoryState
    entries: tuple[LedgerEntry, ...]
    tellings: tuple[Telling, ...]


async def record_events(
    playthrough_id: PlaythroughId,
    events: Sequence[GameEvent],
    *,
    open_uow: OpenUnitOfWork,
    embedder: Embedder,
    expected_seq: int | None = None,
) -> tuple[EventReceipt, ...]:
    """Write a batch in one transaction, and say what became of each event.

    An event whose key was written before with the same content is left as it is, and its first receipt comes back.

    Raises:
        DuplicateKeyError: a key was written before with other content.
        SequenceTakenError: the history does not end at `expected_seq`.
        LedgerError: an event that breaks a rule; then nothing of the batch is written.
    """
    if not events or len(events) > MOST_IN_A_BATCH:
        raise ContentError("events", f"a batch holds 1 to {MOST_IN_A_BATCH} events, not {len(events)}")
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.lock_state()
        if expected_seq is not None and expected_seq != state.seq:
            raise SequenceTakenError(expected_seq, state.seq)
        receipts, state, batch = await _record_all(events, state, uow, embedder)
        if batch:
            await uow.events.append([w.recorded for w in batch], [w.receipt for w in batch])
            await uow.playthroughs.put_state(state)
            entries = [e for w in batch for e in w.entries]
            await uow.outbox.put(mirror_batch(entries, [t for w in batch for t in w.tellings]))
            await uow.commit()
    return tuple(receipts)


async def _record_all(
    events: Sequence[GameEvent], state: StoryState, uow: UnitOfWork, embedder: Embedder
) -> tuple[list[EventReceipt], StoryState, list[_Written]]:
    keys = [e.key for e in events if e.key is not None]
    seen = await uow.events.find_by_keys(keys) if keys else {}
    receipts: list[EventReceipt] = []
    batch: list[_Written] = []
    for event in events:
        earlier = seen.get(event.key) if event.key is not None else None
        if earlier is not None:
            recorded, receipt = earlier
            if recorded.event != event:
                raise DuplicateKeyError(event.key or "")
            receipts.append(msgspec.structs.replace(receipt, outcome=Outcome.UNCHANGED))
            continue
        written = await _record_one(event, state, uow, embedder)
        state = written.state
        batch.append(written)
        receipts.append(written.receipt)
        if event.key is not None:
            seen[event.key] = (written.recorded, written.receipt)
    return receipts, state, batch


async def _record_one(event: GameEvent, before: StoryState, uow: UnitOfWork, embedder: Embedder) -> _Written:
    seq = before.seq + 1
    world = await world_of(uow, before.world_version)
    check_event(event, before, world)
    after = advance(before, event, world, seq=seq)
    if after.world_version != before.world_version:
        world = await world_of(uow, after.world_version)
    scribe = Scribe(seq=seq, before=before, after=after, world=world)
    left = from_event(event, await _facts(event, before, uow), scribe)
    entries, receipts = await _without_repeats(left.entries, after, world, uow)
    clashed = await _contradict(entries, after, world, uow)
    entries = (*entries, *clashed.entries)
    entries = _with_meanings(entries, embedder)
    await uow.ledger.append(entries)
    amendments = (*left.amendments, *clashed.amendments)
    await uow.ledger.amend(amendments)
    ended = await _end(event, before, after, world, uow)
    await uow.ledger.amend(ended)
    await uow.tellings.append(left.tellings)
    receipt = EventReceipt(
        seq=seq,
        kind=event_kind(event),
        at=after.at,
        outcome=Outcome.CREATED,
        entries=(*receipts, *_receipts(entries, amendments)),
        ended=tuple(a.entry_id for a in (*amendments, *ended)),
    )
    recorded = _chained(event, after, head=before.head)
    state = msgspec.structs.replace(after, head=recorded.hash)
    return _Written(recorded=recorded, receipt=receipt, state=state, entries=entries, tellings=left.tellings)


def _chained(event: GameEvent, after: StoryState, *, head: str) -> RecordedEvent:
    """Chain an event to the one before; the playthrough's id is no part of the hash."""
    sealed = digest(head, after.seq, _canonical(after.at).decode(), _canonical(event).decode())
    return RecordedEvent(seq=after.seq, at=after.at, event=event, hash=sealed)


async def _facts(event: GameEvent, before: StoryState, uow: UnitOfWork) -> Facts:
    """Load what an event refers to."""
    ids: tuple[str, ...] = ()
    commitments = []
    residue: list[LedgerEntry] = []
    tellings: tuple[Telling, ...] = ()
    match event:
        case Told(entry_id=entry_id) if entry_id is not None:
            return await _facts_of_telling(event, entry_id, before, uow)
        case Inferred(derived_from=derived_from):
            ids = derived_from
        case Corrected(entry_id=entry_id) | Confirmed(entry_id=entry_id) | Reviewed(entry_id=entry_id):
            ids = (entry_id,)
        case ContradictionResolved(contradiction=entry_id):
            ids = await _with_members(entry_id, uow)
        case CommitmentFulfilled() | CommitmentBroken() | CommitmentReleased():
            commitments = await uow.ledger.find_commitments(event.commitment)
            ids = tuple(c.entry_id for c in commitments)
        case Eased(who=who, emotion=emotion, entry_id=entry_id):
            residue = await uow.ledger.find_residue(who, emotion)
            residue = [r for r in residue if entry_id is None or r.entry_id == entry_id]
        case _:
            pass
    entries, amendments = await uow.ledger.get(ids) if ids else ((), ())
    ledger = Ledger(entries, amendments, roster=before.roster, at_seq=before.seq)
    return Facts(ledger=ledger, commitments=tuple(commitments), residue=tuple(residue), tellings=tellings)


async def _facts_of_telling(event: Told, entry_id: str, before: StoryState, uow: UnitOfWork) -> Facts:
    behind = await uow.tellings.behind(entry_id)
    found, _ = await uow.ledger.get((entry_id,))
    root = found[0].root if found else entry_id
    held = await uow.ledger.find_by_origin(root, knower=event.listener)
    entries, amendments = await uow.ledger.get(tuple(dict.fromkeys((entry_id, root, *(e.entry_id for e in held)))))
    ledger = Ledger(entries, amendments, roster=before.roster, at_seq=before.seq)
    mine = tuple(e for e in held if isinstance(e, Hearsay) and ledger.status_of(e) in LIVE)
    return Facts(ledger=ledger, tellings=tuple(behind), held=mine)


async def _with_members(entry_id: str, uow: UnitOfWork) -> tuple[str, ...]:
    entries, _ = await uow.ledger.get((entry_id,))
    members = [m for e in entries if isinstance(e, Contradiction) for m in e.members]
    return (entry_id, *members)


async def _without_repeats(
    entries: tuple[LedgerEntry, ...], after: StoryState, world: World, uow: UnitOfWork
) -> tuple[tuple[LedgerEntry, ...], list[Receipt]]:
    """Leave out an entry that says, to nobody new, what the ledger holds already."""
    slots = [e.slot for e in entries if e.slot is not None]
    if not slots:
        return entries, []
    there = await uow.ledger.find_by_slot(slots)
    _, amendments = await uow.ledger.get([e.entry_id for e in there])
    ledger = Ledger(there, amendments, roster=after.roster, at_seq=after.seq)
    live = [e for e in there if ledger.status_of(e) in LIVE]
    kept: list[LedgerEntry] = []
    receipts: list[Receipt] = []
    for entry in entries:
        same = next((e for e in live if _says_the_same(entry, e, world)), None)
        if same is None:
            kept.append(entry)
        else:
            receipts.append(
                Receipt(entry_id=same.entry_id, kind=kind_of(same), outcome=Outcome.UNCHANGED, statement=same.statement)
            )
    return tuple(kept), receipts


def _says_the_same(new: LedgerEntry, old: LedgerEntry, world: World) -> bool:
    if new.slot is None or old.slot is None or type(new) is not type(old) or new.statement != old.statement:
        return False
    agrees = relate(old.slot, new.slot, world.predicates) is Relation.AGREES or new.slot == old.slot
    nobody_new = {k.who for k in new.knowers} <= {k.who for k in old.knowers}
    return agrees and nobody_new and new.source.by == old.source.by


async def _contradict(entries: tuple[LedgerEntry, ...], after: StoryState, world: World, uow: UnitOfWork) -> Left:
    """Hold new entries against older ones: updates become amendments, conflicts become contradictions."""
    slots = [slot for e in entries if e.slot is not None for slot in _rivals(e.slot, world)]
    if not slots:
        return Left()
    older = [e for e in await uow.ledger.find_by_slot(slots) if e.seq < after.seq]
    _, amendments = await uow.ledger.get([e.entry_id for e in older])
    ledger = Ledger((*older, *entries), amendments, roster=after.roster, at_seq=after.seq)
    found = contradict(entries, older, ledger, predicates=world.predicates, seq=after.seq)
    new = tuple(_contradiction(clash, after, ordinal) for ordinal, clash in enumerate(found.clashes))
    return Left(entries=new, amendments=found.amendments)


def _rivals(slot: Slot, world: World) -> list[Slot]:
    """Return a slot, and the slots of predicates that exclude its own."""
    declared = world.predicates.get(slot.predicate)
    if declared is None:
        return []
    against = {name for name, p in world.predicates.items() if slot.predicate in p.exclusive_with}
    others = sorted(against | set(declared.exclusive_with))
    return [slot, *(msgspec.structs.replace(slot, predicate=name) for name in others)]


def _contradiction(clash: Clash, after: StoryState, ordinal: int) -> LedgerEntry:
    return Contradiction(
        entry_id=entry_id_of(seq=after.seq, ordinal=1_000 + ordinal, holder="contradiction"),
        statement=f"{clash.older.statement}; against that, {clash.newer.statement}"[:4_000],
        source=Source(kind=SourceKind.ENGINE, event_seq=after.seq, channel=Channel.OPEN),
        knowers=clash.knowers,
        seq=after.seq,
        at=after.at,
        members=(clash.older.entry_id, clash.newer.entry_id),
        disputed=clash.older.slot,
    )


async def _end(
    event: GameEvent, before: StoryState, after: StoryState, world: World, uow: UnitOfWork
) -> tuple[Amendment, ...]:
    """Expire and settle: what this step of time, or this event, has ended."""
    names = [event.name] if isinstance(event, Happened) else []
    ended: list[Amendment] = []
    if names or before.at != after.at:
        due = await uow.ledger.find_ending(before=before, now=after, event_names=names)
        _, amendments = await uow.ledger.get([e.entry_id for e in due]) if due else ((), ())
        ledger = Ledger(due, amendments, roster=after.roster, at_seq=after.seq)
        ended += expire(due, ledger, now=after.at, seq=after.seq, occurrences=after.occurrences)
    watched = await uow.ledger.find_open_commitments()
    if watched:
        scope = await _true_scope(event, after, world, uow)
        _, amendments = await uow.ledger.get([c.entry_id for c in watched])
        ledger = Ledger(watched, (*amendments, *ended), roster=after.roster, at_seq=after.seq)
        witnesses = frozenset(getattr(event, "witnesses", None) or ())
        ended += settle(watched, ledger, scope=scope, seq=after.seq, at=after.at, witnesses=witnesses)
    return tuple(ended)


async def _true_scope(event: GameEvent, after: StoryState, world: World, uow: UnitOfWork) -> Scope:
    """What conditions see while recording: the whole ledger, not what some character knows of it."""
    entries, amendments = await uow.ledger.load_conditional()
    ledger = Ledger(entries, amendments, roster=after.roster, at_seq=after.seq)
    live = ledger.live()
    deltas = [e for e in live if isinstance(e, RelationshipDelta)]

    def has(name: str, status: Status) -> bool:
        named = (e for e in ledger.entries.values() if name in {e.entry_id, getattr(e, "name", None)})
        return any(ledger.status_of(e) is status for e in named)

    variables = {
        "state": {**world.state, **after.values},
        "event": {"name": getattr(event, "name", event_kind(event)), **dict(getattr(event, "fields", {}))},
        "scene": after.at.scene,
        "tick": after.at.tick,
        "turn": after.at.turn,
        "hour": hour_of_day(after.at.tick),
    }
    functions: dict[str, Callable[..., object]] = {
        "standing": lambda a, b, scope: float(standing(deltas, a, b, scope)),
        "opinion": lambda _: 0.0,
        "knows": lambda who, name: any(
            ledger.knower_of(e, who) is not None
            for e in ledger.entries.values()
            if name in {e.entry_id, getattr(e, "name", None)}
        ),
        "open": lambda name: has(name, Status.OPEN),
        "fulfilled": lambda name: has(name, Status.FULFILLED),
        "broken": lambda name: has(name, Status.BROKEN),
        "happened": after.happened,
        "felt": lambda who, emotion: any(
            getattr(e, "holder", None) == who and getattr(e, "emotion", None) == emotion for e in live
        ),
    }
    return Scope(variables, functions)


def _with_meanings(entries: tuple[LedgerEntry, ...], embedder: Embedder) -> tuple[LedgerEntry, ...]:
    meanings = embedder.embed([e.statement for e in entries])
    return tuple(msgspec.structs.replace(e, embedding=m) for e, m in zip(entries, meanings, strict=True))


def _receipts(entries: tuple[LedgerEntry, ...], amendments: tuple[Amendment, ...]) -> list[Receipt]:
    """Say of each entry whether it was simply created, superseded others, or is in conflict."""
    conflicts: dict[str, list[str]] = {}
    for entry in entries:
        if isinstance(entry, Contradiction):
            for member in entry.members:
                conflicts.setdefault(member, []).append(entry.entry_id)
    found = []
    for entry in entries:
        older = [a.entry_id for a in amendments if a.status is Status.SUPERSEDED and entry.entry_id in a.by]
        against = conflicts.get(entry.entry_id, [])
        outcome = Outcome.CONFLICT if against else Outcome.SUPERSEDED if older else Outcome.CREATED
        found.append(
            Receipt(
                entry_id=entry.entry_id,
                kind=kind_of(entry),
                outcome=outcome,
                statement=entry.statement,
                others=tuple(against or older),
            )
        )
    return found
