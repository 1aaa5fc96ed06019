"""Score a reply, record that it was said, and keep it with its scorecard."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import anyio.to_thread
from msgspec import Struct

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.errors import AlreadyScoredError
from ledger_service.domain.events import Confirmed, EntriesPosted, EventReceipt, GameEvent, Utterance
from ledger_service.domain.ids import NARRATOR, PLAYER, EntryId, PacketId, PlaythroughId, ReplyId, digest
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.rubric import Gold, Scorecard
from ledger_service.domain.worlds import World
from ledger_service.ports import ClaimReader, Embedder, Judge, OpenUnitOfWork, StoredPacket, StoredReply, UnitOfWork
from ledger_service.recording.from_reply import from_reply
from ledger_service.recording.plain import check_said
from ledger_service.scoring.heard.alignment import Near
from ledger_service.scoring.scorecard import score
from ledger_service.services.events.record_event import record_events
from ledger_service.services.events.story_state import story_state, world_of
from ledger_service.services.packets.build_packet import similarity
from ledger_service.services.replies.consult_judge import consult

AT_ONCE: Final = 400
"""Letters of a reply that are judged within a few milliseconds."""


class Judging(Struct, frozen=True, kw_only=True):
    """What a reply is read and recorded with."""

    claim_reader: ClaimReader
    embedder: Embedder
    judge: Judge | None = None
    """A model that is asked where rules leave the response unscored."""
    judge_may_gate: bool = False
    """Its word decides; only after it was held against people."""


def nearness(ledger: Ledger, judging: Judging) -> Near:
    """Return how near in meaning each entry is to a text, by the meanings kept with the entries."""
    entries = tuple(ledger.entries.values())
    return lambda text: similarity(entries, text, judging.embedder)


async def score_reply(
    playthrough_id: PlaythroughId,
    packet_id: PacketId,
    reply: Reply,
    *,
    open_uow: OpenUnitOfWork,
    judging: Judging,
    gold: Gold | None = None,
    delivered: bool = True,
    confirmed: bool = False,
) -> StoredReply:
    """Judge a line on the packet it was said on, and keep both. The same line again gives what was kept.

    A delivered line leaves one active observation that it was said, and quarantined drafts of what it changed. Both
    are keyed by the packet, so that a repeat after a failure in between writes nothing twice. A line that was only
    tried out (`delivered=False`) leaves nothing in the story. Where the game carried out what the line says
    (`confirmed`), its drafts are confirmed at once.

    Raises:
        UnknownPacketError: there is no such packet.
        AlreadyScoredError: the packet has a delivered reply with other text.
        ContentError: a text that cannot be kept, or longer than what is said at once; nothing is read of it.
    """
    check_said(reply.text, "text")
    async with open_uow(playthrough_id) as uow:
        stored = await uow.packets.get(packet_id)
        earlier = await uow.packets.replies_of(packet_id)
        same = next((r for r in earlier if r.reply.text == reply.text and r.reply.responder == reply.responder), None)
        if same is not None and same.scorecard is not None:
            return same
        if delivered and await _said_before(packet_id, uow) not in {None, reply.text}:
            raise AlreadyScoredError(packet_id)
        world = await world_of(uow, stored.packet.world_version)
        ledger = await considered(stored.packet, uow, also=gold.names if gold is not None else ())

    def judge() -> tuple[tuple[Claim, ...], Scorecard]:
        claims = read_claims(stored.packet, reply, world=world, reader=judging.claim_reader)
        asked = read_line(stored.packet, world=world, reader=judging.claim_reader)
        near = nearness(ledger, judging)
        return claims, score(
            stored.packet, reply, claims, world=world, ledger=ledger, gold=gold, asked=asked, near=near
        )  # fmt: skip

    # What takes longer to judge than a moment is judged aside, so that nobody else waits for it.
    claims, card = judge() if len(reply.text) <= AT_ONCE else await anyio.to_thread.run_sync(judge)
    if judging.judge is not None:
        card = await consult(
            card, stored.packet, reply, ledger=ledger, judge=judging.judge, may_gate=judging.judge_may_gate
        )  # fmt: skip
    events = _events(stored, reply, claims) if delivered else []
    if events:
        receipts = await record_events(playthrough_id, events, open_uow=open_uow, embedder=judging.embedder)
        confirmations = _confirmations(packet_id, receipts, by=reply.responder) if confirmed else []
        if confirmations:
            await record_events(playthrough_id, confirmations, open_uow=open_uow, embedder=judging.embedder)
    return await _keep(playthrough_id, packet_id, reply, card, open_uow=open_uow)


async def _said_before(packet_id: PacketId, uow: UnitOfWork) -> str | None:
    """Return what was delivered on a packet, where something was."""
    found = await uow.events.find_by_keys([_key(packet_id)])
    event = found[_key(packet_id)][0].event if found else None
    return event.text if isinstance(event, Utterance) else None


def _key(packet_id: PacketId) -> str:
    return f"reply:{packet_id}"


def read_claims(packet: ContextPacket, reply: Reply, *, world: World, reader: ClaimReader) -> tuple[Claim, ...]:
    """Read a reply as said by the packet's speaker to its audience."""
    return reader.read(reply.text, world=world, speaker=packet.speaker, audience=packet.audience)


def read_line(packet: ContextPacket, *, world: World, reader: ClaimReader) -> tuple[Claim, ...]:
    """Read the line that is answered, as said by the listener to the packet's speaker."""
    listener = PLAYER if PLAYER in packet.audience else packet.audience[0]
    return reader.read(packet.line, world=world, speaker=listener, audience=(packet.speaker,))


async def considered(packet: ContextPacket, uow: UnitOfWork, *, also: Iterable[EntryId] = ()) -> Ledger:
    """Return the entries that a packet considered, and some others, as of the event it rests on."""
    (ledger,) = await considered_by([(packet, also)], uow)
    return ledger


async def considered_by(
    packets: Iterable[tuple[ContextPacket, Iterable[EntryId]]], uow: UnitOfWork
) -> list[Ledger]:  # fmt: skip
    """Return for each packet the entries that it considered, and those others, all of them read at once."""
    wanted = [(packet, tuple(dict.fromkeys((*_considered_ids(packet), *also)))) for packet, also in packets]
    entries, amendments = await uow.ledger.get(list(dict.fromkeys(chain.from_iterable(ids for _, ids in wanted))))
    there = {e.entry_id: e for e in entries}
    became: dict[EntryId, list[Amendment]] = {}
    for amendment in amendments:
        became.setdefault(amendment.entry_id, []).append(amendment)
    states = {seq: await story_state(uow, at_seq=seq) for seq in {p.seq for p, _ in wanted}}
    worlds = {seq: await world_of(uow, state.world_version) for seq, state in states.items()}
    return [
        Ledger(
            [there[i] for i in ids if i in there],
            chain.from_iterable(became.get(i, ()) for i in ids),
            roster=states[p.seq].roster,
            at_seq=p.seq,
            tick=states[p.seq].at.tick,
            forgetting=worlds[p.seq].forgetting,
            occurrences=states[p.seq].occurrences,
        )
        for p, ids in wanted
    ]


def _considered_ids(packet: ContextPacket) -> Iterator[EntryId]:
    yield from (s.entry_id for s in packet.selected)
    yield from (a.entry_id for a in packet.act_only)
    yield from (w.entry_id for w in packet.withheld)


async def _keep(
    playthrough_id: PlaythroughId, packet_id: PacketId, reply: Reply, card: Scorecard, *, open_uow: OpenUnitOfWork
) -> StoredReply:
    kept = StoredReply(reply_id=reply_id_of(packet_id, reply), packet_id=packet_id, reply=reply, scorecard=card)
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.lock_state()
        there = next((r for r in await uow.packets.replies_of(packet_id) if r.reply_id == kept.reply_id), None)
        if there is not None:
            return there
        await uow.packets.add_reply(kept)
        await uow.commit()
    return kept


def reply_id_of(packet_id: PacketId, reply: Reply) -> ReplyId:
    """Name a reply by its packet, its words and who spoke."""
    return "r" + digest(packet_id, reply.responder, reply.text)[:20]


def _confirmations(packet_id: PacketId, receipts: Sequence[EventReceipt], *, by: str) -> list[GameEvent]:
    """Return the events by which the drafts of a line are confirmed, keyed like the drafts themselves."""
    drafts = [entry for receipt in receipts if receipt.kind == "entries_posted" for entry in receipt.entries]
    return [
        Confirmed(key=f"{_key(packet_id)}:confirmed:{n}", entry_id=d.entry_id, reason="carried out", author=by)
        for n, d in enumerate(drafts)
    ]


def _events(stored: StoredPacket, reply: Reply, claims: Sequence[Claim]) -> list[GameEvent]:
    """Return the events of a delivered line: that it was said, and drafts of what it changed."""
    packet = stored.packet
    if packet.speaker == NARRATOR or not any(c.isalnum() for c in reply.text):
        return []
    key = _key(stored.packet_id)
    said = Utterance(key=key, speaker=packet.speaker, to=packet.audience, text=reply.text)
    drafts = from_reply(packet, claims)
    return [said, *([EntriesPosted(key=f"{key}:drafts", entries=drafts, author=reply.responder)] if drafts else [])]
