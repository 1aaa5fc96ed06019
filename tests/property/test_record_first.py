"""The record is enough: the graph can be made anew from it, "why" needs no graph, every entry is accounted for."""

import asyncio

import msgspec
from hypothesis import assume, given
from hypothesis import strategies as st

from ledger_service.domain.events import GameEvent
from ledger_service.domain.mirror import MirrorBatch, merged
from ledger_service.domain.packets import hash_of
from ledger_service.domain.rumours import ChainLink, build_chain, version_of_entry
from ledger_service.recording.mirror import mirror_batch
from ledger_service.services.gossip.explain_belief import explain_belief
from ledger_service.services.packets.build_packet import PacketRequest, build_packet
from ledger_service.services.packets.review_packet import review_packet
from ledger_service.services.reviewing.show_withheld import WithheldRow, show_withheld
from tests.playing import Play
from tests.property.played import played, thorough
from tests.speaking import READING
from tests.strategies import histories

LINES = st.sampled_from(["", "Who took the apple?", "Did you promise me something?", "The relay is broken, right?"])
speakers = st.sampled_from(["maelin", "orla", "tovi", "brun"])


@thorough
@given(histories)
def test_what_the_graph_was_sent_is_what_a_rebuild_would_send(history: list[GameEvent]) -> None:
    play, _ = played(history)
    items = asyncio.run(play.stores.mirror_queue.take(limit=100_000))
    sent = merged(item.batch for item in items if not item.batch.anew)
    whole = mirror_batch(play.all()[0], play.tellings())
    assert _by_id(sent) == _by_id(whole)


def _by_id(batch: MirrorBatch) -> tuple[dict[str, bytes], dict[str, bytes]]:
    entries = {e.version.entry_id: msgspec.json.encode(e, order="deterministic") for e in batch.entries}
    return entries, {t.telling_id: msgspec.json.encode(t, order="deterministic") for t in batch.tellings}


@thorough
@given(histories)
def test_why_needs_no_graph_and_goes_back_through_every_telling(history: list[GameEvent]) -> None:
    play, _ = played(history)
    entries, tellings = play.all()[0], play.tellings()

    async def all_chains() -> None:
        for entry in entries:
            chain = await explain_belief(play.playthrough_id, entry.entry_id, open_uow=play.stores.open_uow)
            found = build_chain(entry.entry_id, map(version_of_entry, entries), tellings, store=chain.store)
            assert [_hop(link) for link in chain.links] == [_hop(link) for link in found.links]
            assert chain.saw_it == found.saw_it
            assert chain.store != "graph"

    asyncio.run(all_chains())


def _hop(link: ChainLink) -> tuple[object, ...]:
    return link.entry_id, link.statement, link.depth, link.teller, link.told_by_entry, link.tick


@thorough
@given(histories, speakers, LINES, st.data())
def test_every_entry_is_drawn_on_or_withheld_with_a_reason_and_asking_changes_nothing(
    history: list[GameEvent], speaker: str, line: str, data: st.DataObject
) -> None:
    play, seen = played(history)
    assume(seen)
    at_seq = data.draw(st.integers(1, len(seen)))
    request = PacketRequest(speaker=speaker, line=line, at_seq=at_seq)
    before = (play.all(), play.state(), play.tellings())
    stored = asyncio.run(build_packet(play.playthrough_id, request, open_uow=play.stores.open_uow, reading=READING))
    review = asyncio.run(review_packet(play.playthrough_id, stored.packet_id, open_uow=play.stores.open_uow))
    packet = stored.packet
    left = [x.entry_id for x in (*packet.selected, *packet.act_only, *review.withheld)]
    assert sorted(left) == sorted(e.entry_id for e in play.all(at_seq=at_seq)[0])
    assert all(w.reason and w.detail for w in review.withheld)
    assert sum(review.counts.values()) == len(review.withheld)
    shown = asyncio.run(_in_stretches(play, stored.packet_id, limit=data.draw(st.integers(1, 9))))
    assert sorted(row.entry_id for row in shown) == sorted(w.entry_id for w in review.withheld)
    assert {r.entry_id: r.reason for r in shown} == {w.entry_id: w.reason for w in review.withheld}
    assert (review.stored.packet, packet.hash) == (packet, hash_of(packet)), "outside the hash"
    assert (play.all(), play.state(), play.tellings()) == before, "building a packet is a pure read"
    assert _again(play, request).packet == packet


async def _in_stretches(play: Play, packet_id: str, *, limit: int) -> list[WithheldRow]:
    """Return all rows that the pages of what was left out show, one page after another."""
    rows: list[WithheldRow] = []
    after: str | None = None
    while True:
        page = await show_withheld(
            packet_id, play.playthrough_id, open_uow=play.stores.open_uow, after=after, limit=limit
        )
        rows += page.rows
        after = page.next_after
        if after is None:
            return rows


def _again(play: Play, request: PacketRequest):  # type: ignore[no-untyped-def]
    return asyncio.run(build_packet(play.playthrough_id, request, open_uow=play.stores.open_uow, reading=READING))
