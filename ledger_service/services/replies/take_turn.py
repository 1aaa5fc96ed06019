"""Take a turn: hear the player, see who is there and what the speaker holds, decide, speak, and remember."""

import contextlib
import secrets
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from ledger_service.domain.errors import ContentError, GraphUnavailableError, UnknownPacketError
from ledger_service.domain.events import Act, Utterance
from ledger_service.domain.ids import PLAYER, CharacterId, EntryId, PlaceId, PlaythroughId, digest
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.texts import is_blank
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, Responder, RumourGraph, StoredPacket, StoredReply
from ledger_service.recording.presence import place_of, present_at
from ledger_service.services.events.record_event import record_events
from ledger_service.services.events.story_state import world_of
from ledger_service.services.packets.build_packet import PacketRequest, Reading, compute_packet, moment_of
from ledger_service.services.replies.say_line import say_line
from ledger_service.services.replies.score_reply import Judging


class TurnRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is to speak, and what the player has just said to them, if anything."""

    speaker: CharacterId
    line: Annotated[str, Meta(max_length=4_000)] = ""
    """What the player says; it is recorded. None is a speaker who begins by themselves."""
    acts: tuple[Act, ...] = ()
    """What the line does, where the game knows."""
    audience: tuple[CharacterId, ...] | None = None
    """To whom it is said and may be said; without it, to everybody who is with the speaker, and to the player."""
    action: str | None = None
    """The action that the player intends, where the game knows."""
    responder: Literal["template", "http_chat"] = "template"
    key: Annotated[str, Meta(min_length=1, max_length=150)] | None = None
    """With a key, a line is said and answered once, however often it is sent."""


class Perceived(Struct, frozen=True, kw_only=True):
    """What the speaker is aware of: where they are, with whom, and which stories they may draw on, the surest first."""

    place: PlaceId | None
    present: tuple[CharacterId, ...]
    stories: tuple[EntryId, ...]
    store: str
    """Who said so of the stories: `graph`, or `record` while it is away."""


class Turn(Struct, frozen=True, kw_only=True):
    """One turn: what was heard, perceived and decided (in the packet), said and remembered."""

    at: StoryTime
    heard_seq: int | None
    """The event by which the player's line is on record."""
    perceived: Perceived
    packet: StoredPacket
    reply: StoredReply


async def take_turn(
    playthrough_id: PlaythroughId,
    request: TurnRequest,
    *,
    responder: Responder,
    stand_in: Responder,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
    graph: RumourGraph,
) -> Turn:
    """Let a character take their turn.

    The line is recorded as said; rules decide within the packet; the responder speaks from what is selected, and its
    line is recorded as said in its turn, whatever it claims as drafts. Nothing else of the story changes.

    Raises:
        ContentError: the speaker is dead or unconscious, or the player, or the line too long.
        UnknownCharacterError, EmptyScopeError: a speaker or listener whom the world does not have, or no listener.
        DuplicateKeyError: the key was sent before with another line.
    """
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        state = await uow.playthroughs.state()
        world = await world_of(uow, state.world_version)
    _check_speaker(request, state, world)
    place = place_of(request.speaker, state, world)
    present = tuple(who for who in present_at(place, state, world) if who != request.speaker)
    audience = _listeners(present) if request.audience is None else request.audience
    asked = PacketRequest(speaker=request.speaker, audience=audience, action=request.action)
    moment_of(asked, request.line, world=world, state=state, reader=reading.reader)
    heard = await _hear(playthrough_id, request, open_uow=open_uow, judging=judging)
    held, store = await _held(playthrough_id, request.speaker, open_uow=open_uow, graph=graph)
    packet = await _packet(playthrough_id, asked, heard, open_uow=open_uow, reading=reading)
    reply = await _answer(
        playthrough_id, packet, responder, stand_in=stand_in, open_uow=open_uow, judging=judging
    )  # fmt: skip
    selected = {s.entry_id for s in packet.packet.selected}
    stories = tuple(entry_id for entry_id in held if entry_id in selected)
    return Turn(
        at=packet.packet.at,
        heard_seq=heard,
        perceived=Perceived(place=place, present=present, stories=stories, store=store),
        packet=packet,
        reply=reply,
    )


def _check_speaker(request: TurnRequest, state: StoryState, world: World) -> None:
    if request.speaker == PLAYER:
        raise ContentError("speaker", "the player speaks by `line`; a turn is of the one who answers")
    fate = state.fate_of(request.speaker)
    if fate and world.find_character(request.speaker) is not None:
        raise ContentError("speaker", f"{request.speaker} is {fate}, and takes no turn")
    if request.line and is_blank(request.line):
        raise ContentError("line", "is blank; leave it out where the speaker begins")


def _listeners(present: Sequence[CharacterId]) -> tuple[CharacterId, ...]:
    return tuple(dict.fromkeys((PLAYER, *present)))


async def _hear(
    playthrough_id: PlaythroughId, request: TurnRequest, *, open_uow: OpenUnitOfWork, judging: Judging
) -> int | None:
    """Record what the player says, once for each key, and return its event; presence decides who hears it."""
    if not request.line:
        return None
    key = None if request.key is None else f"turn:{request.key}"
    to = tuple(dict.fromkeys((request.speaker, *(w for w in request.audience or () if w != PLAYER))))
    said = Utterance(key=key, speaker=PLAYER, to=to, text=request.line, acts=request.acts)
    (receipt,) = await record_events(playthrough_id, (said,), open_uow=open_uow, embedder=judging.embedder)
    return receipt.seq


async def _held(
    playthrough_id: PlaythroughId, who: CharacterId, *, open_uow: OpenUnitOfWork, graph: RumourGraph
) -> tuple[tuple[EntryId, ...], str]:
    """Return the stories that somebody holds, from the graph, else from the record, which the packet is built on."""
    try:
        return tuple(b.entry_id for b in await graph.find_beliefs(playthrough_id, who)), "graph"
    except GraphUnavailableError:
        async with open_uow(playthrough_id) as uow:
            return tuple(h.entry_id for h in await uow.tellings.find_holdings((who,))), "record"


async def _packet(
    playthrough_id: PlaythroughId, asked: PacketRequest, heard: int | None, *, open_uow: OpenUnitOfWork,
    reading: Reading,
) -> StoredPacket:  # fmt: skip
    """Return the packet of this turn; that of a line is found again where the line was sent before."""
    as_heard = msgspec.structs.replace(asked, line_seq=heard, at_seq=heard)
    packet_id = "k" + (secrets.token_hex(10) if heard is None else _turn_id(playthrough_id, heard))
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.lock_state()
        with contextlib.suppress(UnknownPacketError):
            return await uow.packets.get(packet_id)
        packet, moment, _ = await compute_packet(as_heard, uow, reading)
        await uow.packets.add(packet_id, packet, moment)
        await uow.commit(durable=False)
    return StoredPacket(packet_id=packet_id, packet=packet, moment=moment)


def _turn_id(playthrough_id: PlaythroughId, heard: int) -> str:
    return digest("turn", playthrough_id, heard)[:20]


async def _answer(
    playthrough_id: PlaythroughId, packet: StoredPacket, responder: Responder, *, stand_in: Responder,
    open_uow: OpenUnitOfWork, judging: Judging,
) -> StoredReply:  # fmt: skip
    """Return what was said on the packet already, else let the responder say it."""
    async with open_uow(playthrough_id) as uow:
        said = await uow.packets.replies_of(packet.packet_id)
    if said:
        return said[0]
    return await say_line(
        playthrough_id, packet.packet_id, responder, stand_in=stand_in, open_uow=open_uow, judging=judging
    )  # fmt: skip
