"""The watch: a small process that stops the servers when the last command died without doing so.

It is started as a script by path and uses the standard library alone, so that it costs a few megabytes.
"""

import contextlib
import fcntl
import os
import signal
import sys
import time
from pathlib import Path

PATIENCE_SECONDS = 20.0


def is_alive(pid: int) -> bool:
    """Say whether a process is there and no zombie, which a container's first process may leave lying for long."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return not Path("/proc/self/stat").exists()


def stop_pid(pid: int, *signs: signal.Signals) -> None:
    """Ask a process to stop, and insist when it does not."""
    for sign in (*signs, signal.SIGKILL):
        try:
            os.kill(pid, sign)
        except ProcessLookupError:
            return
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            if not is_alive(pid):
                return
            time.sleep(0.005)


def read_pid(path: Path, program: str) -> int | None:
    """Return the pid on a file's first line, unless that process is gone or is another program by now."""
    try:
        pid = int(path.read_text().split(maxsplit=1)[0])
    except (OSError, ValueError, IndexError):
        return None
    return pid if pid > 1 and is_alive(pid) and _runs(pid, program) else None


def _runs(pid: int, program: str) -> bool:
    """Say whether a process runs a program, where the system can tell."""
    if not Path("/proc/self/cmdline").exists():
        return True
    try:
        return program.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def stop_servers(postgres_pid_file: Path, graph_pid_file: Path) -> None:
    """Stop both servers, letting go of their clients; nothing committed is lost."""
    graph = read_pid(graph_pid_file, "redis-server")
    if graph is not None:
        stop_pid(graph, signal.SIGTERM)
    graph_pid_file.unlink(missing_ok=True)
    record = read_pid(postgres_pid_file, "postgres")
    if record is not None:
        stop_pid(record, signal.SIGINT, signal.SIGQUIT)


def watch(use: Path, change: Path, postgres_pid_file: Path, graph_pid_file: Path) -> None:
    """Wait until no command holds a lease; then, unless one is just coming or going, stop the servers."""
    while True:
        with use.open("rb") as lease, change.open("rb") as turn:
            fcntl.flock(lease, fcntl.LOCK_EX)
            try:
                fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            else:
                stop_servers(postgres_pid_file, graph_pid_file)
                return
        time.sleep(0.1)


if __name__ == "__main__":
    watch(*(Path(argument) for argument in sys.argv[1:5]))
