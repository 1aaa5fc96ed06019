"""Playthroughs: the list, one of them event by event and step by step, and to open, branch, name a point and export."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import anyio
from litestar import Response, get, post
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.response import Redirect, ServerSentEvent

from ledger_service.domain.errors import MalformedError
from ledger_service.ports import Listed, PlaythroughFilter
from ledger_service.services.events.event_words import in_words
from ledger_service.services.playthroughs import open_playthrough as opening
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough
from ledger_service.services.reviewing.browse_playthroughs import last_event, list_playthroughs, show_timeline
from ledger_service.services.reviewing.replay_event import replay_event
from ledger_service.web.console import live
from ledger_service.web.console.access import TESTERS
from ledger_service.web.console.addresses import onward
from ledger_service.web.console.desk import AtDesk, Desk
from ledger_service.web.console.fields import number
from ledger_service.web.console.rendering import render

Place = Annotated[int | None, QueryParameter(ge=1)]
LOOK_SECONDS = 1.0
LARGEST_SEED = 2**53


@get("/playthroughs")
async def list_page(
    desk: AtDesk, world: FromQuery[str] = "", text: FromQuery[str] = "", before: Place = None
) -> Response[str]:
    """List playthroughs, newest first."""
    where = PlaythroughFilter(world_id=world or None, text=text.strip() or None)
    found = await list_playthroughs(where, catalogue=desk.catalogue, before=before)
    worlds = await desk.catalogue.worlds()
    query: dict[str, Any] = {"world": world, "text": text}
    more = onward("/playthroughs", query, before=found.next_before)
    return desk.page(
        "playthroughs/list.html.jinja",
        found=found.playthroughs,
        worlds=worlds,
        more=more,
        is_first=before is None,
        **query,
    )


@post("/playthroughs")
async def open_one(desk: AtDesk) -> Redirect:
    """Open a playthrough of a world; with a seed, chance is drawn by it."""
    world, title, seed = desk.form.get("world", ""), desk.form.get("title", ""), _seed(desk)
    writing = desk.writing("playthrough opened", world, title=title, seed="" if seed is None else seed)
    opened = await opening.open_playthrough(world, open_uow=writing, title=title.strip(), seed=seed)
    return desk.done(f"/playthroughs/{opened.playthrough_id}", f"{opened.title} is open.")


@get("/playthroughs/{playthrough_id:str}")
async def timeline_page(desk: AtDesk, playthrough_id: FromPath[str], before: Place = None) -> Response[str]:
    """Show a playthrough: where it stands, its branches and named points, and its events, newest first."""
    found = await show_timeline(playthrough_id, catalogue=desk.catalogue, open_uow=desk.reading, before_seq=before)
    desk.visit(playthrough_id)
    more = onward(f"/playthroughs/{playthrough_id}", {}, before=found.next_before)
    said = {recorded.seq: in_words(recorded.event) for recorded, _ in found.events}
    return desk.page("playthroughs/timeline.html.jinja", found=found, more=more, said=said, is_first=before is None)


@get("/playthroughs/{playthrough_id:str}/replay")
async def replay_page(desk: AtDesk, playthrough_id: FromPath[str], at: Place = None) -> Response[str]:
    """Show one event with everything that it changed, and lead to the one before and after it."""
    found = await replay_event(playthrough_id, at or 1, catalogue=desk.catalogue, open_uow=desk.reading)
    desk.visit(playthrough_id)
    if isinstance(found, Listed):
        return desk.page("playthroughs/replay.html.jinja", listed=found, step=None)
    said = in_words(found.recorded.event)
    return desk.page("playthroughs/replay.html.jinja", listed=found.listed, step=found, said=said)


@post("/playthroughs/{playthrough_id:str}/fork")
async def fork(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Branch after an event."""
    seq = _seq(desk)
    writing = desk.writing("playthrough forked", playthrough_id, at_seq=seq)
    title = desk.form.get("title", "").strip()
    branch = await opening.fork_playthrough(playthrough_id, open_uow=writing, at_seq=seq, title=title)
    return desk.done(f"/playthroughs/{branch.playthrough_id}", f"A branch that goes on from event {seq}.")


@post("/playthroughs/{playthrough_id:str}/saves")
async def name_point(desk: AtDesk, playthrough_id: FromPath[str]) -> Redirect:
    """Name a point."""
    seq, name = _seq(desk), desk.form.get("name", "").strip()
    writing = desk.writing("point named", playthrough_id, name=name, seq=seq)
    await opening.save_point(playthrough_id, name, open_uow=writing, at_seq=seq)
    return desk.done(f"/playthroughs/{playthrough_id}", f"Event {seq} is called {name}.")


def _seed(desk: Desk) -> int | None:
    seed = number("seed", desk.form.get("seed", ""))
    if seed is not None and seed > LARGEST_SEED:
        raise MalformedError("seed", f"{seed} is too large; at most {LARGEST_SEED} is taken")
    return seed


def _seq(desk: Desk) -> int:
    given = desk.form.get("seq", "")
    if not given.isdecimal() or len(given) > 15:  # noqa: PLR2004
        raise MalformedError("seq", f"{given!r} is no event's number")
    return int(given)


@get("/playthroughs/{playthrough_id:str}/export", open_to=TESTERS, patience=20)
async def export(desk: AtDesk, playthrough_id: FromPath[str]) -> Response[bytes]:
    """Return a playthrough whole, as one JSON document."""
    document = await export_playthrough(playthrough_id, open_uow=desk.reading)
    headers = {"Content-Disposition": f'attachment; filename="{playthrough_id}.json"'}
    return Response(document, media_type="application/json", headers=headers)


@get("/playthroughs/{playthrough_id:str}/live", patience=live.PATIENCE)
async def watch(desk: AtDesk, playthrough_id: FromPath[str], after: FromQuery[int] = 0) -> ServerSentEvent:
    """Say when events come in."""
    await last_event(playthrough_id, open_uow=desk.reading)
    return live.stream(_news(desk, playthrough_id, after))


async def _news(desk: Desk, playthrough_id: str, seen: int) -> AsyncIterator[str]:
    shown = seen
    while True:
        now = await last_event(playthrough_id, open_uow=desk.reading)
        if now != shown:
            yield render("playthroughs/_news.html.jinja", playthrough_id=playthrough_id, new=now - seen)
            shown = now
        await anyio.sleep(LOOK_SECONDS)


HANDLERS = (list_page, open_one, timeline_page, replay_page, fork, name_point, export, watch)
