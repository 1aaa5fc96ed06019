"""The ledger in Postgres: entries with their knowers, terms and endings; amendments; the candidates of a moment."""

from collections.abc import Iterable, Sequence
from typing import LiteralString

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import (
    CLOSING,
    MUST_HAVE,
    NEWEST,
    PER_TERM,
    STORY,
    Reach,
    must_have_keys,
    window_of,
)
from ledger_service.domain.cursors import place_after, read_place
from ledger_service.domain.entries import Commitment, Contradiction, LedgerEntry, Observation, RelationshipDelta
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.slots import Slot
from ledger_service.ports import EntryFilter, Page
from ledger_service.stores.postgres import tables
from ledger_service.stores.postgres.connection import Link, Row
from ledger_service.stores.postgres.rows import (
    amendment_row,
    decode_amendments,
    decode_entry,
    ending_rows,
    entry_row,
    knower_rows,
    must_have_rows,
    term_rows,
    watched_rows,
)
from ledger_service.stores.postgres.writing import Insert

Found = tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]

_ENTRY = Insert(
    tables.ledger_entry,
    (
        "entry_id", "seq", "tick", "scene", "turn", "kind", "statement", "source_kind", "source_by", "source_event_seq",
        "channel", "confidence", "slot_subject", "slot_predicate", "slot_object", "slot_polarity", "slot_from_tick",
        "slot_until_tick", "disclosure", "unaware", "expires", "subject", "place", "origin", "protected", "quarantined",
        "name", "content", "embedding",
    ),
)  # fmt: skip
_KNOWER = Insert(tables.knower, ("knower", "entry_id", "seq"))
_MUST_HAVE = Insert(tables.must_have, ("knower", "sort", "party", "entry_id", "seq"))
_WATCHED = Insert(tables.must_have, ("knower", "sort", "party", "entry_id", "seq"), name="watched")
_TERM = Insert(tables.entry_term, ("knower", "term", "entry_id", "seq"))
_ENDING_OF = Insert(tables.entry_ending, ("sort", "at_value", "name", "entry_id", "seq"))
_AMENDMENT = Insert(
    tables.amendment, ("entry_id", "seq", "status", "by", "knowers", "body"), conflict="ON CONFLICT DO NOTHING"
)
_CLOSE: LiteralString = (
    "UPDATE must_have m SET closed_seq = a.seq FROM amendment a"
    " WHERE a.playthrough_id = %(playthrough)s AND a.entry_id = ANY (%(ids)s) AND a.seq = %(seq)s"
    " AND a.status = ANY (%(closing)s) AND m.playthrough_id = %(playthrough)s AND m.entry_id = a.entry_id"
    " AND m.entry_id = ANY (%(ids)s)"
    " AND m.closed_seq IS NULL AND (m.sort = 'watched' OR (a.by = '{}' AND (a.knowers IS NULL"
    " OR (m.knower = ANY (a.knowers) AND m.knower NOT LIKE 'group:%%'))))"
)
"""Mark what a closing leaves no doubt about for all who know through that scope; a member of a group may have left
before, and a branch may close what is not its own: there the amendment itself is asked."""

_WITH_AMENDMENTS: LiteralString = (
    " e.content::text, e.embedding, (SELECT json_agg(a.body ORDER BY a.seq, a.status) FROM amendment a"
    " WHERE a.playthrough_id = ANY (%(ancestors)s) AND a.entry_id = e.entry_id AND a.seq <= %(at)s)::text"
)

_STILL_OPEN: LiteralString = """m.playthrough_id = r.ancestor_id AND m.knower = s.knower AND m.sort = w.sort
                    AND m.party = w.party AND m.seq <= r.until_seq AND m.seq < s.bound
                    AND NOT EXISTS (
                        SELECT 1 FROM amendment a
                        WHERE a.playthrough_id = ANY (%(ancestors)s) AND a.entry_id = m.entry_id AND a.seq <= %(at)s
                            AND a.by = '{}' AND a.status = ANY (%(closing)s)
                            AND (a.knowers IS NULL OR a.knowers && %(now)s::text[])
                    )"""
_REACHED: LiteralString = """
WITH reach AS MATERIALIZED (
    SELECT ancestor_id, least(until_seq, %(at)s) AS until_seq FROM lineage WHERE playthrough_id = %(playthrough)s
), scope AS (
    SELECT * FROM unnest(%(scopes)s::text[], %(bounds)s::bigint[]) AS s (knower, bound)
), """
_MUST: LiteralString = (
    """must AS (
    SELECT entry_id FROM (
        SELECT entry_id, row_number() OVER (PARTITION BY sort, pool ORDER BY seq DESC, entry_id) AS place FROM (
            SELECT DISTINCT w.sort, w.pool, m.seq, m.entry_id
            FROM reach r CROSS JOIN scope s
            CROSS JOIN unnest(%(sorts)s::text[], %(parties)s::text[], %(pools)s::text[]) AS w (sort, party, pool)
            CROSS JOIN LATERAL (
                (SELECT m.seq, m.entry_id FROM must_have m WHERE m.closed_seq IS NULL AND """
    + _STILL_OPEN
    + """ ORDER BY m.seq DESC, m.entry_id LIMIT %(must)s)
                UNION ALL
                (SELECT m.seq, m.entry_id FROM must_have m WHERE m.closed_seq > r.until_seq AND """
    + _STILL_OPEN
    + """ ORDER BY m.seq DESC, m.entry_id LIMIT %(must)s)
            ) m
        ) found
    ) ranked WHERE place <= %(must)s
)"""
)
CANDIDATES: LiteralString = (
    _REACHED
    + """newest AS (
    SELECT DISTINCT k.seq, k.entry_id FROM reach r CROSS JOIN scope s CROSS JOIN LATERAL (
        SELECT k.seq, k.entry_id FROM knower k
        WHERE k.playthrough_id = r.ancestor_id AND k.knower = s.knower AND k.seq <= r.until_seq AND k.seq < s.bound
        ORDER BY k.seq DESC, k.entry_id LIMIT %(newest)s
    ) k ORDER BY k.seq DESC, k.entry_id LIMIT %(newest)s
), by_term AS (
    SELECT entry_id FROM (
        SELECT entry_id, row_number() OVER (PARTITION BY term ORDER BY seq DESC, entry_id) AS place FROM (
            SELECT DISTINCT w.term, t.seq, t.entry_id
            FROM reach r CROSS JOIN scope s CROSS JOIN unnest(%(terms)s::text[]) AS w (term) CROSS JOIN LATERAL (
                SELECT t.seq, t.entry_id FROM entry_term t
                WHERE t.playthrough_id = r.ancestor_id AND t.knower = s.knower AND t.term = w.term
                    AND t.seq <= r.until_seq AND t.seq < s.bound
                ORDER BY t.seq DESC, t.entry_id LIMIT %(per_term)s
            ) t
        ) found
    ) ranked WHERE place <= %(per_term)s
), """
    + _MUST
    + """, picked AS (
    SELECT entry_id FROM newest UNION SELECT entry_id FROM by_term UNION SELECT entry_id FROM must
)
SELECT"""
    + _WITH_AMENDMENTS
    + """
FROM picked CROSS JOIN reach r
JOIN ledger_entry e ON e.playthrough_id = r.ancestor_id AND e.entry_id = picked.entry_id AND e.seq <= r.until_seq
"""
)
_STORIES: LiteralString = (
    _REACHED
    + _MUST
    + " SELECT"
    + _WITH_AMENDMENTS
    + " FROM must CROSS JOIN reach r JOIN ledger_entry e ON e.playthrough_id = r.ancestor_id"
    " AND e.entry_id = must.entry_id AND e.seq <= r.until_seq"
)
_GET: LiteralString = (
    "SELECT" + _WITH_AMENDMENTS + " FROM ledger_entry e WHERE e.playthrough_id = ANY (%(ancestors)s)"
    " AND e.entry_id = ANY (%(ids)s) AND e.seq <= %(at)s"
)
_ALL: LiteralString = (
    "SELECT"
    + _WITH_AMENDMENTS
    + " FROM ledger_entry e WHERE e.playthrough_id = ANY (%(ancestors)s) AND e.seq <= %(at)s"
    " ORDER BY e.seq, e.entry_id"
)
_PAGE: LiteralString = (
    "SELECT"
    + _WITH_AMENDMENTS
    + """, e.seq, e.entry_id FROM (
    SELECT found.* FROM unnest(%(ancestors)s::text[]) AS l (ancestor_id) CROSS JOIN LATERAL (
        SELECT e.* FROM ledger_entry e WHERE e.playthrough_id = l.ancestor_id AND e.seq <= %(at)s
        AND (%(after_seq)s::bigint IS NULL OR (e.seq, e.entry_id) < (%(after_seq)s, %(after_id)s))
        AND (%(kind)s::text IS NULL OR e.kind = %(kind)s) AND (%(source)s::text IS NULL OR e.source_kind = %(source)s)
        AND (%(knower)s::text IS NULL OR EXISTS (SELECT 1 FROM knower k WHERE k.playthrough_id = e.playthrough_id
            AND k.knower = %(knower)s AND k.entry_id = e.entry_id))
        AND (%(term)s::text IS NULL OR EXISTS (SELECT 1 FROM entry_term t WHERE t.playthrough_id = e.playthrough_id
            AND t.term = %(term)s AND t.entry_id = e.entry_id))
        ORDER BY e.seq DESC, e.entry_id DESC LIMIT %(limit)s
    ) found ORDER BY found.seq DESC, found.entry_id DESC LIMIT %(limit)s
) e ORDER BY e.seq DESC, e.entry_id DESC"""
)
_BY_SLOT: LiteralString = """
SELECT e.content::text, e.embedding FROM (
    SELECT DISTINCT found.playthrough_id, found.entry_id, found.seq
    FROM unnest(%(ancestors)s::text[]) AS l (ancestor_id)
    CROSS JOIN unnest(%(subjects)s::text[], %(predicates)s::text[]) AS w (subject, predicate) CROSS JOIN LATERAL (
        (SELECT e.playthrough_id, e.entry_id, e.seq FROM ledger_entry e
         WHERE e.playthrough_id = l.ancestor_id AND e.slot_predicate = w.predicate AND e.slot_subject = w.subject
         ORDER BY e.seq DESC, e.entry_id LIMIT %(limit)s)
        UNION ALL
        (SELECT e.playthrough_id, e.entry_id, e.seq FROM ledger_entry e
         WHERE e.playthrough_id = l.ancestor_id AND e.slot_predicate = w.predicate AND e.slot_object = w.subject
         ORDER BY e.seq DESC, e.entry_id LIMIT %(limit)s)
    ) found ORDER BY found.seq DESC, found.entry_id LIMIT %(limit)s
) w JOIN ledger_entry e ON e.playthrough_id = w.playthrough_id AND e.entry_id = w.entry_id ORDER BY e.seq DESC, e.entry_id
"""
_ENDING: LiteralString = """
SELECT e.content::text, e.embedding FROM (
    SELECT DISTINCT n.playthrough_id, n.entry_id FROM unnest(%(ancestors)s::text[]) AS l (ancestor_id)
    JOIN entry_ending n ON n.playthrough_id = l.ancestor_id
    WHERE (n.sort = 'tick' AND n.name = '' AND n.at_value > %(tick0)s AND n.at_value <= %(tick1)s)
       OR (n.sort = 'scene' AND n.name = '' AND n.at_value > %(scene0)s AND n.at_value <= %(scene1)s)
       OR (n.sort = 'turn' AND n.name = '' AND n.at_value > %(turn0)s AND n.at_value <= %(turn1)s)
       OR (n.sort = 'event' AND n.name = ANY (%(names)s))
) w JOIN ledger_entry e ON e.playthrough_id = w.playthrough_id AND e.entry_id = w.entry_id ORDER BY e.seq, e.entry_id
"""
_OPEN: LiteralString = """
SELECT e.content::text, e.embedding FROM lineage l CROSS JOIN LATERAL (
    SELECT m.entry_id, m.seq FROM must_have m
    WHERE m.playthrough_id = l.ancestor_id AND m.knower = '' AND m.sort = 'watched' AND m.party = ''
        AND m.closed_seq IS NULL AND m.seq <= l.until_seq
    UNION ALL
    SELECT m.entry_id, m.seq FROM must_have m
    WHERE m.playthrough_id = l.ancestor_id AND m.knower = '' AND m.sort = 'watched' AND m.party = ''
        AND m.closed_seq > l.until_seq AND m.seq <= l.until_seq
) m JOIN ledger_entry e ON e.playthrough_id = l.ancestor_id AND e.entry_id = m.entry_id
WHERE l.playthrough_id = %(playthrough)s AND NOT EXISTS (
    SELECT 1 FROM amendment a WHERE a.playthrough_id = ANY (%(ancestors)s) AND a.entry_id = m.entry_id
        AND a.status = ANY (%(closing)s)
) ORDER BY m.seq DESC, m.entry_id LIMIT %(limit)s
"""
_BY_NAME: LiteralString = (
    "SELECT content::text, embedding FROM ledger_entry WHERE playthrough_id = ANY (%(ancestors)s)"
    " AND ((name IS NOT NULL AND name = %(name)s) OR entry_id = %(name)s) AND kind = 'commitment' ORDER BY seq DESC, entry_id LIMIT 20"
)
_RESIDUE: LiteralString = """
SELECT e.content::text, e.embedding FROM lineage l JOIN must_have m ON m.playthrough_id = l.ancestor_id
    AND m.knower = '' AND m.sort = 'watched' AND m.party = %(holder)s AND m.seq <= l.until_seq
    AND (m.closed_seq IS NULL OR m.closed_seq > l.until_seq)
JOIN ledger_entry e ON e.playthrough_id = m.playthrough_id AND e.entry_id = m.entry_id
WHERE l.playthrough_id = %(playthrough)s AND NOT EXISTS (
        SELECT 1 FROM amendment a WHERE a.playthrough_id = ANY (%(ancestors)s) AND a.entry_id = m.entry_id
            AND a.status = ANY (%(closing)s)
) ORDER BY m.seq DESC, m.entry_id LIMIT 100
"""
_NOTICES: LiteralString = """
SELECT e.content::text, e.embedding FROM lineage l JOIN must_have m ON m.playthrough_id = l.ancestor_id
    AND m.knower = '' AND m.sort = 'watched' AND m.party = 'notice:' AND m.seq <= l.until_seq
    AND (m.closed_seq IS NULL OR m.closed_seq > l.until_seq)
JOIN ledger_entry e ON e.playthrough_id = m.playthrough_id AND e.entry_id = m.entry_id
WHERE l.playthrough_id = %(playthrough)s AND NOT EXISTS (
        SELECT 1 FROM amendment a WHERE a.playthrough_id = ANY (%(ancestors)s) AND a.entry_id = m.entry_id
            AND a.status = ANY (%(closing)s)
) ORDER BY m.seq, m.entry_id
"""
_READERS: LiteralString = (
    "SELECT e.origin, k.knower FROM ledger_entry e JOIN knower k ON k.playthrough_id = e.playthrough_id"
    " AND k.entry_id = e.entry_id WHERE e.playthrough_id = ANY (%(ancestors)s) AND e.origin = ANY (%(notices)s)"
    " AND e.source_kind = 'document'"
)
_BY_ORIGIN: LiteralString = (
    "SELECT e.content::text, e.embedding FROM ledger_entry e JOIN knower k ON k.playthrough_id = e.playthrough_id"
    " AND k.entry_id = e.entry_id AND k.knower = %(knower)s WHERE e.playthrough_id = ANY (%(ancestors)s)"
    " AND e.origin = %(origin)s ORDER BY e.seq, e.entry_id LIMIT 100"
)
_CONDITIONAL: LiteralString = (
    "SELECT" + _WITH_AMENDMENTS + " FROM ledger_entry e WHERE e.playthrough_id = ANY (%(ancestors)s)"
    " AND e.kind = ANY (%(kinds)s) ORDER BY e.seq DESC, e.entry_id LIMIT 5000"
)
_LAST = 9_000_000_000_000_000
_CLOSING = sorted(str(status) for status in CLOSING)


class PostgresLedger:
    """The tables `ledger_entry`, `knower`, `must_have`, `entry_term`, `entry_ending` and `amendment`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def append(self, entries: Sequence[LedgerEntry]) -> None:
        self._link.insert(_ENTRY, map(entry_row, entries))
        self._link.insert(_KNOWER, knower_rows(entries))
        self._link.insert(_MUST_HAVE, must_have_rows(entries))
        self._link.insert(_WATCHED, watched_rows(entries))
        self._link.insert(_TERM, term_rows(entries))
        self._link.insert(_ENDING_OF, ending_rows(entries))

    async def amend(self, amendments: Sequence[Amendment]) -> None:
        self._link.insert(_AMENDMENT, map(amendment_row, amendments))
        for seq in sorted({a.cause_seq for a in amendments}):
            ids = [a.entry_id for a in amendments if a.cause_seq == seq and a.status in CLOSING]
            if ids:
                playthrough = self._link.playthrough_id
                what = {"playthrough": playthrough, "ids": ids, "seq": seq, "closing": _CLOSING}
                await self._link.run(_CLOSE, what)

    async def load_candidates(self, moment: Moment, *, terms: Sequence[str], reach: Reach) -> Found:
        picked = await self._link.rows(
            CANDIDATES,
            await self._reached(reach, must_have_keys(moment), at_seq=moment.seq)
            | {"terms": list(terms), "newest": NEWEST, "per_term": PER_TERM},
        )
        entries, amendments = _decode(picked)
        there = {e.entry_id for e in entries}
        beneath = [i for i in _rests_on(entries, amendments) if i not in there]
        if beneath:
            more, why = await self._get(beneath, at_seq=moment.seq)
            entries, amendments = entries + more, amendments + why
        ordered = sorted(entries, key=lambda e: (e.seq, e.entry_id))
        return tuple(ordered), tuple(sorted(amendments, key=lambda a: (a.cause_seq, a.entry_id, a.status)))

    async def _reached(
        self, reach: Reach, keys: Sequence[tuple[str, str]], *, at_seq: int
    ) -> dict[str, object]:  # fmt: skip
        return {
            "playthrough": self._link.playthrough_id,
            "ancestors": await self._link.ancestors(),
            "at": at_seq,
            "scopes": [scope for scope, _ in reach.scopes],
            "bounds": [bound for _, bound in reach.scopes],
            "now": sorted(reach.now),
            "sorts": [sort for sort, _ in keys],
            "parties": [party for _, party in keys],
            "pools": [window_of(key)[1] for key in keys],
            "closing": _CLOSING,
            "must": MUST_HAVE,
        }

    async def find_stories(self, reach: Reach, about: Sequence[str], *, at_seq: int) -> Found:
        keys = [(STORY, who) for who in about]
        return _decode(await self._link.rows(_STORIES, await self._reached(reach, keys, at_seq=at_seq)))

    async def find_notices(self) -> list[Observation]:
        mine: dict[str, object] = {"closing": _CLOSING, "playthrough": self._link.playthrough_id}
        found = await self._entries(_NOTICES, mine, begins_in=_WATCHED)
        return [e for e in found if isinstance(e, Observation)]

    async def find_readers(self, notices: Sequence[EntryId]) -> frozenset[tuple[EntryId, CharacterId]]:
        what = {"ancestors": await self._link.ancestors(), "notices": list(notices)}
        return frozenset((row[0], row[1]) for row in await self._link.rows(_READERS, what))

    async def _get(self, ids: Sequence[EntryId], *, at_seq: int) -> Found:
        rows = await self._link.rows(_GET, {"ancestors": await self._link.ancestors(), "ids": list(ids), "at": at_seq})
        return _decode(rows)

    async def get(self, entry_ids: Sequence[EntryId]) -> Found:
        return await self._get(entry_ids, at_seq=_LAST)

    async def load_all(self, *, at_seq: int | None = None) -> Found:
        at = _LAST if at_seq is None else at_seq
        return _decode(await self._link.rows(_ALL, {"ancestors": await self._link.ancestors(), "at": at}))

    async def page(self, where: EntryFilter, *, limit: int = 50, after: str | None = None) -> Page:
        seq, entry_id = (None, "") if after is None else read_place(after)
        rows = await self._link.rows(
            _PAGE,
            {
                "ancestors": await self._link.ancestors(),
                "at": _LAST if where.at_seq is None else where.at_seq,
                "after_seq": seq,
                "after_id": entry_id,
                "kind": where.kind,
                "source": where.source,
                "knower": where.knower,
                "term": where.term,
                "limit": limit + 1,
            },
        )
        entries, amendments = _decode(rows[:limit])
        more = place_after(rows[limit - 1][3], rows[limit - 1][4]) if len(rows) > limit else None
        return Page(entries=entries, amendments=amendments, next_after=more)

    async def find_by_slot(self, slots: Sequence[Slot], *, limit: int = 100) -> list[LedgerEntry]:
        if not slots:
            return []
        pairs = dict.fromkeys((name, s.predicate) for s in slots for name in (s.subject, s.object))
        return await self._entries(
            _BY_SLOT,
            {"subjects": [p[0] for p in pairs], "predicates": [p[1] for p in pairs], "limit": limit},
        )

    async def find_ending(
        self, *, before: StoryState, now: StoryState, event_names: Sequence[str]
    ) -> list[LedgerEntry]:
        bounds = {
            "tick0": before.at.tick, "tick1": now.at.tick, "scene0": before.at.scene, "scene1": now.at.scene,
            "turn0": before.at.turn, "turn1": now.at.turn, "names": list(event_names),
        }  # fmt: skip
        return await self._entries(_ENDING, bounds, begins_in=_ENDING_OF)

    async def find_open_commitments(self, *, limit: int = 500) -> list[Commitment]:
        found = await self._entries(
            _OPEN, {"closing": _CLOSING, "limit": limit, "playthrough": self._link.playthrough_id}, begins_in=_WATCHED
        )
        return [e for e in found if isinstance(e, Commitment)]

    async def find_commitments(self, name: str) -> list[Commitment]:
        return [e for e in await self._entries(_BY_NAME, {"name": name}) if isinstance(e, Commitment)]

    async def find_by_origin(self, origin: EntryId, *, knower: CharacterId) -> list[LedgerEntry]:
        return await self._entries(_BY_ORIGIN, {"origin": origin, "knower": knower})

    async def load_conditional(self, kinds: Sequence[str]) -> Found:
        rows = await self._link.rows(
            _CONDITIONAL, {"ancestors": await self._link.ancestors(), "kinds": list(kinds), "at": _LAST}
        )
        return _decode(rows)

    async def find_residue(self, holder: CharacterId, emotion: str) -> list[LedgerEntry]:
        found = await self._entries(
            _RESIDUE, {"holder": holder, "closing": _CLOSING, "playthrough": self._link.playthrough_id}
        )
        return [e for e in found if not emotion or getattr(e, "emotion", None) == emotion]

    async def _entries(
        self, query: LiteralString, parameters: dict[str, object], *, begins_in: Insert | None = None
    ) -> list[LedgerEntry]:
        where = {"ancestors": await self._link.ancestors(), **parameters}
        rows = await self._link.rows(query, where, begins_in=begins_in)
        return [decode_entry(row[0], row[1]) for row in rows]


def _decode(rows: Iterable[Row]) -> Found:
    entries: list[LedgerEntry] = []
    amendments: list[Amendment] = []
    for row in rows:
        entries.append(decode_entry(row[0], row[1]))
        amendments += decode_amendments(row[2])
    return tuple(entries), tuple(amendments)


def _rests_on(entries: Iterable[LedgerEntry], amendments: Iterable[Amendment]) -> dict[EntryId, None]:
    """Return what entries rest on and what superseded them, one level deep."""
    found: dict[EntryId, None] = {}
    for entry in entries:
        members = entry.members if isinstance(entry, Contradiction) else ()
        evidence = entry.evidence if isinstance(entry, RelationshipDelta) else ()
        found |= dict.fromkeys((*entry.derived_from, *members, *evidence, *entry.supersedes))
    return found | dict.fromkeys(by for amendment in amendments for by in amendment.by)
