"""Replay: a playthrough event by event, each with all that it changed: what was learned, ended, told, and is so."""

from collections.abc import Iterator

from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import EventReceipt, Outcome, Receipt, RecordedEvent
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.ports import Catalogue, Listed, OpenUnitOfWork, UnitOfWork
from ledger_service.rumours.provenance import Naming
from ledger_service.services.events.story_state import refold, story_state, world_of
from ledger_service.services.gossip.explain_belief import naming_of
from ledger_service.services.packets import packet_words as w
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough

MOST_FOLDED = 3_000
"""In a longer history, where the story stands is told by its events alone."""
MOST_SHOWN = 60


class Left(Struct, frozen=True, kw_only=True):
    """An entry that an event left, with who came to know it."""

    entry_id: EntryId
    kind: str
    statement: str
    outcome: Outcome
    knowers: tuple[str, ...]


class Became(Struct, frozen=True, kw_only=True):
    """What an event made of an earlier entry."""

    entry_id: EntryId
    statement: str
    status: Status
    reason: str
    by: str | None


class Step(Struct, frozen=True, kw_only=True):
    """One event of a playthrough, and what is otherwise after it."""

    listed: Listed
    naming: Naming
    recorded: RecordedEvent
    receipt: EventReceipt
    last: int
    """The number of the newest event."""
    left: tuple[Left, ...]
    became: tuple[Became, ...]
    changed: tuple[str, ...] | None
    """What is otherwise in where the story stands; None where the history is too long to fold it."""

    @property
    def is_idle(self) -> bool:
        """Say whether nothing at all came of it."""
        return not (self.left or self.became or self.changed or self.receipt.tellings)


async def replay_event(
    playthrough_id: PlaythroughId, seq: int, *, catalogue: Catalogue, open_uow: OpenUnitOfWork
) -> Step | Listed:
    """Return an event with what it changed; a playthrough without events is returned as it is listed.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        ContentError: the event is outside the history.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.state()
        if not state.seq:
            return listed
        if not 1 <= seq <= state.seq:
            raise ContentError("at", f"{seq} is outside the history, which ends at {state.seq}")
        ((recorded, receipt),) = await uow.events.load_receipts(after_seq=seq - 1, until_seq=seq, limit=1)
        amendments = await uow.browser.became(after_seq=seq - 1, at_seq=seq, limit=MOST_SHOWN)
        ids = dict.fromkeys((*(r.entry_id for r in receipt.entries), *(a.entry_id for a in amendments)))
        entries, _ = await uow.ledger.get(tuple(ids)) if ids else ((), ())
        naming = naming_of(await world_of(uow, state.world_version))
        changed = await _changed(seq, uow, naming)
    by_id = {e.entry_id: e for e in entries}
    return Step(
        listed=listed,
        naming=naming,
        recorded=recorded,
        receipt=receipt,
        last=state.seq,
        left=tuple(_left(r, by_id.get(r.entry_id), naming) for r in receipt.entries[:MOST_SHOWN]),
        became=tuple(_became(a, by_id.get(a.entry_id)) for a in amendments if a.belief is None),
        changed=changed,
    )


def _left(receipt: Receipt, entry: LedgerEntry | None, naming: Naming) -> Left:
    knowers = () if entry is None else tuple(w.scope(k.who, naming) for k in entry.knowers[:12])
    return Left(
        entry_id=receipt.entry_id, kind=receipt.kind, statement=receipt.statement, outcome=receipt.outcome,
        knowers=knowers,
    )  # fmt: skip


def _became(amendment: Amendment, entry: LedgerEntry | None) -> Became:
    return Became(
        entry_id=amendment.entry_id, statement=entry.statement if entry is not None else amendment.entry_id,
        status=amendment.status, reason=amendment.reason, by=amendment.author,
    )  # fmt: skip


async def _changed(seq: int, uow: UnitOfWork, naming: Naming) -> tuple[str, ...] | None:
    if seq > MOST_FOLDED:
        return None
    before = await refold(uow, at_seq=seq - 1)
    return tuple(state_changes(before, await story_state(uow, at_seq=seq), naming))


def state_changes(before: StoryState, after: StoryState, naming: Naming) -> Iterator[str]:
    """Say what is otherwise in where a story stands."""
    if after.at.scene != before.at.scene:
        yield f"scene {after.at.scene} begins"
    if after.at.tick != before.at.tick:
        hours = after.at.tick - before.at.tick
        yield f"it is {hours} hour{'' if hours == 1 else 's'} later: {w.clock(after.at.tick)}"
    for who, place in after.places.items():
        if before.places.get(who) != place:
            yield f"{naming.person(who)} is at {naming.place(place)}"
    yield from _values(before, after)
    yield from _people(before, after, naming)
    for one in after.occurrences:
        if one not in before.occurrences:
            yield f"{one.name.replace('_', ' ')} has happened"
    if after.world_version != before.world_version:
        yield f"the world is {after.world_version}; before, {before.world_version}"
    if after.seed != before.seed:
        yield f"chance is drawn by {after.seed}"


def _values(before: StoryState, after: StoryState) -> Iterator[str]:
    for key, value in after.values.items():
        if key not in before.values:
            yield f"{key} is {value}"
        elif before.values[key] != value:
            yield f"{key} is {value}; before, {before.values[key]}"


def _people(before: StoryState, after: StoryState, naming: Naming) -> Iterator[str]:
    for who in after.unconscious:
        if who not in before.unconscious:
            yield f"{naming.person(who)} is unconscious"
    for who in before.unconscious:
        if who not in (*after.unconscious, *after.dead):
            yield f"{naming.person(who)} is awake again"
    for who in after.dead:
        if who not in before.dead:
            yield f"{naming.person(who)} is dead"
    for who, persona in after.personas.items():
        if before.personas.get(who) != persona:
            yield f"{naming.person(who)} goes by {persona}"
    for who in before.personas:
        if who not in after.personas:
            yield f"{naming.person(who)} goes by their own name"
    for one in after.memberships:
        if one not in before.memberships:
            word = "is of" if one.left_seq is None else "is no longer of"
            yield f"{naming.person(one.who)} {word} {one.group.replace('_', ' ')}"
