"""Migrations: up, compared with the code, down, and up again; and what they need of a server."""

import subprocess
import sys

import psycopg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from ledger_service.domain.errors import StoreSetupError, StoreUnavailableError, StoreVersionError
from ledger_service.stores.postgres import migrate as migrations
from ledger_service.stores.postgres.tables import metadata
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import a_contradiction, an_observation
from tests.integration.conftest import Database
from tests.integration.test_contract_record import open_one

pytestmark = pytest.mark.postgres


def tables_of(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return {row[0] for row in rows}


def schema_of(url: str) -> list[tuple[object, ...]]:
    """Return columns, checks, indexes and policies, to compare one making with another."""
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT 'column', table_name::text, column_name::text, data_type::text || is_nullable"
            " FROM information_schema.columns WHERE table_schema = 'public'"
            " UNION ALL SELECT 'constraint', conrelid::regclass::text, conname::text, pg_get_constraintdef(oid)"
            " FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
            " UNION ALL SELECT 'index', tablename::text, indexname::text, indexdef FROM pg_indexes"
            " WHERE schemaname = 'public'"
            " UNION ALL SELECT 'policy', tablename::text, policyname::text, cmd || coalesce(qual, '') ||"
            " coalesce(with_check, '') FROM pg_policies ORDER BY 1, 2, 3, 4"
        ).fetchall()


def test_up_compared_down_and_up_again_is_the_same(empty_database: Database):
    url = empty_database.admin_url
    assert migrations.current(url) is None
    migrations.migrate(url)
    assert migrations.current(url) == migrations.head()
    migrations.check(url)
    first = schema_of(url)
    migrations.downgrade(url, "base")
    assert tables_of(url) == {"alembic_version"}
    migrations.migrate(url)
    assert schema_of(url) == first


def test_checks_and_indexes_in_code_are_those_that_migrations_make(database: Database, empty_database: Database):
    engine = create_engine(migrations.sqlalchemy_url(empty_database.admin_url), poolclass=NullPool)
    metadata.create_all(engine)
    engine.dispose()
    of_code = {row for row in schema_of(empty_database.admin_url) if row[0] != "policy"}
    made = {row for row in schema_of(database.admin_url) if row[0] != "policy" and row[1] != "alembic_version"}
    assert made == of_code


def test_migrating_again_changes_nothing(database: Database):
    before = schema_of(database.admin_url)
    migrations.migrate(database.admin_url)
    assert schema_of(database.admin_url) == before


def test_two_at_once_wait_for_one_another(empty_database: Database):
    code = "import sys; from ledger_service.stores.postgres.migrate import migrate; migrate(sys.argv[1])"
    command = [sys.executable, "-c", code, empty_database.admin_url]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert migrations.current(empty_database.admin_url) == migrations.head()


def test_a_role_that_may_not_migrate_is_told_what_to_do(empty_database: Database):
    with pytest.raises(StoreSetupError) as caught:
        migrations.migrate(empty_database.app_url)
    assert "may create roles" in str(caught.value.cure)
    assert tables_of(empty_database.superuser_url) <= {"alembic_version"}, "nothing is half made"


def test_a_server_that_is_away_is_one_clear_line():
    with pytest.raises(StoreUnavailableError) as caught:
        migrations.migrate("postgresql://nobody@127.0.0.1:1/continuity")
    assert "\n" not in str(caught.value)
    assert "CONTINUITY_POSTGRES_ADMIN_URL" in str(caught.value.cure)


@pytest.mark.anyio
async def test_a_schema_that_is_not_there_says_to_migrate(empty_database: Database):
    stores = await PostgresStores(empty_database.app_url, worker_url=empty_database.worker_url).open()
    with pytest.raises(StoreVersionError, match="schema") as caught:
        await stores.ping()
    assert "continuity migrate" in str(caught.value.cure)
    await stores.close()


def test_a_login_of_a_foreign_server_may_act_as_the_roles_of_the_service(servers, empty_database: Database):
    with psycopg.connect(empty_database.superuser_url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS game_studio")
        connection.execute(servers.new_login("game_studio"))
    migrations.migrate(empty_database.superuser_url, app_user="game_studio")
    url = servers.postgres_url("game_studio", empty_database.name)
    with psycopg.connect(url) as connection:
        assert connection.execute("SET ROLE continuity_app; SELECT current_user").nextset() is not None
    with psycopg.connect(empty_database.superuser_url, autocommit=True) as connection:
        connection.execute("DROP OWNED BY game_studio")
        connection.execute("DROP ROLE game_studio")


@pytest.mark.anyio
async def test_what_rests_on_what_is_made_up_for_in_a_record_that_was_there_before(database: Database):
    stores = await PostgresStores(database.app_url, worker_url=database.worker_url).open()
    await open_one(stores)
    resting = [an_observation(entry_id="b", seq=2, derived_from=("a",)), a_contradiction("a", "b", entry_id="c", seq=3)]
    async with stores.open_uow("p1") as uow:
        await uow.ledger.append([an_observation(entry_id="a", seq=1), *resting])
        await uow.commit()
    migrations.downgrade(database.admin_url, "a4c07de2b915")
    migrations.migrate(database.admin_url)
    async with stores.open_uow("p1") as uow:
        found = [e.entry_id for e in await uow.browser.resting_on("a")]
    await stores.close()
    assert found == ["c", "b"]
