"""Worlds and their revisions, in memory."""

from ledger_service.domain.errors import UnknownWorldError
from ledger_service.domain.ids import WorldId
from ledger_service.domain.revisions import Revision
from ledger_service.domain.worlds import World, version_of
from ledger_service.stores.memory_desk import LAST_SEQ, Desk, Shelf


class MemoryWorlds:
    """Worlds by version, in the order of adding."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def add(self, world: World, *, source: str | None = None) -> str:
        version = version_of(world)
        newest = self._newest(world.id)
        lacks_text = newest is not None and (newest.world_version, newest.source) == (version, None)
        if version not in self._desk.shelf.worlds or (lacks_text and source is not None):
            self._put(world, source, "")
        return version

    async def hold(self, world_id: WorldId) -> int:
        newest = self._newest(world_id)
        return 0 if newest is None else newest.number

    async def revise(self, world: World, *, source: str, author: str) -> Revision:
        return self._put(world, source, author)

    def _put(self, world: World, source: str | None, author: str) -> Revision:
        version, newest = version_of(world), self._newest(world.id)
        made = Revision(
            world_id=world.id, number=1 if newest is None else newest.number + 1, world_version=version,
            title=world.title, author=author, source=source,
        )  # fmt: skip

        def put(shelf: Shelf) -> None:
            shelf.worlds[version] = shelf.worlds.get(version, world)
            shelf.revisions = (*shelf.revisions, made)

        self._desk.change(put)
        return made

    async def get(self, world_version: str) -> World:
        if world_version not in self._desk.shelf.worlds:
            raise UnknownWorldError(world_version)
        return self._desk.shelf.worlds[world_version]

    async def find_latest(self, world_id: str) -> World | None:
        newest = self._newest(world_id)
        return None if newest is None else self._desk.shelf.worlds[newest.world_version]

    async def list_versions(self) -> list[tuple[str, str]]:
        return [(version, world.title) for version, world in reversed(self._desk.shelf.worlds.items())]

    async def revision(self, world_id: WorldId, number: int) -> Revision:
        found = next((r for r in self._desk.shelf.revisions if (r.world_id, r.number) == (world_id, number)), None)
        if found is None:
            raise UnknownWorldError(f"{world_id}, revision {number}")
        return found

    async def revisions(self, world_id: WorldId, *, limit: int = 200, before: int | None = None) -> list[Revision]:
        until = LAST_SEQ if before is None else before
        found = [r for r in reversed(self._desk.shelf.revisions) if r.world_id == world_id and r.number < until]
        return [_bare(r) for r in found[:limit]]

    def _newest(self, world_id: WorldId) -> Revision | None:
        return next((r for r in reversed(self._desk.shelf.revisions) if r.world_id == world_id), None)


def _bare(revision: Revision) -> Revision:
    return Revision(
        world_id=revision.world_id, number=revision.number, world_version=revision.world_version,
        title=revision.title, author=revision.author, saved_at=revision.saved_at,
    )  # fmt: skip
