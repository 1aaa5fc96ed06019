"""Review a packet: the complete list of what was withheld, recomputed on demand, which no prompt may hold."""

from collections import Counter

from msgspec import Struct

from ledger_service.domain.candidates import Candidates
from ledger_service.domain.ids import EntryId, PacketId, PlaythroughId
from ledger_service.domain.packets import Withheld
from ledger_service.ports import OpenUnitOfWork, StoredPacket
from ledger_service.reconcile.pipeline import reconcile
from ledger_service.services.events.story_state import story_state, world_of


class Review(Struct, frozen=True, kw_only=True):
    """A packet beside everything that the ledger held at its moment."""

    stored: StoredPacket
    withheld: tuple[Withheld, ...]
    """Every entry that the packet does not hold, with its reason, the unseen ones included."""
    counts: dict[str, int]
    """How many were withheld for each reason."""
    statements: dict[EntryId, str]
    knowers: dict[EntryId, tuple[str, ...]] = {}
    """Who knows each of them."""


async def review_packet(playthrough_id: PlaythroughId, packet_id: PacketId, *, open_uow: OpenUnitOfWork) -> Review:
    """Recompute what became of every entry at a packet's moment; the packet and its hash stay as they are.

    Raises:
        UnknownPacketError: there is none.
    """
    async with open_uow(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
        entries, amendments = await uow.ledger.load_all(at_seq=stored.packet.seq)
        state = await story_state(uow, at_seq=stored.packet.seq)
        world = await world_of(uow, state.world_version)
    everything = Candidates(entries=entries, amendments=amendments, world=world, state=state)
    whole = reconcile(everything, stored.moment)
    held = stored.packet.held
    considered = {w.entry_id: w for w in stored.packet.withheld}
    withheld = [considered.get(w.entry_id, w) for w in whole.withheld if w.entry_id not in held]
    return Review(
        stored=stored,
        withheld=tuple(withheld),
        counts=dict(sorted(Counter(str(w.reason) for w in withheld).items())),
        statements={e.entry_id: e.statement for e in entries},
        knowers={e.entry_id: tuple(k.who for k in e.knowers) for e in entries},
    )
