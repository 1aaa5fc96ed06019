"""Folders of the embedded servers: data under the home, sockets in a short place of our own."""

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


class Folders(Struct, frozen=True, kw_only=True):
    """Where one home's servers keep their things, and as whom they run."""

    home: Path
    data: Path
    """Postgres's data folder."""
    run: Path
    """Locks and pid files; ours alone."""
    sockets: Path
    """Sockets; the servers' alone."""
    logs: Path
    uid: int | None = None
    """The user that the servers run as; None is us. Postgres refuses to run as root."""
    gid: int | None = None


def prepare_folders(home: Path) -> Folders:
    """Make what is missing and refuse what is not ours.

    Raises:
        StoreSetupError: the home cannot be written, is full, or a socket folder is somebody else's.
    """
    uid, gid = _server_user()
    try:
        home.mkdir(parents=True, exist_ok=True)
        data, logs = home / "postgres", home / "logs"
        logs.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        cure = "set CONTINUITY_HOME to a folder that can be written"
        raise StoreSetupError(f"the home {home} cannot be used: {error.strerror}", cure=cure) from error
    free = shutil.disk_usage(home).free
    if free < NEEDED_BYTES:
        cure = "make room there, or set CONTINUITY_HOME to a folder on another disk"
        raise StoreSetupError(f"only {free // 1_000_000} MB are free at {home}", cure=cure)
    run = _own_folder(
        _runtime_base() / f"continuity-{os.getuid()}-{_hash(home)}", mode=0o711 if uid is not None else 0o700
    )
    sockets = run / "s"
    sockets.mkdir(mode=0o700, exist_ok=True)
    if uid is not None and gid is not None:
        os.chown(sockets, uid, gid)
    if len(str(sockets / ".s.PGSQL.5432")) > LONGEST_SOCKET:
        raise StoreSetupError(f"the socket path under {sockets} is too long", cure="unset XDG_RUNTIME_DIR or TMPDIR")
    return Folders(home=home, data=data, run=run, sockets=sockets, logs=logs, uid=uid, gid=gid)


def _hash(home: Path) -> str:
    return hashlib.blake2b(str(home).encode(), digest_size=6).hexdigest()


def _server_user() -> tuple[int | None, int | None]:
    """Return the unprivileged user that servers run as when we are root."""
    if os.getuid() != 0:
        return None, None
    nobody = pwd.getpwnam("nobody")
    return nobody.pw_uid, nobody.pw_gid


def _runtime_base() -> Path:
    named = os.environ.get("XDG_RUNTIME_DIR", "")
    base = Path(named)
    usable = named and " " not in named and len(named) < 40 and base.is_dir() and base.stat().st_uid == os.getuid()  # noqa: PLR2004
    return base if usable else Path("/tmp")  # noqa: S108  (short on purpose; the folder made there is checked)


def _own_folder(path: Path, *, mode: int) -> Path:
    """Make a folder that only we can write; one that somebody else put there is refused."""
    path.mkdir(mode=mode, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise StoreSetupError(f"{path} belongs to somebody else", cure=f"remove {path}, or set XDG_RUNTIME_DIR")
    path.chmod(mode)
    return path


def reachable_copy(folder: Path, folders: Folders) -> Path:
    """Return a folder of binaries that the servers' user can reach, copied where the original cannot be."""
    if folders.uid is None or all(p.stat().st_mode & 0o001 for p in (folder, *folder.parents)):
        return folder
    copy = folders.run / f"bin-{_hash(folder)}"
    if not copy.exists():
        partial = folders.run / f"{copy.name}-{os.getpid()}"
        shutil.copytree(folder, partial, symlinks=True)
        partial.chmod(0o755)
        partial.rename(copy)
    return copy
