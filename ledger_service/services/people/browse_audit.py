"""Browse the audit log, a page at a time."""

from msgspec import Struct

from ledger_service.domain.accounts import AuditFilter, AuditRow
from ledger_service.ports import Catalogue

PAGE = 100


class AuditPage(Struct, frozen=True, kw_only=True):
    """A page of the audit log, newest first, and where the next begins."""

    rows: tuple[AuditRow, ...]
    next_before: int | None = None


async def list_audit(
    where: AuditFilter, *, catalogue: Catalogue, limit: int = PAGE, before: int | None = None
) -> AuditPage:
    """Return a page of the rows that fit a filter."""
    found = await catalogue.audit(where, limit=limit + 1, before=before)
    more = found[limit - 1].audit_no if len(found) > limit else None
    return AuditPage(rows=tuple(found[:limit]), next_before=more)
