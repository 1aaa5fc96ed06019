"""Tellings, and the chains that a recursive query follows through them."""

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from ledger_service.domain.errors import UnknownEntryError
from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import ProvenanceChain, Telling, build_chain, version_of_entry
from ledger_service.stores.postgres.connection import Link
from ledger_service.stores.postgres.rows import decode_entry

_COLUMNS: LiteralString = (
    "telling_id, from_entry, to_entry, teller, listener, origin, seq, tick, place, offered_millionths, outcome"
)
_INSERT: LiteralString = (
    f"INSERT INTO telling (playthrough_id, world_id, {_COLUMNS}) SELECT p.playthrough_id, p.world_id, u.* FROM playthrough p,"
    " unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::int[], %s::text[],"
    " %s::int[], %s::text[]) u WHERE p.playthrough_id = current_setting('continuity.playthrough', true)"
    " ON CONFLICT DO NOTHING"
)
_CHAIN: LiteralString = f"""
WITH RECURSIVE behind (entry_id) AS (
    SELECT %(entry)s::text
    UNION
    SELECT t.from_entry FROM behind b
    JOIN telling t ON t.playthrough_id = ANY (%(ancestors)s) AND t.to_entry = b.entry_id
)
SELECT {_COLUMNS} FROM telling WHERE playthrough_id = ANY (%(ancestors)s) AND to_entry IN (SELECT entry_id FROM behind)
"""
_ALL: LiteralString = f"SELECT {_COLUMNS} FROM telling WHERE playthrough_id = ANY (%s) ORDER BY seq, telling_id"


class PostgresTellings:
    """The `telling` table."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def append(self, tellings: Sequence[Telling]) -> None:
        await self._link.insert(_INSERT, (msgspec.structs.astuple(t) for t in tellings))

    async def behind(self, entry_id: EntryId) -> list[Telling]:
        where = {"entry": entry_id, "ancestors": await self._link.ancestors()}
        return [_telling(row) for row in await self._link.rows(_CHAIN, where)]

    async def chain(self, entry_id: EntryId) -> ProvenanceChain:
        tellings = await self.behind(entry_id)
        ids = [entry_id, *(t.from_entry for t in tellings)]
        rows = await self._link.rows(
            "SELECT content::text, embedding FROM ledger_entry WHERE playthrough_id = ANY (%s) AND entry_id = ANY (%s)",
            [await self._link.ancestors(), list(dict.fromkeys(ids))],
        )
        versions = [version_of_entry(decode_entry(row[0], row[1])) for row in rows]
        if not any(v.entry_id == entry_id for v in versions):
            raise UnknownEntryError(entry_id)
        return build_chain(entry_id, versions, tellings, store="postgres")

    async def load_all(self) -> list[Telling]:
        rows = await self._link.rows(_ALL, [await self._link.ancestors()])
        return [_telling(row) for row in rows]


def _telling(row: tuple[object, ...]) -> Telling:
    return msgspec.convert(dict(zip(Telling.__struct_fields__, row, strict=True)), Telling)
