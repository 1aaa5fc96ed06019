"""What a reviewer does with a packet: remarks, overrules, corrects, asks again; each with who, when and why."""

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from ledger_service.domain.accounts import AccountRole
from ledger_service.domain.errors import ForbiddenError, MalformedError
from ledger_service.domain.events import Access
from ledger_service.domain.reviews import Mark, Remark
from ledger_service.domain.visibility import Disclosure, DisclosureMode
from ledger_service.services.packets.build_packet import build_packet
from ledger_service.services.replies.overrule_finding import overrule_finding
from ledger_service.services.reviewing.browse_packets import whose
from ledger_service.services.reviewing.correct_entry import Correction, What, correct_entry, request_of
from ledger_service.services.reviewing.remark_on_packet import remark_on_packet
from ledger_service.services.reviewing.show_entry import show_entry
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.fields import one_of

CORRECTORS = frozenset({AccountRole.WRITER, AccountRole.ENGINEER, AccountRole.ADMIN})
"""Who may correct the playthrough itself; everybody may try a correction on a branch."""
SAID = {
    Mark.NOTE: "Your note is kept.", Mark.APPROVED: "The packet is approved.", Mark.FLAGGED: "The packet is flagged.",
    Mark.CLEARED: "The packet is neither approved nor flagged any more.",
}  # fmt: skip


@post("/packets/{packet_id:str}/remarks")
async def remark(desk: AtDesk, packet_id: FromPath[str]) -> Redirect:
    """Note something, approve, flag, or take either back."""
    mark = one_of(Mark, desk.form.get("mark", ""), "mark")
    if mark is Mark.CORRECTED:
        raise MalformedError("mark", "a correction says so by itself")
    playthrough_id = await _playthrough(desk, packet_id)
    said = Remark(packet_id=packet_id, mark=mark, who=desk.account.name, said=desk.form.get("said", ""))
    action = {Mark.NOTE: "note on a packet"}.get(mark, f"packet {mark}")
    await remark_on_packet(playthrough_id, said, open_uow=desk.writing(action, packet_id, said=said.said.strip()[:500]))
    return desk.done(f"/packets/{packet_id}#remarks", SAID[mark])


@post("/packets/{packet_id:str}/overrulings")
async def overrule(desk: AtDesk, packet_id: FromPath[str]) -> Redirect:
    """Take a finding out, with a reason; the card that is left is a new row, and the finding is kept beside it."""
    playthrough_id = await _playthrough(desk, packet_id)
    reply_id, code, why = (desk.form.get(name, "") for name in ("reply", "code", "why"))
    await overrule_finding(
        playthrough_id, reply_id, code, by=desk.account.name, why=why.strip(), span=desk.form.get("span", ""),
        open_uow=desk.writing("finding overruled", reply_id, packet=packet_id, code=code, why=why.strip()[:500]),
    )  # fmt: skip
    return desk.done(f"/packets/{packet_id}#lines", f"The finding “{code.replace('_', ' ')}” is overruled.")


@post("/packets/{packet_id:str}/rebuild")
async def ask_again(desk: AtDesk, packet_id: FromPath[str]) -> Redirect:
    """Build the packet anew, as the story stands now, and show what differs."""
    playthrough_id = await _playthrough(desk, packet_id)
    async with desk.reading(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
    writing = desk.writing("packet built anew", packet_id)
    reading = desk.application.reading
    built = await build_packet(playthrough_id, request_of(stored.moment), open_uow=writing, reading=reading)
    return desk.done(f"/packets/{packet_id}/diff/{built.packet_id}", "This is the packet as the story stands now.")


@get("/packets/{packet_id:str}/entries/{entry_id:str}")
async def entry_page(desk: AtDesk, packet_id: FromPath[str], entry_id: FromPath[str]) -> Response[str]:
    """Show an entry of a packet with its five answers, its chain, and what can be put right."""
    sheet = await show_entry(packet_id, entry_id, catalogue=desk.catalogue, open_uow=desk.reading)
    may_write = desk.account.role in CORRECTORS
    return desk.page("packets/entry.html.jinja", sheet=sheet, may_write=may_write)


@post("/packets/{packet_id:str}/entries/{entry_id:str}")
async def correct(desk: AtDesk, packet_id: FromPath[str], entry_id: FromPath[str]) -> Redirect:
    """Correct an entry, on a branch or in the playthrough itself, and show what that makes of the packet."""
    playthrough_id = await _playthrough(desk, packet_id)
    wanted = _correction(desk, entry_id)
    if not wanted.on_branch and desk.account.role not in CORRECTORS:
        raise ForbiddenError(desk.account.role, " or ".join(sorted(CORRECTORS)))
    application = desk.application
    came = await correct_entry(
        playthrough_id, packet_id, wanted, open_uow=desk.reading, writing=desk.writing, reading=application.reading,
        graph=application.graph,
    )  # fmt: skip
    where = (
        "on a branch of its own; the playthrough stays as it is" if wanted.on_branch else "in the playthrough itself"
    )
    said = f"Corrected {where}, as event {came.event_seq}. This is what it makes of the packet."
    return desk.done(f"/packets/{packet_id}/diff/{came.stored.packet_id}", said)


def _correction(desk: Desk, entry_id: str) -> Correction:
    what = one_of(What, desk.form.get("what", ""), "what")
    return Correction(
        entry_id=entry_id,
        what=what,
        who=desk.account.name,
        reason=desk.form.get("reason", ""),
        statement=desk.form.get("statement", ""),
        access=_access(desk) if what is What.ACCESS else None,
        on_branch=desk.form.get("where", "branch") != "playthrough",
    )


def _access(desk: Desk) -> Access:
    mode = one_of(DisclosureMode, desk.form.get("mode", ""), "mode")
    guard = mode is DisclosureMode.GUARDED
    gate = Disclosure(
        mode=mode, to=_ticked(desk, "to:") if guard else (), when=desk.form.get("when", "").strip() if guard else ""
    )  # fmt: skip
    return Access(knowers=_ticked(desk, "knows:"), unaware=_ticked(desk, "unaware:"), disclosure=gate)


def _ticked(desk: Desk, prefix: str) -> tuple[str, ...]:
    return tuple(name.removeprefix(prefix) for name in desk.form if name.startswith(prefix))


async def _playthrough(desk: Desk, packet_id: str) -> str:
    return (await whose(packet_id, catalogue=desk.catalogue)).playthrough.playthrough_id


HANDLERS = (remark, overrule, ask_again, entry_page, correct)
