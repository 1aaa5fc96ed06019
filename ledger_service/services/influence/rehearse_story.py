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
from ledger_service.services.events.recent import Recent
from ledger_service.services.events.record_event import record_events
from ledger_service.services.events.story_state import world_of

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


class Effort:
    """How much may still be rehearsed: an hour takes as much as there are entries, whose holders may all speak."""

    def __init__(self, most: int) -> None:
        self.left = most

    def is_spent_by(self, entries: int) -> bool:
        """Take an hour's effort, and say whether there was too little left for it."""
        self.left -= max(1, entries)
        return self.left < 0


class Rehearsal:
    """A playthrough played on in memory, by the code, the seed and the numbering of the playthrough itself.

    So what happens there, event for event, comes out the same when it is played for real.
    """

    def __init__(self, snapshot: Snapshot, *, rehearse: Rehearse, effort: Effort) -> None:
        self.playthrough_id = snapshot.playthrough.playthrough_id
        self.open_uow = rehearse(snapshot)
        self.tick = snapshot.state.at.tick
        self._rehearse, self._effort = rehearse, effort
        self._entries = len(snapshot.entries)
        self._recent = Recent()

    async def record(self, event: GameEvent) -> EventReceipt:
        """Let something happen; whoever else is served meanwhile has their turn."""
        (receipt,) = await record_events(self.playthrough_id, (event,), open_uow=self.open_uow, recent=self._recent)
        self.tick = receipt.at.tick
        self._entries += len(receipt.entries)
        await anyio.lowlevel.checkpoint()
        return receipt

    async def hour(self) -> EventReceipt | None:
        """Let an hour go by; None where that would be too much by now."""
        return None if self._effort.is_spent_by(self._entries) else await self.record(HourPassed())

    async def wait_until(self, tick: int) -> bool:
        """Let hours go by; False where it would be too many."""
        while self.tick < tick:
            if await self.hour() is None:
                return False
        return True

    async def branch(self) -> "Rehearsal":
        """Return a copy to play on from here, which leaves this one as it is."""
        snapshot = await take_snapshot(self.playthrough_id, open_uow=self.open_uow)
        return Rehearsal(snapshot, rehearse=self._rehearse, effort=self._effort)


class Rehearsed(Struct, frozen=True, kw_only=True):
    """What came of a story that was begun: whether it arrived, and whether it was followed to its end."""

    arrival: Arrival | None = None
    is_whole: bool = True


async def rehearse_story(rehearsal: Rehearsal, event: GameEvent, *, target: CharacterId, until_hours: int) -> Rehearsed:
    """Let an event happen, then hours go by until the target believes what it left, or those hours are over."""
    begun = await rehearsal.record(event)
    origin = begun.entries[0].entry_id if begun.entries else ""
    for _ in range(until_hours):
        receipt = await rehearsal.hour()
        if receipt is None:
            return Rehearsed(is_whole=False)
        heard = [t for t in receipt.tellings if (t.listener, t.origin) == (target, origin) and t.outcome in PASSED_ON]
        if heard and heard[-1].to_entry is not None:
            return Rehearsed(arrival=await _arrival(heard[-1].to_entry, receipt.at.tick, rehearsal))
    return Rehearsed()


async def _arrival(entry_id: EntryId, tick: int, rehearsal: Rehearsal) -> Arrival:
    async with rehearsal.open_uow(rehearsal.playthrough_id) as uow:
        state = await uow.playthroughs.state()
        ledger = Ledger(*await uow.ledger.get((entry_id,)), roster=state.roster, at_seq=state.seq)
        behind = list((await uow.tellings.behind(entry_id)).tellings)
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
