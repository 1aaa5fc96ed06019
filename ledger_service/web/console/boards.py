"""The boards: what is open, each with what is to be done about it; drafts and contradictions are settled here."""

from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response import Redirect

from ledger_service.domain.accounts import AccountRole
from ledger_service.domain.events import GameEvent
from ledger_service.services.packets import packet_words as words
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.digest import make_digest
from ledger_service.services.reviewing.keep_boards import (
    FEW,
    PAGE,
    Board,
    Settling,
    confirmation_of,
    drop_of,
    resolution_of,
    settle,
    show_boards,
)
from ledger_service.web.console.addresses import with_query
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.entries import choose
from ledger_service.web.console.fields import number, one_of

KEEPERS = frozenset({AccountRole.WRITER, AccountRole.ENGINEER, AccountRole.ADMIN})
"""Who may settle things in a playthrough itself."""
After = Annotated[str, QueryParameter(max_length=240)]
Since = Annotated[str, QueryParameter(max_length=15)]
TITLES = {
    Board.COMMITMENTS: ("Open commitments", "promises, threats, deals and tasks that are neither kept nor broken"),
    Board.CONTRADICTIONS: ("Contradictions", "entries that cannot both hold; both are kept until somebody settles it"),
    Board.RESIDUE: ("Residue", "feelings that are left over, and change nothing but tone"),
    Board.DRAFTS: ("Drafts", "what a spoken line claims to have changed; nobody draws on it until it is confirmed"),
}  # fmt: skip
NONE_LEFT = {
    Board.COMMITMENTS: "Nobody owes anybody anything.",
    Board.CONTRADICTIONS: "Nothing on record contradicts anything else.",
    Board.RESIDUE: "Nobody feels anything that is left over.",
    Board.DRAFTS: "No draft waits for anybody.",
}


@get("/playthroughs/{playthrough_id:str}/boards")
async def boards_page(
    desk: AtDesk, playthrough_id: FromPath[str], board: FromQuery[str] = "", after: After = ""
) -> Response[str]:
    """Show all boards, a few cards of each; or one of them page by page."""
    chosen = [one_of(Board, board, "board")] if board else list(Board)
    found = await show_boards(
        playthrough_id, chosen, catalogue=desk.catalogue, open_uow=desk.reading, limit=PAGE if board else FEW,
        after=after if board and after else None,
    )  # fmt: skip
    desk.visit(playthrough_id)
    home = f"/playthroughs/{playthrough_id}"
    return desk.page(
        "boards/boards.html.jinja",
        here=found.here,
        pages=found.pages,
        chosen=board,
        home=home,
        titles=TITLES,
        none_left=NONE_LEFT,
        boards=list(Board),
        may_settle=desk.account.role in KEEPERS,
        more_of=lambda page: with_query(
            f"{home}/boards", {"board": page.board, "after": page.next_after if board else None}
        ),
        is_first=not after,
        words=words,
    )


@post("/playthroughs/{playthrough_id:str}/boards/settle", open_to=KEEPERS)
async def settle_one(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Settle a contradiction: for one of its sides, or set it aside."""
    given = await _settling(desk, playthrough_id)
    event = resolution_of(given)
    said = "It is settled; the other side is kept, and superseded." if given.winner else "It is set aside; both stand."
    return await _settled(desk, playthrough_id, event, "contradiction settled", given, said)


@post("/playthroughs/{playthrough_id:str}/boards/confirm", open_to=KEEPERS)
async def confirm_one(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Confirm a draft."""
    given = await _settling(desk, playthrough_id)
    said = "It is confirmed, and may be drawn on."
    return await _settled(desk, playthrough_id, confirmation_of(given), "draft confirmed", given, said)


@post("/playthroughs/{playthrough_id:str}/boards/drop", open_to=KEEPERS)
async def drop_one(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Drop a draft."""
    given = await _settling(desk, playthrough_id)
    return await _settled(
        desk, playthrough_id, drop_of(given), "draft dropped", given, "It is dropped, and kept as such."
    )


async def _settling(desk: Desk, playthrough_id: str) -> Settling:
    """Read what is to be settled, once it is sure that the playthrough may be seen."""
    await find_playthrough(playthrough_id, catalogue=desk.catalogue)
    form = desk.form
    return Settling(
        entry_id=form.get("entry", ""), who=desk.account.name, reason=form.get("reason", ""),
        winner=form.get("winner") or None,
    )  # fmt: skip


async def _settled(
    desk: Desk, playthrough_id: str, event: GameEvent, action: str, given: Settling, said: str
) -> Redirect:  # fmt: skip
    detail: dict[str, Any] = {"reason": given.reason.strip()[:500], "playthrough": playthrough_id}
    detail |= {"winner": given.winner} if given.winner else {}
    writing = desk.writing(action, given.entry_id, **detail)
    embedder = desk.application.reading.embedder
    receipt = await settle(playthrough_id, event, open_uow=writing, embedder=embedder)
    board = desk.form.get("board", "")
    back = f"/playthroughs/{playthrough_id}/boards" + (f"?board={board}" if board in list(Board) else "")
    return desk.done(back, f"{said} Event {receipt.seq} says so.")


@get("/playthroughs/{playthrough_id:str}/boards/digest")
async def digest_page(desk: AtDesk, playthrough_id: FromPath[str], since: Since = "") -> Response[str]:
    """Show what came since an event."""
    digest = await make_digest(
        playthrough_id, catalogue=desk.catalogue, open_uow=desk.reading, since=number("since", since)
    )  # fmt: skip
    desk.visit(playthrough_id)
    return desk.page(
        "boards/digest.html.jinja", digest=digest, here=digest.here, home=f"/playthroughs/{playthrough_id}"
    )


@get("/boards")
async def any_boards(desk: AtDesk) -> Response[str] | Redirect:
    """Go to the boards of the playthrough that was looked at last, or choose one."""
    return await choose(desk, "boards", "Boards", "Whose boards do you want to see?")


HANDLERS = (boards_page, settle_one, confirm_one, drop_one, digest_page, any_boards)
