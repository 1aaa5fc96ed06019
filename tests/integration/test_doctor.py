"""The doctor, on healthy stores and on each fault that it names."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from ledger_service.stores import doctor
from ledger_service.stores.doctor import Finding, examine_disk, examine_graph, examine_record
from ledger_service.stores.postgres.migrate import head
from tests.integration.servers import Servers

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


def record(database: Any, *, url: str | None = None) -> dict[str, Finding]:
    found = examine_record(url or database.app_url, head=head(), worker_url=database.worker_url)
    return {finding.name: finding for finding in found}


def graph(servers: Servers) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine_graph(servers.falkordb_url)}


def run(url: str, statement: str | bytes) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


@pytest.fixture
def engine(servers: Servers) -> Iterator[redis.Redis]:
    assert servers.falkordb_url is not None
    with redis.Redis.from_url(servers.falkordb_url) as client:
        yield client


def test_a_sound_record_has_no_fault_but_the_tests_own_haste(database) -> None:
    with psycopg.connect(database.superuser_url) as connection:
        waits = connection.execute("SELECT current_setting('fsync')").fetchone() == ("on",)
    found = record(database)
    assert {name: finding.state for name, finding in found.items()} == {
        "postgres": "ok",
        "postgres version": "ok",
        "role": "ok",
        "schema": "ok",
        "row-level security": "ok",
        "durability": "ok" if waits else "warn",  # the tests' own server does not wait for the disk
        "mirror lag": "ok",
    }
    assert all(bool(finding.cure) == (finding.state != "ok") for finding in found.values())


def test_durability_is_well_where_commits_reach_the_disk(database, servers) -> None:
    if servers.is_foreign:
        pytest.skip("the settings of a foreign server are not ours to change; the test above reads them")
    run(database.superuser_url, "ALTER SYSTEM RESET fsync")
    run(database.superuser_url, "SELECT pg_reload_conf()")
    try:
        states = {record(database)["durability"].state for _ in range(20)}
    finally:
        run(database.superuser_url, "ALTER SYSTEM SET fsync = off")
        run(database.superuser_url, "SELECT pg_reload_conf()")
    assert "ok" in states


def test_a_sound_graph_has_no_fault(servers) -> None:
    assert {name: finding.state for name, finding in graph(servers).items()} == dict.fromkeys(
        ("falkordb", "falkordb version", "eviction", "limits", "graph size"), "ok"
    )


def test_a_superuser_is_no_login_for_the_service(database) -> None:
    assert "superuser" in record(database, url=database.superuser_url)["role"].detail


def test_a_login_that_bypasses_row_level_security_is_refused(database) -> None:
    run(database.superuser_url, database.servers.new_login("sees_all") + b" BYPASSRLS IN ROLE continuity_app")
    try:
        found = record(database, url=database.servers.postgres_url("sees_all", database.name))["role"]
    finally:
        run(database.superuser_url, "DROP ROLE sees_all")
    assert found.state == "fail"
    assert "bypasses" in found.detail


def test_a_login_that_may_not_act_for_the_service_is_named(database) -> None:
    run(database.superuser_url, database.servers.new_login("outsider"))
    try:
        found = record(database, url=database.servers.postgres_url("outsider", database.name))
    finally:
        run(database.superuser_url, "DROP ROLE outsider")
    assert "may not act as continuity_app" in found["role"].detail
    assert found["schema"].state == "fail"


def test_a_database_that_was_never_migrated_is_named(empty_database) -> None:
    found = record(empty_database)
    assert found["schema"].detail == "the database was never migrated"
    assert found["row-level security"].state == "fail"
    assert found["mirror lag"].state == "warn"
    assert "continuity migrate" in found["schema"].cure


def test_an_older_schema_is_named(database) -> None:
    run(database.admin_url, "UPDATE alembic_version SET version_num = 'older'")
    assert "at older" in record(database)["schema"].detail


@pytest.mark.parametrize("statement", ["DISABLE ROW LEVEL SECURITY", "NO FORCE ROW LEVEL SECURITY"])
def test_a_table_without_row_level_security_is_named(database, statement) -> None:
    run(database.admin_url, f"ALTER TABLE telling {statement}")
    found = record(database)["row-level security"]
    assert (found.state, found.detail) == ("fail", "not on and forced for telling")


def test_a_new_table_of_playthrough_data_is_looked_at_too(database) -> None:
    run(database.admin_url, "CREATE TABLE forgotten (playthrough_id text)")
    assert "forgotten" in record(database)["row-level security"].detail


def test_a_mirror_far_behind_is_named(database) -> None:
    fill = "INSERT INTO outbox (playthrough_id, world_id, body) SELECT 'p', 'w', '{}' FROM generate_series(1, %s)"
    run(database.superuser_url, fill.replace("%s", "1000"))
    assert record(database)["mirror lag"].state == "ok"
    run(database.superuser_url, fill.replace("%s", "1"))
    found = record(database)["mirror lag"]
    assert (found.state, found.detail) == ("warn", "1,001 batches wait")


def test_an_old_server_is_named(database, servers, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "OLDEST_POSTGRES", 990_000)
    monkeypatch.setattr(doctor, "OLDEST_FALKORDB", 990_000)
    assert record(database)["postgres version"].state == "fail"
    assert graph(servers)["falkordb version"].state == "fail"


@pytest.mark.parametrize("url", ["postgresql://a:pw@127.0.0.1:1/b", "postgresql://a@/b?host=/nowhere", "nonsense"])
def test_a_record_out_of_reach_is_one_finding(url) -> None:
    (found,) = examine_record(url, head="any")
    assert (found.name, found.state) == ("postgres", "fail")
    assert "\n" not in found.detail
    assert "pw" not in found.detail
    assert "CONTINUITY_POSTGRES_URL" in found.cure


@pytest.mark.parametrize("url", ["redis://:pw@127.0.0.1:1", "unix:///nowhere/f.sock", "nonsense", None])
def test_a_graph_out_of_reach_is_one_finding(url) -> None:
    (found,) = examine_graph(url)
    assert (found.name, found.state) == ("falkordb", "fail")
    assert "\n" not in found.detail
    assert "pw" not in found.detail
    assert found.cure


def test_servers_that_accept_and_never_answer_are_given_up_on(monkeypatch) -> None:
    monkeypatch.setattr(doctor, "ANSWER_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        assert examine_graph(f"redis://127.0.0.1:{port}")[0].state == "fail"
        monkeypatch.setattr(doctor, "ANSWER_SECONDS", 2)  # the least that libpq waits
        assert examine_record(f"postgresql://a@127.0.0.1:{port}/b", head="any")[0].state == "fail"


def test_a_server_that_evicts_graphs_is_named(servers, engine) -> None:
    before = engine.config_get("maxmemory-policy")["maxmemory-policy"]
    engine.config_set("maxmemory-policy", "allkeys-lru")
    try:
        found = graph(servers)["eviction"]
    finally:
        engine.config_set("maxmemory-policy", before)
    assert (found.state, found.detail) == ("fail", "allkeys-lru")


def test_a_server_that_cuts_answers_is_named(servers, engine) -> None:
    engine.execute_command("GRAPH.CONFIG", "SET", "RESULTSET_SIZE", 10_000)
    try:
        found = graph(servers)["limits"]
    finally:
        engine.execute_command("GRAPH.CONFIG", "SET", "RESULTSET_SIZE", -1)
    assert found.state == "warn"
    assert "10,000 rows" in found.detail


def test_a_graph_above_half_of_an_old_engines_buffer_is_named(servers, engine, monkeypatch) -> None:
    engine.execute_command("GRAPH.QUERY", "doctor-growth", "UNWIND range(1, 9) AS i CREATE (:N)")
    try:
        monkeypatch.setattr(doctor, "_setting", lambda _, name: "-1" if name == "RESULTSET_SIZE" else "16")
        monkeypatch.setattr(doctor, "SAFE_GROWTH", 990_000)
        assert graph(servers)["graph size"].state == "warn"
        monkeypatch.setattr(doctor, "SAFE_GROWTH", 0)
        assert graph(servers)["graph size"].state == "ok"
    finally:
        engine.execute_command("GRAPH.DELETE", "doctor-growth")


def test_a_redis_without_the_graph_module_is_named(servers, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "_version", lambda _: 0)
    assert "no graph module" in graph(servers)["falkordb version"].detail


def test_room_on_the_disk(tmp_path: Path, monkeypatch) -> None:
    assert examine_disk(tmp_path / "not" / "yet").name == "disk"
    monkeypatch.setattr(doctor, "ROOM_BYTES", 10**18)
    assert examine_disk(tmp_path).state == "warn"
    monkeypatch.setattr(doctor, "ROOM_BYTES", 0)
    assert examine_disk(tmp_path).state == "ok"
