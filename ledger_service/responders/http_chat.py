"""The http_chat speaker: any OpenAI-compatible endpoint, with the template behind it for when it is late or away."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import httpx
from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.terms import count_tokens
from ledger_service.domain.texts import MOST_LETTERS, why_not_kept
from ledger_service.domain.worlds import World
from ledger_service.responders.lane import Lane, LaneClosed, LaneSettings
from ledger_service.responders.template import line_of
from ledger_service.responders.thoughts import bare_line, without_thoughts

_MOST_BYTES: Final = 1_000_000
_MOST_LETTERS_THOUGHT: Final = 200_000
"""A line and all that a model thought before it."""
_TOO_MANY: Final = 429
_SERVER_ERROR: Final = 500
_CLIENT_ERROR: Final = 400
_LONGEST_WAIT_S: Final = 60.0
_MILLION: Final = 1_000_000
_NO_COMPLETION: Final = "answered with something that is no chat completion"
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
    asks_once: bool = False
    """One try and no more, and a wait for its turn however long: whoever asks keeps every try, and tries again."""
    price_in: float = 0
    """What a million tokens of prompt cost."""
    price_out: float = 0
    """What a million tokens of answer cost."""

    @property
    def endpoint(self) -> str:
        """The whole address."""
        base = self.url.rstrip("/")
        return base if base.endswith("/chat/completions") else f"{base}/chat/completions"


class _GiveUp(Exception):  # noqa: N818  (never leaves this module)
    """The model will not answer, however often it is asked."""


class _TryAgain(Exception):  # noqa: N818  (never leaves this module)
    """The model may answer if it is asked again."""


class _Spent(Struct):
    """What one line took, over all its tries."""

    tokens_in: int = 0
    tokens_out: int = 0


class HttpChatResponder:
    """Asks a model; never raises for one that is late, away or talking nonsense."""

    def __init__(self, settings: ChatSettings, client: httpx.AsyncClient, lane: Lane | None = None) -> None:
        self._settings = settings
        self._client = client
        self._lane = lane or Lane(LaneSettings())
        self.name = f"http_chat:{settings.model}" if settings.model else "http_chat"

    async def reply(self, packet: ContextPacket, world: World) -> Reply:
        """Speak; where the model does not in time, the template does, and the reply says so and why."""
        started = time.monotonic()
        character = world.find_character(packet.speaker)
        name = character.name if character else packet.speaker
        spent = _Spent()
        try:
            said = await (self._asked_once if self._settings.asks_once else self._asked)(packet, spent, name=name)
        except _GiveUp as why:
            note = f"{self.name} {why}; the template spoke"
            reply = Reply(text=line_of(packet, world), responder="template", fallback=True, note=note)
        else:
            reply = Reply(text=said, responder=self.name)
        return replace(
            reply, milliseconds=_since(started), tokens_in=spent.tokens_in, tokens_out=spent.tokens_out,
            cost=self._cost(spent),
        )  # fmt: skip

    def _cost(self, spent: _Spent) -> float:
        s = self._settings
        return (spent.tokens_in * s.price_in + spent.tokens_out * s.price_out) / _MILLION

    async def _asked(self, packet: ContextPacket, spent: _Spent, *, name: str) -> str:
        """Ask until there is an answer or the deadline has passed.

        Raises:
            _GiveUp: with what went wrong last.
        """
        last = "did not answer"
        pause = self._settings.first_pause_s
        with anyio.move_on_after(self._settings.deadline_s):
            while True:
                try:
                    async with self._turn():
                        said = await self._once(packet, spent)
                    return _line(said, name=name)
                except _TryAgain as error:
                    last = str(error)
                await anyio.sleep(pause)
                pause *= 2
        raise _GiveUp(f"{last} within {self._settings.deadline_s:g} s")

    async def _asked_once(self, packet: ContextPacket, spent: _Spent, *, name: str) -> str:
        """Wait for a turn, then ask once, with the deadline from then on.

        Raises:
            _GiveUp: with what went wrong.
        """
        try:
            async with self._turn():
                with anyio.fail_after(self._settings.deadline_s):
                    said = await self._once(packet, spent)
        except TimeoutError:
            raise _GiveUp(f"did not answer within {self._settings.deadline_s:g} s") from None
        except _TryAgain as error:
            raise _GiveUp(str(error)) from None
        return _line(said, name=name)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            async with self._lane.turn():
                yield
        except LaneClosed as closed:
            raise _GiveUp(str(closed)) from None

    async def say(self, system: str, told: str) -> str:
        """Put something in other words (see `ports.Voice`): one try, and no words where it fails."""
        try:
            async with self._turn():
                with anyio.fail_after(self._settings.deadline_s):
                    said = await self._exchange(system, told, _Spent())
            return _line(said, name="")
        except (TimeoutError, _TryAgain, _GiveUp):
            return ""

    async def _once(self, packet: ContextPacket, spent: _Spent) -> str:
        return await self._exchange(f"{packet.prompt}\n\n{_ASK}", packet.line or "(They wait.)", spent)

    async def _exchange(self, system: str, user: str, spent: _Spent) -> str:
        try:
            request = self._client.stream(
                "POST", self._settings.endpoint, json=self._body(system, user), headers=self._headers()
            )
            async with request as response:
                if response.status_code == _TOO_MANY:
                    self._lane.hold(_asked_to_wait(response))
                if response.status_code >= _SERVER_ERROR or response.status_code == _TOO_MANY:
                    raise _TryAgain(f"answered {response.status_code}")
                if response.status_code >= _CLIENT_ERROR:
                    raise _GiveUp(f"answered {response.status_code}")
                body = await _read(response)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError) as error:
            raise _GiveUp("has an address or a key that cannot be used") from error
        except httpx.HTTPError as error:
            raise _TryAgain(f"broke off ({type(error).__name__})") from error
        answer = _decoded(body)
        text = _content(answer)
        _count(answer, spent, otherwise=(f"{system}\n{user}", text))
        said = without_thoughts(text)
        if not any(c.isalnum() for c in said):
            raise _TryAgain("said nothing")
        return said

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._settings.key}"} if self._settings.key else {}

    def _body(self, system: str, user: str) -> dict[str, Any]:
        s = self._settings
        body = {
            "model": s.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user},
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


def _decoded(body: bytes) -> Any:  # noqa: ANN401
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _GiveUp(_NO_COMPLETION) from error


def _content(answer: Any) -> str:  # noqa: ANN401
    """Return the message's text; thinking that a server keeps in a field of its own is left there."""
    try:
        content = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError) as error:
        raise _GiveUp(_NO_COMPLETION) from error
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if isinstance(content, str) and len(content) > _MOST_LETTERS_THOUGHT:
        raise _GiveUp("answered with more than a line")
    return content if isinstance(content, str) else ""


def _count(answer: dict[str, Any], spent: _Spent, *, otherwise: tuple[str, str]) -> None:
    """Add the tokens that the server counted; where it counts none, about as many as the texts have."""
    usage = answer.get("usage")
    found = usage if isinstance(usage, dict) else {}
    for field, key, text in (
        ("tokens_in", "prompt_tokens", otherwise[0]), ("tokens_out", "completion_tokens", otherwise[1]),
    ):  # fmt: skip
        counted = found.get(key)
        is_count = isinstance(counted, int) and not isinstance(counted, bool) and counted >= 0
        setattr(spent, field, getattr(spent, field) + (counted if is_count else count_tokens(text)))


def _asked_to_wait(response: httpx.Response) -> float:
    """Return for how long a server that was asked too often wants to be left alone; a minute at most."""
    text = response.headers.get("retry-after", "")
    return min(float(text), _LONGEST_WAIT_S) if text.isdecimal() else 0.0


def _since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 3)
