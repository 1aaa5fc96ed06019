"""Packets as the console lists them: by playthrough, speaker, verdict and mark; within the worlds that were given."""

import msgspec
import psycopg
import pytest

from ledger_service.domain.playthroughs import Playthrough, StoryState
from ledger_service.domain.replies import Reply
from ledger_service.domain.reviews import Mark, Remark
from ledger_service.domain.rubric import Fault, Scorecard
from ledger_service.ports import PacketFilter, StoredReply
from ledger_service.stores.postgres import packet_lists
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import a_moment, a_world
from tests.integration.conftest import Database
from tests.packets import a_packet

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
LINE = "May I use the transmitter?"


@pytest.fixture
async def stores(database: Database, anyio_backend: str):
    found = await PostgresStores(
        database.app_url, worker_url=database.worker_url, console_url=database.console_url
    ).open()
    yield found
    await found.close()


async def a_story(stores: PostgresStores, name: str, **world: str) -> None:
    async with stores.open_uow() as uow:
        version = await uow.worlds.add(msgspec.structs.replace(a_world(), **world))
        await uow.commit()
    playthrough = Playthrough(
        playthrough_id=name,
        world_id=world.get("id", "station"),
        world_version=version,
        opening_world=version,
        title=name,
    )
    async with stores.open_uow(name) as uow:
        await uow.playthroughs.open(playthrough, StoryState(world_version=version))
        await uow.commit()


async def add(
    stores: PostgresStores, story: str, name: str, *, fault: Fault | None = None, mark=None, **moment
) -> None:
    asked = a_moment(**{"line": LINE, **moment})
    async with stores.open_uow(story) as uow:
        await uow.packets.add(name, a_packet([], **{"line": LINE, **moment}), asked)
        if fault is not None:
            card = Scorecard(verdicts=(), fault=fault)
            reply = Reply(text=f"a line on {name}", responder="template")
            await uow.packets.add_reply(StoredReply(reply_id=f"r{name}", packet_id=name, reply=reply, scorecard=card))
        if mark is not None:
            await uow.packets.add_remark(Remark(packet_id=name, mark=mark, who="wren"))
            await uow.packets.add_remark(Remark(packet_id=name, mark=Mark.NOTE, who="quinn", said="hm"))
        await uow.commit()


@pytest.fixture
async def listed(stores):
    """Return the ids of a page: `await listed(("station",), speaker="orla")`."""
    await a_story(stores, "p1")
    await a_story(stores, "p2", id="elsewhere")
    await add(stores, "p1", "k1", fault=Fault.NONE, mark=Mark.APPROVED)
    await add(stores, "p1", "k2", fault=Fault.GENERATION, mark=Mark.FLAGGED)
    await add(stores, "p1", "k3", fault=Fault.SELECTION, speaker="orla")
    await add(stores, "p1", "k4", mark=Mark.CLEARED, line="Good morning.")
    await add(stores, "p2", "k5")

    async def page(worlds=("*",), *, limit=50, before=None, **where):
        return await stores.catalogue(worlds).packets(PacketFilter(**where), limit=limit, before=before)

    return page


def ids(page) -> list[str]:
    return [one.packet_id for one in page.packets]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, ["k5", "k4", "k3", "k2", "k1"]),
        ({"playthrough_id": "p1"}, ["k4", "k3", "k2", "k1"]),
        ({"speaker": "orla"}, ["k3"]),
        ({"verdict": "passed"}, ["k1"]),
        ({"verdict": "failed"}, ["k3", "k2"]),
        ({"verdict": "selection"}, ["k3"]),
        ({"verdict": "unanswered"}, ["k5", "k4"]),
        ({"mark": "approved"}, ["k1"]),
        ({"mark": "flagged"}, ["k2"]),
        ({"mark": "unmarked", "playthrough_id": "p1"}, ["k4", "k3"]),
        ({"mark": "flagged", "verdict": "passed"}, []),
    ],
)
async def test_each_filter_finds_what_it_says(listed, where, expected):
    assert ids(await listed(**where)) == expected


async def test_a_row_says_what_was_asked_and_what_came_of_it(listed):
    (row,) = (await listed(mark="flagged")).packets
    said = (
        row.playthrough_id,
        row.title,
        row.world_id,
        row.speaker,
        row.line,
        row.reply,
        row.fault,
        row.mark,
        row.marked_by,
    )
    assert said == ("p1", "p1", "station", "maelin", LINE, "a line on k2", "generation", "flagged", "wren")


async def test_nobody_lists_or_finds_packets_of_other_worlds(listed, stores):
    assert ids(await listed(("station",))) == ["k4", "k3", "k2", "k1"]
    assert ids(await listed(("station",), playthrough_id="p2")) == []
    assert ids(await listed(())) == []
    assert await stores.catalogue(("station",)).playthrough_of("k5") is None
    assert await stores.catalogue(("elsewhere",)).playthrough_of("k5") == "p2"


async def test_pages_follow_one_another_without_gaps_also_where_little_fits(listed, monkeypatch):
    monkeypatch.setattr(packet_lists, "WINDOW", 2)
    found, before, pages = [], None, 0
    while True:
        page = await listed(verdict="passed", limit=1, before=before)
        found, before, pages = found + ids(page), page.next_before, pages + 1
        if before is None:
            break
    assert (found, pages) == (["k1"], 3)


async def test_the_same_moment_is_the_same_line_to_the_same_speaker_by_the_same(listed, stores):
    found = await stores.catalogue(("*",)).packets_like(["p1"], a_moment(line=LINE))
    assert [one.packet_id for one in found] == ["k2", "k1"]


MANY = """
INSERT INTO packet (playthrough_id, world_id, packet_id, seq, speaker, hash, body, moment)
SELECT 'p1', 'station', 'm' || n, 1, 'maelin', 'h', '{}', json_build_object('speaker', 'maelin', 'line', 'line ' || n,
    'audience', json_build_array('player')) FROM generate_series(1, 12000) n;
ANALYZE packet;
"""


async def test_lists_of_many_packets_keep_to_their_indexes_and_come_quickly(listed, stores, database: Database):
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(MANY)
    catalogue = stores.catalogue(("station",))
    given = {
        "before": 2**62, "window": packet_lists.WINDOW, "playthrough": "p1", "speaker": None, "verdict": "failed",
        "mark": None, "limit": 51,
    }  # fmt: skip
    for looked, index in (
        (packet_lists._ALL, "ix_packet_of_all"),
        (packet_lists._OF_ONE, "ix_packet_playthrough_id"),
    ):
        query = packet_lists._SHOWN + " FROM (" + looked + ") l" + packet_lists._BESIDE + packet_lists._FITS
        async with catalogue._link() as link:
            await link.run(packet_lists._IN_ORDER)
            plan = "\n".join(row[0] for row in await link.rows("EXPLAIN " + query, given))
        assert f"Scan Backward using {index}" in plan, plan
        assert "Seq Scan on packet" not in plan, plan
        assert "Sort" not in plan, plan
    page = await listed(("station",), verdict="failed")
    assert (ids(page), page.looked_at) == ([], packet_lists.WINDOW)
    assert page.next_before is not None, "and one looks on"
