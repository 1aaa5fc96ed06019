"""The audit log: rows are added in the transaction of what they tell of, and nobody may change or delete one."""

from typing import LiteralString

from ledger_service.domain.accounts import AuditFilter, AuditRow, Note
from ledger_service.stores.postgres.connection import Link, Row
from ledger_service.stores.postgres.rows import text_of

_ADD: LiteralString = (
    "INSERT INTO audit (who, action, subject, world_id, detail) VALUES (%s, %s, %s,"
    " coalesce(%s, (SELECT world_id FROM playthrough WHERE playthrough_id = %s)), %s)"
)
_PAGE: LiteralString = (
    "SELECT audit_no, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), who, action, subject, world_id, detail"
    " FROM audit WHERE audit_no < %(before)s AND (%(who)s::text IS NULL OR who = %(who)s)"
    " AND (%(action)s::text IS NULL OR action = %(action)s)"
    " AND (%(subject)s::text IS NULL OR strpos(lower(subject), lower(%(subject)s)) > 0)"
    " ORDER BY audit_no DESC LIMIT %(limit)s"
)
_LAST = 2**62


async def put_note(link: Link, note: Note) -> None:
    """Add a row; without a world it is that of the playthrough at hand."""
    row = [note.who, note.action, note.subject, note.world_id, link.playthrough_id, text_of(note.detail)]
    await link.run(_ADD, row)


async def page_of(link: Link, where: AuditFilter, *, limit: int, before: int | None) -> list[AuditRow]:
    """Return rows, newest first."""
    given = {"who": where.who, "action": where.action, "subject": where.subject}
    rows = await link.rows(_PAGE, {**given, "limit": limit, "before": _LAST if before is None else before})
    return [AuditRow(audit_no=row[0], at=row[1], note=_note(row[2:])) for row in rows]


def _note(row: Row) -> Note:
    return Note(who=row[0], action=row[1], subject=row[2], world_id=row[3], detail=row[4])
