"""The ledger browser in Postgres: each question goes through a bounded stretch of one index."""

from typing import Any, Final, LiteralString

import msgspec

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.browsing import by_rarity, stretch_of
from ledger_service.domain.cursors import place_after, read_place
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.rumours import Telling
from ledger_service.ports import BrowseFilter, BrowsePage
from ledger_service.stores.postgres.connection import Link
from ledger_service.stores.postgres.rows import decode_amendment, decode_amendments, decode_entry

_LAST: Final = 9_000_000_000_000_000
_COLUMNS: LiteralString = (
    "telling_id, from_entry, to_entry, teller, listener, origin, seq, tick, place, offered_millionths, outcome,"
    " severity, statement, roots"
)
_REACH: LiteralString = (
    "WITH reach AS MATERIALIZED (SELECT ancestor_id, least(until_seq, %(at)s) AS until_seq FROM lineage"
    " WHERE playthrough_id = %(playthrough)s), looked AS MATERIALIZED (SELECT d.* FROM ("
)
_BETWEEN: LiteralString = (
    " x WHERE x.playthrough_id = r.ancestor_id AND x.seq <= r.until_seq AND x.seq > %(from)s AND x.seq <= %(after_seq)s"
    " AND (x.seq, x.entry_id) < (%(after_seq)s, %(after_id)s)"
)


def _stretch(table: LiteralString, where: LiteralString) -> LiteralString:
    """Return the part that reads one index backwards, from where the page before ended."""
    newest: LiteralString = " ORDER BY x.seq DESC, x.entry_id DESC LIMIT %(window)s"
    return "SELECT x.playthrough_id, x.seq, x.entry_id FROM " + table + _BETWEEN + where + newest


_ALL: LiteralString = "SELECT x.* FROM reach r CROSS JOIN LATERAL (" + _stretch("ledger_entry", "") + ") x"
_OF_KIND: LiteralString = (
    "SELECT x.* FROM reach r CROSS JOIN LATERAL (" + _stretch("ledger_entry", " AND x.kind = %(kind)s") + ") x"
)
_DRAFTS: LiteralString = (
    "SELECT x.* FROM reach r CROSS JOIN LATERAL (" + _stretch("ledger_entry", " AND x.quarantined") + ") x"
)
_SCOPES: LiteralString = (
    "SELECT x.playthrough_id, x.seq, x.entry_id, min(s.knower) AS knower FROM reach r"
    " CROSS JOIN unnest(%(scopes)s::text[], %(bounds)s::bigint[]) AS s (knower, bound) CROSS JOIN LATERAL ("
)
_ONCE: LiteralString = ") x GROUP BY x.playthrough_id, x.seq, x.entry_id"
_KNOWN: LiteralString = _SCOPES + _stretch("knower", " AND x.knower = s.knower AND x.seq < s.bound") + _ONCE
_WITH_TERM: LiteralString = (
    _SCOPES + _stretch("entry_term", " AND x.knower = s.knower AND x.term = %(term)s AND x.seq < s.bound") + _ONCE
)
_FITTING: LiteralString = """) d ORDER BY d.seq DESC, d.entry_id DESC LIMIT %(window)s), found AS (
    SELECT e.playthrough_id, e.entry_id, e.seq FROM looked l
    JOIN ledger_entry e ON e.playthrough_id = l.playthrough_id AND e.entry_id = l.entry_id"""
_LAST_STATUS: LiteralString = """
    LEFT JOIN LATERAL (SELECT a.status FROM amendment a WHERE a.playthrough_id = ANY (%(ancestors)s)
        AND a.entry_id = e.entry_id AND a.seq <= %(at)s AND (a.body ->> 'belief') IS NULL
        ORDER BY a.seq DESC, a.status DESC LIMIT 1) a ON true"""
_WHERE: LiteralString = """
    WHERE (%(source)s::text IS NULL OR e.source_kind = %(source)s) AND (%(kind)s::text IS NULL OR e.kind = %(kind)s)"""
_WHERE_TERMS: LiteralString = """ AND NOT EXISTS (SELECT 1 FROM unnest(%(others)s::text[]) AS o (term)
        WHERE NOT EXISTS (SELECT 1 FROM entry_term t WHERE t.playthrough_id = l.playthrough_id AND t.knower = l.knower
            AND t.term = o.term AND t.seq = l.seq AND t.entry_id = l.entry_id))"""
_WHERE_STATUS: LiteralString = """ AND coalesce(a.status, CASE WHEN e.quarantined THEN 'quarantined'
        WHEN e.kind = 'commitment' THEN 'open' WHEN e.kind = 'contradiction' THEN 'unresolved'
        WHEN e.kind = 'emotional_residue' THEN 'felt' ELSE 'active' END) = ANY (%(statuses)s)"""
_SHOWN: LiteralString = """
    ORDER BY e.seq DESC, e.entry_id DESC LIMIT %(limit)s
)
SELECT c.looked_at, c.end_seq, c.end_id, e.content::text, (SELECT json_agg(a.body ORDER BY a.seq, a.status)
    FROM amendment a WHERE a.playthrough_id = ANY (%(ancestors)s) AND a.entry_id = e.entry_id AND a.seq <= %(at)s)::text,
    e.seq, e.entry_id
FROM (SELECT count(*) AS looked_at, min(l.seq) AS end_seq,
        (SELECT m.entry_id FROM looked m ORDER BY m.seq, m.entry_id LIMIT 1) AS end_id FROM looked l) c
LEFT JOIN found f ON true
LEFT JOIN ledger_entry e ON e.playthrough_id = f.playthrough_id AND e.entry_id = f.entry_id
ORDER BY e.seq DESC, e.entry_id DESC
"""
_SCENE: LiteralString = (
    "SELECT e.seq, e.scene FROM lineage l CROSS JOIN LATERAL (SELECT e.seq, e.scene FROM ledger_entry e"
    " WHERE e.playthrough_id = l.ancestor_id AND e.seq <= l.until_seq"
)
_BEGINS: LiteralString = (
    "WITH RECURSIVE newest AS ("
    + _SCENE
    + " ORDER BY e.seq DESC LIMIT 1) e WHERE l.playthrough_id = %(playthrough)s ORDER BY e.seq DESC LIMIT 1"
    "), halves (scene, low, high) AS ("
    " SELECT w.scene, CASE WHEN n.scene < w.scene THEN %(last)s::bigint ELSE 0 END,"
    " CASE WHEN n.scene < w.scene THEN %(last)s::bigint ELSE n.seq END"
    " FROM newest n CROSS JOIN unnest(%(scenes)s::bigint[]) AS w (scene)"
    " UNION ALL SELECT h.scene, CASE WHEN s.scene >= h.scene THEN h.low ELSE s.seq + 1 END,"
    " CASE WHEN s.scene >= h.scene THEN (h.low + h.high) / 2 ELSE h.high END FROM halves h CROSS JOIN LATERAL ("
    + _SCENE
    + " AND e.seq >= (h.low + h.high) / 2 ORDER BY e.seq LIMIT 1) e WHERE l.playthrough_id = %(playthrough)s"
    " ORDER BY e.seq LIMIT 1) s WHERE h.low < h.high"
    ") SELECT h.scene, h.low FROM halves h WHERE h.low >= h.high"
)
"""Events before which no entry is of a scene or a later one: scenes only go on, so halving finds them."""
_RESTING: LiteralString = (
    "SELECT e.content::text FROM (SELECT m.* FROM lineage l CROSS JOIN LATERAL ("
    "(SELECT m.playthrough_id, m.entry_id, m.seq FROM must_have m WHERE m.playthrough_id = l.ancestor_id"
    " AND m.knower = '' AND m.sort = 'rests_on' AND m.party = %(entry)s AND m.closed_seq IS NULL"
    " AND m.seq <= l.until_seq ORDER BY m.seq DESC, m.entry_id LIMIT %(limit)s) UNION ALL"
    " (SELECT m.playthrough_id, m.entry_id, m.seq FROM must_have m WHERE m.playthrough_id = l.ancestor_id"
    " AND m.knower = '' AND m.sort = 'rests_on' AND m.party = %(entry)s AND m.closed_seq IS NOT NULL"
    " AND m.seq <= l.until_seq ORDER BY m.seq DESC, m.entry_id LIMIT %(limit)s)"
    ") m WHERE l.playthrough_id = %(playthrough)s ORDER BY m.seq DESC, m.entry_id LIMIT %(limit)s) m"
    " JOIN ledger_entry e ON e.playthrough_id = m.playthrough_id AND e.entry_id = m.entry_id"
    " ORDER BY e.seq DESC, e.entry_id"
)
_BECAME: LiteralString = (
    "SELECT a.body::text FROM lineage l CROSS JOIN LATERAL (SELECT a.body, a.seq, a.entry_id, a.status FROM amendment a"
    " WHERE a.playthrough_id = l.ancestor_id AND a.seq > %(from)s AND a.seq <= least(%(at)s, l.until_seq)"
    " AND (a.body ->> 'belief') IS NULL ORDER BY a.seq DESC, a.entry_id DESC, a.status DESC LIMIT %(limit)s) a"
    " WHERE l.playthrough_id = %(playthrough)s ORDER BY a.seq DESC, a.entry_id DESC, a.status DESC LIMIT %(limit)s"
)
_TOLD: LiteralString = (
    "SELECT " + _COLUMNS + " FROM telling WHERE playthrough_id = ANY (%(ancestors)s) AND origin = %(origin)s"
    " AND (from_entry = %(entry)s OR to_entry = %(entry)s) ORDER BY seq DESC, telling_id DESC LIMIT %(limit)s"
)


class PostgresLedgerBrowser:
    """Reads `ledger_entry`, `knower`, `entry_term`, `amendment` and `telling`, newest first."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def page(self, where: BrowseFilter, *, limit: int = 50, after: str | None = None) -> BrowsePage:
        first, until = where.after_seq, _LAST if where.at_seq is None else where.at_seq
        if where.scene is not None:
            begin, after_it = await self._begins(where.scene)
            first, until = max(first, begin - 1), min(until, after_it - 1)
        seq, entry_id = (min(until + 1, _LAST), "") if after is None else read_place(after)
        window = stretch_of(where.reach, limit, is_picky=where.is_picky)
        given: dict[str, Any] = {
            "playthrough": self._link.playthrough_id, "ancestors": await self._link.ancestors(), "from": first,
            "at": _LAST if where.at_seq is None else where.at_seq, "kind": where.kind, "source": where.source,
            "statuses": list(where.statuses), "after_seq": seq, "after_id": entry_id, "window": window,
            "limit": limit + 1,
        }  # fmt: skip
        rows = await self._link.rows(_query(where), given | _scopes(where))
        found = [row for row in rows if row[3] is not None]
        looked_at, end_seq, end_id = rows[0][:3] if rows else (0, None, None)
        end = found[limit - 1][5:7] if len(found) > limit else (end_seq, end_id) if looked_at == window else None
        return BrowsePage(
            entries=tuple(decode_entry(row[3]) for row in found[:limit]),
            amendments=tuple(a for row in found[:limit] for a in decode_amendments(row[4])),
            next_after=None if end is None else place_after(*end),
            looked_at=looked_at,
        )

    async def _begins(self, scene: int) -> tuple[int, int]:
        """Return events before which no entry is of a scene, or after it."""
        what = {"playthrough": self._link.playthrough_id, "scenes": [scene, scene + 1], "last": _LAST}
        found = {row[0]: int(row[1]) for row in await self._link.rows(_BEGINS, what)}
        return found.get(scene, _LAST), found.get(scene + 1, _LAST)

    async def resting_on(self, entry_id: EntryId, *, limit: int = 100) -> list[LedgerEntry]:
        what = {"playthrough": self._link.playthrough_id, "entry": entry_id, "limit": limit}
        return [decode_entry(row[0]) for row in await self._link.rows(_RESTING, what)]

    async def became(self, *, after_seq: int, at_seq: int, limit: int = 1_000) -> list[Amendment]:
        what = {"playthrough": self._link.playthrough_id, "from": after_seq, "at": at_seq, "limit": limit}
        return [decode_amendment(row[0]) for row in await self._link.rows(_BECAME, what)]

    async def told_of(self, entry_id: EntryId, origin: EntryId, *, limit: int = 100) -> list[Telling]:
        what = {"ancestors": await self._link.ancestors(), "entry": entry_id, "origin": origin, "limit": limit}
        rows = await self._link.rows(_TOLD, what)
        return [msgspec.convert(dict(zip(Telling.__struct_fields__, row, strict=True)), Telling) for row in rows]


def _query(where: BrowseFilter) -> LiteralString:
    if where.reach is not None:
        looked = _WITH_TERM if where.terms else _KNOWN
    elif where.is_of_drafts:
        looked = _DRAFTS
    else:
        looked = _ALL if where.kind is None else _OF_KIND
    terms = _WHERE_TERMS if where.reach is not None and len(where.terms) > 1 else ""
    if where.statuses:
        return _REACH + looked + _FITTING + _LAST_STATUS + _WHERE + terms + _WHERE_STATUS + _SHOWN
    return _REACH + looked + _FITTING + _WHERE + terms + _SHOWN


def _scopes(where: BrowseFilter) -> dict[str, Any]:
    if where.reach is None:
        return {}
    terms = by_rarity(where.terms)
    return {
        "scopes": [scope for scope, _ in where.reach.scopes], "bounds": [bound for _, bound in where.reach.scopes],
        "term": next(iter(terms), ""), "others": list(terms[1:]),
    }  # fmt: skip
