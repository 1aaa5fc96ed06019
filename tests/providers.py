"""Providers on loopback that misbehave: what a chat model or a memory system may do to whoever asks it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler, dict, threading.Event], None]
"""Answers one request: the handler, the decoded body, and an event that is set when the server is to go."""


def completion(text: object, **more: object) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]} | more).encode()


def says(content: bytes, *, status: int = 200, kind: str = "application/json", **headers: str) -> Answer:
    """Answers the same each time."""

    def answer(handler: BaseHTTPRequestHandler, body: dict, gone: threading.Event) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def in_turn(*answers: Answer) -> Answer:
    """Answers each request with the next, and then always with the last."""
    left = list(answers)

    def answer(handler: BaseHTTPRequestHandler, body: dict, gone: threading.Event) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler, body, gone)

    return answer


def hangs(handler: BaseHTTPRequestHandler, body: dict, gone: threading.Event) -> None:
    gone.wait(20)
    handler.close_connection = True


def resets(handler: BaseHTTPRequestHandler, body: dict, gone: threading.Event) -> None:
    handler.close_connection = True
    handler.connection.close()


def streams_for_ever(handler: BaseHTTPRequestHandler, body: dict, gone: threading.Event) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while not gone.wait(0.01):
        handler.wfile.write(b" ")
        handler.wfile.flush()
    handler.close_connection = True


HTML = says(b"<!doctype html><html><body>Sign in to continue</body></html>", kind="text/html")
FIFTY_MEGABYTES = says(b'{"choices": [' + b" " * 50_000_000 + b"]}")
BROKEN = says(b"internal error", status=500)
BAD = {
    "hangs": hangs, "streams for ever": streams_for_ever, "HTML": HTML, "50 MB": FIFTY_MEGABYTES, "500": BROKEN,
}  # fmt: skip


@contextmanager
def serving(answer: Answer, asked: list[dict] | None = None) -> Iterator[str]:
    """Serve on loopback until the block is left; what is asked is added to `asked`."""
    gone = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            if asked is not None:
                asked.append({"path": self.path, "headers": dict(self.headers), "body": body})
            answer(self, body, gone)

        def handle(self) -> None:
            with suppress(ConnectionError, ValueError, OSError):
                super().handle()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        gone.set()
        http.shutdown()
        http.server_close()
        thread.join()
