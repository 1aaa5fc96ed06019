"""Opinions: what a character thinks of somebody, and which stories that rests on."""

from litestar import Router, get
from litestar.params import FromPath, FromQuery

from ledger_service.domain.ids import PLAYER
from ledger_service.services.gossip.explain_opinion import OpinionView, explain_opinion, view_of
from ledger_service.web.dependencies import App


@get("/playthroughs/{playthrough_id:str}/characters/{who:str}/opinion", needs="reviewer")
async def show_opinion(
    playthrough_id: FromPath[str], who: FromPath[str], application: App, about: FromQuery[str] = PLAYER
) -> OpinionView:
    """Return what a character thinks of the player, or of somebody else, and why."""
    return view_of(await explain_opinion(playthrough_id, who, open_uow=application.open_uow, about=about))


router = Router(path="/", route_handlers=[show_opinion], tags=["rumours"])
