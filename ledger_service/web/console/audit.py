"""The audit log: who did what, and when. An admin reads all of it, others what is about their worlds."""

from typing import Annotated, Any

from litestar import Response, get
from litestar.params import FromQuery, QueryParameter

from ledger_service.domain.accounts import AuditFilter
from ledger_service.services.people.browse_audit import list_audit
from ledger_service.web.console.addresses import onward
from ledger_service.web.console.desk import AtDesk

Place = Annotated[int | None, QueryParameter(ge=1)]


@get("/audit")
async def audit_page(
    desk: AtDesk,
    who: FromQuery[str] = "",
    action: FromQuery[str] = "",
    subject: FromQuery[str] = "",
    before: Place = None,
) -> Response[str]:
    """List rows, newest first."""
    query: dict[str, Any] = {"who": who.strip(), "action": action.strip(), "subject": subject.strip()}
    where = AuditFilter(**{name: value or None for name, value in query.items()})
    found = await list_audit(where, catalogue=desk.catalogue, before=before)
    more = onward("/audit", query, before=found.next_before)
    return desk.page("audit/list.html.jinja", found=found.rows, more=more, is_first=before is None, **query)


HANDLERS = (audit_page,)
