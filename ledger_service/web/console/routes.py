"""Every page of the console, in one list."""

from collections.abc import Sequence
from typing import Any

from litestar import Litestar, Router
from litestar.di import Provide

from ledger_service.web.console import (
    audit,
    beliefs,
    boards,
    entries,
    entry,
    house,
    packet_reviews,
    packets,
    people,
    playthroughs,
    probe_cells,
    probe_reports,
    probes,
    signing,
    spyglass,
    spymaster,
    triage,
    trying,
    village,
    village_acts,
    world_edits,
    worlds,
)
from ledger_service.web.console.access import seat
from ledger_service.web.console.desk import provide_desk
from ledger_service.web.console.problems import HANDLERS
from ledger_service.web.requests import hold

PAGES: tuple[Sequence[Any], ...] = (
    house.HANDLERS,
    signing.HANDLERS,
    playthroughs.HANDLERS,
    entries.HANDLERS,
    entry.HANDLERS,
    boards.HANDLERS,
    worlds.HANDLERS,
    world_edits.HANDLERS,
    packets.HANDLERS,
    packet_reviews.HANDLERS,
    spyglass.HANDLERS,
    spymaster.HANDLERS,
    beliefs.HANDLERS,
    trying.HANDLERS,
    village.HANDLERS,
    village_acts.HANDLERS,
    probes.HANDLERS,
    probe_cells.HANDLERS,
    probe_reports.HANDLERS,
    triage.HANDLERS,
    people.HANDLERS,
    audit.HANDLERS,
)  # fmt: skip


def router() -> Router:
    """Return the console; whatever it answers, errors too, is a page."""
    return Router(
        path="/",
        route_handlers=[handler for handlers in PAGES for handler in handlers],
        guards=[hold],
        before_request=seat,
        dependencies={"desk": Provide(provide_desk, sync_to_thread=False)},
        exception_handlers=HANDLERS,
        include_in_schema=False,
    )


def pages_of(app: Litestar) -> frozenset[str]:
    """Return the address of every page, which the navigation asks."""
    return frozenset(route.path_format for route in app.routes)
