"""The history."""

from collections.abc import Sequence
from typing import LiteralString

from ledger_service.domain.candidates import LAST_SEQ
from ledger_service.domain.errors import SequenceTakenError
from ledger_service.domain.events import EventReceipt, RecordedEvent, event_kind
from ledger_service.stores.postgres import tables
from ledger_service.stores.postgres.connection import Link, Row
from ledger_service.stores.postgres.rows import decode_event, decode_receipt
from ledger_service.stores.postgres.writing import Insert

_EVENT = Insert(
    tables.event,
    ("seq", "key", "kind", "tick", "scene", "turn", "body", "receipt", "hash"),
    beside={"place": "bigint"},
    only="u.seq - u.place = greatest(p.forked_at_seq,"
    " (SELECT max(seq) FROM event e WHERE e.playthrough_id = p.playthrough_id), 0)",
    answer="count(*)",
)
_LAST = (
    "SELECT greatest(p.forked_at_seq, (SELECT max(seq) FROM event e WHERE e.playthrough_id = p.playthrough_id), 0)"
    " FROM playthrough p WHERE p.playthrough_id = %s"
)
_STRETCH: LiteralString = """
SELECT found.body, found.receipt FROM unnest(%(ancestors)s::text[]) AS l (ancestor_id) CROSS JOIN LATERAL (
    SELECT e.seq, e.body::text AS body, {receipt} AS receipt FROM event e
    WHERE e.playthrough_id = l.ancestor_id AND e.seq > %(after)s AND e.seq <= %(until)s ORDER BY e.seq LIMIT %(limit)s
) found ORDER BY found.seq LIMIT %(limit)s
"""
_LOAD: LiteralString = _STRETCH.replace("{receipt}", "NULL")
_LOAD_RECEIPTS: LiteralString = _STRETCH.replace("{receipt}", "e.receipt::text")


class PostgresEvents:
    """The `event` table; ancestors' events are read up to the fork."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def append(self, events: Sequence[RecordedEvent], receipts: Sequence[EventReceipt]) -> None:
        rows = (
            (e.seq, e.event.key, event_kind(e.event), e.at.tick, e.at.scene, e.at.turn, e, r, e.hash, place)
            for place, (e, r) in enumerate(zip(events, receipts, strict=True), start=1)
        )
        self._link.insert(_EVENT, rows)
        await self._link.flush()
        if self._link.answered[_EVENT.name] != len(events):
            last = await self._link.one(_LAST, [self._link.playthrough_id])
            raise SequenceTakenError(events[0].seq - 1, int(last[0]) if last else 0)

    async def find_by_keys(self, keys: Sequence[str]) -> dict[str, tuple[RecordedEvent, EventReceipt]]:
        rows = await self._link.rows(
            "SELECT key, body::text, receipt::text FROM event WHERE playthrough_id = ANY (%s) AND key = ANY (%s)",
            [await self._link.ancestors(), list(keys)],
        )
        return {row[0]: (decode_event(row[1]), decode_receipt(row[2])) for row in rows}

    async def load(
        self, *, after_seq: int = 0, until_seq: int | None = None, limit: int = 1_000
    ) -> list[RecordedEvent]:
        rows = await self._stretch(_LOAD, after_seq, until_seq, limit)
        return [decode_event(row[0]) for row in rows]

    async def load_receipts(
        self, *, after_seq: int = 0, until_seq: int | None = None, limit: int = 100
    ) -> list[tuple[RecordedEvent, EventReceipt]]:
        rows = await self._stretch(_LOAD_RECEIPTS, after_seq, until_seq, limit)
        return [(decode_event(row[0]), decode_receipt(row[1])) for row in rows]

    async def _stretch(self, query: LiteralString, after_seq: int, until_seq: int | None, limit: int) -> list[Row]:
        until = LAST_SEQ if until_seq is None else until_seq
        given = {"ancestors": await self._link.ancestors(), "after": after_seq, "until": until, "limit": limit}
        return await self._link.rows(query, given)
