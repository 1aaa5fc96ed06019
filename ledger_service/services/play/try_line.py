"""Try a line on somebody as the player: on a branch of its own or in the playthrough itself, as one turn."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from ledger_service.domain.errors import ContentError, LedgerError
from ledger_service.domain.events import Moved
from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId, PlaythroughId
from ledger_service.domain.texts import is_blank
from ledger_service.ports import OpenUnitOfWork, Responder, RumourGraph
from ledger_service.recording.plain import check_said
from ledger_service.services.events.record_event import record_events
from ledger_service.services.events.story_state import world_of
from ledger_service.services.packets.build_packet import Reading
from ledger_service.services.play.meeting import Listener, meet, refuse_apart
from ledger_service.services.playthroughs.open_playthrough import erase_playthrough, fork_playthrough
from ledger_service.services.replies.score_reply import Judging
from ledger_service.services.replies.take_turn import Turn, TurnRequest, take_turn

Writing = Callable[..., OpenUnitOfWork]
"""`writing("line tried", playthrough_id)`: transactions of which the first commits with this row of the audit log."""
_OF_A_TITLE = 60


class Attempt(Struct, frozen=True, kw_only=True):
    """What somebody wants to say to whom, and where it is to be on record."""

    who: str
    """Whose account tries it."""
    listener: CharacterId
    line: str
    on_branch: bool = True
    """On a branch that begins now; the playthrough stays as it is."""
    walks_over: bool = False
    """The player goes to where the listener is, if that is elsewhere."""
    responder: Literal["template", "http_chat"] = "template"
    key: str | None = None
    """With a key, a line is said once, however often it is sent to one playthrough."""


class Tried(Struct, frozen=True, kw_only=True):
    """What came of it, and in which playthrough."""

    playthrough_id: PlaythroughId
    listener: Listener
    turn: Turn


class Stage(Struct, frozen=True, kw_only=True):
    """What a line is tried with."""

    open_uow: OpenUnitOfWork
    writing: Writing
    responder: Responder
    stand_in: Responder
    reading: Reading
    judging: Judging
    graph: RumourGraph


async def try_line(playthrough_id: PlaythroughId, attempt: Attempt, stage: Stage) -> Tried:
    """Say a line and hear the answer, as a turn of the game; whatever is refused is refused before anything is written.

    Raises:
        ContentError: nothing is said, or too much; the listener cannot hear, or is elsewhere and stays there.
        UnknownCharacterError: the listener is nobody who talks in this world.
    """
    _check_line(attempt.line)
    listener = await _listener(playthrough_id, attempt, stage.open_uow)
    target = playthrough_id
    if attempt.on_branch:
        title = f"{attempt.who} tries: {attempt.line.strip()[:_OF_A_TITLE]}"
        opening = stage.writing("branch opened to try a line", playthrough_id)
        target = (await fork_playthrough(playthrough_id, open_uow=opening, title=title)).playthrough_id
    try:
        turn = await _say(target, attempt, listener, stage)
    except LedgerError:
        if attempt.on_branch:
            dropping = stage.writing("branch dropped, nothing could be tried", target)
            await erase_playthrough(target, open_uow=dropping, graph=stage.graph)
        raise
    return Tried(playthrough_id=target, listener=listener, turn=turn)


def _check_line(line: str) -> None:
    if is_blank(line):
        raise ContentError("line", "is blank; there is nothing to answer")
    check_said(line, "line")


async def _listener(playthrough_id: PlaythroughId, attempt: Attempt, open_uow: OpenUnitOfWork) -> Listener:
    async with open_uow(playthrough_id) as uow:
        state = await uow.playthroughs.state()
        world = await world_of(uow, state.world_version)
    found = meet(attempt.listener, state, world)
    if not attempt.walks_over:
        refuse_apart(found, state, world)
    return found


async def _say(playthrough_id: PlaythroughId, attempt: Attempt, listener: Listener, stage: Stage) -> Turn:
    said = attempt.line.strip()[:500]
    writing = stage.writing("line tried", playthrough_id, listener=listener.who, line=said)
    if listener.is_apart and listener.place is not None:
        await _walk(playthrough_id, listener.place, writing, stage)
    request = TurnRequest(
        speaker=listener.who, line=attempt.line, responder=attempt.responder, key=attempt.key
    )  # fmt: skip
    return await take_turn(
        playthrough_id, request, responder=stage.responder, stand_in=stage.stand_in, open_uow=writing,
        reading=stage.reading, judging=stage.judging, graph=stage.graph,
    )  # fmt: skip


async def _walk(playthrough_id: PlaythroughId, to: PlaceId, writing: OpenUnitOfWork, stage: Stage) -> None:
    await record_events(
        playthrough_id, (Moved(who=PLAYER, to=to),), open_uow=writing, embedder=stage.judging.embedder
    )  # fmt: skip
