"""Who is most believed, who keeps to whom, who stands between, and which way a story most likely takes."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from ledger_service.domain.confidence import RETELL_LOSS, telling_cost
from ledger_service.domain.ids import CharacterId
from ledger_service.domain.trust import Pair, talkers_of, trust_among_talkers
from ledger_service.domain.worlds import World

DAMPING: Final = 0.85
SETTLED: Final = 1e-12
MOST_ROUNDS: Final = 500
EXACT_UP_TO: Final = 1_000
"""So many people's brokers are counted exactly; that takes under a second. Of more, the graph counts a sample."""


class Network(Struct, frozen=True, kw_only=True):
    """Who believes whom, and how much."""

    people: tuple[CharacterId, ...]
    trust: Mapping[Pair, float]
    """By (listener, teller); above 0."""

    def listeners(self) -> dict[CharacterId, list[tuple[CharacterId, float]]]:
        """Return who believes each teller, and how much."""
        found: dict[CharacterId, list[tuple[CharacterId, float]]] = {who: [] for who in self.people}
        for (listener, teller), trust in self.trust.items():
            found[teller].append((listener, trust))
        return found


class Ranked(Struct, frozen=True, kw_only=True):
    """Somebody and how much they count."""

    who: CharacterId
    score: float


class Route(Struct, frozen=True, kw_only=True):
    """A way of a story: everybody on it in order, the trust at each hop, and what is left of confidence at its end."""

    people: tuple[CharacterId, ...]
    trusts: tuple[float, ...]
    cost: int
    """-ln of all trust on it together, in millionths."""
    carried: float
    """Of a confidence of 1.0: trust x 0.9 at each hop."""


def network_of(world: World) -> Network:
    """Return who believes whom in a world, among those who pass stories on."""
    return Network(people=talkers_of(world), trust=trust_among_talkers(world))


def rank(scores: Mapping[CharacterId, float]) -> tuple[Ranked, ...]:
    """Order people by how much they count, and by id where they count the same."""
    return tuple(Ranked(who=w, score=s) for w, s in sorted(scores.items(), key=lambda i: (-round(i[1], 9), i[0])))


def most_believed(network: Network) -> tuple[Ranked, ...]:
    """Return how much everybody is believed by those who are believed: PageRank over trust, summing to 1.

    Each listener divides their own score among the tellers they trust, in proportion to trust; who trusts nobody gives
    to all alike:

        score(t) = 0.15 / n + 0.85 x (sum over listeners l of t: score(l) x trust(l, t) / sum of trust(l, .)
                                      + sum over those who trust nobody: score / n)

    It is iterated until scores change by less than 1e-12 altogether.

    >>> three = Network(people=("a", "b", "c"), trust={("a", "c"): 0.5, ("b", "c"): 1.0})
    >>> [(r.who, round(r.score, 3)) for r in most_believed(three)]
    [('c', 0.574), ('a', 0.213), ('b', 0.213)]
    """
    if not network.people:
        return ()
    n = len(network.people)
    number = {who: i for i, who in enumerate(network.people)}
    given = [0.0] * n
    for (listener, _), trust in network.trust.items():
        given[number[listener]] += trust
    passed = [(number[a], number[b], DAMPING * trust / given[number[a]]) for (a, b), trust in network.trust.items()]
    idle = [i for i in range(n) if not given[i]]
    scores, change = [1.0 / n] * n, 1.0
    for _ in range(MOST_ROUNDS):
        if change < SETTLED:
            break
        new = [((1.0 - DAMPING) + DAMPING * sum(scores[i] for i in idle)) / n] * n
        for source, target, part in passed:
            new[target] += scores[source] * part
        change = sum(abs(after - before) for before, after in zip(scores, new, strict=True))
        scores = new
    total = sum(scores)
    return rank({who: scores[i] / total for who, i in number.items()})


def cliques(network: Network, *, strong: float) -> tuple[tuple[CharacterId, ...], ...]:
    """Return those whom strong trust holds together, in whichever direction it goes; the largest first, no loners.

    >>> four = Network(people=("a", "b", "c", "d"), trust={("a", "b"): 0.7, ("c", "b"): 0.6, ("d", "a"): 0.5})
    >>> cliques(four, strong=0.6)
    (('a', 'b', 'c'),)
    """
    beside: dict[CharacterId, list[CharacterId]] = defaultdict(list)
    for (listener, teller), trust in network.trust.items():
        if trust >= strong:
            beside[listener].append(teller)
            beside[teller].append(listener)
    found: list[tuple[CharacterId, ...]] = []
    seen: set[CharacterId] = set()
    for who in network.people:
        if who not in seen and who in beside:
            members = _reached(who, beside)
            seen |= members
            found.append(tuple(sorted(members)))
    return tuple(sorted(found, key=lambda c: (-len(c), c)))


def _reached(start: CharacterId, beside: Mapping[CharacterId, Sequence[CharacterId]]) -> set[CharacterId]:
    reached = {start}
    frontier = [start]
    while frontier:
        frontier = [b for who in frontier for b in beside[who] if b not in reached]
        reached.update(frontier)
    return reached


def brokers(network: Network) -> tuple[Ranked, ...]:
    """Return through whom how many shortest ways of trust lead: exact betweenness, after Brandes.

    A way is as long as it has hops, however much trust they carry; of several equally short ways between two people
    each counts in part. Ends do not count, and nothing is normalised: 1.0 is one ordered pair of others.

    >>> line = Network(people=("a", "b", "c"), trust={("b", "a"): 0.5, ("c", "b"): 0.5})
    >>> [(r.who, r.score) for r in brokers(line)]
    [('b', 1.0), ('a', 0.0), ('c', 0.0)]
    """
    number = {who: i for i, who in enumerate(network.people)}
    after: list[list[int]] = [[] for _ in network.people]
    for listener, teller in network.trust:
        after[number[teller]].append(number[listener])
    scores = [0.0] * len(after)
    for start in range(len(after)):
        for who, share in _shares(start, after):
            scores[who] += share
    return rank({who: scores[i] for who, i in number.items()})


def _shares(start: int, after: Sequence[Sequence[int]]) -> Iterable[tuple[int, float]]:
    """Yield what everybody carries of the shortest ways from one person to all others."""
    distance = [-1] * len(after)
    ways = [0] * len(after)
    before: list[list[int]] = [[] for _ in after]
    distance[start], ways[start] = 0, 1
    order: list[int] = []
    frontier = [start]
    while frontier:
        order += frontier
        farther: list[int] = []
        hops = distance[frontier[0]] + 1
        for v in frontier:
            for w in after[v]:
                if distance[w] < 0:
                    distance[w] = hops
                    farther.append(w)
                if distance[w] == hops:
                    ways[w] += ways[v]
                    before[w].append(v)
        frontier = farther
    carried = [0.0] * len(after)
    for w in reversed(order):
        part = (1.0 + carried[w]) / ways[w]
        for v in before[w]:
            carried[v] += ways[v] * part
        if w != start:
            yield w, carried[w]


def likeliest_route(
    network: Network, teller: CharacterId, listener: CharacterId, *, most_hops: int | None = None
) -> Route | None:
    """Return the most trusted way of a story between two people: the least sum of -ln trust, after Dijkstra.

    Of ways that cost the same the shortest is taken, and of those the first by id.

    >>> of = Network(people=("a", "b", "c"), trust={("b", "a"): 0.8, ("c", "b"): 0.75, ("c", "a"): 0.5})
    >>> r = likeliest_route(of, "a", "c")
    >>> r.people, r.trusts, round(r.carried, 3)
    (('a', 'b', 'c'), (0.8, 0.75), 0.486)
    """
    listeners = network.listeners()
    if teller == listener or teller not in listeners or listener not in listeners:
        return None
    fewest: dict[CharacterId, int] = {}
    waiting: list[tuple[int, int, tuple[CharacterId, ...]]] = [(0, 0, (teller,))]
    while waiting:
        cost, hops, people = heapq.heappop(waiting)
        who = people[-1]
        if who == listener:
            return _route(people, cost, network)
        if hops >= fewest.get(who, hops + 1):
            continue
        fewest[who] = hops
        if most_hops is None or hops < most_hops:
            for following, trust in listeners[who]:
                if following not in people:
                    heapq.heappush(waiting, (cost + telling_cost(trust), hops + 1, (*people, following)))
    return None


def _route(people: tuple[CharacterId, ...], cost: int, network: Network) -> Route:
    trusts = tuple(network.trust[after, before] for before, after in pairwise(people))
    return Route(people=people, trusts=trusts, cost=cost, carried=_carried(trusts))


def route_along(people: tuple[CharacterId, ...], network: Network) -> Route:
    """Return a known way with its trust, as it stands in a network."""
    trusts = [network.trust[after, before] for before, after in pairwise(people)]
    return _route(people, sum(telling_cost(t) for t in trusts), network)


def _carried(trusts: Iterable[float]) -> float:
    left = 1.0
    for trust in trusts:
        left *= trust * RETELL_LOSS
    return round(left, 6)
