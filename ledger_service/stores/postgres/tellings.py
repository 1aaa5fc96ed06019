"""Tellings, and the chains that a recursive query follows through them."""

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.rumours import STORIES, Holding, Telling
from ledger_service.domain.voicings import VoicedTelling, Voicing
from ledger_service.ports import Behind
from ledger_service.stores.postgres import tables
from ledger_service.stores.postgres.connection import Link
from ledger_service.stores.postgres.rows import decode_amendments, decode_entry, decode_tellings
from ledger_service.stores.postgres.writing import Insert

_COLUMNS: LiteralString = (
    "telling_id, from_entry, to_entry, teller, listener, origin, seq, tick, place, offered_millionths, outcome,"
    " severity, statement, roots"
)
_TELLING = Insert(tables.telling, _COLUMNS.split(", "), conflict="ON CONFLICT DO NOTHING")
_BEHIND: LiteralString = f"""
WITH RECURSIVE behind (entry_id) AS (
    SELECT %(entry)s::text
    UNION
    SELECT t.from_entry FROM behind b
    JOIN telling t ON t.playthrough_id = ANY (%(ancestors)s) AND t.to_entry = b.entry_id
)
SELECT e.content::text,
    (SELECT json_agg(a.body ORDER BY a.seq, a.status) FROM amendment a
     WHERE a.playthrough_id = ANY (%(ancestors)s) AND a.entry_id = e.entry_id)::text,
    (SELECT json_agg(told) FROM (SELECT {_COLUMNS} FROM telling t
     WHERE t.playthrough_id = ANY (%(ancestors)s) AND t.to_entry = e.entry_id) told)::text
FROM behind b JOIN ledger_entry e ON e.playthrough_id = ANY (%(ancestors)s) AND e.entry_id = b.entry_id
"""
_ALL: LiteralString = f"SELECT {_COLUMNS} FROM telling WHERE playthrough_id = ANY (%s) ORDER BY seq, telling_id"


_OF_ORIGINS: LiteralString = (
    f"SELECT {_COLUMNS} FROM telling WHERE playthrough_id = ANY (%s) AND origin = ANY (%s) ORDER BY seq, telling_id"
)
_HOLDINGS: LiteralString = """
SELECT w.who, e.entry_id, e.origin, e.content ->> 'corrects'
FROM unnest(%(people)s::text[]) w (who), LATERAL (
    SELECT l.entry_id, l.origin, l.content FROM knower k
    JOIN ledger_entry l ON l.playthrough_id = k.playthrough_id AND l.entry_id = k.entry_id
    WHERE k.playthrough_id = ANY (%(ancestors)s) AND k.knower = w.who
      AND l.playthrough_id = ANY (%(ancestors)s) AND NOT l.quarantined
      AND (l.kind = 'hearsay' OR l.kind = 'observation' AND l.content ->> 'said_by' IS NULL
           AND l.content ->> 'style_of' IS NULL)
      AND l.source_kind NOT IN ('generated_line', 'derived')
    ORDER BY k.seq DESC, k.entry_id LIMIT %(most)s
) e ORDER BY 1
"""
_VOICED: LiteralString = (
    "SELECT t."
    + _COLUMNS.replace(", ", ", t.")
    + """, v.voice, v.text, v.dropped FROM telling t
LEFT JOIN voicing v ON v.playthrough_id = t.playthrough_id AND v.telling_id = t.telling_id
WHERE t.playthrough_id = %(playthrough)s"""
)
_LAST: LiteralString = " ORDER BY t.seq DESC, t.telling_id DESC LIMIT %(limit)s"
_NEWEST: LiteralString = _VOICED + _LAST
_UNVOICED: LiteralString = _VOICED + " AND v.telling_id IS NULL" + _LAST


class PostgresTellings:
    """The `telling` table."""

    name = "postgres"

    def __init__(self, link: Link) -> None:
        self._link = link

    async def append(self, tellings: Sequence[Telling]) -> None:
        self._link.insert(_TELLING, map(msgspec.structs.astuple, tellings))

    async def behind(self, entry_id: EntryId) -> Behind:
        where = {"entry": entry_id, "ancestors": await self._link.ancestors()}
        rows = await self._link.rows(_BEHIND, where)
        return Behind(
            entries=tuple(decode_entry(row[0]) for row in rows),
            amendments=tuple(a for row in rows for a in decode_amendments(row[1])),
            tellings=tuple(t for row in rows if row[2] for t in decode_tellings(row[2])),
        )

    async def load_all(self) -> list[Telling]:
        rows = await self._link.rows(_ALL, [await self._link.ancestors()])
        return [_telling(row) for row in rows]

    async def of_origins(self, origins: Sequence[EntryId]) -> list[Telling]:
        if not origins:
            return []
        rows = await self._link.rows(_OF_ORIGINS, [await self._link.ancestors(), list(origins)])
        return [_telling(row) for row in rows]

    async def find_holdings(self, people: Sequence[CharacterId]) -> tuple[Holding, ...]:
        where = {"people": list(people), "ancestors": await self._link.ancestors(), "most": STORIES}
        rows = await self._link.rows(_HOLDINGS, where)
        return tuple(Holding(who=r[0], entry_id=r[1], origin=r[2], corrects=r[3]) for r in rows)

    async def newest(self, *, limit: int, unvoiced: bool = False) -> list[VoicedTelling]:
        where = {"playthrough": self._link.playthrough_id, "limit": limit}
        rows = await self._link.rows(_UNVOICED if unvoiced else _NEWEST, where)
        return [_voiced(row) for row in rows]

    async def voice(self, voicing: Voicing) -> None:
        await self._link.run(
            "INSERT INTO voicing (playthrough_id, world_id, telling_id, voice, text, dropped)"
            " SELECT playthrough_id, world_id, %s, %s, %s, %s FROM playthrough WHERE playthrough_id = %s"
            " ON CONFLICT DO NOTHING",
            [voicing.telling_id, voicing.voice, voicing.text, voicing.dropped, self._link.playthrough_id],
        )


def _telling(row: tuple[object, ...]) -> Telling:
    return msgspec.convert(dict(zip(Telling.__struct_fields__, row, strict=True)), Telling)


def _voiced(row: tuple[object, ...]) -> VoicedTelling:
    *told, voice, text, dropped = row
    telling = _telling(tuple(told))
    if voice is None:
        return VoicedTelling(telling=telling)
    kept = Voicing(telling_id=telling.telling_id, voice=str(voice), text=str(text), dropped=str(dropped))
    return VoicedTelling(telling=telling, voicing=kept)
