"""Record events: a batch, all or nothing, once for each key; what they end, settle and contradict happens here."""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Contradiction, LedgerEntry, Status, kind_of
from ledger_service.domain.errors import (
    ContentError,
    DuplicateKeyError,
    GraphUnavailableError,
    LedgerError,
    SequenceTakenError,
)
from ledger_service.domain.events import (
    EventReceipt,
    GameEvent,
    HourPassed,
    Outcome,
    Receipt,
    RecordedEvent,
    RegionsCaughtUp,
    Told,
    WorldChanged,
    event_kind,
)
from ledger_service.domain.ids import CharacterId, PlaythroughId
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.rumours import Holding, Refusal, Telling
from ledger_service.domain.worlds import World
from ledger_service.ports import Embedder, OpenUnitOfWork, OutboxItem, RumourGraph, UnitOfWork
from ledger_service.recording.chain import link
from ledger_service.recording.check import check_event
from ledger_service.recording.from_event import from_event
from ledger_service.recording.mirror import mirror_batch, moves, world_change
from ledger_service.recording.plain import read_event
from ledger_service.recording.scribe import Scribe
from ledger_service.recording.story import advance
from ledger_service.services.events.apply_customs import customs_of
from ledger_service.services.events.event_conflicts import held_against
from ledger_service.services.events.event_endings import what_ends
from ledger_service.services.events.event_facts import check_references, facts_of
from ledger_service.services.events.hear_tellings import (
    Find,
    Talked,
    lowered_by,
    talk_of_hour,
    talk_of_regions,
    talk_of_telling,
)
from ledger_service.services.events.keep_notices import notices_of
from ledger_service.services.events.recent import Recent
from ledger_service.services.events.story_state import world_of

MOST_IN_A_BATCH = 2_000
"""So many events are written well within the time of a request, whatever they are; a longer history goes in parts."""


class _Written(Struct, frozen=True, kw_only=True):
    """What one event came to."""

    recorded: RecordedEvent
    receipt: EventReceipt
    state: StoryState
    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]
    tellings: tuple[Telling, ...]
    refusals: tuple[Refusal, ...]


async def record_events(
    playthrough_id: PlaythroughId,
    events: Sequence[GameEvent],
    *,
    open_uow: OpenUnitOfWork,
    embedder: Embedder | None = None,
    expected_seq: int | None = None,
    graph: RumourGraph | None = None,
    recent: Recent | None = None,
) -> tuple[EventReceipt, ...]:
    """Write a batch in one transaction, and say what became of each event.

    Where a graph is given, an hour's tellings are looked for there, as long as it is up to date; else in the record.
    With `recent`, what the events before have loaded is not loaded again, unless somebody else has written since;
    and what is left for a graph that was up to date is left to the caller (see `Recent.left`).
    An event whose key was written before with the same content is left as it is, and its first receipt comes back.

    Raises:
        DuplicateKeyError: a key was written before with other content.
        SequenceTakenError: there is something new in it, and the history does not end at `expected_seq`.
        LedgerError: an event that breaks a rule; then nothing of the batch is written.
    """
    if not events or len(events) > MOST_IN_A_BATCH:
        raise ContentError(
            "events", f"a batch holds 1 to {MOST_IN_A_BATCH} events, not {len(events)}; send it in parts"
        )
    given = []
    for position, event in enumerate(events):
        with _at(position):
            given.append(read_event(event))
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.lock_state()
        known = recent or Recent()
        known.turn_to(uow, head=state.head)
        find = _finder(playthrough_id, uow, graph, known)
        receipts, batch = await _record_all(given, state, uow, embedder, find, known)
        if batch:
            if expected_seq is not None and expected_seq != state.seq:
                raise SequenceTakenError(expected_seq, state.seq)
            await uow.playthroughs.put_state(batch[-1].state)
            for_graph, is_callers = await _for_the_graph(state, batch, uow), known.graph_was_current and known is recent
            await uow.outbox.put(for_graph, wake=not is_callers)
            await uow.events.append([w.recorded for w in batch], [w.receipt for w in batch])
            await uow.commit()
            if is_callers and uow.outbox.last is not None:
                known.left = OutboxItem(outbox_id=uow.outbox.last, playthrough_id=playthrough_id, batch=for_graph)
    return tuple(receipts)


async def _for_the_graph(before: StoryState, batch: Sequence[_Written], uow: UnitOfWork) -> MirrorBatch:
    """Return what a batch leaves for the graph: what was written, who is elsewhere now, and what the world changed."""
    after = batch[-1].state
    old, new = await world_of(uow, before.world_version), await world_of(uow, after.world_version)
    changed = None if old is new else world_change(old, new, seq=after.seq)
    written = mirror_batch(
        [e for w in batch for e in w.entries],
        [t for w in batch for t in w.tellings],
        [a for w in batch for a in w.amendments],
    )
    return msgspec.structs.replace(
        written,
        worlds=() if changed is None or changed.is_empty else (changed,),
        present=moves(before, after, old, new),
        endings=written.endings if old.notices or new.notices else (),
    )


def _finder(playthrough_id: PlaythroughId, uow: UnitOfWork, graph: RumourGraph | None, known: Recent) -> Find:
    """Return where an hour looks for tellings: in the graph while nothing waits for it, else in the record.

    What an event of the same batch has left before the hour waits too.
    """

    async def find(people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        if graph is not None and not known.has_written and (known.is_mirrored or await uow.outbox.is_empty()):
            with contextlib.suppress(GraphUnavailableError):
                found = await graph.find_holdings(playthrough_id, people)
                known.graph_was_current = True
                return found
        return await uow.tellings.find_holdings(people)

    return find


@contextlib.contextmanager
def _at(position: int) -> Iterator[None]:
    """Let an error say which event of its batch it is about."""
    try:
        yield
    except LedgerError as error:
        error.position = position
        raise


async def _record_all(
    events: Sequence[GameEvent],
    state: StoryState,
    uow: UnitOfWork,
    embedder: Embedder | None,
    find: Find,
    recent: Recent,
) -> tuple[list[EventReceipt], list[_Written]]:
    keys = [e.key for e in events if e.key is not None]
    seen = await uow.events.find_by_keys(keys) if keys else {}
    receipts: list[EventReceipt] = []
    batch: list[_Written] = []
    for position, event in enumerate(events):
        earlier = seen.get(event.key) if event.key is not None else None
        if earlier is not None:
            recorded, receipt = earlier
            if recorded.event != event:
                with _at(position):
                    raise DuplicateKeyError(event.key or "")
            receipts.append(msgspec.structs.replace(receipt, outcome=Outcome.UNCHANGED))
            continue
        with _at(position):
            written = await _record_one(event, batch[-1].state if batch else state, uow, embedder, find, recent)
        batch.append(written)
        receipts.append(msgspec.structs.replace(written.receipt, refusals=written.refusals))
        if event.key is not None:
            seen[event.key] = (written.recorded, written.receipt)
    return receipts, batch


async def _record_one(
    event: GameEvent,
    before: StoryState,
    uow: UnitOfWork,
    embedder: Embedder | None,
    find: Find,
    recent: Recent,
) -> _Written:
    world = await world_of(uow, before.world_version)
    check_event(event, before, world)
    after = advance(before, event, world, seq=before.seq + 1)
    world = await _world_after(event, world, uow)
    scribe = Scribe(seq=after.seq, before=before, after=after, world=world)
    talked = await _talked(event, scribe, uow, find, recent)
    left = from_event(event, talked.facts, scribe)
    await check_references(left.entries, talked.facts, uow)
    held = await held_against(event, left, talked.facts, after=after, world=world, uow=uow)
    entries = _with_meanings((*held.entries, *held.contradictions), embedder)
    amendments = (*left.amendments, *held.amendments, *await lowered_by(entries, scribe, uow, recent))
    if entries:
        await uow.ledger.append(entries)
    if amendments:
        await uow.ledger.amend(amendments)
    recent.watch.wrote(entries, amendments)
    ended = await what_ends(event, before, after, world=world, uow=uow, watch=recent.watch)
    if ended:
        await uow.ledger.amend(ended)
    if held.tellings:
        await uow.tellings.append(held.tellings)
    hung = await notices_of(event, scribe, uow)
    if hung.entries:
        posted = _with_meanings(hung.entries, embedder)
        await uow.ledger.append(posted)
        entries = (*entries, *posted)
    if hung.amendments:
        await uow.ledger.amend(hung.amendments)
        ended = (*ended, *hung.amendments)
    recent.watch.wrote(hung.entries, hung.amendments)
    receipts = held.unchanged | {r.entry_id: r for r in _receipts(entries, amendments)}
    in_order = dict.fromkeys((*(e.entry_id for e in left.entries), *receipts))
    recorded = link(event, seq=after.seq, at=after.at, head=before.head)
    recent.wrote(entries, (*amendments, *ended), held.tellings, head=recorded.hash)
    return _Written(
        recorded=recorded,
        receipt=_receipt_of(
            event,
            after,
            tuple(receipts[i] for i in in_order),
            _told_in(event, before, held.tellings),
            talked.refusals,
            ended=(*(a for a in amendments if a.belief is None), *ended),
        ),
        state=msgspec.structs.replace(after, head=recorded.hash),
        entries=entries,
        amendments=(*amendments, *ended),
        tellings=held.tellings,
        refusals=talked.refusals,
    )


async def _talked(event: GameEvent, scribe: Scribe, uow: UnitOfWork, find: Find, recent: Recent) -> Talked:
    """Load what an event refers to; where it has people talk, what comes of it is decided here."""
    match event:
        case HourPassed():
            return await talk_of_hour(event, scribe, find, recent)
        case RegionsCaughtUp():
            return await talk_of_regions(event, scribe, find, recent)
        case Told():
            return await talk_of_telling(event, scribe, uow, recent)
        case _:
            facts = await facts_of(event, scribe.before, uow)
            return Talked(facts=msgspec.structs.replace(facts, customs=await customs_of(event, scribe, uow)))


def _told_in(event: GameEvent, before: StoryState, tellings: Sequence[Telling]) -> tuple[Telling, ...]:
    """Return the tellings of the hours that went by; not those that had been put aside and only count since."""
    match event:
        case HourPassed():
            since = before.at.tick
        case RegionsCaughtUp(regions=regions):
            since = min(before.talked.get(region, before.at.tick) for region in regions)
        case _:
            return ()
    return tuple(t for t in tellings if t.tick > since)


async def _world_after(event: GameEvent, world: World, uow: UnitOfWork) -> World:
    if not isinstance(event, WorldChanged):
        return world
    changed = await world_of(uow, event.world_version)
    if changed.id != world.id:
        raise ContentError("world_version", f"{event.world_version!r} is no version of {world.id!r}")
    return changed


def _with_meanings(entries: tuple[LedgerEntry, ...], embedder: Embedder | None) -> tuple[LedgerEntry, ...]:
    if embedder is None or not entries:
        return entries
    meanings = embedder.embed([e.statement for e in entries])
    return tuple(msgspec.structs.replace(e, embedding=m) for e, m in zip(entries, meanings, strict=True))


def _receipt_of(
    event: GameEvent,
    after: StoryState,
    receipts: tuple[Receipt, ...],
    tellings: tuple[Telling, ...],
    refusals: tuple[Refusal, ...],
    *,
    ended: tuple[Amendment, ...],
) -> EventReceipt:
    """Sum up: an event in conflict says so, then one that superseded something."""
    came_to = {r.outcome for r in receipts}
    outcome = next((o for o in (Outcome.CONFLICT, Outcome.SUPERSEDED) if o in came_to), Outcome.CREATED)
    return EventReceipt(
        seq=after.seq,
        kind=event_kind(event),
        at=after.at,
        outcome=outcome,
        entries=receipts,
        ended=tuple(dict.fromkeys(a.entry_id for a in ended)),
        tellings=tellings,
        refused=dict(sorted(Counter(str(r.reason) for r in refusals).items())),
    )


def _receipts(entries: tuple[LedgerEntry, ...], amendments: tuple[Amendment, ...]) -> list[Receipt]:
    """Say of each entry whether it was simply created, superseded others, or is in conflict."""
    contradictions = [e for e in entries if isinstance(e, Contradiction)]
    found = []
    for entry in entries:
        older = [a.entry_id for a in amendments if a.status is Status.SUPERSEDED and entry.entry_id in a.by]
        against = [m for c in contradictions if entry.entry_id in c.members for m in c.members if m != entry.entry_id]
        outcome = Outcome.CONFLICT if against else Outcome.SUPERSEDED if older else Outcome.CREATED
        members = entry.members if isinstance(entry, Contradiction) else ()
        found.append(
            Receipt(
                entry_id=entry.entry_id,
                kind=kind_of(entry),
                outcome=outcome,
                statement=entry.statement,
                others=tuple(against or older or members),
            )
        )
    return found
