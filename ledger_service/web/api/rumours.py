"""Rumours: let hours go by."""

from typing import Annotated

from litestar import Router, get, post
from litestar.params import FromPath
from msgspec import Meta, Struct

from ledger_service.domain.events import EventReceipt
from ledger_service.domain.rumours import Telling
from ledger_service.services.gossip.advance_gossip import (
    MOST_APART,
    MOST_HOURS,
    MOST_HOURS_ANSWERED,
    Passing,
    advance_gossip,
)
from ledger_service.web.dependencies import App
from ledger_service.web.examples import HOURS, MOST_LISTED

MORE_HOURS = f"More are asked for in turn; `continuity gossip advance` lets {MOST_HOURS:,} go by at once."


class Hours(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many game hours go by; with a key, once however often it is sent."""

    hours: Annotated[int, Meta(ge=1, le=MOST_HOURS_ANSWERED, description=MORE_HOURS)] = 1
    regions: tuple[str, ...] | None = None
    every: Annotated[int, Meta(ge=1, le=MOST_APART)] | None = None
    """Level of detail: where the player is not, people's talk is caught up with every so many hours."""
    expected_seq: int | None = None
    key: Annotated[str, Meta(min_length=1, max_length=150)] | None = None


class HoursPassed(Struct, frozen=True, kw_only=True):
    """What each hour came to: tellings, and what was not passed on and why."""

    hours: tuple[EventReceipt, ...]


@post("/playthroughs/{playthrough_id:str}/hours", needs="game", status_code=200)
async def post_hours(playthrough_id: FromPath[str], data: Annotated[Hours, HOURS], application: App) -> HoursPassed:
    """Let game hours go by: people go where their schedules say, meet, and talk."""
    passed = advance_gossip(
        playthrough_id,
        Passing(hours=data.hours, regions=data.regions, every=data.every, expected_seq=data.expected_seq, key=data.key),
        open_uow=application.open_uow,
        embedder=application.reading.embedder,
        graph=application.graph,
        queue=application.mirror_queue,
    )
    receipts = tuple([receipt async for receipt in passed])
    if any(receipt.tellings for receipt in receipts):
        application.leave_for_the_voice(playthrough_id)
    return HoursPassed(hours=receipts)


class ToldLine(Struct, frozen=True, kw_only=True):
    """One telling: the words that count, and how they are to be shown."""

    telling: Telling
    said: str
    """As a model put it, where one did and it changes nothing; else as it was told."""
    voice: str | None = None
    dropped: str = ""
    """What was wrong with what the model said."""


@get("/playthroughs/{playthrough_id:str}/tellings", needs="reviewer")
async def list_tellings(
    playthrough_id: FromPath[str], application: App, limit: Annotated[int, MOST_LISTED] = 50
) -> tuple[ToldLine, ...]:
    """Return the newest tellings of a playthrough, each as it counts and as it may be shown."""
    async with application.open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        found = await uow.tellings.newest(limit=limit)
    return tuple(
        ToldLine(
            telling=one.telling,
            said=one.said,
            voice=one.voicing.voice if one.voicing is not None else None,
            dropped=one.voicing.dropped if one.voicing is not None else "",
        )
        for one in found
    )


router = Router(path="/", route_handlers=[post_hours, list_tellings], tags=["rumours"])
