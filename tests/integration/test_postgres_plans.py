"""Plans: the hot queries stay on their indexes, as the role that the service uses, under row-level security."""

import re
from collections.abc import Iterator

import anyio
import psycopg
import pytest

from ledger_service.domain.browsing import STRETCH
from ledger_service.domain.candidates import LAST_SEQ, Reach
from ledger_service.domain.playthroughs import Playthrough, StoryState
from ledger_service.domain.slots import Slot
from ledger_service.domain.story_time import StoryTime
from ledger_service.ports import BrowseFilter, EntryFilter, UnitOfWork
from ledger_service.stores.postgres.connection import Link
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import a_commitment, a_moment, a_world
from tests.integration.servers import PREFIX, Servers

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
MANY = 8_000
PLANS = f"{PREFIX}plans"
SMALL = "lineage|playthrough"
"""Tables with a row or two for each playthrough, which are read whole while they fit on a page."""

FILL = """
INSERT INTO knower SELECT p, 'station', 'c' || n % 20, 'e' || n, n
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO entry_term (playthrough_id, world_id, knower, term, entry_id, seq)
SELECT p, 'station', 'c' || n % 20, 'w' || n % 200, 'e' || n, n
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO must_have (playthrough_id, world_id, knower, sort, party, entry_id, seq, closed_seq)
SELECT p, 'station', 'c' || n % 20, 'commitment', 'c' || n % 20, 'e' || n, n, CASE WHEN n % 50 > 0 THEN n END
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO must_have (playthrough_id, world_id, knower, sort, party, entry_id, seq, closed_seq)
SELECT p, 'station', '', 'watched', '', 'e' || n, n, CASE WHEN n % 500 > 0 THEN n END
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO must_have (playthrough_id, world_id, knower, sort, party, entry_id, seq, closed_seq)
SELECT p, 'station', 'c' || n % 20, 'story', 'c' || n % 30, 'e' || n, n, CASE WHEN n % 500 > 0 THEN n END
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO must_have (playthrough_id, world_id, knower, sort, party, entry_id, seq, closed_seq)
SELECT p, 'station', '', 'watched', 'notice:', 'e' || n, n, CASE WHEN n % 900 > 0 THEN n END
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO entry_ending SELECT p, 'station', 'tick', n, '', 'e' || n, n
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO amendment (playthrough_id, world_id, entry_id, seq, status, by, body)
SELECT p, 'station', 'e' || n, n, 'fulfilled', '{}', jsonb_build_object('entry_id', 'e' || n, 'status', 'fulfilled',
    'cause_seq', n, 'at', jsonb_build_object('tick', n))
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p WHERE n % 500 > 0;
INSERT INTO event (playthrough_id, world_id, seq, key, kind, tick, scene, turn, body, receipt, hash)
SELECT p, 'station', n, 'k' || n, 'deed', 0, 0, 0, '{}', '{}', 'h'
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
INSERT INTO telling
SELECT p, 'station', 't' || n, 'e' || n - 1, 'e' || n, 'a', 'b', 'e1', n, 1, NULL, 1, 'ignored'
FROM generate_series(1, 8000) n, unnest('{p1,p2}'::text[]) p;
CREATE TEMPORARY TABLE one AS SELECT * FROM ledger_entry WHERE entry_id = 'e1';
INSERT INTO ledger_entry
SELECT (jsonb_populate_record(one, jsonb_build_object('playthrough_id', p, 'entry_id', 'e' || n, 'seq', n,
    'slot_subject', 's' || n % 1000, 'slot_object', 'o' || n % 1000, 'slot_predicate', 'is', 'name', 'n' || n,
    'origin', 'e' || n, 'content', jsonb_set(one.content::jsonb, '{entry_id}', to_jsonb('e' || n))))).*
FROM generate_series(2, 8000) n, one, unnest('{p1,p2}'::text[]) p;
"""


@pytest.fixture(scope="module")
def crowded(servers: Servers, migrated_template: str) -> Iterator[Servers]:
    """A database of two playthroughs with thousands of rows in every table, and real statistics."""
    with psycopg.connect(servers.superuser_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {PLANS} TEMPLATE {migrated_template} OWNER continuity_owner".encode())
        anyio.run(open_two, servers)
        with psycopg.connect(servers.superuser_url(PLANS), autocommit=True) as inside:
            inside.execute("DELETE FROM must_have; DELETE FROM knower; DELETE FROM entry_term")
            inside.execute(FILL.encode())
            inside.execute("VACUUM ANALYZE")
        yield servers
        connection.execute(f"DROP DATABASE {PLANS} WITH (FORCE)".encode())


async def open_two(servers: Servers) -> None:
    stores = await open_stores(servers)
    async with stores.open_uow() as uow:
        version = await uow.worlds.add(a_world())
        await uow.commit()
    for name in ("p1", "p2"):
        playthrough = Playthrough(playthrough_id=name, world_id="station", world_version=version, opening_world=version)
        async with stores.open_uow(name) as uow:
            await uow.playthroughs.open(playthrough, StoryState(world_version=version))
            if name == "p1":
                await uow.ledger.append([a_commitment(entry_id="e1", seq=1, fulfilled_when="true")])
            await uow.commit()
    await stores.close()


async def open_stores(servers: Servers) -> PostgresStores:
    urls = [servers.postgres_url(role, PLANS) for role in ("continuity_app", "continuity_worker")]
    return await PostgresStores(urls[0], worker_url=urls[1]).open()


@pytest.fixture
async def stores(crowded: Servers, anyio_backend: str):
    stores = await open_stores(crowded)
    yield stores
    await stores.close()


class Watching(Link):
    """Runs each query, and keeps its plan."""

    plans: list[str]

    async def rows(self, query, parameters=(), **how):
        explained = await super().rows("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + query, parameters)
        self.plans.append("\n".join(row[0] for row in explained))
        return await super().rows(query, parameters, **how)


def watch(uow: UnitOfWork, *stores: object) -> list[str]:
    plans: list[str] = []
    for store in stores:
        link = Watching(store._link._connection, store._link.playthrough_id)
        link.plans = plans
        store._link = link
    return plans


def check(plans: list[str]) -> None:
    """No table but the smallest is read whole, and nothing reads many rows to leave most of them out."""
    assert plans
    for plan in plans:
        whole = [t for t in re.findall(r"Seq Scan on (\w+)", plan) if not re.fullmatch(SMALL, t)]
        assert not whole, plan
        left_out = [int(n) for n in re.findall(r"Rows Removed by (?:Filter|Index Recheck): (\d+)", plan)]
        assert sum(left_out) < MANY / 50, plan
        read = [float(n) for n in re.findall(r"actual rows=([\d.]+) loops", plan)]
        assert max(read) < MANY / 10, plan


async def test_candidates_are_found_by_index_alone(stores: PostgresStores):
    async with stores.open_uow("p1") as uow:
        plans = watch(uow, uow.ledger)
        reach = Reach(scopes=(("c0", LAST_SEQ), ("public", LAST_SEQ)), now=frozenset({"c0", "public"}))
        moment = a_moment(speaker="c0", audience=("c7",), seq=MANY)
        found, _ = await uow.ledger.load_candidates(moment, terms=("w0", "w20", "nothing"), reach=reach)
    assert len(found) > 24
    check(plans)
    candidates = next(plan for plan in plans if "knower" in plan)
    for index in ("ix_knower_newest", "ix_entry_term_newest", "ix_must_have_open", "pk_ledger_entry", "pk_amendment"):
        assert index in candidates
    assert len(plans) <= 3, "the lineage, the candidates, and what they rest on"


async def test_a_window_full_of_closed_promises_costs_no_more(stores: PostgresStores):
    async with stores.open_uow("p1") as uow:
        plans = watch(uow, uow.ledger)
        reach = Reach(scopes=(("c1", LAST_SEQ),), now=frozenset({"c1"}))
        await uow.ledger.load_candidates(a_moment(speaker="c1", audience=("c1",), seq=MANY), terms=(), reach=reach)
    check(plans)


async def test_what_recording_asks_is_found_by_index_alone(stores: PostgresStores):
    before, now = StoryState(at=StoryTime(tick=10)), StoryState(at=StoryTime(tick=12))
    async with stores.open_uow("p1") as uow:
        plans = watch(uow, uow.ledger, uow.events, uow.tellings)
        assert len(await uow.ledger.find_ending(before=before, now=now, event_names=["storm"])) == 2
        assert len(await uow.ledger.find_open_commitments()) == MANY // 500
        assert await uow.ledger.find_by_slot([Slot(subject="s7", predicate="is", object="o9")])
        assert await uow.ledger.find_commitments("n17")
        assert await uow.ledger.find_by_origin("e17", knower="c17")
        assert await uow.ledger.find_residue("maelin", "") == []
        assert await uow.events.load(after_seq=MANY) == []
        assert (await uow.ledger.get(["e5"]))[0]
        reach = Reach(scopes=(("c0", LAST_SEQ), ("public", LAST_SEQ)), now=frozenset({"c0", "public"}))
        assert len((await uow.ledger.find_stories(reach, ["c0"], at_seq=MANY))[0]) == 5
        assert await uow.ledger.find_notices() == []
        assert await uow.ledger.find_readers(["e5", "e6"]) == frozenset()
        check(plans)
        # Rows made by hand hold no event to decode; the plan is what counts here.
        keys = await uow.events._link.rows(
            "SELECT 1 FROM event WHERE playthrough_id = ANY (%s) AND key = ANY (%s)", [["p1"], ["k5"]]
        )
    assert len(keys) == 1
    check(plans)


async def test_a_page_of_entries_reads_a_page(stores: PostgresStores):
    async with stores.open_uow("p1") as uow:
        plans = watch(uow, uow.ledger)
        first = await uow.ledger.page(EntryFilter(), limit=20)
        await uow.ledger.page(EntryFilter(), limit=20, after=first.next_after)
    check(plans)


async def test_a_playthrough_without_rows_pays_nothing_for_its_neighbours(stores: PostgresStores):
    async with stores.open_uow("nobody") as uow:
        plans = watch(uow, uow.ledger, uow.events, uow.tellings)
        assert await uow.events.load() == []
        assert await uow.ledger.load_all() == ((), ())
        assert await uow.tellings.load_all() == []
    check(plans)


@pytest.mark.parametrize(
    "where",
    [
        {},
        {"kind": "commitment"},
        {"at_seq": 4_000},
        {"after_seq": 7_000},
        {"reach": Reach(scopes=(("c0", LAST_SEQ), ("public", LAST_SEQ)), now=frozenset())},
        {"reach": Reach(scopes=(("c0", LAST_SEQ), ("c7", LAST_SEQ)), now=frozenset()), "terms": ("w0",)},
    ],
)
async def test_a_page_of_the_browser_reads_little_more_than_it_shows(stores: PostgresStores, where):
    async with stores.open_uow("p1") as uow:
        plans = watch(uow, uow.browser)
        found = await uow.browser.page(BrowseFilter(**where), after=None)
    assert len(found.entries) >= 40
    check(plans)


@pytest.mark.parametrize(
    "where",
    [
        {"statuses": ("open",)},
        {"statuses": ("open",), "kind": "commitment"},
        {"statuses": ("quarantined",)},
        {"source": "document"},
        {"scene": 7},
        {"reach": Reach(scopes=(("c0", LAST_SEQ),), now=frozenset()), "kind": "hearsay"},
        {"reach": Reach(scopes=(("c0", LAST_SEQ),), now=frozenset()), "terms": ("w0", "w20")},
    ],
)
async def test_what_is_rare_is_looked_for_in_a_stretch_by_index_and_no_further(stores: PostgresStores, where):
    async with stores.open_uow("p1") as uow:
        plans = watch(uow, uow.browser)
        found = await uow.browser.page(BrowseFilter(**where))
    assert found.looked_at <= STRETCH < MANY
    for plan in plans:
        whole = [t for t in re.findall(r"Seq Scan on (\w+)", plan) if not re.fullmatch(SMALL, t)]
        assert not whole, plan
        assert max(float(n) for n in re.findall(r"actual rows=([\d.]+) loops", plan)) <= STRETCH + 60, plan


async def test_what_rests_on_an_entry_what_became_and_who_told_it_are_found_by_index(stores: PostgresStores):
    async with stores.open_uow("p1") as uow:
        plans = watch(uow, uow.browser)
        await uow.browser.resting_on("e5")
        assert len(await uow.browser.became(after_seq=7_000, at_seq=7_100)) > 90
        await uow.browser.told_of("e5", "e5")
    check(plans)
    for index in ("ix_must_have_open", "ix_must_have_closed", "ix_amendment_playthrough_id_seq", "ix_telling"):
        assert any(index in plan for plan in plans), index
