"""Build a packet: load what could matter, reconcile, render, keep, and hand it over."""

import secrets
from collections.abc import Sequence

from msgspec import Struct

from ledger_service.domain.candidates import Candidates, line_terms, reach_of
from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import ContentError, EmptyScopeError, UnknownCharacterError
from ledger_service.domain.events import Utterance
from ledger_service.domain.ids import NARRATOR, PLAYER, CharacterId, PlaythroughId
from ledger_service.domain.moments import Moment
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import Embedder, LineReader, OpenUnitOfWork, PromptRenderer, StoredPacket, UnitOfWork
from ledger_service.reconcile.pipeline import reconcile, seal
from ledger_service.recording.plain import check_said
from ledger_service.services.events.story_state import story_state, world_of


class PacketRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a game asks: who is to speak, to whom, and what was said to them."""

    speaker: CharacterId
    audience: tuple[CharacterId, ...] = (PLAYER,)
    line: str = ""
    """The player's line; it is never recorded."""
    line_seq: int | None = None
    """Instead of a line: the utterance already posted that is being answered."""
    pov: CharacterId | None = None
    action: str | None = None
    """The action that the player intends, where the game knows."""
    at_seq: int | None = None
    """As of a past event; None is now."""


class Reading(Struct, frozen=True, kw_only=True):
    """The three adapters that a packet is read and rendered with."""

    reader: LineReader
    embedder: Embedder
    renderer: PromptRenderer


async def build_packet(
    playthrough_id: PlaythroughId, request: PacketRequest, *, open_uow: OpenUnitOfWork, reading: Reading
) -> StoredPacket:
    """Return what the speaker may draw on. It reads, and writes nothing but the packet itself.

    A packet can be built again, so its commit does not wait for the disk; the record it rests on did.

    Raises:
        UnknownCharacterError: a speaker, listener or point of view that the world does not have.
        EmptyScopeError: no speaker or no audience.
        ContentError: `at_seq` or `line_seq` outside the history, or a line that is too long to be one.
    """
    check_said(request.line, "line")
    async with open_uow(playthrough_id) as uow:
        packet, moment, _ = await compute_packet(request, uow, reading)
        stored = StoredPacket(packet_id="k" + secrets.token_hex(10), packet=packet, moment=moment)
        await uow.packets.add(stored.packet_id, packet, moment)
        await uow.commit(durable=False)
    return stored


async def compute_packet(
    request: PacketRequest, uow: UnitOfWork, reading: Reading, *, now: StoryState | None = None
) -> tuple[ContextPacket, Moment, World]:
    """Return a packet without keeping it, its moment and its world; for errors see `build_packet`.

    `now` is where the story stands, from whoever has read it in the same transaction.
    """
    state = now if now is not None and request.at_seq is None else await story_state(uow, at_seq=request.at_seq)
    world = await world_of(uow, state.world_version)
    line = await _line_of(request, uow)
    moment = moment_of(request, line, world=world, state=state, reader=reading.reader)
    reach = reach_of(moment.viewer, state.roster, at_seq=moment.seq)
    entries, amendments = await uow.ledger.load_candidates(moment, terms=line_terms(moment), reach=reach)
    candidates = Candidates(
        entries=entries,
        amendments=amendments,
        world=world,
        state=state,
        similarity=similarity(entries, line, reading.embedder),
    )
    return sealed(candidates, moment, reading.renderer), moment, world


def sealed(candidates: Candidates, moment: Moment, renderer: PromptRenderer) -> ContextPacket:
    """Reconcile, render the prompt, and hash the whole."""
    packet = reconcile(candidates, moment)
    return seal(packet, renderer.prompt(packet, candidates.world))


def similarity(entries: Sequence[LedgerEntry], line: str, embedder: Embedder) -> dict[str, int]:
    """Return how close in meaning each statement is to the line, in thousandths."""
    return embedder.similarity(line, {e.entry_id: e.embedding for e in entries if e.embedding})


def moment_of(
    request: PacketRequest, line: str, *, world: World, state: StoryState, reader: LineReader
) -> Moment:  # fmt: skip
    """Check who is asked to speak to whom, and read the line."""
    if not request.audience:
        raise EmptyScopeError("audience")
    named = {"speaker": request.speaker, "pov": request.pov} | {f"listener {who}": who for who in request.audience}
    for role, who in named.items():
        if who is not None and who != NARRATOR and (not who or world.find_character(who) is None):
            allowed = tuple(c.id for c in world.cast)
            raise UnknownCharacterError(who, role.split(" ", maxsplit=1)[0], allowed=allowed)
    known_actions = {a.id for a in world.actions}
    if request.action is not None and request.action not in known_actions:
        raise ContentError(
            "action", f"{request.action!r} is no action of this world ({', '.join(sorted(known_actions))})"
        )
    return Moment(
        speaker=request.speaker,
        audience=tuple(dict.fromkeys(request.audience)),
        pov=request.pov,
        at=state.at,
        seq=state.seq,
        line=line,
        line_seq=request.line_seq,
        intent=reader.read(line, world=world, speaker=request.speaker, audience=request.audience),
        presented_as={who: state.personas[who] for who in request.audience if who in state.personas},
        action=request.action,
    )


async def _line_of(request: PacketRequest, uow: UnitOfWork) -> str:
    if request.line_seq is None:
        return request.line
    found = await uow.events.load(after_seq=request.line_seq - 1, until_seq=request.line_seq, limit=1)
    if not found or not isinstance(found[0].event, Utterance):
        raise ContentError("line_seq", f"event {request.line_seq} is no utterance of this playthrough")
    return found[0].event.text
