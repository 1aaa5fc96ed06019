"""Retell: a playthrough's own events once more, from the first on, in memory and under another version of its world."""

import anyio.lowlevel
import msgspec
from msgspec import Struct

from ledger_service.domain.errors import ContentError, LedgerError
from ledger_service.domain.events import GameEvent, RecordedEvent, WorldChanged
from ledger_service.domain.playthroughs import Playthrough
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import Embedder, OpenUnitOfWork, Rehearse, Snapshot, UnitOfWork
from ledger_service.recording.story import opening_state
from ledger_service.services.events.event_words import in_words
from ledger_service.services.events.recent import Recent
from ledger_service.services.events.record_event import record_events

MOST_EVENTS = 2_000


class Told(Struct, frozen=True, kw_only=True):
    """A history up to an event, as it is on record, with the worlds that it was told under."""

    playthrough: Playthrough
    events: tuple[RecordedEvent, ...]
    worlds: dict[str, World]


async def read_history(uow: UnitOfWork, playthrough_id: str, *, until_seq: int) -> Told:
    """Read a playthrough's history, that of its ancestors included.

    Raises:
        ContentError: it is too long to be told again while somebody waits.
    """
    if until_seq > MOST_EVENTS:
        raise ContentError("playthrough", f"{until_seq:,} events are too many; at most {MOST_EVENTS:,} are told again")
    playthrough = await uow.playthroughs.get(playthrough_id)
    events = await uow.events.load(until_seq=until_seq, limit=MOST_EVENTS)
    changes = [r.event.world_version for r in events if isinstance(r.event, WorldChanged)]
    versions = dict.fromkeys((playthrough.opening_world, *changes))
    worlds = {version: await uow.worlds.get(version) for version in versions}
    return Told(playthrough=playthrough, events=tuple(events), worlds=worlds)


class Retelling:
    """A history told again; where it names one version of the world, another stands in its place."""

    def __init__(self, told: Told, *, instead_of: str, world: World, rehearse: Rehearse, embedder: Embedder) -> None:
        self.playthrough_id = told.playthrough.playthrough_id
        self.seq = 0
        self.refused: str | None = None
        """Why the story cannot go on like this."""
        self._events = told.events
        self._versions = {instead_of: version_of(world)}
        self._embedder, self._recent = embedder, Recent()
        worlds = told.worlds | {version_of(world): world}
        opening = self._version(told.playthrough.opening_world)
        self.open_uow: OpenUnitOfWork = rehearse(
            Snapshot(
                playthrough=msgspec.structs.replace(
                    told.playthrough, parent_id=None, forked_at_seq=None, opening_world=opening, world_version=opening
                ),
                state=opening_state(worlds[opening], opening),
                worlds=worlds,
                entries=(),
                amendments=(),
                tellings=(),
            )
        )

    def _version(self, version: str) -> str:
        return self._versions.get(version, version)

    async def go_on(self, until_seq: int) -> bool:
        """Let happen what happened, up to an event; False where that cannot be (see `refused`).

        After each event whoever else is served has their turn.
        """
        for recorded in self._events[self.seq : until_seq]:
            if self.refused is not None:
                return False
            try:
                await record_events(
                    self.playthrough_id, [self._event(recorded.event)], open_uow=self.open_uow,
                    embedder=self._embedder, recent=self._recent,
                )  # fmt: skip
            except LedgerError as error:
                self.refused = f"event {recorded.seq} (“{in_words(recorded.event)}”) cannot happen: {error}"
                return False
            self.seq = recorded.seq
            await anyio.lowlevel.checkpoint()
        return self.refused is None

    def _event(self, event: GameEvent) -> GameEvent:
        if isinstance(event, WorldChanged):
            return msgspec.structs.replace(event, world_version=self._version(event.world_version))
        return event
