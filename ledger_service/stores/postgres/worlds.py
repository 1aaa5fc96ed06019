"""Worlds by content hash."""

from ledger_service.domain.errors import UnknownWorldError
from ledger_service.domain.worlds import World, version_of
from ledger_service.stores.postgres.connection import Link
from ledger_service.stores.postgres.rows import decode_world, text_of


class PostgresWorlds:
    """The `world` table."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def add(self, world: World) -> str:
        version = version_of(world)
        await self._link.run(
            "INSERT INTO world (world_version, world_id, title, body) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            [version, world.id, world.title, text_of(world)],
        )
        return version

    async def get(self, world_version: str) -> World:
        row = await self._link.one("SELECT body::text FROM world WHERE world_version = %s", [world_version])
        if row is None:
            raise UnknownWorldError(world_version)
        return decode_world(row[0])

    async def find_latest(self, world_id: str) -> World | None:
        row = await self._link.one(
            "SELECT body::text FROM world WHERE world_id = %s ORDER BY added_no DESC LIMIT 1", [world_id]
        )
        return None if row is None else decode_world(row[0])

    async def list_versions(self) -> list[tuple[str, str]]:
        rows = await self._link.rows("SELECT world_version, title FROM world ORDER BY added_no DESC LIMIT 1000")
        return [(row[0], row[1]) for row in rows]
