"""Look through the spyglass: the graph of a playthrough, how trust lies in it, and which queries it was asked."""

from typing import Final

from msgspec import Struct

from ledger_service.domain.errors import GraphUnavailableError
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.spyglass import AskedQuery, GraphPicture
from ledger_service.domain.story_time import StoryTime
from ledger_service.ports import OpenUnitOfWork, RumourGraph
from ledger_service.services.influence.read_influence import Influence, influence_in, moment_in

QUERIES: Final = 50


class Spyglass(Struct, frozen=True, kw_only=True):
    """What a playthrough's graph holds, beside the influence in it and the last queries of this process to it."""

    playthrough_id: PlaythroughId
    at: StoryTime
    seq: int
    graph: GraphPicture | None
    """None where the graph is away, or does not hold this playthrough yet."""
    influence: Influence
    queries: tuple[AskedQuery, ...]
    """The newest first; those of this look come last and are not among them."""
    note: str = ""
    """Why there is no graph to see."""


async def read_spyglass(
    playthrough_id: PlaythroughId, *, open_uow: OpenUnitOfWork, graph: RumourGraph, queries: int = QUERIES
) -> Spyglass:
    """Return what the graph holds now; without it, all the rest and why.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
    """
    state, world = await moment_in(playthrough_id, open_uow)
    asked = graph.last_queries(playthrough_id, most=queries)
    picture, note = await _picture(playthrough_id, graph)
    return Spyglass(
        playthrough_id=playthrough_id,
        at=state.at,
        seq=state.seq,
        graph=picture,
        influence=await influence_in(playthrough_id, state, world, graph=graph),
        queries=asked,
        note=note,
    )


async def _picture(playthrough_id: PlaythroughId, graph: RumourGraph) -> tuple[GraphPicture | None, str]:
    try:
        return await graph.picture(playthrough_id), ""
    except GraphUnavailableError as error:
        return None, str(error)
