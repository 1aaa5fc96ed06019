"""Isolation is the database's work: whoever asks, under whatever setting, gets the rows of one history and no other."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from ledger_service.stores.postgres.tables import IN_HISTORY, OF_PLAYTHROUGH, metadata
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.conftest import RULE_EXAMPLES
from tests.integration.conftest import Database
from tests.integration.test_postgres_rights import fill

pytestmark = [pytest.mark.anyio, pytest.mark.postgres]
FOREST: Mapping[str, tuple[str, int] | None] = {
    "root": None, "other": None, "early": ("root", 1), "late": ("root", 2), "deep": ("early", 2), "deeper": ("deep", 1),
    "elsewhere": ("other", 1),
}  # fmt: skip
"""Each playthrough has two events of its own after the point at which it left another."""
settings_of = st.sampled_from(
    [*FOREST, *FOREST, "", "ROOT", "root,other", "root' OR true --", "%", "*", "null", " root"]
)
Row = tuple[str, int | None]


@pytest.fixture
async def truth(database: Database, anyio_backend: str) -> Mapping[str, list[Row]]:
    """Every row of every table, as nobody but the superuser sees it: whose it is, and its seq where it has one."""
    stores = await PostgresStores(database.app_url, worker_url=database.worker_url).open()
    for name, left in FOREST.items():
        await fill(stores, name, **({} if left is None else {"parent_id": left[0], "forked_at_seq": left[1]}))
    await stores.close()
    with psycopg.connect(database.superuser_url, autocommit=True) as connection:
        return {table: rows_of(connection, table) for table in OF_PLAYTHROUGH}


@pytest.fixture
def logins(database: Database) -> Iterator[Mapping[str, psycopg.Connection]]:
    urls = {"app": database.app_url, "worker": database.worker_url, "console": database.console_url}
    with ExitStack() as stack:
        yield {r: stack.enter_context(psycopg.connect(url, autocommit=True)) for r, url in urls.items()}


def rows_of(connection: psycopg.Connection, table: str) -> list[Row]:
    seq = sql.SQL("seq::bigint" if "seq" in metadata.tables[table].columns else "NULL::bigint")
    query = sql.SQL("SELECT playthrough_id, {} FROM {} ORDER BY 1, 2").format(seq, sql.Identifier(table))
    try:
        return connection.execute(query).fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return []


def history_of(playthrough: str) -> dict[str, int]:
    """Return up to which event a playthrough reads itself and those that it came from."""
    until, found = 1_000, {}
    name: str | None = playthrough if playthrough in FOREST else None
    while name is not None:
        found[name] = until
        left = FOREST[name]
        name, until = (None, 0) if left is None else (left[0], min(until, left[1]))
    return found


@settings(
    max_examples=RULE_EXAMPLES, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(
    role=st.sampled_from(["app", "app", "worker", "console"]),
    setting=settings_of,
    worlds=st.sampled_from(["", "station", "elsewhere", "elsewhere,station", "station ", "*", "-"]),
    table=st.sampled_from(OF_PLAYTHROUGH),
)
def test_a_login_reads_one_history_and_deletes_its_own_alone(truth, logins, role, setting, worlds, table):
    connection: psycopg.Connection = logins[role]
    connection.execute("SELECT set_config('continuity.playthrough', %s, false)", [setting])
    connection.execute("SELECT set_config('continuity.worlds', %s, false)", [worlds])
    mine = history_of(setting)
    is_narrowed = worlds not in {"", "*"} and "station" not in worlds.split(",")
    match role:
        case "app" if is_narrowed:
            expected = []
        case "app" if table in IN_HISTORY:
            expected = [(who, seq) for who, seq in truth[table] if seq is not None and seq <= mine.get(who, 0)]
        case "app":
            expected = [row for row in truth[table] if row[0] == setting]
        case "worker":
            expected = truth[table] if table == "outbox" else []
        case _ if table == "outbox" or is_narrowed or not worlds:
            expected = []
        case _ if setting and table in IN_HISTORY:
            expected = [(who, seq) for who, seq in truth[table] if seq is not None and seq <= mine.get(who, 0)]
        case _ if setting and table in {"packet", "reply", "scorecard", "packet_review", "voicing"}:
            expected = [row for row in truth[table] if row[0] == setting]
        case _:
            expected = truth[table]
    assert rows_of(connection, table) == expected
    if role == "app":
        with connection.transaction(force_rollback=True):
            gone = connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table))).rowcount
        assert gone == sum(1 for who, _ in truth[table] if who == setting and not is_narrowed)
