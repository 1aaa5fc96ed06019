"""The history."""

from collections.abc import Sequence

from ledger_service.domain.events import EventReceipt, RecordedEvent, event_kind
from ledger_service.stores.postgres.connection import Link
from ledger_service.stores.postgres.rows import decode_event, decode_receipt, text_of

_INSERT = (
    "INSERT INTO event (playthrough_id, world_id, seq, key, kind, tick, scene, turn, body, receipt, hash)"
    " SELECT p.playthrough_id, p.world_id, u.* FROM playthrough p, unnest(%s::bigint[], %s::text[], %s::text[], %s::int[],"
    " %s::int[], %s::int[], %s::jsonb[], %s::jsonb[], %s::text[]) u WHERE p.playthrough_id ="
    " current_setting('continuity.playthrough', true)"
)


class PostgresEvents:
    """The `event` table; ancestors' events are read up to the fork."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def append(self, events: Sequence[RecordedEvent], receipts: Sequence[EventReceipt]) -> None:
        rows = (
            (
                e.seq, e.event.key, event_kind(e.event), e.at.tick, e.at.scene, e.at.turn, text_of(e), text_of(r), e.hash,
            )
            for e, r in zip(events, receipts, strict=True)
        )  # fmt: skip
        await self._link.insert(_INSERT, rows)

    async def find_by_keys(self, keys: Sequence[str]) -> dict[str, tuple[RecordedEvent, EventReceipt]]:
        rows = await self._link.rows(
            "SELECT key, body::text, receipt::text FROM event WHERE key = ANY(%s)", [list(keys)]
        )
        return {row[0]: (decode_event(row[1]), decode_receipt(row[2])) for row in rows}

    async def load(
        self, *, after_seq: int = 0, until_seq: int | None = None, limit: int = 1_000
    ) -> list[RecordedEvent]:
        rows = await self._link.rows(
            "SELECT body::text FROM event WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s",
            [after_seq, until_seq if until_seq is not None else 9_000_000_000_000_000, limit],
        )
        return [decode_event(row[0]) for row in rows]
