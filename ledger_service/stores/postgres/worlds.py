"""Worlds by content hash, and their revisions."""

from typing import LiteralString

from ledger_service.domain.candidates import LAST_SEQ
from ledger_service.domain.errors import UnknownWorldError
from ledger_service.domain.ids import WorldId
from ledger_service.domain.revisions import Revision
from ledger_service.domain.worlds import World, version_of
from ledger_service.stores.postgres.connection import Link, Row
from ledger_service.stores.postgres.rows import decode_world, text_of

REVISION: LiteralString = (
    "r.world_id, r.revision_no, r.world_version, r.title, r.author,"
    " coalesce(to_char(r.saved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), '')"
)
_NEWEST: LiteralString = (
    "SELECT revision_no, world_version, source IS NOT NULL FROM world_revision"
    " WHERE world_id = %s ORDER BY revision_no DESC LIMIT 1"
)


class PostgresWorlds:
    """The tables `world` and `world_revision`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def add(self, world: World, *, source: str | None = None) -> str:
        version = version_of(world)
        known = await self._link.one("SELECT 1 FROM world WHERE world_version = %s", [version])
        if known is None or (source is not None and await self._lacks_text(world.id, version)):
            await self.hold(world.id)
            if await self._keep(world, version) or (source is not None and await self._lacks_text(world.id, version)):
                await self._put(world, source, "")
        return version

    async def _lacks_text(self, world_id: WorldId, version: str) -> bool:
        newest = await self._link.one(_NEWEST, [world_id])
        return newest is not None and (newest[1], newest[2]) == (version, False)

    async def _keep(self, world: World, version: str) -> bool:
        """Keep the values, and say whether they were not there yet."""
        row = await self._link.one(
            "INSERT INTO world (world_version, world_id, title, body) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING RETURNING 1",
            [version, world.id, world.title, text_of(world)],
        )
        return row is not None

    async def hold(self, world_id: WorldId) -> int:
        await self._link.one(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))::text", [f"continuity world {world_id}"]
        )
        newest = await self._link.one(_NEWEST, [world_id])
        return 0 if newest is None else int(newest[0])

    async def revise(self, world: World, *, source: str, author: str) -> Revision:
        await self._keep(world, version_of(world))
        return await self._put(world, source, author)

    async def _put(self, world: World, source: str | None, author: str) -> Revision:
        row = await self._link.one(
            "INSERT INTO world_revision AS r (world_id, revision_no, world_version, title, author, source)"
            " SELECT %(id)s, coalesce(max(o.revision_no), 0) + 1, %(version)s, %(title)s, %(author)s, %(source)s"
            " FROM world_revision o WHERE o.world_id = %(id)s RETURNING " + REVISION,
            {
                "id": world.id, "version": version_of(world), "title": world.title, "author": author, "source": source,
            },
        )  # fmt: skip
        assert row is not None  # noqa: S101  (an INSERT returns its row)
        return revision_of(row, source)

    async def get(self, world_version: str) -> World:
        row = await self._link.one("SELECT body::text FROM world WHERE world_version = %s", [world_version])
        if row is None:
            raise UnknownWorldError(world_version)
        return decode_world(row[0])

    async def find_latest(self, world_id: str) -> World | None:
        row = await self._link.one(
            "SELECT w.body::text FROM world_revision r JOIN world w ON w.world_version = r.world_version"
            " WHERE r.world_id = %s ORDER BY r.revision_no DESC LIMIT 1",
            [world_id],
        )
        return None if row is None else decode_world(row[0])

    async def list_versions(self) -> list[tuple[str, str]]:
        rows = await self._link.rows("SELECT world_version, title FROM world ORDER BY added_no DESC LIMIT 1000")
        return [(row[0], row[1]) for row in rows]

    async def revision(self, world_id: WorldId, number: int) -> Revision:
        row = await self._link.one(
            "SELECT " + REVISION + ", r.source FROM world_revision r WHERE r.world_id = %s AND r.revision_no = %s",
            [world_id, number],
        )
        if row is None:
            raise UnknownWorldError(f"{world_id}, revision {number}")
        return revision_of(row, row[6])

    async def revisions(self, world_id: WorldId, *, limit: int = 200, before: int | None = None) -> list[Revision]:
        rows = await self._link.rows(
            "SELECT " + REVISION + " FROM world_revision r WHERE r.world_id = %s AND r.revision_no < %s"
            " ORDER BY r.revision_no DESC LIMIT %s",
            [world_id, LAST_SEQ if before is None else before, limit],
        )
        return [revision_of(row) for row in rows]


def revision_of(row: Row, source: str | None = None) -> Revision:
    """Return the revision in a row of the columns above."""
    return Revision(
        world_id=row[0], number=row[1], world_version=row[2], title=row[3], author=row[4], saved_at=row[5],
        source=source,
    )  # fmt: skip
