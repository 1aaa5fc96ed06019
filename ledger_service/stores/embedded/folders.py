"""Folders of the embedded servers: data under the home, sockets in a short place of our own."""

import contextlib
import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from pathlib import Path

from msgspec import Struct

from ledger_service.domain.errors import StoreSetupError

LONGEST_SOCKET = 107
NEEDED_BYTES = 200_000_000
_LONGEST_BASE = 40


class Account(Struct, frozen=True, kw_only=True):
    """The user that the servers run as; Postgres refuses to run as root."""

    uid: int
    gid: int


class Folders(Struct, frozen=True, kw_only=True):
    """Where one home's servers keep their things, and as whom they run."""

    home: Path
    run: Path
    """The short folder that holds the sockets' folder; ours alone to write."""
    account: Account | None = None
    """None: the servers run as we do."""

    @property
    def data(self) -> Path:
        """Postgres's data folder."""
        return self.home / "postgres"

    @property
    def logs(self) -> Path:
        """What the servers say."""
        return self.home / "logs"

    @property
    def sockets(self) -> Path:
        """Where both servers listen; nobody but they and we may enter."""
        return self.run / "s"

    @property
    def postgres_pid(self) -> Path:
        """Where Postgres writes its pid down."""
        return postgres_pid(self.home)

    @property
    def graph_pid(self) -> Path:
        """Where we write FalkorDB's pid down."""
        return graph_pid(self.home)


def postgres_pid(home: Path) -> Path:
    """Return where Postgres writes its pid down."""
    return home / "postgres" / "postmaster.pid"


def graph_pid(home: Path) -> Path:
    """Return where we write FalkorDB's pid down."""
    return home / "locks" / "falkordb.pid"


def prepare_folders(home: Path) -> Folders:
    """Make what the servers of a prepared home need besides; call it while no other command can.

    Raises:
        StoreSetupError: the socket folder is somebody else's, or its path is too long.
    """
    account = _server_account(home)
    run = _run_folder(home, mode=0o700 if account is None else 0o711)
    folders = Folders(home=home, run=run, account=account)
    if len(os.fsencode(folders.sockets / ".s.PGSQL.5432.lock")) > LONGEST_SOCKET:
        cure = "set XDG_RUNTIME_DIR to a short folder of your own, or leave it out"
        raise StoreSetupError(f"the socket path under {folders.sockets} is too long", cure=cure)
    folders.sockets.mkdir(mode=0o700, exist_ok=True)
    if account is not None:
        os.chown(folders.sockets, account.uid, account.gid)
    return folders


def prepare_home(home: Path) -> None:
    """Make a home and see that it can be written.

    Raises:
        StoreSetupError: it cannot, or its disk is full.
    """
    try:
        for folder in (home, home / "logs", home / "locks"):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
    except OSError as error:
        cure = "set CONTINUITY_HOME to a folder that this user can write"
        raise StoreSetupError(f"the home {home} cannot be used: {error.strerror}", cure=cure) from error
    free = shutil.disk_usage(home).free
    if free < NEEDED_BYTES:
        cure = "make room there, or set CONTINUITY_HOME to a folder on another disk"
        raise StoreSetupError(f"the disk is full: {free // 1_000_000} MB are free at {home}", cure=cure)


def _server_account(home: Path) -> Account | None:
    """Return the unprivileged user that servers run as when we are root: whose the home is already, else nobody."""
    owner = next((p.stat() for p in (home / "postgres", home) if p.exists()), None)
    if os.geteuid() != 0:
        return None
    if owner is not None and owner.st_uid != 0:
        return Account(uid=owner.st_uid, gid=owner.st_gid)
    nobody = pwd.getpwnam("nobody")
    return Account(uid=nobody.pw_uid, gid=nobody.pw_gid)


def _run_folder(home: Path, *, mode: int) -> Path:
    """Return the home's runtime folder: the one noted in the home while it stands, so that all commands agree."""
    note = home / "locks" / "run"
    noted = note.readlink() if note.is_symlink() else None
    if noted is not None and _is_own_folder(noted):
        noted.chmod(mode)
        return noted
    run = _runtime_base() / f"continuity-{os.geteuid()}-{_hash(str(home))}"
    run.mkdir(mode=mode, exist_ok=True)
    if not _is_own_folder(run):
        cure = f"remove it, or set XDG_RUNTIME_DIR to a folder of your own ({run.name} is made there)"
        raise StoreSetupError(f"the socket folder {run} belongs to somebody else", cure=cure)
    run.chmod(mode)
    note.unlink(missing_ok=True)
    note.symlink_to(run)
    return run


def remove_run_folder(home: Path) -> None:
    """Remove the runtime folder of a home whose servers are stopped; copied binaries stay for the next time."""
    note = home / "locks" / "run"
    if note.is_symlink() and _is_own_folder(note.readlink()):
        shutil.rmtree(note.readlink() / "s", ignore_errors=True)
        with contextlib.suppress(OSError):
            note.readlink().rmdir()


def _is_own_folder(path: Path) -> bool:
    """Say whether a path is a real folder that we own and that nobody else can write."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _runtime_base() -> Path:
    named = os.environ.get("XDG_RUNTIME_DIR", "")
    short = named.startswith("/") and len(os.fsencode(named)) <= _LONGEST_BASE and named.isascii()
    # As root another user must be able to walk there, which is not so in a runtime folder of root's.
    return Path(named) if short and os.geteuid() != 0 and os.access(named, os.W_OK) else Path("/tmp")  # noqa: S108


def _hash(text: str) -> str:
    return hashlib.blake2b(os.fsencode(text), digest_size=6).hexdigest()


def reachable(site: Path, parts: tuple[str, ...], folders: Folders) -> Path:
    """Return a folder with these parts of `site` that the servers' user can reach, copied where it cannot be."""
    first = site / parts[0]
    if folders.account is None or all(p.stat().st_mode & 0o001 for p in (first, *first.parents)):
        return site
    copy = folders.run / f"bin-{_hash(f'{first} {first.stat().st_mtime_ns}')}"
    if not copy.exists():
        partial = folders.run / f"{copy.name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        for part in parts:
            if (site / part).exists():
                shutil.copytree(site / part, partial / part, symlinks=True, ignore=shutil.ignore_patterns("include"))
        for folder in (partial, *(p for p in partial.rglob("*") if p.is_dir())):
            folder.chmod(0o755)
        partial.rename(copy)
    return copy
