"""Read influence: who is most believed, who keeps to whom, who stands between, and which way a story takes."""

from functools import lru_cache
from typing import Final

import anyio.to_thread
from msgspec import Struct

from ledger_service.domain.errors import ContentError, GraphUnavailableError, NoRouteError, UnknownCharacterError
from ledger_service.domain.ids import CharacterId, PlaythroughId
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, RumourGraph
from ledger_service.rumours.influence import (
    EXACT_UP_TO,
    Network,
    Ranked,
    Route,
    brokers,
    cliques,
    likeliest_route,
    most_believed,
    network_of,
    rank,
    route_along,
)
from ledger_service.services.events.story_state import story_state, world_of

SAMPLES: Final = 128
SEED: Final = 20_617
MOST_HOPS: Final = 8
"""The engine lists ways up to here; the record is asked for no longer ones, so that both say the same."""


class Influence(Struct, frozen=True, kw_only=True):
    """How trust lies in the world of a playthrough."""

    people: int
    believed: tuple[Ranked, ...]
    """Everybody by PageRank over trust; the scores sum to 1."""
    cliques: tuple[tuple[CharacterId, ...], ...]
    """Those whom strong trust holds together."""
    strong_trust: float
    """From here on trust is strong."""
    brokers: tuple[Ranked, ...]
    """Everybody by the shortest ways of trust that lead through them."""
    brokers_exact: bool = True
    note: str = ""
    """How the brokers were counted, where not exactly, or why not at all."""
    silent: tuple[CharacterId, ...] = ()
    """Those who can tell nobody anything now, being dead or unconscious; they are counted all the same."""


class RouteFound(Struct, frozen=True, kw_only=True):
    """The most trusted way of a story between two people, and which store found it."""

    route: Route
    store: str
    """`record` or `graph`."""
    silent: tuple[CharacterId, ...] = ()
    """Those on it who can tell nobody anything now."""


class _Counted:
    """The network of one version of a world, which never changes: what was counted in it is not counted again."""

    __slots__ = ("network", "version")

    def __init__(self, version: str, network: Network) -> None:
        self.version = version
        self.network = network

    def __hash__(self) -> int:
        return hash(self.version)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and other.version == self.version


@lru_cache(maxsize=16)
def _most_believed(counted: _Counted) -> tuple[Ranked, ...]:
    return most_believed(counted.network)


@lru_cache(maxsize=16)
def _brokers(counted: _Counted) -> tuple[Ranked, ...]:
    return brokers(counted.network)


async def read_influence(
    playthrough_id: PlaythroughId,
    *,
    open_uow: OpenUnitOfWork,
    graph: RumourGraph | None = None,
    exact_up_to: int = EXACT_UP_TO,
) -> Influence:
    """Say who is most believed, who keeps to whom, and who stands between.

    Brokers of more than `exact_up_to` people are counted by the graph from a sample; the answer says so, also where the
    graph is away and they are not counted.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
    """
    state, world = await moment_in(playthrough_id, open_uow)
    return await influence_in(playthrough_id, state, world, graph=graph, exact_up_to=exact_up_to)


async def influence_in(
    playthrough_id: PlaythroughId,
    state: StoryState,
    world: World,
    *,
    graph: RumourGraph | None = None,
    exact_up_to: int = EXACT_UP_TO,
) -> Influence:
    """Say the same of a moment that was read already."""
    network = network_of(world)
    counted = _Counted(state.world_version, network)
    is_exact = len(network.people) <= exact_up_to
    if is_exact:
        between, note = await anyio.to_thread.run_sync(_brokers, counted), ""
    else:
        between, note = await _sampled(playthrough_id, network, graph)
    return Influence(
        people=len(network.people),
        believed=await anyio.to_thread.run_sync(_most_believed, counted),
        cliques=cliques(network, strong=world.gossip.strong_trust),
        strong_trust=world.gossip.strong_trust,
        brokers=between,
        brokers_exact=is_exact,
        note=note,
        silent=tuple(w for w in network.people if not state.is_awake(w)),
    )


async def moment_in(playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork) -> tuple[StoryState, World]:
    """Return where a story stands, and its world.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
    """
    async with open_uow(playthrough_id) as uow:
        await uow.playthroughs.get(playthrough_id)
        state = await story_state(uow)
        return state, await world_of(uow, state.world_version)


async def _sampled(
    playthrough_id: PlaythroughId, network: Network, graph: RumourGraph | None
) -> tuple[tuple[Ranked, ...], str]:
    """Let the graph count from a sample, scaled up to all."""
    crowd = f"{len(network.people):,} people are too many to count exactly"
    if graph is None:
        return (), f"{crowd}, and no graph was asked"
    try:
        scores = await graph.sample_brokers(playthrough_id, samples=SAMPLES, seed=SEED)
    except GraphUnavailableError as error:
        return (), f"{crowd}, and {error}"
    share = len(network.people) / SAMPLES
    known = {who: scores.get(who, 0.0) * share for who in network.people}
    return rank(known), f"{crowd}: estimated by the graph from {SAMPLES} of them, drawn by seed {SEED}"


async def find_route(
    playthrough_id: PlaythroughId,
    teller: CharacterId,
    listener: CharacterId,
    *,
    open_uow: OpenUnitOfWork,
    graph: RumourGraph | None = None,
) -> RouteFound:
    """Return the most trusted way of a story from one to another, of at most MOST_HOPS hops; with a graph, from there.

    Raises:
        UnknownPlaythroughError: there is no such playthrough.
        UnknownCharacterError: somebody who is not in the cast, or passes nothing on.
        ContentError: they are the same person.
        NoRouteError: no trust leads from one to the other.
        GraphUnavailableError: the graph was asked and is away.
    """
    state, world = await moment_in(playthrough_id, open_uow)
    network = network_of(world)
    for role, who in (("teller", teller), ("listener", listener)):
        if who not in network.people:
            raise UnknownCharacterError(who, role, allowed=network.people)
    if teller == listener:
        raise ContentError("listener", f"a story goes from one person to another, and both are {teller}")
    if graph is None:
        found = likeliest_route(network, teller, listener, most_hops=MOST_HOPS)
    else:
        people = await graph.find_route(playthrough_id, teller, listener, most_hops=MOST_HOPS)
        found = route_along(people, network) if people else None
    if found is None:
        raise NoRouteError(teller, listener, most_hops=MOST_HOPS)
    silent = tuple(w for w in found.people if not state.is_awake(w))
    return RouteFound(route=found, store="record" if graph is None else "graph", silent=silent)
