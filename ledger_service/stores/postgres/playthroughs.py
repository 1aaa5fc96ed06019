"""Playthroughs: where each story stands, what it branches from, its named points."""

from typing import Final, LiteralString

from ledger_service.domain.cursors import read_id
from ledger_service.domain.errors import (
    DuplicateNameError,
    PlaythroughHasForksError,
    UnknownPlaythroughError,
    UnknownSaveError,
)
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.playthroughs import Ancestor, Playthrough, Save, StoryState
from ledger_service.stores.postgres.connection import Link
from ledger_service.stores.postgres.rows import decode_state, text_of
from ledger_service.stores.postgres.writing import Change

LAST_SEQ: Final = 9_000_000_000_000_000
_STATE: LiteralString = (
    "SELECT p.story_state::text, ARRAY(SELECT l.ancestor_id FROM lineage l WHERE l.playthrough_id = p.playthrough_id)"
    " FROM playthrough p WHERE p.playthrough_id = %s"
)
_PUT_STATE = Change(
    "put_state", "UPDATE playthrough SET story_state = %s, world_version = %s WHERE playthrough_id = %s"
)
_ERASE: tuple[LiteralString, ...] = (
    "DELETE FROM packet_review WHERE playthrough_id = %s", "DELETE FROM voicing WHERE playthrough_id = %s",
    "DELETE FROM scorecard WHERE playthrough_id = %s", "DELETE FROM reply WHERE playthrough_id = %s",
    "DELETE FROM packet WHERE playthrough_id = %s", "DELETE FROM outbox WHERE playthrough_id = %s",
    "DELETE FROM telling WHERE playthrough_id = %s", "DELETE FROM amendment WHERE playthrough_id = %s",
    "DELETE FROM entry_ending WHERE playthrough_id = %s", "DELETE FROM entry_term WHERE playthrough_id = %s",
    "DELETE FROM must_have WHERE playthrough_id = %s", "DELETE FROM knower WHERE playthrough_id = %s",
    "DELETE FROM ledger_entry WHERE playthrough_id = %s", "DELETE FROM event WHERE playthrough_id = %s",
    "DELETE FROM save WHERE playthrough_id = %s", "DELETE FROM lineage WHERE playthrough_id = %s",
    "DELETE FROM playthrough WHERE playthrough_id = %s",
)  # fmt: skip


class PostgresPlaythroughs:
    """The tables `playthrough`, `lineage` and `save`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    @property
    def _id(self) -> PlaythroughId:
        return self._link.playthrough_id or ""

    async def open(self, playthrough: Playthrough, state: StoryState) -> None:
        inherited = await self._lineage_of(playthrough.parent_id)
        fork = playthrough.forked_at_seq
        await self._look_at(playthrough.playthrough_id)
        made = await self._link.run(
            "INSERT INTO playthrough (playthrough_id, world_id, world_version, opening_world, title, parent_id, forked_at_seq,"
            " story_state) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            [
                playthrough.playthrough_id, playthrough.world_id, playthrough.world_version, playthrough.opening_world, playthrough.title,
                playthrough.parent_id, fork, text_of(state),
            ],
        )  # fmt: skip
        if not made:
            raise DuplicateNameError("playthrough", playthrough.playthrough_id)
        ancestors = [(a.playthrough_id, min(a.until_seq, fork or 0)) for a in inherited]
        for ancestor_id, until_seq in [(playthrough.playthrough_id, LAST_SEQ), *ancestors]:
            await self._link.run(
                "INSERT INTO lineage (playthrough_id, world_id, ancestor_id, until_seq) VALUES (%s, %s, %s, %s)",
                [playthrough.playthrough_id, playthrough.world_id, ancestor_id, until_seq],
            )

    async def _lineage_of(self, parent_id: PlaythroughId | None) -> tuple[Ancestor, ...]:
        if parent_id is None:
            return ()
        await self._look_at(parent_id)
        return await self.lineage()

    async def _look_at(self, playthrough_id: PlaythroughId) -> None:
        """Turn this transaction to another playthrough; row-level security follows."""
        await self._link.run("SELECT set_config('continuity.playthrough', %s, true)", [playthrough_id])
        self._link.playthrough_id = playthrough_id

    async def get(self, playthrough_id: PlaythroughId) -> Playthrough:
        row = await self._link.one(
            "SELECT playthrough_id, world_id, world_version, opening_world, title, parent_id, forked_at_seq FROM playthrough"
            " WHERE playthrough_id = %s",
            [playthrough_id],
        )
        if row is None:
            raise UnknownPlaythroughError(playthrough_id)
        return _playthrough(row)

    async def list_all(self, *, limit: int = 100, after: PlaythroughId | None = None) -> list[Playthrough]:
        begin = None if after is None else read_id(after)
        rows = await self._link.rows("SELECT * FROM list_playthroughs(%s, %s)", [begin, limit])
        return [_playthrough(row) for row in rows]

    async def lock_state(self) -> StoryState:
        return await self._state(_STATE + " FOR UPDATE OF p")

    async def state(self) -> StoryState:
        return await self._state(_STATE)

    async def _state(self, query: LiteralString) -> StoryState:
        row = await self._link.one(query, [self._id])
        if row is None:
            raise UnknownPlaythroughError(self._id)
        self._link.note_ancestors(row[1])
        return decode_state(row[0])

    async def opening_world(self) -> str:
        row = await self._link.one("SELECT opening_world FROM playthrough WHERE playthrough_id = %s", [self._id])
        if row is None:
            raise UnknownPlaythroughError(self._id)
        return str(row[0])

    async def put_state(self, state: StoryState) -> None:
        self._link.change(_PUT_STATE, [text_of(state), state.world_version, self._id])

    async def lineage(self) -> tuple[Ancestor, ...]:
        rows = await self._link.rows(
            "SELECT ancestor_id, until_seq FROM lineage WHERE playthrough_id = %s ORDER BY until_seq DESC", [self._id]
        )
        return tuple(Ancestor(playthrough_id=row[0], until_seq=row[1]) for row in rows)

    async def put_save(self, save: Save) -> None:
        await self._link.run(
            "INSERT INTO save (playthrough_id, world_id, name, seq)"
            " SELECT playthrough_id, world_id, %s, %s FROM playthrough WHERE playthrough_id = %s ON CONFLICT DO NOTHING",
            [save.name, save.seq, self._id],
        )
        if (await self.get_save(save.name)).seq != save.seq:
            raise DuplicateNameError("save", save.name)

    async def get_save(self, name: str) -> Save:
        row = await self._link.one(
            "SELECT name, playthrough_id, seq FROM save WHERE playthrough_id = ANY (%s) AND name = %s ORDER BY seq DESC LIMIT 1",
            [await self._link.ancestors(), name],
        )
        if row is None:
            raise UnknownSaveError(name)
        return Save(name=row[0], playthrough_id=row[1], seq=row[2])

    async def list_saves(self) -> list[Save]:
        rows = await self._link.rows(
            "SELECT name, playthrough_id, seq FROM save WHERE playthrough_id = ANY (%s) ORDER BY seq, name LIMIT 10000",
            [await self._link.ancestors()],
        )
        return [Save(name=row[0], playthrough_id=row[1], seq=row[2]) for row in rows]

    async def erase(self) -> int:
        await self.lock_state()
        forks = await self._link.one("SELECT count_forks(%s)", [self._id])
        if forks is not None and forks[0]:
            raise PlaythroughHasForksError(self._id, int(forks[0]))
        return sum([await self._link.run(query, [self._id]) for query in _ERASE])


def _playthrough(row: tuple[object, ...]) -> Playthrough:
    names = ("playthrough_id", "world_id", "world_version", "opening_world", "title", "parent_id", "forked_at_seq")
    return Playthrough(**dict(zip(names, row, strict=True)))  # type: ignore[arg-type]
