"""Look around a playthrough: the graph or, while that is away, the record; how trust lies, and what hours came to."""

from typing import Final

from msgspec import Struct

from ledger_service.domain.errors import ContentError, GraphUnavailableError, NoRouteError
from ledger_service.domain.events import EventReceipt
from ledger_service.domain.ids import CharacterId, PlaythroughId
from ledger_service.domain.rumours import RefusalReason
from ledger_service.domain.spyglass import AskedQuery, GraphPicture
from ledger_service.domain.story_time import HOURS_A_DAY, hour_of_day
from ledger_service.ports import Catalogue, OpenUnitOfWork, RumourGraph
from ledger_service.services.influence.picture_record import picture_of_record
from ledger_service.services.influence.read_influence import Influence, RouteFound, find_route, read_influence
from ledger_service.services.reviewing.browse_playthroughs import find_playthrough
from ledger_service.services.reviewing.standpoint import Standpoint, stand_in

EVENING: Final = 20
"""The hour at which the village is at the inn."""
MOST_HOURS_SHOWN: Final = 48
_REFUSED: Final = {
    RefusalReason.NOT_TRUSTED: "the listener does not believe this teller",
    RefusalReason.ECHO: "it would have come back to somebody it came through",
    RefusalReason.SCEPTIC: "the listener waits for another teller",
    RefusalReason.ALREADY_HEARD: "the listener had it from this very teller",
    RefusalReason.PRIVATE: "the teller may not say it",
    RefusalReason.WITHDRAWN: "the listener knows that it does not stand",
    RefusalReason.LATER: "other stories came first",
}


class Ways(Struct, frozen=True, kw_only=True):
    """The likeliest way of a story between two people, or why there is none."""

    teller: CharacterId
    listener: CharacterId
    found: RouteFound | None = None
    why_not: str = ""


class Look(Struct, frozen=True, kw_only=True):
    """What is to be seen of a playthrough now."""

    here: Standpoint
    picture: GraphPicture
    is_from_graph: bool
    influence: Influence
    queries: tuple[AskedQuery, ...]
    hours: tuple[EventReceipt, ...] = ()
    """What came of the hours since somewhere, oldest first."""
    ways: Ways | None = None
    away: str = ""
    """Why the graph is not seen."""
    cure: str = ""


async def look_around(
    playthrough_id: PlaythroughId,
    *,
    catalogue: Catalogue,
    open_uow: OpenUnitOfWork,
    graph: RumourGraph,
    since: int | None = None,
    between: tuple[CharacterId, CharacterId] | None = None,
    queries: int = 30,
) -> Look:
    """Return what the graph holds, with what came of the hours since an event and a way between two people.

    Raises:
        UnknownPlaythroughError: there is none, or it may not be seen.
        UnknownCharacterError: somebody between whom a way is sought is not in the cast, or passes nothing on.
    """
    picture, away, cure = None, "", ""
    listed = await find_playthrough(playthrough_id, catalogue=catalogue)
    async with open_uow(playthrough_id) as uow:
        here = await stand_in(listed, uow)
        try:
            picture = await graph.picture(playthrough_id)
        except GraphUnavailableError as error:
            away, cure = str(error), error.cure or ""
        shown = picture if picture is not None else await picture_of_record(here, uow)
        first = here.seq if since is None else max(0, min(since, here.seq), here.seq - MOST_HOURS_SHOWN)
        hours = await uow.events.load_receipts(after_seq=first, until_seq=here.seq, limit=MOST_HOURS_SHOWN)
    return Look(
        here=here,
        picture=shown,
        is_from_graph=picture is not None,
        influence=await read_influence(playthrough_id, open_uow=open_uow, graph=graph),
        queries=graph.last_queries(playthrough_id, most=queries),
        hours=tuple(receipt for _, receipt in hours),
        ways=None if between is None else await _ways(playthrough_id, *between, open_uow=open_uow),
        away=away,
        cure=cure,
    )


async def _ways(
    playthrough_id: PlaythroughId, teller: CharacterId, listener: CharacterId, *, open_uow: OpenUnitOfWork
) -> Ways:
    try:
        found = await find_route(playthrough_id, teller, listener, open_uow=open_uow)
    except (NoRouteError, ContentError) as error:
        return Ways(teller=teller, listener=listener, why_not=str(error))
    return Ways(teller=teller, listener=listener, found=found)


def until_evening(tick: int) -> int:
    """Return how many hours there are until the next evening.

    >>> until_evening(8), until_evening(20), until_evening(23)
    (12, 24, 21)
    """
    return (EVENING - hour_of_day(tick) - 1) % HOURS_A_DAY + 1


def refusal_in_words(reason: str) -> str:
    """Say why a story was not passed on.

    >>> refusal_in_words("sceptic")
    'the listener waits for another teller'
    """
    return _REFUSED[RefusalReason(reason)]
