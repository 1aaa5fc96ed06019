"""Rehearse: copy a playthrough into memory and let there happen what might, through the same door as the game."""

import anyio.lowlevel
import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import ContentError
from ledger_service.domain.events import EventReceipt, GameEvent, HourPassed
from ledger_service.domain.ids import CharacterId, EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.rumours import PASSED_ON, Telling
from ledger_service.ports import EntryFilter, OpenUnitOfWork, Rehearse, Snapshot, UnitOfWork
from ledger_service.services.record_event import record_events
from ledger_service.services.story_state import world_of

MOST_ENTRIES = 50_000
AT_ONCE = 2_000


class Arrival(Struct, frozen=True, kw_only=True):
    """How a story reached somebody: when, how surely, in which words, and by which tellings, from the first on."""

    tick: int
    confidence: float
    wording: str
    tellings: tuple[Telling, ...]
    also: tuple[CharacterId, ...]
    """Who else told them by then."""


async def take_snapshot(playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork) -> Snapshot:
    """Return a playthrough as it stands now.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
        ContentError: it holds more than MOST_ENTRIES entries.
    """
    async with open_uow(playthrough_id) as uow:
        playthrough = await uow.playthroughs.get(playthrough_id)
        state = await uow.playthroughs.state()
        world = await world_of(uow, state.world_version)
        entries, amendments = await _whole_ledger(uow)
        tellings = await uow.tellings.load_all()
    return Snapshot(
        playthrough=msgspec.structs.replace(playthrough, parent_id=None, forked_at_seq=state.seq),
        state=state,
        worlds={state.world_version: world},
        entries=tuple(e for e in entries if e.seq <= state.seq),
        amendments=tuple(a for a in amendments if a.cause_seq <= state.seq),
        tellings=tuple(t for t in tellings if t.seq <= state.seq),
    )


async def _whole_ledger(uow: UnitOfWork) -> tuple[list[LedgerEntry], list[Amendment]]:
    entries: list[LedgerEntry] = []
    amendments: list[Amendment] = []
    after: str | None = None
    while True:
        page = await uow.ledger.page(EntryFilter(), limit=AT_ONCE, after=after)
        entries += page.entries
        amendments += page.amendments
        after = page.next_after
        if after is None:
            return entries[::-1], amendments
        if len(entries) > MOST_ENTRIES:
            raise ContentError("playthrough", f"more than {MOST_ENTRIES:,} entries are too many to rehearse with")


async def rehearse_story(
    snapshot: Snapshot, event: GameEvent, *, wait_hours: int, target: CharacterId, until_hours: int, rehearse: Rehearse
) -> Arrival | None:
    """Let hours go by, then the event happen, then hours until the target believes what it left; None if they never do.

    It is played with the code, the seed and the numbering of the playthrough itself, so that the same events there come
    out the same.
    """
    open_uow = rehearse(snapshot)
    playthrough_id = snapshot.playthrough.playthrough_id

    async def record(what: GameEvent) -> EventReceipt:
        (receipt,) = await record_events(playthrough_id, (what,), open_uow=open_uow)
        await anyio.lowlevel.checkpoint()
        return receipt

    for _ in range(wait_hours):
        await record(HourPassed())
    begun = await record(event)
    origin = begun.entries[0].entry_id if begun.entries else ""
    for _ in range(until_hours):
        receipt = await record(HourPassed())
        heard = [t for t in receipt.tellings if (t.listener, t.origin) == (target, origin) and t.outcome in PASSED_ON]
        if heard and heard[-1].to_entry is not None:
            return await _arrival(heard[-1].to_entry, receipt.at.tick, playthrough_id, open_uow)
    return None


async def _arrival(entry_id: EntryId, tick: int, playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork) -> Arrival:
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.state()
        ledger = Ledger(*await uow.ledger.get((entry_id,)), roster=state.roster, at_seq=state.seq)
        behind = await uow.tellings.behind(entry_id)
    entry = ledger.entries[entry_id]
    way = _first_way(entry_id, behind)
    told = [
        t.teller for t in behind if t.to_entry == entry_id and t.outcome in PASSED_ON and t.teller != way[-1].teller
    ]
    return Arrival(
        tick=tick, confidence=entry.confidence, wording=entry.statement, tellings=way, also=tuple(sorted(set(told)))
    )


def _first_way(entry_id: EntryId, behind: list[Telling]) -> tuple[Telling, ...]:
    """Follow, from each version back, the telling that came first and gave it its words."""
    way: list[Telling] = []
    at: EntryId | None = entry_id
    while at is not None:
        told = [t for t in behind if t.to_entry == at and t.outcome in PASSED_ON]
        first = min(told, key=lambda t: (t.seq, t.tick, t.outcome, t.telling_id), default=None)
        at = None if first is None else first.from_entry
        way += [] if first is None else [first]
    return tuple(reversed(way))
