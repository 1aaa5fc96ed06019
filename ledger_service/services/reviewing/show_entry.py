"""One entry from within a packet: the five questions that every entry answers, and what became of it."""

from msgspec import Struct

from ledger_service.domain.confidence import band_of
from ledger_service.domain.entries import Hearsay, LedgerEntry, Status
from ledger_service.domain.errors import UnknownEntryError
from ledger_service.domain.ids import GROUP_PREFIX, PUBLIC, EntryId, PacketId, group_scope
from ledger_service.domain.ledger import LIVE, Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.worlds import World
from ledger_service.ports import Catalogue, Listed, OpenUnitOfWork, StoredPacket
from ledger_service.rumours.provenance import Naming, in_words
from ledger_service.services.events.story_state import world_of
from ledger_service.services.gossip.explain_belief import Question, answer_why, naming_of
from ledger_service.services.packets import packet_words as w
from ledger_service.services.reviewing.browse_packets import ledger_of, whose

_SETTLED = frozenset({Status.FULFILLED, Status.BROKEN, Status.RELEASED, Status.LAPSED})
_SET_ASIDE = frozenset({Status.SUSPENDED, Status.RETRACTED})


class EntrySheet(Struct, frozen=True, kw_only=True):
    """An entry as a packet's reviewer reads it."""

    listed: Listed
    stored: StoredPacket
    entry: LedgerEntry
    status: Status
    place: str
    """Where it stands in the packet, in words."""
    band: str
    answers: tuple[tuple[str, tuple[str, ...]], ...]
    """The five questions, each with what is to be said to it."""
    became: tuple[str, ...]
    chain: tuple[str, ...]
    store: str
    """Which store told the chain."""
    people: tuple[tuple[str, str, bool], ...]
    """Everybody who could know it: id, name, and whether they do."""
    naming: Naming

    @property
    def is_live(self) -> bool:
        """Whether it may still be drawn on by somebody."""
        return self.status in LIVE | {Status.QUARANTINED, Status.SUSPENDED}

    @property
    def can_be_given(self) -> bool:
        """Whether who knows it can be corrected."""
        return self.is_live and self.status not in _SETTLED

    @property
    def is_own_copy(self) -> bool:
        """Whether it is its holder's alone."""
        return isinstance(self.entry, Hearsay)

    @property
    def is_set_aside(self) -> bool:
        """Whether a person has set it aside, so that it can be taken up again."""
        return self.status in _SET_ASIDE


async def show_entry(
    packet_id: PacketId, entry_id: EntryId, *, catalogue: Catalogue, open_uow: OpenUnitOfWork
) -> EntrySheet:  # fmt: skip
    """Return an entry with its five answers, as of a packet.

    Raises:
        UnknownPacketError, UnknownEntryError: it is not there, or may not be seen.
    """
    listed = await whose(packet_id, catalogue=catalogue)
    playthrough_id = listed.playthrough.playthrough_id
    async with open_uow(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
        world = await world_of(uow, stored.packet.world_version)
        ledger = await ledger_of(stored.packet, uow, also=(entry_id,))
        entry = ledger.entries.get(entry_id)
        if entry is None:
            raise UnknownEntryError(entry_id)
    why = await answer_why(playthrough_id, Question(entry_id=entry_id), open_uow=open_uow)
    naming = naming_of(world)
    return EntrySheet(
        listed=listed,
        stored=stored,
        entry=entry,
        status=ledger.status_of(entry),
        place=_place(entry_id, stored.packet, naming),
        band=str(band_of(entry.confidence)),
        answers=_answers(entry, stored.packet, ledger, world, naming),
        became=tuple(_became(entry_id, ledger)),
        chain=tuple(in_words(why.chain, naming=naming)),
        store=why.chain.store,
        people=_people(entry, world, naming),
        naming=naming,
    )


def _place(entry_id: EntryId, packet: ContextPacket, naming: Naming) -> str:
    me = packet.pov or packet.speaker
    who = naming.person(me)
    item = next((s for s in packet.selected if s.entry_id == entry_id), None)
    if item is not None:
        return f"{who} may draw on it (rank {item.rank})"
    if any(a.entry_id == entry_id for a in packet.act_only):
        return f"{who} acts on it and never says it"
    row = next((r for r in packet.withheld if r.entry_id == entry_id), None)
    if row is not None:
        return f"it was held back, because {w.why_withheld(row.reason, me, naming)}"
    return "the packet did not look at it"


def _answers(
    entry: LedgerEntry, packet: ContextPacket, ledger: Ledger, world: World, naming: Naming
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    me = packet.pov or packet.speaker
    who, knower = naming.person(me), ledger.knower_of(entry, me)
    item = next((s for s in packet.selected if s.entry_id == entry.entry_id), None)
    if item is not None:
        now = f"yes: {who} {w.may_say(entry, packet.audience, naming, teller=item.teller)}"
    else:
        now = f"no: {_place(entry.entry_id, packet, naming)}"
    held = entry.confidence if knower is None or knower.confidence is None else knower.confidence
    sure = f"{w.how_sure(me, held, naming)} ({held:.2f})" if knower else f"{who} does not know it"
    return (
        ("Who knows it?", tuple(w.scope(k.who, naming) for k in entry.knowers)),
        ("How did they learn it?", tuple(w.knower_in_words(k, entry, naming) for k in entry.knowers)),
        ("How sure are they?", (sure,)),
        ("May it be said now, to these listeners?", (now, f"at all: {w.gate(entry, naming)}")),
        ("What would change or end it?", (w.ending(entry, world),)),
    )  # fmt: skip


def _became(entry_id: EntryId, ledger: Ledger) -> list[str]:
    return [
        f"{a.status} on {w.clock(a.at.tick)}, event {a.cause_seq}{f', by {a.author}' if a.author else ''}"
        f"{f': {a.reason}' if a.reason else ''}"
        for a in ledger.amendments_of(entry_id)
    ]


def _people(entry: LedgerEntry, world: World, naming: Naming) -> tuple[tuple[str, str, bool], ...]:
    """Return everybody who could know an entry, who does first."""
    knows = {k.who for k in entry.knowers}
    groups = {group_scope(g.id): f"the {g.id.replace('_', ' ')}" for g in world.groups}
    known_groups = {k: w.scope(k, naming) for k in knows if k.startswith(GROUP_PREFIX)}
    everybody = {PUBLIC: "everybody"} | groups | known_groups | dict(naming.people)
    rows = ((who, name, who in knows) for who, name in everybody.items())
    return tuple(sorted(rows, key=lambda row: (not row[2], row[0] in {PUBLIC, *groups}, row[1])))
