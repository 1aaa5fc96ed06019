"""A story played in memory, through the same door as the game."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Entry, LedgerEntry, Status
from ledger_service.domain.events import EventReceipt, GameEvent, RecordedEvent
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import Playthrough, StoryState
from ledger_service.domain.rumours import Telling
from ledger_service.domain.worlds import World
from ledger_service.ports import UnitOfWork
from ledger_service.services.events.record_event import record_events
from ledger_service.services.events.story_state import story_state
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough, open_playthrough
from ledger_service.stores.memory import MemoryStores
from tests.builders import PlainEmbedder, a_world

T_ = TypeVar("T_")


class Play:
    """One playthrough of a world, told in plain calls."""

    def __init__(
        self,
        world: World | None = None,
        *,
        stores: MemoryStores | None = None,
        playthrough_id: PlaythroughId | None = None,
        seed: int | None = None,
    ) -> None:
        self.stores = stores or MemoryStores()
        self.embedder = PlainEmbedder()
        if playthrough_id is None:
            version = asyncio.run(add_world(world or a_world(), open_uow=self.stores.open_uow))
            opened = asyncio.run(open_playthrough(version, open_uow=self.stores.open_uow, seed=seed))
            playthrough_id = opened.playthrough_id
        self.playthrough_id = playthrough_id

    def record(self, *events: GameEvent, expected_seq: int | None = None) -> tuple[EventReceipt, ...]:
        return asyncio.run(
            record_events(
                self.playthrough_id, events, open_uow=self.stores.open_uow, embedder=self.embedder,
                expected_seq=expected_seq,
            )
        )  # fmt: skip

    def left_by(self, event: GameEvent) -> list[LedgerEntry]:
        """Record one event and return the entries that it left, in order."""
        (receipt,) = self.record(event)
        ledger = self.ledger()
        return [ledger.entries[r.entry_id] for r in receipt.entries]

    def fork(self, *, at_seq: int | None = None) -> "Play":
        made: Playthrough = asyncio.run(
            fork_playthrough(self.playthrough_id, open_uow=self.stores.open_uow, at_seq=at_seq)
        )
        return Play(stores=self.stores, playthrough_id=made.playthrough_id)

    def ask(self, question: Callable[[UnitOfWork], Awaitable[T_]]) -> T_:
        async def asked() -> T_:
            async with self.stores.open_uow(self.playthrough_id) as uow:
                return await question(uow)

        return asyncio.run(asked())

    def all(self, *, at_seq: int | None = None) -> tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]:
        return self.ask(lambda uow: uow.ledger.load_all(at_seq=at_seq))

    def ledger(self, *, at_seq: int | None = None) -> Ledger:
        entries, amendments = self.all(at_seq=at_seq)
        state = self.state(at_seq=at_seq)
        return Ledger(entries, amendments, roster=state.roster, at_seq=state.seq)

    def state(self, *, at_seq: int | None = None) -> StoryState:
        return self.ask(lambda uow: story_state(uow, at_seq=at_seq))

    def history(self) -> list[RecordedEvent]:
        return self.ask(lambda uow: uow.events.load(limit=100_000))

    def tellings(self) -> list[Telling]:
        return self.ask(lambda uow: uow.tellings.load_all())

    def status(self, entry: Entry | EntryId, *, viewer: str | None = None) -> Status:
        ledger = self.ledger()
        found: Any = ledger.entries[entry if isinstance(entry, str) else entry.entry_id]
        return ledger.status_of(found, viewer=viewer)


def who(entry: Entry) -> set[str]:
    return {k.who for k in entry.knowers}
