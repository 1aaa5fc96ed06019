"""Influence: who is believed, which way a story takes, and how to make one reach somebody."""

from typing import Annotated, Literal

from litestar import Router, get
from litestar.params import FromPath, FromQuery

from ledger_service.bootstrap import rehearse
from ledger_service.domain.errors import ContentError
from ledger_service.rumours.spymaster import Story
from ledger_service.services.influence.advise_spymaster import Advice, advise_spymaster
from ledger_service.services.influence.read_influence import Influence, RouteFound, find_route, read_influence
from ledger_service.services.influence.read_spyglass import Spyglass, read_spyglass
from ledger_service.web.dependencies import App
from ledger_service.web.examples import LADDER, LISTENER, QUERIES, SAY, TARGET, TELLER

Store = Literal["record", "graph"]


@get("/playthroughs/{playthrough_id:str}/influence", needs="reviewer")
async def show_influence(playthrough_id: FromPath[str], application: App) -> Influence:
    """Return who is most believed, who keeps to whom, and through whom stories pass."""
    return await read_influence(playthrough_id, open_uow=application.open_uow, graph=application.graph)


@get("/playthroughs/{playthrough_id:str}/influence/route", needs="reviewer")
async def show_route(
    playthrough_id: FromPath[str],
    application: App,
    teller: Annotated[str, TELLER],
    listener: Annotated[str, LISTENER],
    store: FromQuery[Store] = "record",
) -> RouteFound:
    """Return the most trusted way of a story from one to another, found by the record or by the graph."""
    graph = application.graph if store == "graph" else None
    return await find_route(playthrough_id, teller, listener, open_uow=application.open_uow, graph=graph)


@get("/playthroughs/{playthrough_id:str}/spymaster", needs="reviewer")
async def show_plans(
    playthrough_id: FromPath[str],
    application: App,
    target: Annotated[str, TARGET],
    say: Annotated[str | None, SAY] = None,
    ladder: Annotated[str | None, LADDER] = None,
) -> Advice:
    """Return where to be seen doing good, or whom to whisper to, so that somebody comes to believe it."""
    if say is None and ladder is not None:
        raise ContentError("ladder", "a ladder goes with what is said on it; give `say` too")
    story = None if say is None else Story(statement=say, ladder=ladder)
    return await advise_spymaster(
        playthrough_id, target, open_uow=application.open_uow, rehearse=rehearse, story=story
    )  # fmt: skip


@get("/playthroughs/{playthrough_id:str}/spyglass", needs="reviewer")
async def show_spyglass(
    playthrough_id: FromPath[str], application: App, queries: Annotated[int, QUERIES] = 50
) -> Spyglass:
    """Return the graph as it stands, how trust lies in it, and the last queries that this process put to it."""
    return await read_spyglass(
        playthrough_id, open_uow=application.open_uow, graph=application.graph, queries=queries
    )  # fmt: skip


router = Router(path="/", route_handlers=[show_influence, show_route, show_plans, show_spyglass], tags=["influence"])
