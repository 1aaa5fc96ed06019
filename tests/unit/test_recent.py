"""Events that follow one another load nothing twice, and nothing of it is used once somebody else has written."""

import asyncio
from collections.abc import Sequence

import pytest

from ledger_service.domain.events import Deed, HourPassed, Told
from ledger_service.domain.ids import EntryId
from ledger_service.services.events.recent import Recent
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.stores.memory import MemoryTellings
from ledger_service.stores.memory_ledger import MemoryLedger
from tests.playing import Play
from tests.villages import RUNGS, worked

THEFT = Deed(actor="player", statement=RUNGS[0], witnesses=("tomas",), place="market", ladder="theft", subject="player")


def a_morning() -> Play:
    play = Play(worked(), seed=1)
    play.record(THEFT)
    return play


def test_hours_of_one_call_load_an_entry_and_a_story_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    get, of_origins = MemoryLedger.get, MemoryTellings.of_origins

    async def counted(self: MemoryLedger, entry_ids: Sequence[EntryId]) -> object:
        asked.extend(entry_ids)
        return await get(self, entry_ids)

    async def told(self: MemoryTellings, origins: Sequence[EntryId]) -> object:
        asked.extend(f"tellings of {o}" for o in origins)
        return await of_origins(self, origins)

    monkeypatch.setattr(MemoryLedger, "get", counted)
    monkeypatch.setattr(MemoryTellings, "of_origins", told)
    play = a_morning()

    async def hours() -> int:
        passed = advance_gossip(play.playthrough_id, Passing(hours=12), open_uow=play.stores.open_uow)
        return sum([len(receipt.tellings) async for receipt in passed])

    assert asyncio.run(hours()) == 4
    assert asked
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("interrupted_after", range(6, 12))
def test_what_somebody_else_writes_in_between_counts(interrupted_after: int) -> None:
    """With what is recent, and without it, an hour after a foreign telling comes to the same."""
    kept, plain = a_morning(), a_morning()
    recent = Recent()
    for hour in range(12):
        for play, told in ((kept, recent), (plain, None)):
            if hour == interrupted_after:
                theft = next(e.entry_id for e in play.ledger().entries.values() if e.statement == RUNGS[0])
                play.record(Told(teller="tomas", listener="bertha", entry_id=theft, statement="psst", confidence=0.4))
            asyncio.run(record_events(play.playthrough_id, [HourPassed()], open_uow=play.stores.open_uow, recent=told))
    assert kept.all() == plain.all()
    assert kept.tellings() == plain.tellings()
    assert kept.history() == plain.history()
