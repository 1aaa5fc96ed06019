"""Let a responder say a line on a packet; one that names or tells anything from outside it is never heard."""

from msgspec.structs import replace

from ledger_service.domain.ids import PacketId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import MOST_READ, Claim, Reply
from ledger_service.domain.worlds import World
from ledger_service.ports import ClaimReader, OpenUnitOfWork, Responder, StoredReply
from ledger_service.scoring.disclosure.outsiders import outsiders
from ledger_service.scoring.disclosure.secrecy import leaks
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.services.events.story_state import world_of
from ledger_service.services.replies.score_reply import Judging, considered, read_claims, read_line, score_reply
from ledger_service.services.replies.speak import speak

_MOST_NAMED = 3


async def say_line(
    playthrough_id: PlaythroughId,
    packet_id: PacketId,
    responder: Responder,
    *,
    stand_in: Responder,
    open_uow: OpenUnitOfWork,
    judging: Judging,
    delivered: bool = True,
) -> StoredReply:
    """Speak on a packet, deliver what may be heard, and score it.

    Raises:
        UnknownPacketError: there is no such packet.
        AlreadyScoredError: another line was delivered on it.
    """
    async with open_uow(playthrough_id) as uow:
        packet = (await uow.packets.get(packet_id)).packet
        world = await world_of(uow, packet.world_version)
        ledger = await considered(packet, uow)
    reply = await speak_within(packet, world, responder, stand_in=stand_in, ledger=ledger, reader=judging.claim_reader)
    return await score_reply(playthrough_id, packet_id, reply, open_uow=open_uow, judging=judging, delivered=delivered)


async def speak_within(
    packet: ContextPacket,
    world: World,
    responder: Responder,
    *,
    stand_in: Responder,
    ledger: Ledger,
    reader: ClaimReader,
) -> Reply:
    """Return a responder's line where it keeps to the packet, else the stand-in's, which says so and why.

    A probe asks by `speak` instead: what is measured there is what the model would have said.
    """
    reply = await speak(packet, world, responder)
    if reply.responder == stand_in.name:
        return reply
    why = beyond(packet, reply, world=world, ledger=ledger, reader=reader)
    if not why:
        return reply
    instead = await speak(packet, world, stand_in)
    note = f"{reply.responder} {why}; the {stand_in.name} spoke"
    return replace(instead, fallback=True, note=note, milliseconds=round(reply.milliseconds + instead.milliseconds, 3))


def beyond(packet: ContextPacket, reply: Reply, *, world: World, ledger: Ledger, reader: ClaimReader) -> str:
    """Say what a line holds that its packet does not; nothing where it keeps to it."""
    claims = read_claims(packet, reply, world=world, reader=reader)
    asked = read_line(packet, world=world, reader=reader)
    named = outsiders(reply.text, claims, _handed(packet, world, reader), packet, world)
    if named:
        spoken_of = ", ".join(f"“{name}”" for name in named[:_MOST_NAMED])
        return f"spoke of {spoken_of}, which the packet does not hold"
    hearing = Hearing(packet, reply, claims, world=world, ledger=ledger, asked=asked)
    if any(leaks(hearing)):
        return "gave away what may not be said to these listeners"
    return "said more than is read of a line" if len(reply.text) > MOST_READ else ""


def _handed(packet: ContextPacket, world: World, reader: ClaimReader) -> tuple[Claim, ...]:
    """Read everything that the speaker was handed, as a line is read: what is named here may be named there."""
    pieces = [packet.prompt[at : at + MOST_READ] for at in range(0, len(packet.prompt), MOST_READ)]
    return tuple(
        claim
        for piece in (packet.line, *pieces)
        for claim in read_claims(packet, Reply(text=piece, responder=""), world=world, reader=reader)
    )
