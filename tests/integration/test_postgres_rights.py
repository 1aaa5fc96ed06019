"""Row-level security: no role sees or writes more of a playthrough than it was given."""

import psycopg
import pytest
from psycopg import sql

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.entries import Status
from ledger_service.domain.events import EventReceipt, Outcome, RecordedEvent, TimePassed
from ledger_service.domain.expiry import AtTick
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.playthroughs import Playthrough, Save, StoryState
from ledger_service.domain.rumours import Telling, TellingOutcome
from ledger_service.domain.story_time import StoryTime
from ledger_service.stores.postgres.tables import IN_HISTORY, OF_PLAYTHROUGH, OF_RUN, metadata
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import a_commitment, a_world
from tests.integration.conftest import Database
from tests.probing import a_run

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
OPEN_TO_ALL = {"world", "world_revision", "api_key", "probe_run", "account", "account_world", "session", "audit"}
"""Tables of no one playthrough; of these, worlds and the audit log are narrowed to the worlds that somebody has."""


def connect(url: str) -> psycopg.Connection:
    return psycopg.connect(url, autocommit=True)


async def fill(stores: PostgresStores, name: str, **branch: object) -> None:
    """Leave a row in every table of a playthrough's data but packets and replies."""
    async with stores.open_uow() as uow:
        version = await uow.worlds.add(a_world())
        await uow.commit()
    playthrough = Playthrough(
        playthrough_id=name, world_id="station", world_version=version, opening_world=version, **branch
    )
    first = (playthrough.forked_at_seq or 0) + 1
    async with stores.open_uow(name) as uow:
        await uow.playthroughs.open(playthrough, StoryState(world_version=version))
        for seq in (first, first + 1):
            at = StoryTime(tick=seq)
            entry = a_commitment(entry_id=f"{name}-{seq}", seq=seq, expires=AtTick(9))
            await uow.events.append(
                [RecordedEvent(seq=seq, at=at, event=TimePassed(hours=1, key=f"k{seq}"), hash="h")],
                [EventReceipt(seq=seq, kind="time_passed", at=at, outcome=Outcome.CREATED)],
            )
            await uow.ledger.append([entry])
            await uow.ledger.amend([Amendment(entry_id=entry.entry_id, status=Status.FULFILLED, cause_seq=seq, at=at)])
            await uow.tellings.append([a_telling(f"{name}-t{seq}", entry.entry_id, seq)])
            await uow.playthroughs.put_save(Save(name=f"save {seq}", playthrough_id=name, seq=seq))
        await uow.outbox.put(MirrorBatch(anew=True))
        await uow.commit()


def a_telling(telling_id: str, entry_id: str, seq: int) -> Telling:
    return Telling(
        telling_id=telling_id, from_entry=entry_id, to_entry=None, teller="maelin", listener="orla", origin=entry_id,
        seq=seq, tick=seq, place=None, offered_millionths=500_000, outcome=TellingOutcome.IGNORED,
    )  # fmt: skip


@pytest.fixture
async def stores(stores: PostgresStores, database: Database) -> PostgresStores:
    await fill(stores, "mine")
    await fill(stores, "other")
    with connect(database.superuser_url) as connection:
        for name in ("mine", "other"):
            for query in (
                (
                    "INSERT INTO packet (playthrough_id, world_id, packet_id, seq, speaker, hash, body, moment)"
                    " VALUES (%s, 'station', 'k', 1, 'maelin', 'h', '{}', '{}')"
                ),
                (
                    "INSERT INTO reply (playthrough_id, world_id, reply_id, packet_id, responder, body)"
                    " VALUES (%s, 'station', 'r', 'k', 'template', '{}')"
                ),
                (
                    "INSERT INTO scorecard (playthrough_id, world_id, reply_id, fault, body)"
                    " VALUES (%s, 'station', 'r', 'none', '{}')"
                ),
                (
                    "INSERT INTO packet_review (playthrough_id, world_id, packet_id, who, mark, said)"
                    " VALUES (%s, 'station', 'k', 'wren', 'note', 'hm')"
                ),
                (
                    "INSERT INTO voicing (playthrough_id, world_id, telling_id, voice, text, dropped)"
                    " VALUES (%s, 'station', 't', 'm', 'hm', '')"
                ),
            ):
                connection.execute(query, [name])
    return stores


def owners_of(connection: psycopg.Connection, table: str) -> set[str]:
    query = sql.SQL("SELECT DISTINCT playthrough_id FROM {}").format(sql.Identifier(table))
    return {row[0] for row in connection.execute(query).fetchall()}


def seen(connection: psycopg.Connection, table: str) -> set[str]:
    """Return whose rows a login sees; being refused the table is seeing nothing."""
    try:
        return owners_of(connection, table)
    except psycopg.errors.InsufficientPrivilege:
        return set()


def test_every_table_that_names_a_playthrough_is_under_forced_row_security(database: Database):
    named = {t.name for t in metadata.tables.values() if "playthrough_id" in t.columns}
    assert named == set(OF_PLAYTHROUGH)
    assert {t.name for t in metadata.tables.values()} - named == OPEN_TO_ALL | set(OF_RUN)
    with connect(database.superuser_url) as connection:
        forced = connection.execute(
            "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND relkind = 'r'"
        ).fetchall()
    assert {row[0] for row in forced} == named | set(OF_RUN)


def test_no_role_of_the_service_passes_row_security(database: Database):
    with connect(database.superuser_url) as connection:
        rows = connection.execute(
            "SELECT rolname FROM pg_roles WHERE rolname LIKE 'continuity%' AND (rolsuper OR rolbypassrls)"
        ).fetchall()
    assert rows == []


async def test_the_app_sees_one_playthrough_and_without_one_nothing(stores, database: Database):
    with connect(database.superuser_url) as everything, connect(database.app_url) as connection:
        for table in OF_PLAYTHROUGH:
            assert owners_of(everything, table) == {"mine", "other"}, f"{table} has something to hide"
            connection.execute("RESET continuity.playthrough")
            assert owners_of(connection, table) == set(), table
            for setting, expected in (("", set()), ("nobody", set()), ("mine", {"mine"}), ("other", {"other"})):
                connection.execute("SELECT set_config('continuity.playthrough', %s, false)", [setting])
                assert owners_of(connection, table) == expected, (table, setting)


async def test_the_worker_sees_the_outbox_alone_whatever_it_sets(stores, database: Database):
    with connect(database.worker_url) as connection:
        connection.execute("SET continuity.playthrough = 'mine'; SET continuity.worlds = 'station'")
        found = {table: seen(connection, table) for table in OF_PLAYTHROUGH}
    assert found == {table: {"mine", "other"} if table == "outbox" else set() for table in OF_PLAYTHROUGH}


async def test_the_console_sees_the_worlds_it_was_given_and_no_outbox(stores, database: Database):
    with connect(database.console_url) as connection:
        for given, expected in (("", set()), ("elsewhere,elsewhen", set()), ("elsewhere,station", {"mine", "other"})):
            connection.execute("SELECT set_config('continuity.worlds', %s, false)", [given])
            found = {table: seen(connection, table) for table in OF_PLAYTHROUGH}
            assert found == {table: set() if table == "outbox" else expected for table in OF_PLAYTHROUGH}


async def test_the_app_cannot_write_or_delete_another_playthroughs_rows(stores, database: Database):
    with connect(database.app_url) as connection:
        connection.execute("SET continuity.playthrough = 'mine'")
        for table in OF_PLAYTHROUGH:
            columns = [c.name for c in metadata.tables[table].columns if c.identity is None][1:]
            query = sql.SQL("INSERT INTO {t} (playthrough_id, {c}) SELECT 'other', {c} FROM {t} LIMIT 1").format(
                t=sql.Identifier(table), c=sql.SQL(", ").join(map(sql.Identifier, columns))
            )
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                connection.execute(query)
            gone = sql.SQL("DELETE FROM {} WHERE playthrough_id = 'other'").format(sql.Identifier(table))
            assert connection.execute(gone).rowcount == 0, table


async def test_history_is_never_changed_in_place(stores, database: Database):
    with connect(database.app_url) as connection:
        connection.execute("SET continuity.playthrough = 'mine'")
        for table in IN_HISTORY:
            column = "entry_id" if table == "must_have" else "playthrough_id"
            query = sql.SQL("UPDATE {t} SET {c} = {c}").format(t=sql.Identifier(table), c=sql.Identifier(column))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(query)


async def test_a_branch_reads_its_trunk_up_to_the_fork_and_deletes_none_of_it(stores, database: Database):
    await fill(stores, "branch", parent_id="mine", forked_at_seq=1)
    with connect(database.app_url) as connection:
        connection.execute("SET continuity.playthrough = 'branch'")
        for table in IN_HISTORY:
            query = sql.SQL("SELECT playthrough_id, max(seq) FROM {} GROUP BY 1").format(sql.Identifier(table))
            assert dict(connection.execute(query).fetchall()) == {"mine": 1, "branch": 3}, table
            gone = sql.SQL("DELETE FROM {} WHERE playthrough_id = 'mine'").format(sql.Identifier(table))
            assert connection.execute(gone).rowcount == 0


async def test_a_login_that_could_see_all_is_held_to_the_apps_rights(stores, database: Database):
    mighty = await PostgresStores(database.superuser_url, worker_url=database.superuser_url).open()
    async with mighty.open_uow("mine") as uow:
        entries, _ = await uow.ledger.load_all()
        tellings = await uow.tellings.load_all()
        events = await uow.events.load()
    assert {e.entry_id for e in entries} == {"mine-1", "mine-2"}
    assert len(tellings) == len(events) == 2
    async with mighty.open_uow() as uow:
        assert await uow.ledger.load_all() == ((), ())
    assert await mighty.mirror_queue.lag() == 2
    await mighty.close()


async def test_names_of_playthroughs_are_listed_and_nothing_they_hold(stores, database: Database):
    async with stores.open_uow() as uow:
        assert [p.playthrough_id for p in await uow.playthroughs.list_all()] == ["mine", "other"]
    with connect(database.worker_url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT * FROM list_playthroughs(NULL, 10)")


async def test_a_transaction_sees_the_rows_of_the_run_that_it_names_and_no_others(stores, database: Database):
    mine, other = await a_run(stores), await a_run(stores, repeats=2)
    with connect(database.app_url) as connection:
        for table in OF_RUN:
            count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
            assert connection.execute(count).fetchone() == (0,)
        connection.execute("SELECT set_config('continuity.run', %s, false)", [mine.run_id])
        assert connection.execute("SELECT DISTINCT run_id FROM probe_cell").fetchall() == [(mine.run_id,)]
        moved = connection.execute("UPDATE probe_batch SET done = true WHERE run_id = %s", [other.run_id])
        assert moved.rowcount == 0
