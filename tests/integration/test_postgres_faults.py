"""What Postgres refuses comes out in our own words, and keys are kept hashed."""

import anyio
import psycopg
import pytest

from ledger_service.domain.errors import DuplicateNameError, MalformedError, StoreUnavailableError, StoreVersionError
from ledger_service.domain.mirror import MirrorBatch
from ledger_service.domain.playthroughs import Playthrough, StoryState
from ledger_service.stores.postgres import unit_of_work
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import a_world, an_observation
from tests.integration.conftest import Database

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]


@pytest.fixture
async def stores(stores: PostgresStores) -> PostgresStores:
    async with stores.open_uow("p1") as uow:
        version = await uow.worlds.add(a_world())
        playthrough = Playthrough(playthrough_id="p1", world_id="station", world_version=version, opening_world=version)
        await uow.playthroughs.open(playthrough, StoryState(world_version=version))
        await uow.commit()
    return stores


@pytest.mark.parametrize("text", ["nul \x00 inside", "half of a pair \ud800"])
@pytest.mark.parametrize("field", ["statement", "subject"])
async def test_text_that_cannot_be_kept_is_refused_by_name(stores: PostgresStores, text: str, field: str):
    with pytest.raises(MalformedError):  # noqa: PT012
        async with stores.open_uow("p1") as uow:
            await uow.ledger.append([an_observation(entry_id="e1", **{"statement": "fine", field: text})])
            await uow.commit()
    async with stores.open_uow("p1") as uow:
        assert await uow.ledger.load_all() == ((), ())


async def test_a_server_that_goes_away_is_said_to_be_away_and_the_next_transaction_works(
    stores: PostgresStores, database: Database
):
    with pytest.raises(StoreUnavailableError):  # noqa: PT012
        async with stores.open_uow("p1") as uow:
            await uow.ledger.load_all()
            with psycopg.connect(database.superuser_url, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND usename = 'continuity_app'"
                )
            await uow.ledger.load_all()
    async with stores.open_uow("p1") as uow:
        assert await uow.ledger.load_all() == ((), ())


def hang_up(database: Database) -> None:
    """End every connection of the service, as a server that dies does."""
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename <> 'postgres' AND pid <> pg_backend_pid()"
        )


async def test_the_first_transaction_after_all_connections_died_works(stores: PostgresStores, database: Database):
    async def hold(everybody: anyio.Event, so_far: list[int]) -> None:
        async with stores.open_uow("p1") as uow:
            await uow.playthroughs.state()
            so_far.append(1)
            if len(so_far) == unit_of_work.POOL_SIZE:
                everybody.set()
            await everybody.wait()

    async with anyio.create_task_group() as group:
        everybody: anyio.Event = anyio.Event()
        so_far: list[int] = []
        for _ in range(unit_of_work.POOL_SIZE):
            group.start_soon(hold, everybody, so_far)
    for use in (stores.ping, stores.api_keys.list_all, stores.mirror_queue.lag):
        hang_up(database)
        await use()
    hang_up(database)
    async with stores.open_uow("p1") as uow:
        assert await uow.ledger.load_all() == ((), ())


async def test_a_row_that_cannot_be_read_is_the_stores_fault_and_not_the_callers(
    stores: PostgresStores, database: Database
):
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        connection.execute("UPDATE playthrough SET story_state = '{\"seq\": null}'")
    with pytest.raises(StoreVersionError, match=r"cannot be read: .* at `\$\.seq`"):
        async with stores.open_uow("p1") as uow:
            await uow.playthroughs.state()


async def test_no_server_is_one_clear_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(unit_of_work, "WAIT_SECONDS", 0.2)
    stores = await PostgresStores("postgresql://nobody@127.0.0.1:1/nothing").open()
    with pytest.raises(StoreUnavailableError) as caught:
        await stores.ping()
    assert "\n" not in str(caught.value)
    await stores.close()


async def test_a_commit_wakes_the_mirror_and_a_rollback_does_not(stores: PostgresStores):
    async with stores.mirror_queue.wake() as reasons:
        await anext(reasons)
        async with stores.open_uow("p1") as uow:
            await uow.outbox.put(MirrorBatch(anew=True))
            await uow.commit()
        with anyio.fail_after(0.9):
            await anext(reasons)
        async with stores.open_uow("p1") as uow:
            await uow.outbox.put(MirrorBatch(anew=True))
        with anyio.move_on_after(0.2) as waiting:
            await anext(reasons)
    assert waiting.cancelled_caught


async def test_a_key_is_shown_once_and_kept_hashed(stores: PostgresStores, database: Database):
    keys = stores.api_keys
    secret = await keys.add(role="reviewer", label="the writers' room")
    assert await keys.find_role(secret) == "reviewer"
    assert await keys.find_role(secret + "x") is None
    with pytest.raises(DuplicateNameError):
        await keys.add(role="game", label="the writers' room")
    with psycopg.connect(database.superuser_url) as connection:
        kept = str(connection.execute("SELECT * FROM api_key").fetchall())
    assert secret not in kept
    assert secret.removeprefix("ck_") not in kept
    assert await keys.revoke("the writers' room")
    assert not await keys.revoke("the writers' room")
    assert await keys.find_role(secret) is None
    assert await keys.list_all() == [("the writers' room", "reviewer", True)]
