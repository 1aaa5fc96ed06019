"""Packets and replies: build, look, compare, post the line, score it."""

from typing import Annotated, Any, Literal

from litestar import Router, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from msgspec import Struct

from ledger_service.domain.errors import ContentError, ForbiddenError
from ledger_service.domain.packets import ContextPacket, for_a_game
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Gold
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.texts import is_blank
from ledger_service.ports import StoredPacket, StoredReply
from ledger_service.reconcile.difference import Change, difference
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.packets.review_packet import Review, review_packet
from ledger_service.services.replies.overrule_finding import export_overruled, overrule_finding
from ledger_service.services.replies.score_reply import score_reply
from ledger_service.services.replies.take_turn import Perceived, TurnRequest, take_turn
from ledger_service.web.dependencies import App, Call, role
from ledger_service.web.examples import PACKET, REPLY, TURN
from ledger_service.web.roles import may

View = Literal["game", "review"]


class PacketView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A packet as a caller may see it; what was withheld, and what is acted on only, is for reviewers."""

    packet_id: str
    packet: ContextPacket
    view: View = "game"


class ReplyRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The line that was said on a packet."""

    text: str
    responder: str = "game"
    """Who spoke."""
    delivered: bool = True
    """False only tries the line: it is scored, and leaves nothing in the story."""
    confirmed: bool = False
    """The game carried out what the line promises or grants: the drafts that it leaves are confirmed at once."""
    gold: Gold | None = None
    """What the packet should have held, where a test knows."""


class PromptView(Struct, frozen=True, kw_only=True):
    """A prompt, alone."""

    prompt: str
    hash: str


def seen_by(stored: StoredPacket, *, view: View, as_role: str) -> PacketView:
    """Return a packet for a view; a game never sees what its speaker may not say.

    Raises:
        ForbiddenError: a game key asked for the reviewer's view.
    """
    if view == "review":
        if not may(as_role, "reviewer"):
            raise ForbiddenError(as_role, "reviewer")
        return PacketView(packet_id=stored.packet_id, packet=stored.packet, view="review")
    return PacketView(packet_id=stored.packet_id, packet=for_a_game(stored.packet))


@post("/playthroughs/{playthrough_id:str}/packets", needs="game")
async def build(
    playthrough_id: FromPath[str],
    data: Annotated[PacketRequest, PACKET],
    request: Call,
    application: App,
    view: FromQuery[View] = "game",
) -> PacketView:
    """Build a packet: what the speaker may draw on for the coming line."""
    if view == "review" and not may(role(request), "reviewer"):
        raise ForbiddenError(role(request), "reviewer")
    stored = await build_packet(playthrough_id, data, open_uow=application.open_uow, reading=application.reading)
    return seen_by(stored, view=view, as_role=role(request))


@get("/playthroughs/{playthrough_id:str}/packets/{packet_id:str}", needs="game")
async def show(
    playthrough_id: FromPath[str],
    packet_id: FromPath[str],
    request: Call,
    application: App,
    view: FromQuery[View] = "game",
) -> PacketView:
    """Return a packet."""
    async with application.open_uow(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
    return seen_by(stored, view=view, as_role=role(request))


@get("/playthroughs/{playthrough_id:str}/packets/{packet_id:str}/review", needs="reviewer")
async def review(playthrough_id: FromPath[str], packet_id: FromPath[str], application: App) -> Review:
    """Return a packet beside everything that the ledger held: all that was withheld, with reasons and counts."""
    return await review_packet(playthrough_id, packet_id, open_uow=application.open_uow)


@get("/playthroughs/{playthrough_id:str}/packets/{packet_id:str}/prompt", needs="game")
async def prompt(playthrough_id: FromPath[str], packet_id: FromPath[str], application: App) -> PromptView:
    """Return the rendered prompt alone."""
    async with application.open_uow(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
    return PromptView(prompt=stored.packet.prompt, hash=stored.packet.hash)


@get("/playthroughs/{playthrough_id:str}/packets/{packet_id:str}/diff/{other_id:str}", needs="reviewer")
async def diff(
    playthrough_id: FromPath[str], packet_id: FromPath[str], other_id: FromPath[str], application: App
) -> tuple[Change, ...]:
    """Return what stands otherwise in another packet."""
    async with application.open_uow(playthrough_id) as uow:
        before, after = await uow.packets.get(packet_id), await uow.packets.get(other_id)
    return difference(before.packet, after.packet)


@post("/playthroughs/{playthrough_id:str}/packets/{packet_id:str}/replies", needs="game")
async def reply(
    playthrough_id: FromPath[str], packet_id: FromPath[str], data: Annotated[ReplyRequest, REPLY], application: App
) -> StoredReply:
    """Post the line that was said: it is scored on five axes, and a fault is traced to its stage."""
    if is_blank(data.text):
        raise ContentError("text", "is blank; a line that was said has words")
    return await score_reply(
        playthrough_id,
        packet_id,
        Reply(text=data.text, responder=data.responder),
        open_uow=application.open_uow,
        judging=application.judging,
        gold=data.gold,
        delivered=data.delivered,
        confirmed=data.confirmed,
    )


@get("/playthroughs/{playthrough_id:str}/replies/{reply_id:str}", needs="reviewer")
async def show_reply(playthrough_id: FromPath[str], reply_id: FromPath[str], application: App) -> StoredReply:
    """Return a reply with its scorecard."""
    async with application.open_uow(playthrough_id) as uow:
        return await uow.packets.get_reply(reply_id)


class OverruleRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """Which finding is none, by whose word, and why."""

    code: str
    by: str
    why: str
    span: str = ""
    """Some of its words, where a code was found twice."""


@post("/playthroughs/{playthrough_id:str}/replies/{reply_id:str}/overrulings", needs="reviewer")
async def overrule(
    playthrough_id: FromPath[str], reply_id: FromPath[str], data: JSONBody[OverruleRequest], application: App
) -> StoredReply:
    """Overrule a finding: the reply gets a new score row, and an item for calibration."""
    return await overrule_finding(
        playthrough_id, reply_id, data.code, by=data.by, why=data.why, span=data.span, open_uow=application.open_uow
    )


@get("/playthroughs/{playthrough_id:str}/overrulings", needs="reviewer")
async def overrulings(playthrough_id: FromPath[str], application: App) -> dict[str, Any]:
    """Return every overruled reply as a labelled item for calibration."""
    return await export_overruled(playthrough_id, open_uow=application.open_uow)


class TurnView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn as a game may see it."""

    at: StoryTime
    heard_seq: int | None
    perceived: Perceived
    packet: PacketView
    reply: StoredReply


@post("/playthroughs/{playthrough_id:str}/turns", needs="game")
async def turn(
    playthrough_id: FromPath[str], data: Annotated[TurnRequest, TURN], request: Call, application: App
) -> TurnView:
    """Let a character take their turn: hear the player, perceive, decide by rules, speak from the packet, remember."""
    taken = await take_turn(
        playthrough_id,
        data,
        responder=application.responder(data.responder),
        stand_in=application.responder("template"),
        open_uow=application.open_uow,
        reading=application.reading,
        judging=application.judging,
        graph=application.graph,
    )
    return TurnView(
        at=taken.at,
        heard_seq=taken.heard_seq,
        perceived=taken.perceived,
        packet=seen_by(taken.packet, view="game", as_role=role(request)),
        reply=taken.reply,
    )


HANDLERS: list[Any] = [build, show, review, prompt, diff, reply, show_reply, overrule, overrulings, turn]
router = Router(path="/", route_handlers=HANDLERS, tags=["packets"])
