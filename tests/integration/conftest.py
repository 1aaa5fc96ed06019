"""Real servers for every integration test: one pair for the session, a fresh database for each test.

The servers are the embedded ones unless `CONTINUITY_TEST_POSTGRES_URL` or `CONTINUITY_TEST_FALKORDB_URL` names another.
"""

import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator

import psycopg
import pytest
from msgspec import Struct

from ledger_service.stores.embedded import embedded_stores
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.migrate import migrate
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.integration.servers import PREFIX, Servers, foreign_graph, foreign_record, of_embedded

MIGRATED = f"{PREFIX}migrated"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that broke is asked again at once."""
    monkeypatch.setattr("ledger_service.services.probes.work_run.PROVIDER_PAUSE_SECONDS", 0.01)


class Database(Struct, frozen=True, kw_only=True):
    """A database of one test alone, and the logins to it."""

    name: str
    servers: Servers

    @property
    def superuser_url(self) -> str:
        return self.servers.superuser_url(self.name)

    @property
    def admin_url(self) -> str:
        return self.servers.postgres_url("continuity_owner", self.name)

    @property
    def app_url(self) -> str:
        return self.servers.postgres_url("continuity_app", self.name)

    @property
    def worker_url(self) -> str:
        return self.servers.postgres_url("continuity_worker", self.name)

    @property
    def console_url(self) -> str:
        return self.servers.postgres_url("continuity_console", self.name)


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """PostgreSQL and FalkorDB, embedded in a home of their own or foreign; one that is not there fails the test."""
    record_url = os.environ.get("CONTINUITY_TEST_POSTGRES_URL") or None
    graph_url = os.environ.get("CONTINUITY_TEST_FALKORDB_URL") or None
    home = tmp_path_factory.mktemp("home")
    with (
        embedded_stores(home, record=record_url is None, graph=graph_url is None) as embedded,
        foreign_record(record_url) as foreign,
        foreign_graph(graph_url) as graph,
    ):
        if embedded.falkordb_fault is not None:
            raise embedded.falkordb_fault
        found = foreign or of_embedded(embedded)
        if not found.is_foreign:
            _run(found, "ALTER SYSTEM SET fsync = off")
            _run(found, "SELECT pg_reload_conf()")
        yield found.with_graph(graph or embedded.falkordb_url)


@pytest.fixture(scope="session")
def migrated_template(servers: Servers) -> str:
    """A database at the newest migration that others are copied from."""
    _run(servers, f"CREATE DATABASE {MIGRATED} OWNER continuity_owner")
    migrate(servers.postgres_url("continuity_owner", MIGRATED))
    return MIGRATED


@pytest.fixture(scope="session")
def _numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def make_database(
    servers: Servers, migrated_template: str, _numbers: Iterator[int]
) -> Iterator[Callable[..., Database]]:
    """Make further databases: migrated ones, or with `is_migrated=False` empty ones."""
    made: list[str] = []

    def make(*, is_migrated: bool = True) -> Database:
        name = f"{PREFIX}{next(_numbers)}"
        template = migrated_template if is_migrated else "template0"
        _run(servers, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy OWNER continuity_owner")
        made.append(name)
        return Database(name=name, servers=servers)

    yield make
    for name in made:
        _run(servers, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(make_database: Callable[..., Database]) -> Database:
    """A fresh migrated database, gone after the test."""
    return make_database()


@pytest.fixture
def empty_database(make_database: Callable[..., Database]) -> Database:
    """A fresh database without a schema."""
    return make_database(is_migrated=False)


def _run(servers: Servers, statement: str) -> None:
    with psycopg.connect(servers.superuser_url(), autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def stores(database: Database, anyio_backend: str) -> AsyncIterator[PostgresStores]:
    """The record on the test's own database."""
    opened = await PostgresStores(database.app_url, worker_url=database.worker_url).open()
    yield opened
    await opened.close()


@pytest.fixture
async def client(servers: Servers, anyio_backend: str) -> AsyncIterator[GraphClient]:
    """The wire to the graph's server."""
    assert servers.falkordb_url is not None
    opened = GraphClient(servers.falkordb_url)
    yield opened
    await opened.close()


@pytest.fixture
def graph(client: GraphClient) -> FalkorRumourGraph:
    """The mirror."""
    return FalkorRumourGraph(client)


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def record(request: pytest.FixtureRequest, anyio_backend: str) -> MemoryStores | PostgresStores:
    """Every store of the record in turn: contract suites say the same of all."""
    found: MemoryStores | PostgresStores = (
        MemoryStores() if request.param == "memory" else request.getfixturevalue("stores")
    )
    return found
