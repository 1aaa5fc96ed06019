"""The http_chat speaker against a real server on loopback."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from ledger_service.domain.replies import Reply
from ledger_service.responders.http_chat import ChatSettings, HttpChatResponder
from ledger_service.responders.template import line_of
from tests.builders import an_observation
from tests.providers import Answer, completion, hangs, in_turn, resets, says, serving
from tests.speaking import a_scene

pytestmark = pytest.mark.anyio
SCENE = a_scene(an_observation(statement="the mast is iced over"), line="Is the mast iced?")


@contextmanager
def model(*answers: Answer) -> Iterator[tuple[str, list[dict]]]:
    """Serve a model that answers each request with the next, and then with the last; yield where, and what is asked."""
    requests: list[dict] = []
    with serving(in_turn(*answers), requests) as url:
        yield f"{url}/v1", requests


async def ask(url: str, **settings: object) -> Reply:
    given = {"url": url, "model": "tiny", "deadline_s": 5.0, "first_pause_s": 0.01} | settings
    async with httpx.AsyncClient(timeout=None) as client:
        return await HttpChatResponder(ChatSettings(**given), client).reply(SCENE.packet, SCENE.world)


async def test_the_models_line_is_said_and_the_model_named() -> None:
    with model(says(completion("Solid ice."))) as (url, requests):
        reply = await ask(url, key="k-123", temperature=0.2, seed=7, more={"top_k": 20})
    assert (reply.text, reply.responder, reply.fallback) == ("Solid ice.", "http_chat:tiny", False)
    (request,) = requests
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["Authorization"] == "Bearer k-123"
    body = request["body"]
    assert (body["model"], body["temperature"], body["seed"], body["top_k"]) == ("tiny", 0.2, 7, 20)
    assert body["messages"][0]["content"].startswith(SCENE.packet.prompt)
    assert body["messages"][1] == {"role": "user", "content": "Is the mast iced?"}


async def test_no_key_sends_no_header_and_a_whole_address_is_taken_as_it_is() -> None:
    with model(says(completion("Ice."))) as (url, requests):
        await ask(f"{url}/chat/completions")
    assert requests[0]["path"] == "/v1/chat/completions"
    assert "Authorization" not in requests[0]["headers"]


async def test_thoughts_names_and_quotes_are_stripped() -> None:
    with model(says(completion('<think>Be dry.</think>\nMaelin: "Solid ice."'))) as (url, _):
        assert (await ask(url)).text == "Solid ice."


async def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "Solid "}, {"type": "text", "text": "ice."}]
    with model(says(completion(parts))) as (url, _):
        assert (await ask(url)).text == "Solid ice."


@pytest.mark.parametrize(
    "first",
    [
        says(b"oops", status=500),
        says(b"", status=503),
        says(b"slow down", status=429),
        resets,
        says(completion("<think>x")),
    ],
    ids=["500", "503", "429", "reset", "only thoughts"],
)
async def test_what_may_pass_is_tried_again(first: Answer) -> None:
    with model(first, says(completion("Solid ice."))) as (url, requests):
        reply = await ask(url)
    assert (reply.text, reply.fallback, len(requests)) == ("Solid ice.", False, 2)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (says(b"no such model", status=404), "answered 404"),
        (says(b"", status=401), "answered 401"),
        (says(b"<html>hello</html>"), "no chat completion"),
        (says(b"{}"), "no chat completion"),
        (says(b"x" * 1_200_000), "more than a line"),
        (says(completion("<think>" + "x" * 300_000 + "</think>Ice.")), "more than a line"),
        (says(b"[" * 5_000), "no chat completion"),
        (says(b'{"choices": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"), "no chat completion"),
        (says(completion("Solid\x00 ice.")), "NUL"),
        (says(completion("Solid \ud800 ice.")), "surrogate"),
        (says(completion("Ice. " * 1_000)), "said 4999 characters at once"),
    ],
    ids=[
        "404",
        "401",
        "HTML",
        "empty",
        "long",
        "long thoughts",
        "open brackets",
        "deep",
        "NUL",
        "surrogate",
        "long line",
    ],
)
async def test_what_will_not_pass_is_not_tried_again(answer: Answer, why: str) -> None:
    with model(answer) as (url, requests):
        reply = await ask(url)
    assert len(requests) == 1
    assert (reply.text, reply.responder, reply.fallback) == (line_of(SCENE.packet, SCENE.world), "template", True)
    assert why in reply.note
    assert "http_chat:tiny" in reply.note


@pytest.mark.parametrize("answer", [hangs, resets, says(b"", status=500)], ids=["hangs", "resets", "500"])
async def test_after_the_deadline_the_template_speaks(answer: Answer) -> None:
    with model(answer) as (url, _):
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
    with model(says(completion("Ice."))) as (url, _):
        reply = await ask(url, key="köy\n", deadline_s=0.3)
    assert reply.fallback
    assert "köy" not in reply.note
