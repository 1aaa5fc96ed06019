"""Try it: talk to a character as the player, with the packet and the five verdicts beside every line."""

import secrets
from typing import Annotated, Final

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect
from msgspec import Struct

from ledger_service.bootstrap import as_said
from ledger_service.domain.errors import (
    ContentError,
    ForbiddenError,
    LedgerError,
    MalformedError,
    UnknownCharacterError,
)
from ledger_service.ports import Listed
from ledger_service.probing.pressing import Classic, Press
from ledger_service.services.play.show_conversation import Conversation, show_conversation
from ledger_service.services.play.try_line import Attempt, Stage, Tried, try_line
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.web.console.addresses import with_query
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.entries import choose
from ledger_service.web.console.fields import one_of
from ledger_service.web.console.pace import Pace
from ledger_service.web.console.packet_reviews import CORRECTORS
from ledger_service.web.console.reports import in_words
from ledger_service.web.errors import status_of

Who = Annotated[str, QueryParameter(max_length=200)]
LINES: Final = Pace("lines", burst=30, per_minute=30)
"""A line may take a model's time and money."""
PRESSES: Final = {
    Classic.FALSE_COMPLETION: ("False completion", "what is still to be done is said to be done"),
    Classic.OWNER_SWAP: ("Owner swap", "what one promised is said to be the other's promise"),
    Classic.PROVENANCE_PROMOTION: ("Provenance promotion", "what was only heard is said to have been seen"),
}
_NAMED: Final = {"line": "what you say", "listener": "", "responder": "who answers"}


class Given(Struct, frozen=True, kw_only=True):
    """What the form holds; whatever is refused, it is shown again with all of it."""

    listener: str = ""
    line: str = ""
    where: str = ""
    """`branch` or `here`; empty is what suits the playthrough."""
    responder: str = "template"
    walk: bool = False


@get("/try")
async def any_conversation(desk: AtDesk) -> Response[str] | Redirect:
    """Lead to the conversation in the playthrough that was looked at last, or let one be chosen."""
    return await choose(desk, "try", "Try it", "In which playthrough do you want to talk to somebody?")


@get("/playthroughs/{playthrough_id:str}/try")
async def try_page(
    desk: AtDesk, playthrough_id: FromPath[str], listener: Who = "", responder: Who = "template"
) -> Response[str]:
    """Show the conversation with somebody, and let something be said to them."""
    return await _page(desk, playthrough_id, Given(listener=listener, responder=responder))


@post("/playthroughs/{playthrough_id:str}/try", patience=20, status_code=200, keeps="line")
async def say(desk: AtDesk, playthrough_id: FromPath[str]) -> Response[str] | Redirect:
    """Say a line, or press somebody, and show the answer; whatever is refused is said beside what was typed."""
    listed = await find_playthrough(playthrough_id, catalogue=desk.catalogue)
    given = given_by(desk)
    if "turn" in desk.form:
        return await _page(desk, playthrough_id, given)
    try:
        tried = await _tried(desk, listed, given)
    except LedgerError as error:
        return await _page(desk, playthrough_id, given, refused=error)
    here = f"/playthroughs/{tried.playthrough_id}/try"
    again = {"listener": given.listener, "responder": "" if given.responder == "template" else given.responder}
    return desk.done(with_query(here, again), _answered(tried, listed))


def given_by(desk: Desk) -> Given:
    """Read the form."""
    form = desk.form
    return Given(
        listener=form.get("listener", ""), line=form.get("line", ""), where=form.get("where", ""),
        responder=form.get("responder", "template"), walk="walk" in form,
    )  # fmt: skip


async def _tried(desk: Desk, listed: Listed, given: Given) -> Tried:
    playthrough_id = listed.playthrough.playthrough_id
    on_branch = (given.where or _usual(listed)) == "branch"
    if not on_branch and not _may_talk_here(desk, listed):
        raise ForbiddenError(desk.account.role, " or ".join(sorted(CORRECTORS)))
    line = await _pressed(desk, playthrough_id, given) if "press" in desk.form else given.line
    application = desk.application
    responder = application.responder(_responder(desk, given))
    LINES.step(desk.account.name)
    attempt = Attempt(
        who=desk.account.name, listener=given.listener, line=line, on_branch=on_branch, walks_over=given.walk,
        key=desk.form.get("key") or None,
    )  # fmt: skip
    stage = Stage(
        open_uow=desk.reading, writing=desk.writing_once, responder=responder,
        stand_in=application.responder("template"), reading=application.reading, judging=application.judging,
        graph=application.graph,
    )  # fmt: skip
    return await try_line(playthrough_id, attempt, stage)


async def _pressed(desk: Desk, playthrough_id: str, given: Given) -> str:
    """Return the line of a pressure, worded for who listens now."""
    kind = one_of(Classic, desk.form["press"], "press")
    talk = await _conversation(desk, playthrough_id, given.listener)
    press = next((p for p in talk.presses if p.kind is kind), Press(kind=kind, why_not="nobody listens"))
    if not press.line or talk.listener is None or talk.listener.who != given.listener:
        raise ContentError("press", press.why_not or "nobody of that name listens")
    return press.line


def _responder(desk: Desk, given: Given) -> str:
    if given.responder not in {name for name, _ in speakers(desk)}:
        raise MalformedError("responder", f"there is no speaker {given.responder!r} here")
    return given.responder


def speakers(desk: Desk) -> list[tuple[str, str]]:
    """Return who may answer: the template, and the model where the service has one."""
    settings = desk.application.settings
    chat = [("http_chat", f"the model {settings.chat_model}")] if settings.chat_url else []
    return [("template", "the template speaker, from the packet alone"), *chat]


def _usual(listed: Listed) -> str:
    """Return where lines go unless somebody says otherwise: a branch is tried on, a playthrough is left as it is."""
    return "here" if listed.playthrough.parent_id else "branch"


def _may_talk_here(desk: Desk, listed: Listed) -> bool:
    return listed.playthrough.parent_id is not None or desk.account.role in CORRECTORS


def _answered(tried: Tried, listed: Listed) -> str:
    said = f"{tried.listener.name} answered."
    if tried.playthrough_id == listed.playthrough.playthrough_id:
        return said
    return f"{said} You talk on a branch of your own now; the playthrough stays as it is."


async def _conversation(desk: Desk, playthrough_id: str, listener: str) -> Conversation:
    return await show_conversation(
        playthrough_id, listener, catalogue=desk.catalogue, open_uow=desk.reading,
        reader=desk.application.claim_reader, reading=desk.application.reading, in_words=as_said,
    )  # fmt: skip


async def _page(
    desk: Desk, playthrough_id: str, given: Given, *, refused: LedgerError | None = None
) -> Response[str]:  # fmt: skip
    talk = await _conversation(desk, playthrough_id, given.listener)
    desk.visit(playthrough_id)
    listed = talk.here.listed
    if refused is None:
        refused = _unknown(given, talk)
    return desk.page(
        "trying/try.html.jinja",
        status=200 if refused is None else status_of(type(refused)),
        talk=talk,
        given=given,
        where=given.where or _usual(listed),
        key=secrets.token_hex(8),
        refused=None if refused is None else _in_words(refused),
        cure=None if refused is None else refused.cure,
        was_typed=bool(given.line),
        may_talk_here=_may_talk_here(desk, listed),
        speakers=speakers(desk),
        named=PRESSES,
        exchanges=[(sheet, in_words(sheet)) for sheet in talk.exchanges],
    )


def _unknown(given: Given, talk: Conversation) -> UnknownCharacterError | None:
    """Return what is to be said of a listener whom this world does not have."""
    there = tuple(one.who for one in talk.listeners)
    return (
        UnknownCharacterError(given.listener, "listener", allowed=there) if given.listener not in {"", *there} else None
    )


def _in_words(error: LedgerError) -> str:
    if not isinstance(error, ContentError):
        return str(error)
    return f"{_NAMED.get(error.path, error.path)} {error.why}".strip()


HANDLERS = (any_conversation, try_page, say)
