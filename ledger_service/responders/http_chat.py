"""The http_chat speaker: any OpenAI-compatible endpoint, with the template behind it for when it is late or away."""

import json
import time
from typing import Any, Final

import anyio
import httpx
from msgspec import Struct

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.texts import MOST_LETTERS, why_not_kept
from ledger_service.domain.worlds import World
from ledger_service.responders.template import line_of
from ledger_service.responders.thoughts import bare_line, without_thoughts

_MOST_BYTES: Final = 1_000_000
_MOST_LETTERS_THOUGHT: Final = 200_000
"""A line and all that a model thought before it."""
_TOO_MANY: Final = 429
_SERVER_ERROR: Final = 500
_CLIENT_ERROR: Final = 400
_ASK: Final = "Answer with the line you say, and nothing else: no name in front, no quotes, no commentary."


class ChatSettings(Struct, frozen=True, kw_only=True):
    """Where the model is, and how it is asked."""

    url: str
    """The endpoint: `http://host:port/v1`, or all of it up to `/chat/completions`."""
    model: str = ""
    key: str | None = None
    deadline_s: float = 20.0
    """Over all tries together; after it the template speaks."""
    first_pause_s: float = 0.2
    """Before the second try; doubled each time."""
    temperature: float = 0.7
    max_tokens: int = 300
    seed: int | None = None
    more: dict[str, Any] = {}
    """Further fields of the request, as the server knows them."""

    @property
    def endpoint(self) -> str:
        """The whole address."""
        base = self.url.rstrip("/")
        return base if base.endswith("/chat/completions") else f"{base}/chat/completions"


class _GiveUp(Exception):  # noqa: N818  (never leaves this module)
    """The model will not answer, however often it is asked."""


class _TryAgain(Exception):  # noqa: N818  (never leaves this module)
    """The model may answer if it is asked again."""


class HttpChatResponder:
    """Asks a model; never raises for one that is late, away or talking nonsense."""

    def __init__(self, settings: ChatSettings, client: httpx.AsyncClient) -> None:
        self._settings = settings
        self._client = client
        self.name = f"http_chat:{settings.model}" if settings.model else "http_chat"

    async def reply(self, packet: ContextPacket, world: World) -> Reply:
        """Speak; where the model does not in time, the template does, and the reply says so and why."""
        started = time.monotonic()
        character = world.find_character(packet.speaker)
        try:
            said = await self._asked(packet, name=character.name if character else packet.speaker)
        except _GiveUp as why:
            note = f"{self.name} {why}; the template spoke"
            return Reply(
                text=line_of(packet, world),
                responder="template",
                fallback=True,
                note=note,
                milliseconds=_since(started),
            )
        return Reply(text=said, responder=self.name, milliseconds=_since(started))

    async def _asked(self, packet: ContextPacket, *, name: str) -> str:
        """Ask until there is an answer or the deadline has passed.

        Raises:
            _GiveUp: with what went wrong last.
        """
        last = "did not answer"
        pause = self._settings.first_pause_s
        with anyio.move_on_after(self._settings.deadline_s):
            while True:
                try:
                    return _line(await self._once(packet), name=name)
                except _TryAgain as error:
                    last = str(error)
                await anyio.sleep(pause)
                pause *= 2
        raise _GiveUp(f"{last} within {self._settings.deadline_s:g} s")

    async def _once(self, packet: ContextPacket) -> str:
        try:
            request = self._client.stream(
                "POST", self._settings.endpoint, json=self._body(packet), headers=self._headers()
            )
            async with request as response:
                if response.status_code >= _SERVER_ERROR or response.status_code == _TOO_MANY:
                    raise _TryAgain(f"answered {response.status_code}")
                if response.status_code >= _CLIENT_ERROR:
                    raise _GiveUp(f"answered {response.status_code}")
                body = await _read(response)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError) as error:
            raise _GiveUp("has an address or a key that cannot be used") from error
        except httpx.HTTPError as error:
            raise _TryAgain(f"broke off ({type(error).__name__})") from error
        said = without_thoughts(_content(body))
        if not any(c.isalnum() for c in said):
            raise _TryAgain("said nothing")
        return said

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._settings.key}"} if self._settings.key else {}

    def _body(self, packet: ContextPacket) -> dict[str, Any]:
        s = self._settings
        body = {
            "model": s.model,
            "messages": [
                {"role": "system", "content": f"{packet.prompt}\n\n{_ASK}"},
                {"role": "user", "content": packet.line or "(They wait.)"},
            ],
            "temperature": s.temperature,
            "max_tokens": s.max_tokens,
            "stream": False,
        }
        return body | ({"seed": s.seed} if s.seed is not None else {}) | s.more


def _line(said: str, *, name: str) -> str:
    """Return what a model said as a line that can be said, and kept.

    Raises:
        _GiveUp: it is too long for one, or no store can keep it.
    """
    line = bare_line(said, name=name)
    if len(line) > MOST_LETTERS:
        raise _GiveUp(f"said {len(line)} characters at once, and at most {MOST_LETTERS} can be said")
    why = why_not_kept(line)
    if why is not None:
        raise _GiveUp(f"said what {why}")
    return line


async def _read(response: httpx.Response) -> bytes:
    found = bytearray()
    async for chunk in response.aiter_bytes():
        found += chunk
        if len(found) > _MOST_BYTES:
            raise _GiveUp("answered with more than a line")
    return bytes(found)


def _content(body: bytes) -> str:
    """Return the message's text; thinking that a server keeps in a field of its own is left there."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise _GiveUp("answered with something that is no chat completion") from error
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if isinstance(content, str) and len(content) > _MOST_LETTERS_THOUGHT:
        raise _GiveUp("answered with more than a line")
    return content if isinstance(content, str) else ""


def _since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 3)
