"""A belief: how it came about, as a comic strip and in words, whole or as the one who holds it could tell."""

import re
from typing import Annotated
from urllib.parse import quote

import anyio.to_thread
from litestar import Response, get
from litestar.params import FromPath, FromQuery, QueryParameter

from ledger_service.bootstrap import draw_comic
from ledger_service.domain.errors import MalformedError
from ledger_service.rumours.provenance import in_words
from ledger_service.services.reviewing.show_belief import BeliefShown, show_belief
from ledger_service.web.console.addresses import with_query
from ledger_service.web.console.desk import AtDesk, Desk

STRIP = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
"""A strip holds what characters said: a browser may run nothing and load nothing for it."""
STORES = ("record", "graph")
_SIZE = re.compile(r'width="(\d+)" height="(\d+)"')
Who = Annotated[str, QueryParameter(max_length=200)]


@get("/playthroughs/{playthrough_id:str}/beliefs/{entry_id:str}", patience=5)
async def belief_page(
    desk: AtDesk, playthrough_id: FromPath[str], entry_id: FromPath[str], seen: Who = "", store: FromQuery[str] = ""
) -> Response[str]:
    """Show a belief with its strip and its chain."""
    shown = await _belief(desk, playthrough_id, entry_id, seen, store)
    desk.visit(playthrough_id)
    home = f"/playthroughs/{quote(playthrough_id, safe='')}"
    path = f"{home}/beliefs/{quote(entry_id, safe='')}"
    width, height = size_of(await anyio.to_thread.run_sync(_drawn, shown))
    return desk.page(
        "beliefs/belief.html.jinja",
        shown=shown,
        here=shown.here,
        entry=shown.row.entry,
        lines=in_words(shown.why.chain, naming=shown.why.naming),
        versions=tuple(dict.fromkeys((k.entry_id, k.statement) for k in shown.why.chain.links)),
        home=home,
        path=path,
        strip=with_query(f"{path}/strip.svg", {"seen": seen, "store": store}),
        width=width,
        height=height,
        seen=seen,
        store=store or "record",
    )


@get("/playthroughs/{playthrough_id:str}/beliefs/{entry_id:str}/strip.svg", patience=5)
async def strip(
    desk: AtDesk, playthrough_id: FromPath[str], entry_id: FromPath[str], seen: Who = "", store: FromQuery[str] = ""
) -> Response[str]:
    """Return the comic strip alone."""
    shown = await _belief(desk, playthrough_id, entry_id, seen, store)
    return Response(await anyio.to_thread.run_sync(_drawn, shown), media_type="image/svg+xml", headers=STRIP)


async def _belief(desk: Desk, playthrough_id: str, entry_id: str, seen: str, store: str) -> BeliefShown:
    if store and store not in STORES:
        raise MalformedError("store", f"{store!r} is none of {', '.join(STORES)}")
    return await show_belief(
        playthrough_id, entry_id, catalogue=desk.catalogue, open_uow=desk.reading, seen_by=seen or None,
        graph=desk.application.graph if store == "graph" else None,
    )  # fmt: skip


def _drawn(shown: BeliefShown) -> str:
    return draw_comic(shown.why.chain, shown.why.naming)


def size_of(drawing: str) -> tuple[int, int]:
    """Return how wide and high a drawing is.

    >>> size_of('<svg class="c" width="640" height="400" viewBox="0 0 640 400">')
    (640, 400)
    """
    found = _SIZE.search(drawing)
    return (int(found[1]), int(found[2])) if found else (640, 400)


HANDLERS = (belief_page, strip)
