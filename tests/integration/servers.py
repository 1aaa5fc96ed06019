"""The servers that integration tests run on: the embedded pair, or ones that are there already."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import msgspec
import psycopg
import redis
from msgspec import Struct

from ledger_service.stores.embedded import EmbeddedStores

PREFIX = "continuity_test_"
"""Every database that tests make begins so, and every one that begins so is theirs to drop."""
ROLES = ("continuity_owner", "continuity_app", "continuity_worker", "continuity_console")
MARK = "made by the tests of continuity"
LOCK = 7_211_941


class Servers(Struct, frozen=True, kw_only=True):
    """Where both servers are, and how to log in as any role."""

    template: str
    """A URL that stands for all: `{login}` is the role with its password, `{database}` the database."""
    superuser: str
    maintenance: str = "postgres"
    password: str = ""
    """Of every role that tests make; embedded servers ask for none."""
    falkordb_url: str | None = None
    is_foreign: bool = False

    def postgres_url(self, role: str, database: str) -> str:
        """Return the URL by which a role that tests made logs in."""
        login = f"{role}:{self.password}" if self.password else role
        return self.template.format(login=login, database=database)

    def superuser_url(self, database: str | None = None) -> str:
        """Return the URL of whoever may do anything: for set-up, and to look behind row-level security."""
        return self.template.format(login=self.superuser, database=database or self.maintenance)

    def new_login(self, role: str) -> bytes:
        """Return the statement that makes a role which may log in and nothing else."""
        return f"CREATE ROLE {role} LOGIN PASSWORD '{self.password or 'unused'}'".encode()

    def with_graph(self, url: str | None) -> "Servers":
        """Return the same record beside a graph."""
        return msgspec.structs.replace(self, falkordb_url=url)


def of_embedded(stores: EmbeddedStores) -> Servers:
    """Take the embedded record; who owns its home may log in as any role."""
    template = stores.postgres_url("LOGIN", "DATABASE").replace("LOGIN", "{login}").replace("DATABASE", "{database}")
    return Servers(template=template, superuser="postgres")


def of_url(url: str, *, password: str) -> Servers:
    """Take a URL apart, so that other roles and databases can be put in."""
    parts = urlsplit(url.replace("{", "{{").replace("}", "}}"))
    login, _, host = parts.netloc.rpartition("@")
    return Servers(
        template=urlunsplit((parts.scheme, f"{{login}}@{host}", "/{database}", parts.query, "")),
        superuser=login,
        maintenance=parts.path.strip("/") or "postgres",
        password=password,
        is_foreign=True,
    )


@contextmanager
def foreign_record(url: str | None) -> Iterator[Servers | None]:
    """Make the roles of the service on a server that is there already, and leave it afterwards as it was.

    It is held by one run of the tests at a time; what a run that was killed left behind is cleared away first.
    """
    if url is None:
        yield None
        return
    servers = of_url(url, password=secrets.token_hex(16))
    with psycopg.connect(servers.superuser_url(), autocommit=True) as connection:
        _hold(connection)
        _clear(connection)
        for role in ROLES:
            connection.execute(servers.new_login(role))
            connection.execute(f"COMMENT ON ROLE {role} IS '{MARK}'".encode())
        try:
            yield servers
        finally:
            _clear(connection)


def _hold(connection: psycopg.Connection) -> None:
    asked = "SELECT rolsuper, pg_try_advisory_lock(%s) FROM pg_roles WHERE rolname = current_user"
    found = connection.execute(asked, [LOCK]).fetchone()
    if found is None or not found[0]:
        raise RuntimeError("CONTINUITY_TEST_POSTGRES_URL must log in as a superuser: tests look behind row security")
    if not found[1]:
        raise RuntimeError("another run of the tests is using the server of CONTINUITY_TEST_POSTGRES_URL")


def _clear(connection: psycopg.Connection) -> None:
    """Drop the databases and roles of tests; a role of that name that is somebody else's stops everything."""
    for (name,) in connection.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{PREFIX}%"]):
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
    there = connection.execute(
        "SELECT rolname, shobj_description(oid, 'pg_authid') IS NOT DISTINCT FROM %s FROM pg_roles"
        " WHERE rolname = ANY (%s)",
        [MARK, list(ROLES)],
    ).fetchall()
    if foreign := [role for role, is_ours in there if not is_ours]:
        raise RuntimeError(
            f"the server of CONTINUITY_TEST_POSTGRES_URL has {', '.join(foreign)} already, so it serves somebody; "
            "tests want one of their own"
        )
    for role, _ in there:
        connection.execute(f"DROP ROLE {role}".encode())


@contextmanager
def foreign_graph(url: str | None) -> Iterator[str | None]:
    """Use a FalkorDB that is there already, and delete afterwards whatever graphs the tests made."""
    if url is None:
        yield None
        return
    with redis.Redis.from_url(url) as client:
        before = set(client.execute_command("GRAPH.LIST"))
        try:
            yield url
        finally:
            for name in set(client.execute_command("GRAPH.LIST")) - before:
                client.execute_command("GRAPH.DELETE", name)
