"""An outside memory over HTTP: told what the ledger holds, asked what it would put into a prompt (`schema memory`)."""

from typing import Any, Final

import anyio
import httpx
import msgspec
from msgspec import Struct

from ledger_service.domain.errors import MemoryAwayError
from ledger_service.domain.memory_contract import Answer, Ask, MemoryItem, Reset, Write
from ledger_service.responders.lane import Lane, LaneClosed, LaneSettings

_MOST_BYTES: Final = 4_000_000
_MOST_ITEMS: Final = 1_000
_OK: Final = range(200, 300)
_decode = msgspec.json.Decoder(Answer).decode


class MemorySettings(Struct, frozen=True, kw_only=True):
    """Where the memory system is."""

    url: str
    name: str = ""
    key: str | None = None
    deadline_s: float = 20.0
    """For each call."""


class HttpMemory:
    """Posts to a memory system; whatever it does instead of answering is one error of ours, in time."""

    def __init__(self, settings: MemorySettings, client: httpx.AsyncClient, lane: Lane | None = None) -> None:
        self._settings = settings
        self._client = client
        self._lane = lane or Lane(LaneSettings())
        self.name = f"http_memory:{settings.name}" if settings.name else "http_memory"

    async def reset(self, scope: str) -> None:
        """Have a scope forgotten."""
        await self._post("reset", Reset(scope=scope))

    async def write(self, told: Write) -> None:
        """Have entries and endings taken up."""
        await self._post("write", told)

    async def ask(self, question: Ask) -> tuple[MemoryItem, ...]:
        """Return what it would put into the prompt.

        Raises:
            MemoryAwayError: it does not answer as agreed.
        """
        body = await self._post("ask", question)
        try:
            items = _decode(body).items
        except (msgspec.MsgspecError, RecursionError) as error:
            raise self._away(f"answered /ask with something that is no list of items ({error})") from error
        if len(items) > _MOST_ITEMS:
            raise self._away(f"answered /ask with {len(items)} items, and at most {_MOST_ITEMS} are read")
        return items

    async def _post(self, call: str, body: Struct) -> bytes:
        """Post one call within the deadline.

        Raises:
            MemoryAwayError: it does not answer as agreed.
        """
        try:
            async with self._lane.turn():
                with anyio.fail_after(self._settings.deadline_s):
                    return await self._once(call, body)
        except TimeoutError:
            raise self._away(f"did not answer /{call} within {self._settings.deadline_s:g} s") from None
        except LaneClosed as closed:
            raise self._away(str(closed)) from None

    async def _once(self, call: str, body: Struct) -> bytes:
        url = f"{self._settings.url.rstrip('/')}/{call}"
        try:
            request = self._client.stream("POST", url, content=msgspec.json.encode(body), headers=self._headers())
            async with request as response:
                if response.status_code not in _OK:
                    raise self._away(f"answered /{call} with {response.status_code}")
                return await self._read(call, response)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError) as error:
            raise self._away("has an address or a key that cannot be used") from error
        except httpx.HTTPError as error:
            raise self._away(f"broke off /{call} ({type(error).__name__})") from error

    async def _read(self, call: str, response: httpx.Response) -> bytes:
        found = bytearray()
        async for chunk in response.aiter_bytes():
            found += chunk
            if len(found) > _MOST_BYTES:
                raise self._away(f"answered /{call} with more than {_MOST_BYTES:,} bytes")
        return bytes(found)

    def _headers(self) -> dict[str, Any]:
        key = self._settings.key
        return {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def _away(self, why: str) -> MemoryAwayError:
        return MemoryAwayError(self.name, why)
