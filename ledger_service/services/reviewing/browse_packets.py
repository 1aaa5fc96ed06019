"""Browse packets: a page of them, and one as its reviewers read it: cards, the line beside them, remarks, its likes."""

from functools import cached_property

from msgspec import Struct

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.errors import UnknownPacketError
from ledger_service.domain.ids import EntryId, PacketId, PlaythroughId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.reviews import Remark, standing_of
from ledger_service.domain.worlds import World
from ledger_service.ports import (
    Catalogue,
    ClaimReader,
    Listed,
    ListedPacket,
    OpenUnitOfWork,
    PlaythroughFilter,
    StoredPacket,
    StoredReply,
    UnitOfWork,
)
from ledger_service.rumours.provenance import Naming
from ledger_service.services.events.story_state import world_of
from ledger_service.services.gossip.explain_belief import naming_of
from ledger_service.services.packets.packet_changes import Compared, compare
from ledger_service.services.replies.score_reply import read_claims
from ledger_service.services.reviewing import packet_cards
from ledger_service.services.reviewing.packet_cards import Card, Shown, WithheldGroup
from ledger_service.services.reviewing.reply_marks import HeardLine, hear

PAGE = 50
MOST_REPLIES = 6
"""Lines that are set beside the cards, the newest of those said on a packet."""


class Sheet(Struct, frozen=True, kw_only=True, dict=True):
    """A packet as its reviewers read it."""

    listed: Listed
    stored: StoredPacket
    world: World
    naming: Naming
    selected: tuple[Card, ...]
    act_only: tuple[Card, ...]
    withheld: tuple[WithheldGroup, ...]
    lines: tuple[HeardLine, ...]
    remarks: tuple[Remark, ...]
    likes: tuple[ListedPacket, ...]
    """Other packets of the same moment."""

    @property
    def packet(self) -> ContextPacket:
        """The packet itself."""
        return self.stored.packet

    @property
    def standing(self) -> Remark | None:
        """How it stands with its reviewers."""
        return standing_of(self.remarks)

    @cached_property
    def statements(self) -> dict[EntryId, str]:
        """What the entries say that have a card on the page."""
        groups = (card for group in self.withheld for card in group.cards)
        return {card.entry_id: card.statement for card in (*self.selected, *self.act_only, *groups)}

    @cached_property
    def here(self) -> frozenset[EntryId]:
        """The entries that have a card on the page."""
        return frozenset(self.statements)


class _Record(Struct, frozen=True, kw_only=True):
    """What the record holds of a packet."""

    stored: StoredPacket
    replies: tuple[StoredReply, ...]
    remarks: tuple[Remark, ...]
    ledger: Ledger
    world: World
    family: tuple[PlaythroughId, ...]
    """The playthrough and those that it branched from."""


async def show_packet(
    packet_id: PacketId, *, catalogue: Catalogue, open_uow: OpenUnitOfWork, reader: ClaimReader
) -> Sheet:  # fmt: skip
    """Return a packet with everything on its page; only what it considered is read, however large the ledger is.

    Raises:
        UnknownPacketError: there is none, or it may not be seen.
    """
    listed = await whose(packet_id, catalogue=catalogue)
    playthrough_id = listed.playthrough.playthrough_id
    async with open_uow(playthrough_id) as uow:
        found = await _read(packet_id, uow)
    branches = await catalogue.page(PlaythroughFilter(parent_id=playthrough_id))
    family = (*found.family, *(b.playthrough.playthrough_id for b in branches))
    likes = await catalogue.packets_like(family, found.stored.moment)
    return _sheet(listed, found, reader, likes=tuple(one for one in likes if one.packet_id != packet_id))


async def read_sheet(packet_id: PacketId, listed: Listed, *, uow: UnitOfWork, reader: ClaimReader) -> Sheet:
    """Return a packet within a transaction on its playthrough, without others of its moment.

    Raises:
        UnknownPacketError: it is not of this playthrough.
    """
    return _sheet(listed, await _read(packet_id, uow), reader)


def _sheet(listed: Listed, found: _Record, reader: ClaimReader, *, likes: tuple[ListedPacket, ...] = ()) -> Sheet:
    at = Shown(packet=found.stored.packet, ledger=found.ledger, world=found.world, naming=naming_of(found.world))
    return Sheet(
        listed=listed,
        stored=found.stored,
        world=found.world,
        naming=at.naming,
        selected=packet_cards.selected(at),
        act_only=packet_cards.act_only(at),
        withheld=packet_cards.withheld(at.packet.withheld, at),
        lines=tuple(_heard(reply, found, reader) for reply in reversed(found.replies[-MOST_REPLIES:])),
        remarks=found.remarks,
        likes=likes,
    )


async def whose(packet_id: PacketId, *, catalogue: Catalogue) -> Listed:
    """Return the playthrough that a packet is of.

    Raises:
        UnknownPacketError: there is none, or it may not be seen.
    """
    playthrough_id = await catalogue.playthrough_of(packet_id)
    listed = None if playthrough_id is None else await catalogue.find(playthrough_id)
    if listed is None:
        raise UnknownPacketError(packet_id)
    return listed


async def _read(packet_id: PacketId, uow: UnitOfWork) -> _Record:
    stored = await uow.packets.get(packet_id)
    lineage = await uow.playthroughs.lineage()
    return _Record(
        stored=stored,
        replies=tuple(await uow.packets.replies_of(packet_id)),
        remarks=tuple(await uow.packets.remarks_on(packet_id)),
        ledger=await ledger_of(stored.packet, uow),
        world=await world_of(uow, stored.packet.world_version),
        family=tuple(a.playthrough_id for a in lineage),
    )


async def ledger_of(packet: ContextPacket, uow: UnitOfWork, *, also: tuple[EntryId, ...] = ()) -> Ledger:
    """Return what a packet considered, and some others, as of its moment; the history need not be folded for it."""
    held_back = (*(a.entry_id for a in packet.act_only), *(w.entry_id for w in packet.withheld))
    ids = dict.fromkeys((*(s.entry_id for s in packet.selected), *held_back, *also))
    entries, amendments = await uow.ledger.get(tuple(ids)) if ids else ((), ())
    by_id = {e.entry_id: e for e in entries}
    roster = (await uow.playthroughs.state()).roster  # it says who was in a group from when until when
    world = await world_of(uow, packet.world_version)
    return Ledger(
        [by_id[i] for i in ids if i in by_id],
        amendments,
        roster=roster,
        at_seq=packet.seq,
        tick=packet.at.tick,
        forgetting=world.forgetting,
    )


def _heard(reply: StoredReply, found: _Record, reader: ClaimReader) -> HeardLine:
    claims = read_claims(found.stored.packet, reply.reply, world=found.world, reader=reader)
    return hear(reply, claims, _in_order(found))


def _in_order(found: _Record) -> list[LedgerEntry]:
    return list(found.ledger.entries.values())


class TwoPackets(Struct, frozen=True, kw_only=True):
    """Two packets, whose they are, and what differs."""

    before: StoredPacket
    after: StoredPacket
    of_before: Listed
    of_after: Listed
    compared: Compared
    naming: Naming


async def compare_packets(
    packet_id: PacketId, other_id: PacketId, *, catalogue: Catalogue, open_uow: OpenUnitOfWork
) -> TwoPackets:  # fmt: skip
    """Say what is otherwise in another packet: of another branch, of another time, of another version.

    Raises:
        UnknownPacketError: one of them is not there, or may not be seen.
    """
    sides: list[tuple[Listed, StoredPacket, Ledger, World]] = []
    for one in (packet_id, other_id):
        listed = await whose(one, catalogue=catalogue)
        async with open_uow(listed.playthrough.playthrough_id) as uow:
            stored = await uow.packets.get(one)
            ledger, world = await ledger_of(stored.packet, uow), await world_of(uow, stored.packet.world_version)
        sides.append((listed, stored, ledger, world))
    (of_before, before, old, _), (of_after, after, new, world) = sides
    naming = naming_of(world)
    compared = compare(before.packet, after.packet, old=old.entries, new=new.entries, naming=naming)
    return TwoPackets(
        before=before, after=after, of_before=of_before, of_after=of_after, compared=compared, naming=naming
    )  # fmt: skip
