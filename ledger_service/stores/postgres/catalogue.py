"""The console's own lists, over all playthroughs of the worlds that somebody was given: the database decides which."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import LiteralString

from ledger_service.domain.accounts import AuditFilter, AuditRow
from ledger_service.domain.ids import PacketId, PlaythroughId, WorldId
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import Playthrough
from ledger_service.domain.revisions import Revision
from ledger_service.domain.story_time import StoryTime
from ledger_service.ports import Listed, ListedPacket, PacketFilter, PacketPage, PlaythroughFilter
from ledger_service.stores.postgres import audit, packet_lists
from ledger_service.stores.postgres.connection import Connection, Link, Pool, Row, transaction_of
from ledger_service.stores.postgres.worlds import REVISION, revision_of

_ROW: LiteralString = (
    "SELECT p.playthrough_id, p.world_id, p.world_version, p.opening_world, p.title, p.parent_id, p.forked_at_seq,"
    " p.opened_no, coalesce((p.story_state ->> 'seq')::bigint, 0), coalesce((p.story_state #>> '{at,tick}')::int, 0),"
    " coalesce((p.story_state #>> '{at,scene}')::int, 0), coalesce((p.story_state #>> '{at,turn}')::int, 0),"
    " (SELECT count(*) FROM playthrough b WHERE b.parent_id = p.playthrough_id) FROM playthrough p"
)
_PAGE: LiteralString = (
    _ROW + " WHERE p.opened_no < %(before)s AND (%(world)s::text IS NULL OR p.world_id = %(world)s)"
    " AND (%(parent)s::text IS NULL OR p.parent_id = %(parent)s) AND (%(text)s::text IS NULL"
    " OR strpos(lower(p.title), lower(%(text)s)) > 0 OR p.playthrough_id = %(text)s)"
    " ORDER BY p.opened_no DESC LIMIT %(limit)s"
)
_LAST = 2**62


async def name_worlds(connection: Connection, worlds: Sequence[WorldId]) -> None:
    """Say, until the transaction ends, whose rows may be seen."""
    await connection.execute("SELECT set_config('continuity.worlds', %s, true)", [",".join(worlds)])


class PostgresCatalogue:
    """What the console lists before a playthrough is chosen."""

    def __init__(self, pool: Pool, worlds: Sequence[WorldId]) -> None:
        self._pool = pool
        self._worlds = worlds

    @contextlib.asynccontextmanager
    async def _link(self) -> AsyncIterator[Link]:
        async with transaction_of(self._pool) as connection:
            await name_worlds(connection, self._worlds)
            yield Link(connection, None)

    async def page(self, where: PlaythroughFilter, *, limit: int = 50, before: int | None = None) -> list[Listed]:
        given = {"world": where.world_id, "parent": where.parent_id, "text": where.text}
        async with self._link() as link:
            rows = await link.rows(_PAGE, {**given, "limit": limit, "before": _LAST if before is None else before})
        return [_listed(row) for row in rows]

    async def find(self, playthrough_id: PlaythroughId) -> Listed | None:
        async with self._link() as link:
            row = await link.one(_ROW + " WHERE p.playthrough_id = %s", [playthrough_id])
        return None if row is None else _listed(row)

    async def worlds(self) -> list[tuple[WorldId, str]]:
        async with self._link() as link:
            rows = await link.rows(
                "SELECT DISTINCT ON (world_id) world_id, title FROM world_revision"
                " ORDER BY world_id, revision_no DESC LIMIT 1000"
            )
        return [(row[0], row[1]) for row in rows]

    async def newest_revisions(self) -> list[Revision]:
        async with self._link() as link:
            rows = await link.rows(
                "SELECT DISTINCT ON (r.world_id) " + REVISION + " FROM world_revision r"
                " ORDER BY r.world_id, r.revision_no DESC LIMIT 1000"
            )
        return [revision_of(row) for row in rows]

    async def packets_under(
        self, world_version: str, *, playthroughs: int, of_each: int, limit: int
    ) -> tuple[list[ListedPacket], int]:
        async with self._link() as link:
            return await packet_lists.under(
                link, world_version, playthroughs=playthroughs, of_each=of_each, limit=limit
            )  # fmt: skip

    async def packets(self, where: PacketFilter, *, limit: int = 50, before: int | None = None) -> PacketPage:
        async with self._link() as link:
            return await packet_lists.page_of(link, where, limit=limit, before=before)

    async def packets_like(
        self, playthroughs: Sequence[PlaythroughId], moment: Moment, *, limit: int = 20
    ) -> list[ListedPacket]:
        async with self._link() as link:
            return await packet_lists.like(link, list(playthroughs), moment, limit=limit)

    async def playthrough_of(self, packet_id: PacketId) -> PlaythroughId | None:
        async with self._link() as link:
            return await packet_lists.playthrough_of(link, packet_id)

    async def audit(self, where: AuditFilter, *, limit: int = 50, before: int | None = None) -> list[AuditRow]:
        async with self._link() as link:
            return await audit.page_of(link, where, limit=limit, before=before)


def _listed(row: Row) -> Listed:
    names = ("playthrough_id", "world_id", "world_version", "opening_world", "title", "parent_id", "forked_at_seq")
    return Listed(
        playthrough=Playthrough(**dict(zip(names, row, strict=False))),
        opened_no=row[7],
        seq=row[8],
        at=StoryTime(tick=row[9], scene=row[10], turn=row[11]),
        branches=row[12],
    )
