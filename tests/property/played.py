"""Histories played through the same door as the game, and how everything stood after each event."""

import asyncio
from collections.abc import Iterator, Sequence

from hypothesis import HealthCheck, settings
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import LedgerEntry, Status
from ledger_service.domain.errors import LedgerError
from ledger_service.domain.events import GameEvent
from ledger_service.domain.ids import EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.playthroughs import StoryState
from ledger_service.services.events.record_event import record_events
from tests.conftest import HISTORY_EXAMPLES
from tests.playing import Play
from tests.strategies import WORLD, resolved

thorough = settings(
    max_examples=HISTORY_EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
CAST = ("player", *(c.id for c in WORLD.cast), "public", "group:crew")


class After(Struct, frozen=True, kw_only=True):
    """How everything stood right after one event."""

    event: GameEvent
    state: StoryState
    entries: tuple[LedgerEntry, ...]
    amendments: tuple[Amendment, ...]

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.entries, self.amendments, roster=self.state.roster, at_seq=self.state.seq)

    def statuses(self) -> dict[EntryId, dict[str, Status]]:
        """What every character could tell of every entry."""
        ledger = self.ledger
        return {
            e.entry_id: {who: ledger.status_of(e, viewer=who) for who in (*CAST, "engine")} for e in self.entries
        }  # fmt: skip


def played(history: Sequence[GameEvent]) -> tuple[Play, list[After]]:
    """Post a history one by one, leaving out what the story's rules refuse; look at everything after each."""
    play = Play(WORLD)

    async def post() -> list[After]:
        seen: list[After] = []
        for step in history:
            event = resolved(step, seen[-1].entries if seen else ())
            if event is None:
                continue
            try:
                await record_events(
                    play.playthrough_id, [event], open_uow=play.stores.open_uow, embedder=play.embedder
                )  # fmt: skip
            except LedgerError:
                continue
            async with play.stores.open_uow(play.playthrough_id) as uow:
                entries, amendments = await uow.ledger.load_all()
                state = await uow.playthroughs.state()
            seen.append(After(event=event, state=state, entries=entries, amendments=amendments))
        return seen

    return play, asyncio.run(post())


def steps(seen: Sequence[After]) -> Iterator[tuple[After | None, After]]:
    """Yield each event with how things stood before it and after it."""
    return zip([None, *seen], seen, strict=False)


def caused(after: After) -> list[Amendment]:
    """Return what the last event did to entries."""
    return [a for a in after.amendments if a.cause_seq == after.state.seq]


def by_time(amendment: Amendment) -> bool:
    """Say whether an entry's time had come."""
    return amendment.reason == "its time came"


def by_condition(amendment: Amendment) -> bool:
    """Say whether a condition settled a promise; a reported settlement gives no reason."""
    return amendment.status in {Status.FULFILLED, Status.BROKEN} and bool(amendment.reason)
