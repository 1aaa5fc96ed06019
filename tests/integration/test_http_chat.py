"""The http_chat speaker against a real server on loopback."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from ledger_service.domain.replies import Reply
from ledger_service.responders.http_chat import ChatSettings, HttpChatResponder
from ledger_service.responders.template import line_of
from tests.builders import an_observation
from tests.speaking import a_scene

pytestmark = pytest.mark.anyio
SCENE = a_scene(an_observation(statement="the mast is iced over"), line="Is the mast iced?")


def completion(text: object) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


class Server:
    """Answers each request with the next of what it was given: (status, body), "reset", or "hang"."""

    def __init__(self, answers: list[object]) -> None:
        self.answers = answers
        self.requests: list[dict] = []
        self.released = threading.Event()

    @contextmanager
    def running(self) -> Iterator[str]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.requests.append({"path": self.path, "headers": dict(self.headers), "body": json.loads(body)})
                answer = server.answers[min(len(server.requests), len(server.answers)) - 1]
                if answer == "reset":
                    self.close_connection = True
                    self.connection.close()
                    return
                if answer == "hang":
                    server.released.wait(10)
                    self.close_connection = True
                    return
                status, content = answer
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def handle(self) -> None:
                with suppress(ConnectionError, ValueError, OSError):
                    super().handle()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/v1"
        finally:
            self.released.set()
            http.shutdown()
            http.server_close()
            thread.join()


async def ask(url: str, **settings: object) -> Reply:
    given = {"url": url, "model": "tiny", "deadline_s": 5.0, "first_pause_s": 0.01} | settings
    async with httpx.AsyncClient(timeout=None) as client:
        return await HttpChatResponder(ChatSettings(**given), client).reply(SCENE.packet, SCENE.world)


async def test_the_models_line_is_said_and_the_model_named() -> None:
    server = Server([(200, completion("Solid ice."))])
    with server.running() as url:
        reply = await ask(url, key="k-123", temperature=0.2, seed=7, more={"top_k": 20})
    assert (reply.text, reply.responder, reply.fallback) == ("Solid ice.", "http_chat:tiny", False)
    (request,) = server.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["Authorization"] == "Bearer k-123"
    body = request["body"]
    assert (body["model"], body["temperature"], body["seed"], body["top_k"]) == ("tiny", 0.2, 7, 20)
    assert body["messages"][0]["content"].startswith(SCENE.packet.prompt)
    assert body["messages"][1] == {"role": "user", "content": "Is the mast iced?"}


async def test_no_key_sends_no_header_and_a_whole_address_is_taken_as_it_is() -> None:
    server = Server([(200, completion("Ice."))])
    with server.running() as url:
        await ask(f"{url}/chat/completions")
    assert server.requests[0]["path"] == "/v1/chat/completions"
    assert "Authorization" not in server.requests[0]["headers"]


async def test_thoughts_names_and_quotes_are_stripped() -> None:
    with Server([(200, completion('<think>Be dry.</think>\nMaelin: "Solid ice."'))]).running() as url:
        assert (await ask(url)).text == "Solid ice."


async def test_content_in_parts_is_joined() -> None:
    with Server(
        [(200, completion([{"type": "text", "text": "Solid "}, {"type": "text", "text": "ice."}]))]
    ).running() as url:
        assert (await ask(url)).text == "Solid ice."


@pytest.mark.parametrize(
    "first", [(500, b"oops"), (503, b""), (429, b"slow down"), "reset", (200, completion("<think>x"))]
)
async def test_what_may_pass_is_tried_again(first: object) -> None:
    server = Server([first, (200, completion("Solid ice."))])
    with server.running() as url:
        reply = await ask(url)
    assert (reply.text, reply.fallback, len(server.requests)) == ("Solid ice.", False, 2)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((404, b"no such model"), "answered 404"),
        ((401, b""), "answered 401"),
        ((200, b"<html>hello</html>"), "no chat completion"),
        ((200, b"{}"), "no chat completion"),
        ((200, b"x" * 1_200_000), "more than a line"),
        ((200, completion("<think>" + "x" * 300_000 + "</think>Ice.")), "more than a line"),
        ((200, b"[" * 5_000), "no chat completion"),
        ((200, b'{"choices": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"), "no chat completion"),
        ((200, completion("Solid\x00 ice.")), "NUL"),
        ((200, completion("Solid \ud800 ice.")), "surrogate"),
        ((200, completion("Ice. " * 1_000)), "said 4999 characters at once"),
    ],
)
async def test_what_will_not_pass_is_not_tried_again(answer: object, why: str) -> None:
    server = Server([answer])
    with server.running() as url:
        reply = await ask(url)
    assert len(server.requests) == 1
    assert (reply.text, reply.responder, reply.fallback) == (line_of(SCENE.packet, SCENE.world), "template", True)
    assert why in reply.note
    assert "http_chat:tiny" in reply.note


@pytest.mark.parametrize("answer", ["hang", "reset", (500, b"")])
async def test_after_the_deadline_the_template_speaks(answer: object) -> None:
    with Server([answer]).running() as url:
        started = time.monotonic()
        reply = await ask(url, deadline_s=0.3)
        assert time.monotonic() - started < 3
    assert (reply.text, reply.responder, reply.fallback) == ("The mast is iced over.", "template", True)
    assert "within 0.3 s; the template spoke" in reply.note
    assert reply.milliseconds >= 250


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "ftp://127.0.0.1/v1", "not an address", "http://[::/v1"])
async def test_nobody_there_and_no_address_at_all_fall_back(url: str) -> None:
    reply = await ask(url, deadline_s=0.3)
    assert (reply.responder, reply.fallback) == ("template", True)


async def test_a_key_that_cannot_be_sent_falls_back() -> None:
    with Server([(200, completion("Ice."))]).running() as url:
        reply = await ask(url, key="köy\n", deadline_s=0.3)
    assert reply.fallback
    assert "köy" not in reply.note
