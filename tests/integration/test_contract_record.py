"""What every store of the record does alike: history without gaps, branches, saves, erasing, the outbox."""

import anyio
import msgspec
import pytest

from ledger_service.domain.errors import (
    CursorError,
    DuplicateNameError,
    PlaythroughHasForksError,
    SequenceTakenError,
    UnknownPacketError,
    UnknownPlaythroughError,
    UnknownReplyError,
    UnknownSaveError,
    UnknownWorldError,
)
from ledger_service.domain.events import EventReceipt, Outcome, RecordedEvent, TimePassed
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.playthroughs import Ancestor, Playthrough, Save, StoryState
from ledger_service.domain.reviews import Mark, Remark
from ledger_service.domain.rumours import Telling, build_chain, version_of_entry
from ledger_service.domain.slots import Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.worlds import version_of
from ledger_service.ports import EntryFilter, UnitOfWork
from tests.builders import ONE_OF_EACH, a_hearsay, a_moment, a_slot, a_world, an_observation, known_by
from tests.packets import a_packet

pytestmark = pytest.mark.anyio


async def open_one(record, name: str = "p1", **fields: object) -> Playthrough:
    async with record.open_uow() as uow:
        version = await uow.worlds.add(a_world())
        await uow.commit()
    playthrough = Playthrough(
        playthrough_id=name, world_id="station", world_version=version, opening_world=version, **fields
    )
    async with record.open_uow(name) as uow:
        await uow.playthroughs.open(playthrough, StoryState(world_version=version))
        await uow.commit()
    return playthrough


async def post(uow: UnitOfWork, *seqs: int) -> None:
    recorded = [
        RecordedEvent(seq=n, at=StoryTime(tick=n), event=TimePassed(hours=1, key=f"k{n}"), hash=f"h{n}") for n in seqs
    ]
    receipts = [EventReceipt(seq=n, kind="time_passed", at=StoryTime(tick=n), outcome=Outcome.CREATED) for n in seqs]
    await uow.events.append(recorded, receipts)


async def test_an_uncommitted_transaction_leaves_nothing(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        await post(uow, 1)
        await uow.ledger.append(ONE_OF_EACH)
    async with record.open_uow("p1") as uow:
        assert await uow.events.load() == []
        assert await uow.ledger.load_all() == ((), ())


async def test_history_has_no_gap_and_no_number_twice(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        await post(uow, 1, 2)
        await uow.commit()
    for wrong in ((2,), (4,), (3, 5)):
        with pytest.raises(SequenceTakenError):
            async with record.open_uow("p1") as uow:
                await post(uow, *wrong)
    async with record.open_uow("p1") as uow:
        assert [e.seq for e in await uow.events.load()] == [1, 2]
        assert [e.seq for e in await uow.events.load(after_seq=1)] == [2]
        assert [e.seq for e in await uow.events.load(until_seq=1)] == [1]
        found = await uow.events.find_by_keys(["k2", "k9"])
    assert list(found) == ["k2"]
    assert found["k2"][0].seq == found["k2"][1].seq == 2


async def test_writers_take_turns_and_each_sees_what_the_last_one_wrote(record):
    playthrough = await open_one(record)

    async def write() -> None:
        async with record.open_uow("p1") as uow:
            state = await uow.playthroughs.lock_state()
            await anyio.lowlevel.checkpoint()
            await post(uow, state.seq + 1)
            await uow.playthroughs.put_state(StoryState(seq=state.seq + 1, world_version=playthrough.world_version))
            await uow.commit()

    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(write)
    async with record.open_uow("p1") as uow:
        assert [e.seq for e in await uow.events.load()] == list(range(1, 21))


async def test_a_branch_reads_up_to_its_fork_and_its_trunk_does_not_see_it(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        await post(uow, 1, 2, 3)
        await uow.ledger.append([an_observation(entry_id=f"e{n}", seq=n) for n in (1, 2, 3)])
        await uow.commit()
    await open_one(record, "p2", parent_id="p1", forked_at_seq=2)
    await open_one(record, "p3", parent_id="p2", forked_at_seq=1)
    async with record.open_uow("p2") as uow:
        await post(uow, 3)
        await uow.ledger.append([an_observation(entry_id="other", seq=3)])
        await uow.commit()
    seen = {}
    for name in ("p1", "p2", "p3"):
        async with record.open_uow(name) as uow:
            entries, _ = await uow.ledger.load_all()
            page = await uow.ledger.page(EntryFilter(), limit=10)
            seen[name] = [e.entry_id for e in entries]
            assert [e.entry_id for e in page.entries] == seen[name][::-1]
    assert seen == {"p1": ["e1", "e2", "e3"], "p2": ["e1", "e2", "other"], "p3": ["e1"]}
    async with record.open_uow("p3") as uow:
        lineage = await uow.playthroughs.lineage()
    assert lineage[0].playthrough_id == "p3"
    assert set(lineage[1:]) == {
        Ancestor(playthrough_id="p2", until_seq=1),
        Ancestor(playthrough_id="p1", until_seq=1),
    }


async def test_entries_of_every_kind_come_back_as_they_were(record):
    await open_one(record)
    entries = [
        msgspec.structs.replace(e, entry_id=f"e{n}", slot=a_slot(), embedding=b"\x00\xff\x01")
        for n, e in enumerate(ONE_OF_EACH)
    ]
    async with record.open_uow("p1") as uow:
        await uow.ledger.append(entries)
        await uow.commit()
    async with record.open_uow("p1") as uow:
        found, _ = await uow.ledger.get([e.entry_id for e in entries])
        by_slot = await uow.ledger.find_by_slot([Slot(subject="broken", predicate="is", object="x")])
    assert sorted(found, key=lambda e: e.entry_id) == entries
    assert {e.entry_id for e in by_slot} == {e.entry_id for e in entries}, "a slot is found either way round"


async def test_pages_go_through_everything_once_and_filters_narrow_them(record):
    await open_one(record)
    entries = [
        an_observation(entry_id=f"e{n:02}", seq=n // 3 + 1, knowers=known_by("orla" if n % 2 else "maelin"))
        for n in range(10)
    ] + [a_hearsay(entry_id="x", seq=9, statement="a storm comes")]
    async with record.open_uow("p1") as uow:
        await uow.ledger.append(entries)
        await uow.commit()
    async with record.open_uow("p1") as uow:
        seen, after = [], None
        for _ in range(10):
            page = await uow.ledger.page(EntryFilter(), limit=3, after=after)
            seen += [e.entry_id for e in page.entries]
            after = page.next_after
            if after is None:
                break
        found = {
            "kind": await uow.ledger.page(EntryFilter(kind="hearsay")),
            "source": await uow.ledger.page(EntryFilter(source="told_by")),
            "term": await uow.ledger.page(EntryFilter(term="storm")),
            "knower": await uow.ledger.page(EntryFilter(knower="orla")),
            "at_seq": await uow.ledger.page(EntryFilter(at_seq=1)),
        }
    assert seen == [e.entry_id for e in sorted(entries, key=lambda e: (e.seq, e.entry_id), reverse=True)]
    assert {k: len(page.entries) for k, page in found.items()} == {
        "kind": 1, "source": 1, "term": 1, "knower": 5, "at_seq": 3,
    }  # fmt: skip


async def test_a_chain_goes_back_to_the_witness(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        await uow.ledger.append([an_observation(entry_id="e1", seq=1), a_hearsay(entry_id="e2", seq=2, origin="e1")])
        await uow.tellings.append([
            Telling(telling_id="t1", from_entry="e1", to_entry="e2", teller="maelin", listener="orla", origin="e1",
                    seq=2, tick=2, offered_millionths=500_000),
        ])  # fmt: skip
        await uow.commit()
    async with record.open_uow("p1") as uow:
        entries, _ = await uow.ledger.load_all()
        chain = build_chain(
            "e2", map(version_of_entry, entries), (await uow.tellings.behind("e2")).tellings, store="here"
        )
        held = await uow.ledger.find_by_origin("e1", knower="maelin")
    assert [(link.entry_id, link.depth) for link in chain.links] == [("e2", 0), ("e1", 1)]
    assert [e.entry_id for e in held] == ["e1", "e2"]


async def test_a_name_stands_for_one_point(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        for _ in range(2):
            await uow.playthroughs.put_save(Save(name="before the storm", playthrough_id="p1", seq=3))
        with pytest.raises(DuplicateNameError):
            await uow.playthroughs.put_save(Save(name="before the storm", playthrough_id="p1", seq=4))
        await uow.commit()
    async with record.open_uow("p1") as uow:
        assert (await uow.playthroughs.get_save("before the storm")).seq == 3
        with pytest.raises(UnknownSaveError):
            await uow.playthroughs.get_save("after it")


async def test_a_playthrough_is_opened_once(record):
    await open_one(record)
    with pytest.raises(DuplicateNameError):
        await open_one(record)


async def test_erasing_leaves_nothing_of_one_and_everything_of_another(record):
    for name in ("p1", "p2"):
        await open_one(record, name)
        async with record.open_uow(name) as uow:
            await post(uow, 1)
            await uow.ledger.append(ONE_OF_EACH)
            await uow.outbox.put(MirrorBatch(anew=True))
            await uow.commit()
    async with record.open_uow("p1") as uow:
        assert await uow.playthroughs.erase() > 1
        await uow.commit()
    async with record.open_uow("p1") as uow:
        with pytest.raises(UnknownPlaythroughError):
            await uow.playthroughs.state()
        assert await uow.events.load() == []
    async with record.open_uow("p2") as uow:
        assert [e.hash for e in await uow.events.load()] == ["h1"]
        assert [p.playthrough_id for p in await uow.playthroughs.list_all()] == ["p2"]
    assert {item.playthrough_id for item in await record.mirror_queue.take()} == {"p2"}


async def test_a_trunk_with_branches_is_not_erased_under_them(record):
    await open_one(record)
    await open_one(record, "p2", parent_id="p1", forked_at_seq=0)
    with pytest.raises(PlaythroughHasForksError):
        async with record.open_uow("p1") as uow:
            await uow.playthroughs.erase()
    for name in ("p2", "p1"):
        async with record.open_uow(name) as uow:
            await uow.playthroughs.erase()
            await uow.commit()
    async with record.open_uow() as uow:
        assert await uow.playthroughs.list_all() == []


async def test_the_outbox_keeps_its_order_until_a_batch_is_sent(record):
    await open_one(record)
    for _ in range(2):
        async with record.open_uow("p1") as uow:
            await uow.outbox.put(MirrorBatch(anew=True))
            await uow.outbox.put(MirrorBatch())
            await uow.commit()
    async with record.open_uow("p1") as uow:
        await uow.outbox.put(MirrorBatch(anew=True))
    items = await record.mirror_queue.take()
    assert len(items) == await record.mirror_queue.lag() == 2
    assert items[0].outbox_id < items[1].outbox_id
    await record.mirror_queue.mark_sent([items[0].outbox_id])
    assert await record.mirror_queue.take() == [items[1]]


async def test_what_is_not_there_is_named(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        with pytest.raises(UnknownWorldError):
            await uow.worlds.get("nowhere@0")
        with pytest.raises(UnknownPacketError):
            await uow.packets.get("k0")
        with pytest.raises(UnknownReplyError):
            await uow.packets.get_reply("r0")
    async with record.open_uow("nobody") as uow:
        with pytest.raises(UnknownPlaythroughError):
            await uow.playthroughs.lock_state()


WRONG_PLACES = (
    "zzz", "", ":", "7", "7:", ":e7", "-1:e7", "1e3:e7", "9" * 30 + ":e7", "7:e\0", "\0", "7:" + "e" * 500, "7:\ud800",
)  # fmt: skip


@pytest.mark.parametrize("after", WRONG_PLACES)
async def test_a_place_that_no_page_ends_with_is_named(record, after):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        with pytest.raises(CursorError, match="no place in the list"):
            await uow.ledger.page(EntryFilter(), after=after)


@pytest.mark.parametrize("after", ["", "\0", "a b", "a" * 65, "\ud800", "é"])
async def test_what_is_nobodys_id_is_no_place_among_playthroughs_or_packets(record, after):
    await open_one(record)
    async with record.open_uow() as uow:
        with pytest.raises(CursorError):
            await uow.playthroughs.list_all(after=after)
    async with record.open_uow("p1") as uow:
        with pytest.raises(CursorError):
            await uow.packets.page(after=after)


async def test_a_packet_that_is_not_there_is_no_place_either(record):
    await open_one(record)
    async with record.open_uow("p1") as uow:
        with pytest.raises(CursorError, match="knowhere"):
            await uow.packets.page(after="knowhere")
        assert await uow.packets.page() == []


async def test_remarks_on_a_packet_are_kept_in_order_and_go_with_it(record):
    await open_one(record)
    said = [
        Remark(packet_id="k1", mark=mark, who=who, said=text, other_id=other)
        for mark, who, text, other in (
            (Mark.NOTE, "wren", "why the sensor?", None), (Mark.FLAGGED, "quinn", "it leaks", None),
            (Mark.CORRECTED, "wren", "orla was away", "k2"), (Mark.CLEARED, "quinn", "", None),
        )
    ]  # fmt: skip
    async with record.open_uow("p1") as uow:
        for name in ("k1", "k2"):
            await uow.packets.add(name, a_packet([]), a_moment())
        for remark in said:
            await uow.packets.add_remark(remark)
        await uow.packets.add_remark(Remark(packet_id="k2", mark=Mark.APPROVED, who="wren"))
        await uow.commit()
    async with record.open_uow("p1") as uow:
        found = await uow.packets.remarks_on("k1")
        assert [msgspec.structs.replace(r, at="") for r in found] == said
        assert [r.said for r in await uow.packets.remarks_on("k1", limit=2)] == ["orla was away", ""]
        assert await uow.playthroughs.erase() > 0
        await uow.commit()
    await open_one(record)
    async with record.open_uow("p1") as uow:
        assert await uow.packets.remarks_on("k1") == []


async def test_a_world_is_saved_again_and_again_and_the_newest_revision_is_what_its_name_stands_for(record):
    old, new = a_world(), a_world(title="Later")
    async with record.open_uow() as uow:
        await uow.worlds.add(old)
        await uow.worlds.add(new)
        await uow.worlds.add(old)
        await uow.commit()
    async with record.open_uow() as uow:
        assert [r.number for r in await uow.worlds.revisions("station")] == [2, 1]
        assert (await uow.worlds.find_latest("station")).title == "Later", "what is there already is no news"
        assert await uow.worlds.hold("station") == 2
        assert await uow.worlds.hold("nowhere") == 0
        saved = await uow.worlds.revise(old, source="as before # with a word", author="wren")
        await uow.commit()
    async with record.open_uow() as uow:
        assert (await uow.worlds.find_latest("station")).title == old.title, "whoever saves the old one wants it back"
        kept = await uow.worlds.revision("station", 3)
        assert (kept.world_version, kept.source, kept.author) == (version_of(old), "as before # with a word", "wren")
        assert saved == kept
        listed = await uow.worlds.revisions("station", limit=2)
        assert [(r.number, r.source) for r in listed] == [(3, None), (2, None)]
        assert [r.number for r in await uow.worlds.revisions("station", before=2)] == [1]
        for world_id, number in (("station", 4), ("station", 0), ("nowhere", 1)):
            with pytest.raises(UnknownWorldError):
                await uow.worlds.revision(world_id, number)


async def test_a_file_leaves_its_text_with_its_version_and_takes_nobodys_place(record):
    old, new = a_world(), a_world(title="Later")

    async def add(world, source=None):
        async with record.open_uow() as uow:
            await uow.worlds.add(world, source=source)
            await uow.commit()
        async with record.open_uow() as uow:
            newest = (await uow.worlds.revisions("station"))[0]
            return (await uow.worlds.revision("station", newest.number)).source, newest.number

    assert await add(old) == (None, 1)
    assert await add(old, "# old") == ("# old", 2), "it had none"
    assert await add(old, "# other words") == ("# old", 2)
    assert await add(new, "# new") == ("# new", 3)
    assert await add(old, "# old again") == ("# new", 3)
