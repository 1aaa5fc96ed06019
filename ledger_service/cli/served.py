"""A service in a process of its own, and a client so small that what is measured is the service."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import msgspec
from anyio.abc import SocketStream

HOST: Final = "127.0.0.1"
_LENGTH: Final = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Caller:
    """One kept connection: a request goes out as bytes made beforehand, and the answer is read whole."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream

    async def ask(self, request: bytes) -> bytes:
        """Send a request and return the body of its answer.

        Raises:
            AssertionError: the answer is not a 2xx.
        """
        await self._stream.send(request)
        got = bytearray(await self._stream.receive())
        while (end := got.find(b"\r\n\r\n")) < 0:
            got += await self._stream.receive()
        length = _LENGTH.search(got, 0, end)
        whole = end + 4 + int(length[1] if length else 0)
        while len(got) < whole:
            got += await self._stream.receive()
        if got[9:10] != b"2":
            raise AssertionError(got.decode(errors="replace"))
        return bytes(got[end + 4 :])


def get(path: str) -> bytes:
    """Return a GET request under /v1."""
    return f"GET /v1{path} HTTP/1.1\r\nhost: {HOST}\r\n\r\n".encode()


def page(path: str, token: str) -> bytes:
    """Return a GET request of the console, of a session."""
    return f"GET {path} HTTP/1.1\r\nhost: {HOST}\r\ncookie: continuity_session={token}\r\n\r\n".encode()


def post(path: str, body: object) -> bytes:
    """Return a POST request under /v1."""
    text = msgspec.json.encode(body)
    head = f"POST /v1{path} HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: application/json\r\ncontent-length: {len(text)}"
    return head.encode() + b"\r\n\r\n" + text


class Served:
    """A running service: one call at a time, and how much memory it takes."""

    def __init__(self, caller: Caller, process: subprocess.Popen[bytes]) -> None:
        self.ask = caller.ask
        self._process = process

    def resident_mb(self) -> float:
        """Return the memory that the service's own process holds; the servers are other processes."""
        return resident_mb(self._process.pid)


def resident_mb(pid: int) -> float:
    """Return the memory that a process holds."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        return int(status.read_text().split("VmRSS:")[1].split()[0]) / 1024
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1024  # noqa: S603


@asynccontextmanager
async def served() -> AsyncIterator[Served]:
    """Start `continuity serve` on a free port, and end it."""
    command = [sys.executable, "-m", "ledger_service", "serve", "--host", HOST, "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ)  # noqa: ASYNC220, S603
    try:
        async with await anyio.connect_tcp(HOST, await _port_of(process)) as stream:
            yield Served(Caller(stream), process)
    finally:
        process.terminate()
        process.wait(timeout=20)


async def _port_of(process: subprocess.Popen[bytes]) -> int:
    """Wait until the service says where it can be reached."""
    said = await anyio.to_thread.run_sync(process.stdout.readline) if process.stdout else b""
    where = msgspec.json.decode(said or b'{"serving": ""}', type=dict[str, str])
    return urlsplit(where["serving"]).port or 0
