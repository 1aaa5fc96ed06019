"""Play the village as a game would: begin, do something where one is, let hours go by, ask somebody for something."""

from collections import Counter
from typing import Final

from msgspec import Struct

from ledger_service.domain.errors import ContentError, SequenceTakenError, UnknownWorldError
from ledger_service.domain.events import EventReceipt, Moved
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId, PlaythroughId
from ledger_service.domain.playthroughs import Playthrough
from ledger_service.domain.worlds import World
from ledger_service.ports import Embedder, MirrorQueue, OpenUnitOfWork, Responder, RumourGraph
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.play.player_acts import Act, check_here, event_of
from ledger_service.services.play.player_place import actions_of, footing
from ledger_service.services.play.village import line_of
from ledger_service.services.playthroughs.open_playthrough import open_playthrough
from ledger_service.services.replies.score_reply import Judging
from ledger_service.services.replies.take_turn import Turn, TurnRequest, take_turn

MORNING: Final = 9
"""The hour at which a village that is begun here finds its player."""
MOST_HOURS: Final = 24


class Stage(Struct, frozen=True, kw_only=True):
    """What the village is played with."""

    reading: OpenUnitOfWork
    writing: OpenUnitOfWork
    embedder: Embedder | None = None
    graph: RumourGraph | None = None
    queue: MirrorQueue | None = None


class Speaking(Struct, frozen=True, kw_only=True):
    """Who answers, and what a line is read and judged with."""

    responder: Responder
    reading: Reading
    judging: Judging


async def begin(world_id: str, *, seed: int, title: str, open_uow: OpenUnitOfWork) -> Playthrough:
    """Open a playthrough in the morning, with the player where most people are.

    Raises:
        UnknownWorldError: there is no such world.
        ContentError: the world has no places to be at.
    """
    async with open_uow() as uow:
        world = await uow.worlds.find_latest(world_id)
    if world is None:
        raise UnknownWorldError(world_id)
    place = opening_place(world)
    opened = await open_playthrough(world_id, open_uow=open_uow, title=title, seed=seed)
    await record_events(opened.playthrough_id, [Moved(tick=MORNING, who=PLAYER, to=place)], open_uow=open_uow)
    return opened


def opening_place(world: World) -> PlaceId:
    """Return where most of the cast are in the morning, the first of the world's places among equals.

    Raises:
        ContentError: the world has no places.
    """
    if not world.places:
        raise ContentError("world", f"{world.id} has no places to be at, so there is nothing to walk about in")
    there = Counter(someone.place_at(MORNING) for someone in world.cast)
    return max(world.places, key=lambda place: there[place.id]).id


async def do(playthrough_id: PlaythroughId, act: Act, stage: Stage, *, at_seq: int | None) -> EventReceipt:
    """Let the player do something where they are.

    Raises:
        SequenceTakenError: something has happened since the page was made.
        ContentError: it cannot be done here.
    """
    standing = await footing(playthrough_id, open_uow=stage.reading)
    event = event_of(act, standing.spot, standing.world)
    (receipt,) = await record_events(
        playthrough_id, [event], open_uow=stage.writing, embedder=stage.embedder,
        expected_seq=standing.state.seq if at_seq is None else at_seq,
    )  # fmt: skip
    return receipt


async def wait(playthrough_id: PlaythroughId, hours: int, stage: Stage, *, at_seq: int | None) -> list[EventReceipt]:
    """Let hours go by.

    Raises:
        SequenceTakenError: something has happened since the page was made; what went by before stands.
        ContentError: more than a day, or less than an hour.
    """
    if not 1 <= hours <= MOST_HOURS:
        raise ContentError("hours", f"from 1 to {MOST_HOURS} go by at once, not {hours:,}")
    passed = advance_gossip(
        playthrough_id, Passing(hours=hours, expected_seq=at_seq), open_uow=stage.writing, embedder=stage.embedder,
        graph=stage.graph, queue=stage.queue,
    )  # fmt: skip
    return [receipt async for receipt in passed]


async def ask_for(
    playthrough_id: PlaythroughId,
    action_id: str,
    who: CharacterId,
    stage: Stage,
    speaking: Speaking,
    *,
    graph: RumourGraph,
    at_seq: int | None,
) -> Turn:
    """Ask somebody here for something; they answer from their packet, and the rules decide within it.

    Raises:
        SequenceTakenError: something has happened since the page was made.
        ContentError: they are not here, or cannot grant it.
    """
    standing = await footing(playthrough_id, open_uow=stage.reading)
    if at_seq is not None and at_seq != standing.state.seq:
        raise SequenceTakenError(at_seq, standing.state.seq)
    check_here(who, standing.spot)
    action = next((one for one in actions_of(who, standing.world) if one.id == action_id), None)
    if action is None:
        raise ContentError("action", f"{action_id!r} is nothing that {who} could grant")
    asked = TurnRequest(
        speaker=who, line=line_of(action), action=action.id, key=f"village:{standing.state.seq}:{who}:{action.id}"
    )
    return await take_turn(
        playthrough_id, asked, responder=speaking.responder, stand_in=speaking.responder, open_uow=stage.writing,
        reading=speaking.reading, judging=speaking.judging, graph=graph,
    )  # fmt: skip
