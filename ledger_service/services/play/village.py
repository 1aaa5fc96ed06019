"""The village as the player finds it: where everybody is, what those here think and would grant, what can be done."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.ids import PLAYER, CharacterId, PlaceId, PlaythroughId
from ledger_service.domain.packets import Consequence
from ledger_service.domain.worlds import Action, Place
from ledger_service.ports import Catalogue, OpenUnitOfWork, StoredPacket, StoredReply, UnitOfWork
from ledger_service.recording.presence import place_of
from ledger_service.services.gossip.explain_opinion import ExplainedOpinion, opinion_within
from ledger_service.services.packets.build_packet import PacketRequest, Reading, compute_packet
from ledger_service.services.play.detective import Traced, Trail, follow
from ledger_service.services.play.happenings import Since, since
from ledger_service.services.play.player_place import actions_of, can_talk, people_at, player_place
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Standpoint, stand_in

MOST_PEOPLE: Final = 12
"""So many of those at a place are asked what they think and would grant."""


class Asked(Struct, frozen=True, kw_only=True):
    """Something that can be asked of somebody here, and what they would say now."""

    action: Action
    line: str
    consequence: Consequence


class Person(Struct, frozen=True, kw_only=True):
    """Somebody who is where the player is."""

    who: CharacterId
    name: str
    opinion: ExplainedOpinion
    asked: tuple[Asked, ...] = ()
    can_talk: bool = True


class Room(Struct, frozen=True, kw_only=True):
    """A place and who is at it."""

    place: Place
    people: tuple[tuple[CharacterId, str], ...]
    is_here: bool = False


class Said(Struct, frozen=True, kw_only=True):
    """A packet that was asked for here, with the line that was said on it."""

    stored: StoredPacket
    reply: StoredReply | None

    @property
    def consequence(self) -> Consequence | None:
        """What the rules made of what was asked."""
        return next((c for c in self.stored.packet.consequences if c.asked), None)


class Village(Struct, frozen=True, kw_only=True):
    """Everything that the player's page shows."""

    here: Standpoint
    rooms: tuple[Room, ...]
    place: PlaceId | None
    people: tuple[Person, ...] = ()
    unasked: int = 0
    """How many more are here than are told of."""
    notices: tuple[str, ...] = ()
    since: Since | None = None
    traced: Traced | None = None
    said: Said | None = None


class Wanted(Struct, frozen=True, kw_only=True):
    """What the page is to tell besides how things stand: what happened last, how far a story was followed, a line."""

    since: int | None = None
    trail: Trail | None = None
    packet: str = ""


async def look_at_village(
    playthrough_id: PlaythroughId,
    wanted: Wanted,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    reading: Reading,
) -> Village:
    """Return a playthrough as its player finds it now.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        UnknownPacketError: the packet is not of this playthrough.
        UnknownCharacterError: somebody of the trail is nobody of this world.
    """
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow)
        place = await player_place(here.state, here.world, uow)
        there = people_at(place, here.state, here.world)
        village = Village(
            here=here,
            place=place,
            rooms=rooms_of(place, here),
            people=tuple([await _person(who, here, uow, reading) for who in there[:MOST_PEOPLE]]),
            unasked=max(0, len(there) - MOST_PEOPLE),
            notices=tuple(n.statement for n in await uow.ledger.find_notices() if place and n.place == place),
            since=None if wanted.since is None else await since(here, min(wanted.since, here.seq), uow, reading),
            said=await _said(wanted.packet, uow) if wanted.packet else None,
        )  # fmt: skip
    if wanted.trail is None:
        return village
    return _with_trail(village, await follow(playthrough_id, wanted.trail, open_uow=open_uow))


def _with_trail(village: Village, traced: Traced) -> Village:
    return replace(village, traced=traced)


def rooms_of(place: PlaceId | None, here: Standpoint) -> tuple[Room, ...]:
    """Return every place of the world with who is there, awake; the player is left out."""
    at: dict[PlaceId, list[CharacterId]] = {}
    for someone in here.world.cast:
        where = place_of(someone.id, here.state, here.world)
        if someone.id != PLAYER and where is not None and here.state.is_awake(someone.id):
            at.setdefault(where, []).append(someone.id)
    return tuple(
        Room(
            place=p, people=tuple((who, here.naming.person(who)) for who in at.get(p.id, ())), is_here=p.id == place
        )
        for p in here.world.places
    )  # fmt: skip


async def _person(who: CharacterId, here: Standpoint, uow: UnitOfWork, reading: Reading) -> Person:
    talks = can_talk(who, here.world)
    return Person(
        who=who,
        name=here.naming.person(who),
        opinion=await opinion_within(uow, who, PLAYER, world=here.world, state=here.state),
        asked=await _asked(who, here, uow, reading) if talks else (),
        can_talk=talks,
    )


async def _asked(who: CharacterId, here: Standpoint, uow: UnitOfWork, reading: Reading) -> tuple[Asked, ...]:
    """Return what somebody would grant or refuse now, by the rules that a packet is built with."""
    actions = actions_of(who, here.world)
    if not actions:
        return ()
    packet, _, _ = await compute_packet(PacketRequest(speaker=who), uow, reading, now=here.state)
    found = {c.action: c for c in reversed(packet.consequences)}
    return tuple(
        Asked(action=action, line=line_of(action), consequence=found[action.id])
        for action in actions
        if action.id in found
    )


def line_of(action: Action) -> str:
    """Return the line by which the player asks for something.

    >>> line_of(Action(id="pass_gate", name="pass the gate"))
    'May I pass the gate?'
    """
    return f"May I {action.name}?"


async def _said(packet_id: str, uow: UnitOfWork) -> Said:
    stored = await uow.packets.get(packet_id)
    replies = await uow.packets.replies_of(packet_id)
    return Said(stored=stored, reply=replies[0] if replies else None)
