"""Packets as the console lists them, over the playthroughs of the worlds that somebody was given."""

from typing import Any, Final, LiteralString

from ledger_service.domain.ids import PacketId, PlaythroughId
from ledger_service.domain.moments import Moment
from ledger_service.ports import ListedPacket, PacketFilter, PacketPage
from ledger_service.stores.postgres.connection import Link, Row

WINDOW: Final = 2_000
"""Among so many packets a page is looked for; what is rarer is found further on, page by page."""
RECENT: Final = 400
NEWEST: Final = 100
_LAST: Final = 2**62
_ALL: LiteralString = (
    "SELECT p.*, p.packet_no + 0 AS place FROM packet p WHERE p.packet_no + 0 < %(before)s"
    " ORDER BY p.packet_no + 0 DESC LIMIT %(window)s"
)
"""By an index of its own (see `tables`): through it, a small playthrough would be looked for among all packets."""
_OF_ONE: LiteralString = (
    "SELECT p.*, p.packet_no AS place FROM packet p WHERE p.playthrough_id = %(playthrough)s AND p.packet_no < %(before)s"
    " ORDER BY p.packet_no DESC LIMIT %(window)s"
)
_OF_SOME: LiteralString = (
    "SELECT p.* FROM unnest(%(playthroughs)s::text[]) AS t (id) CROSS JOIN LATERAL (SELECT p.* FROM packet p"
    " WHERE p.playthrough_id = t.id ORDER BY p.packet_no DESC LIMIT %(window)s) p"
)
_IN_ORDER: LiteralString = "SET LOCAL enable_sort = off"
"""The planner cannot know how few rows the policies take out, and would read a whole playthrough to sort it."""
_SHOWN: LiteralString = (
    "SELECT l.packet_no, l.packet_id, l.playthrough_id, t.title, l.world_id, l.seq,"
    " coalesce((l.moment #>> '{at,tick}')::int, 0), l.speaker, l.moment -> 'audience',"
    " coalesce(l.moment ->> 'line', ''), r.body ->> 'text', r.responder, s.fault, m.mark, m.who"
)
_BESIDE: LiteralString = (
    " JOIN playthrough t ON t.playthrough_id = l.playthrough_id"
    " LEFT JOIN LATERAL (SELECT reply_id, responder, body FROM reply WHERE playthrough_id = l.playthrough_id"
    " AND packet_id = l.packet_id ORDER BY reply_no DESC LIMIT 1) r ON true"
    " LEFT JOIN LATERAL (SELECT fault FROM scorecard WHERE playthrough_id = l.playthrough_id"
    " AND reply_id = r.reply_id ORDER BY row_no DESC LIMIT 1) s ON true"
    " LEFT JOIN LATERAL (SELECT nullif(mark, 'cleared') AS mark, who FROM packet_review"
    " WHERE playthrough_id = l.playthrough_id AND packet_id = l.packet_id"
    " AND mark IN ('approved', 'flagged', 'cleared') ORDER BY review_no DESC LIMIT 1) m ON true"
)
_FITS: LiteralString = (
    " WHERE (%(speaker)s::text IS NULL OR l.speaker = %(speaker)s)"
    " AND CASE %(verdict)s::text WHEN 'passed' THEN s.fault = 'none' WHEN 'failed' THEN s.fault <> 'none'"
    " WHEN 'unanswered' THEN r.reply_id IS NULL ELSE %(verdict)s IS NULL OR s.fault = %(verdict)s END"
    " AND CASE %(mark)s::text WHEN 'unmarked' THEN m.mark IS NULL ELSE %(mark)s IS NULL OR m.mark = %(mark)s END"
    " ORDER BY l.place DESC LIMIT %(limit)s"
)
_SAME: LiteralString = (
    " WHERE l.speaker = %(speaker)s AND coalesce(l.moment ->> 'line', '') = %(line)s"
    " AND (l.moment -> 'audience')::jsonb = to_jsonb(%(audience)s::text[]) ORDER BY l.packet_no DESC LIMIT %(limit)s"
)


_UNDER: LiteralString = (
    "SELECT p.*, row_number() OVER (PARTITION BY p.playthrough_id, p.speaker ORDER BY p.packet_no DESC) AS place"
    " FROM (SELECT playthrough_id FROM playthrough WHERE world_version = %(version)s"
    " ORDER BY opened_no DESC LIMIT %(playthroughs)s) t CROSS JOIN LATERAL (SELECT p.* FROM packet p"
    " WHERE p.playthrough_id = t.playthrough_id ORDER BY p.packet_no DESC LIMIT %(window)s) p"
    " WHERE p.body ->> 'world_version' = %(version)s"
)
_NEWEST_OF_EACH: LiteralString = " WHERE l.place <= %(of_each)s ORDER BY l.packet_no DESC LIMIT %(limit)s"


async def under(
    link: Link, world_version: str, *, playthroughs: int, of_each: int, limit: int
) -> tuple[list[ListedPacket], int]:
    """Return the newest packets of each speaker that were built under a version, and among how many."""
    given = {
        "version": world_version, "playthroughs": playthroughs, "of_each": of_each, "limit": limit, "window": NEWEST,
    }  # fmt: skip
    rows = await link.rows(_SHOWN + " FROM (" + _UNDER + ") l" + _BESIDE + _NEWEST_OF_EACH, given)
    count = await link.one("SELECT count(*) FROM (" + _UNDER + ") l", given)
    return [_listed(row) for row in rows], int(count[0]) if count else 0


async def page_of(link: Link, where: PacketFilter, *, limit: int, before: int | None) -> PacketPage:
    """Return a page of the packets that fit, and where the next begins."""
    given: dict[str, Any] = {
        "before": _LAST if before is None else before, "window": WINDOW, "playthrough": where.playthrough_id,
        "speaker": where.speaker, "verdict": where.verdict, "mark": where.mark, "limit": limit + 1,
    }  # fmt: skip
    await link.run(_IN_ORDER)
    looked = _ALL if where.playthrough_id is None else _OF_ONE
    rows = await link.rows(_SHOWN + " FROM (" + looked + ") l" + _BESIDE + _FITS, given)
    found = tuple(_listed(row) for row in rows[:limit])
    if len(rows) > limit:
        return PacketPage(packets=found, next_before=found[-1].packet_no)
    seen = await link.one("SELECT count(*), min(l.packet_no) FROM (" + looked + ") l", given)
    count, lowest = seen or (0, None)
    return PacketPage(packets=found, next_before=lowest if count == WINDOW else None, looked_at=count)


async def like(link: Link, playthroughs: list[PlaythroughId], moment: Moment, *, limit: int) -> list[ListedPacket]:
    """Return the packets in which the same is said to the same speaker, among the newest of each playthrough."""
    given = {
        "playthroughs": playthroughs, "window": RECENT, "speaker": moment.speaker, "line": moment.line,
        "audience": list(moment.audience), "limit": limit,
    }  # fmt: skip
    rows = await link.rows(_SHOWN + " FROM (" + _OF_SOME + ") l" + _BESIDE + _SAME, given)
    return [_listed(row) for row in rows]


async def playthrough_of(link: Link, packet_id: PacketId) -> PlaythroughId | None:
    """Return whose packet it is."""
    row = await link.one(
        "SELECT playthrough_id FROM packet WHERE packet_id = %s ORDER BY packet_no DESC LIMIT 1", [packet_id]
    )
    return None if row is None else str(row[0])


def _listed(row: Row) -> ListedPacket:
    return ListedPacket(
        packet_no=row[0], packet_id=row[1], playthrough_id=row[2], title=row[3], world_id=row[4], seq=row[5],
        tick=row[6], speaker=row[7], audience=tuple(row[8] or ()), line=row[9], reply=row[10], responder=row[11],
        fault=row[12], mark=row[13], marked_by=row[14] if row[13] else None,
    )  # fmt: skip
