"""Live parts of a page: an element with `data-live` shows whatever its stream sends, until it is done."""

from collections.abc import AsyncIterator

from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

PATIENCE = 60
"""How many times as long as another request a stream may take; a browser comes back by itself."""
AGAIN_MS = 2_000


def stream(parts: AsyncIterator[str]) -> ServerSentEvent:
    """Send each part, which is HTML from a template, as it comes; when they end, the browser asks no more."""
    return ServerSentEvent(_messages(parts))


async def _messages(parts: AsyncIterator[str]) -> AsyncIterator[ServerSentEventMessage]:
    async for part in parts:
        yield ServerSentEventMessage(data=part, event="part", retry=AGAIN_MS)
    yield ServerSentEventMessage(data="", event="done")
