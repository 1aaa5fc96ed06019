"""Packets, the replies on them, and their scorecards."""

from typing import LiteralString

from ledger_service.domain.candidates import LAST_SEQ
from ledger_service.domain.cursors import read_id
from ledger_service.domain.errors import CursorError, UnknownPacketError, UnknownReplyError
from ledger_service.domain.ids import PacketId, ReplyId
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.reviews import Mark, Remark
from ledger_service.domain.rubric import Scorecard
from ledger_service.ports import StoredPacket, StoredReply
from ledger_service.stores.postgres.connection import Link, Row
from ledger_service.stores.postgres.rows import decode_moment, decode_packet, decode_reply, decode_scorecard, text_of

_PACKET: LiteralString = (
    "SELECT p.packet_id, p.body::text, p.moment::text, ARRAY(SELECT r.reply_id FROM reply r"
    " WHERE r.playthrough_id = p.playthrough_id AND r.packet_id = p.packet_id ORDER BY r.reply_no) FROM packet p "
)
_REPLY: LiteralString = (
    "SELECT r.reply_id, r.packet_id, r.body::text, s.body::text FROM reply r LEFT JOIN LATERAL"
    " (SELECT body FROM scorecard WHERE playthrough_id = r.playthrough_id AND reply_id = r.reply_id"
    " ORDER BY row_no DESC LIMIT 1) s ON true "
)


class PostgresPackets:
    """The tables `packet`, `reply` and `scorecard`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def add(self, packet_id: PacketId, packet: ContextPacket, moment: Moment) -> None:
        await self._link.run(
            "INSERT INTO packet (playthrough_id, world_id, packet_id, seq, speaker, hash, body, moment)"
            " SELECT playthrough_id, world_id, %s, %s, %s, %s, %s, %s FROM playthrough WHERE playthrough_id = %s",
            [
                packet_id, packet.seq, packet.speaker, packet.hash, text_of(packet), text_of(moment),
                self._link.playthrough_id,
            ],
        )  # fmt: skip

    async def get(self, packet_id: PacketId) -> StoredPacket:
        row = await self._link.one(_PACKET + "WHERE p.packet_id = %s", [packet_id])
        if row is None:
            raise UnknownPacketError(packet_id)
        return _packet(row)

    async def page(self, *, limit: int = 50, after: PacketId | None = None) -> list[StoredPacket]:
        before = await self._number_of(after) if after is not None else LAST_SEQ
        rows = await self._link.rows(
            _PACKET + "WHERE p.packet_no < %s ORDER BY p.packet_no DESC LIMIT %s", [before, limit]
        )
        return [_packet(row) for row in rows]

    async def _number_of(self, after: PacketId) -> int:
        row = await self._link.one("SELECT packet_no FROM packet WHERE packet_id = %s", [read_id(after)])
        if row is None:
            raise CursorError(after)
        return int(row[0])

    async def add_reply(self, stored: StoredReply) -> None:
        await self._link.run(
            "INSERT INTO reply (playthrough_id, world_id, reply_id, packet_id, responder, body)"
            " SELECT playthrough_id, world_id, %s, %s, %s, %s FROM playthrough WHERE playthrough_id = %s",
            [
                stored.reply_id, stored.packet_id, stored.reply.responder, text_of(stored.reply),
                self._link.playthrough_id,
            ],
        )  # fmt: skip
        if stored.scorecard is not None:
            await self._link.run(
                "INSERT INTO scorecard (playthrough_id, world_id, reply_id, fault, body)"
                " SELECT playthrough_id, world_id, %s, %s, %s FROM playthrough WHERE playthrough_id = %s",
                [stored.reply_id, stored.scorecard.fault, text_of(stored.scorecard), self._link.playthrough_id],
            )

    async def add_scorecard(self, reply_id: ReplyId, scorecard: Scorecard) -> None:
        await self._link.run(
            "INSERT INTO scorecard (playthrough_id, world_id, reply_id, fault, body, row_no)"
            " SELECT playthrough_id, world_id, reply_id, %s, %s, row_no + 1 FROM scorecard"
            " WHERE playthrough_id = %s AND reply_id = %s ORDER BY row_no DESC LIMIT 1",
            [scorecard.fault, text_of(scorecard), self._link.playthrough_id, reply_id],
        )

    async def overruled(self) -> list[StoredReply]:
        rows = await self._link.rows(
            _REPLY + "WHERE jsonb_array_length(coalesce(s.body->'overruled', '[]')) > 0 ORDER BY r.reply_no", []
        )
        return [_reply(row) for row in rows]

    async def get_reply(self, reply_id: ReplyId) -> StoredReply:
        row = await self._link.one(_REPLY + "WHERE r.reply_id = %s", [reply_id])
        if row is None:
            raise UnknownReplyError(reply_id)
        return _reply(row)

    async def replies_of(self, packet_id: PacketId) -> list[StoredReply]:
        rows = await self._link.rows(_REPLY + "WHERE r.packet_id = %s ORDER BY r.reply_no", [packet_id])
        return [_reply(row) for row in rows]

    async def add_remark(self, remark: Remark) -> None:
        await self._link.run(
            "INSERT INTO packet_review (playthrough_id, world_id, packet_id, who, mark, said, other_id)"
            " SELECT playthrough_id, world_id, %s, %s, %s, %s, %s FROM playthrough WHERE playthrough_id = %s",
            [
                remark.packet_id, remark.who, str(remark.mark), remark.said, remark.other_id,
                self._link.playthrough_id,
            ],
        )  # fmt: skip

    async def remarks_on(self, packet_id: PacketId, *, limit: int = 200) -> list[Remark]:
        rows = await self._link.rows(
            "SELECT packet_id, who, mark, said, other_id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
            " FROM packet_review WHERE packet_id = %s ORDER BY review_no DESC LIMIT %s",
            [packet_id, limit],
        )
        return [_remark(row) for row in reversed(rows)]


def _remark(row: Row) -> Remark:
    return Remark(packet_id=row[0], who=row[1], mark=Mark(row[2]), said=row[3], other_id=row[4], at=row[5])


def _packet(row: Row) -> StoredPacket:
    return StoredPacket(
        packet_id=row[0], packet=decode_packet(row[1]), moment=decode_moment(row[2]), reply_ids=tuple(row[3])
    )


def _reply(row: Row) -> StoredReply:
    scorecard = decode_scorecard(row[3]) if row[3] else None
    return StoredReply(reply_id=row[0], packet_id=row[1], reply=decode_reply(row[2]), scorecard=scorecard)
