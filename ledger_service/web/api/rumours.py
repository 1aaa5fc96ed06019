"""Rumours: let hours go by."""

from typing import Annotated

from litestar import Router, post
from litestar.params import FromPath
from msgspec import Meta, Struct

from ledger_service.domain.events import EventReceipt
from ledger_service.services.advance_gossip import MOST_APART, Passing, advance_gossip
from ledger_service.web.dependencies import App
from ledger_service.web.examples import HOURS

MOST_HOURS = 240
"""At once over HTTP; more are asked for in turn."""


class Hours(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many game hours go by; with a key, once however often it is sent."""

    hours: Annotated[int, Meta(ge=1, le=MOST_HOURS)] = 1
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
    return HoursPassed(hours=tuple([receipt async for receipt in passed]))


router = Router(path="/", route_handlers=[post_hours], tags=["rumours"])
