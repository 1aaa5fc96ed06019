"""The map of a world: its places, the ways that people take between them in a day, and who is where now."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import sqrt
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from ledger_service.bootstrap import lay_out
from ledger_service.domain.ids import PLAYER, PlaceId
from ledger_service.domain.worlds import World
from ledger_service.services.play.village import Room

MOST_PLACES: Final = 60
MOST_BADGES: Final = 4
"""So many people are drawn at a place; the others are counted."""
WIDTH: Final = 940
ROOM: Final = 243
"""How wide the map is for each place along a side, so that names do not meet."""
SHAPE: Final = 0.66
"""Its height, in widths."""
SIDE, TOP, FOOT = 86, 66, 78
WIDE, HIGH = 172, 120
"""What a place takes up with its name, its people and its flag."""
ROUNDS: Final = 150
BADGE: Final = 30
NEIGHBOURS: Final = 0.3
"""How strongly places of one region are tied, where nobody goes from one to the other."""

Pair = tuple[PlaceId, PlaceId]


class Badge(Struct, frozen=True, kw_only=True):
    """Somebody at a place."""

    short: str
    name: str
    x: float


class Spot(Struct, frozen=True, kw_only=True):
    """A place as it is drawn."""

    place: PlaceId
    name: str
    x: float
    y: float
    badges: tuple[Badge, ...]
    more: int
    told: str
    """Who is there, in words."""
    is_here: bool


class Way(Struct, frozen=True, kw_only=True):
    """A way that people take in a day."""

    x1: float
    y1: float
    x2: float
    y2: float
    people: int
    """How often it is taken in a day."""


class VillageMap(Struct, frozen=True, kw_only=True):
    """A drawing, and how many places it leaves out."""

    width: int
    height: int
    spots: tuple[Spot, ...]
    ways: tuple[Way, ...]
    left_out: int


def map_of(rooms: Sequence[Room], world: World) -> VillageMap:
    """Draw a world; of very many places, where the player and others are."""
    drawn = sorted(rooms, key=lambda room: (not room.is_here, not room.people))[:MOST_PLACES]
    kept = {room.place.id for room in drawn}
    trodden = {pair: n for pair, n in ways_of(world).items() if kept.issuperset(pair)}
    width = max(WIDTH, round(ROOM * sqrt(len(drawn))))
    height = round(width * SHAPE)
    at = _spots(drawn, trodden, width, height)
    ways = (Way(x1=at[a][0], y1=at[a][1], x2=at[b][0], y2=at[b][1], people=n) for (a, b), n in sorted(trodden.items()))
    return VillageMap(
        width=width, height=height, ways=tuple(ways), left_out=len(rooms) - len(drawn),
        spots=tuple(_spot(room, at[room.place.id]) for room in sorted(drawn, key=lambda r: at[r.place.id][::-1])),
    )  # fmt: skip


def ways_of(world: World) -> Counter[Pair]:
    """Return between which places people go in a day, and how many of them."""
    found: Counter[Pair] = Counter()
    for someone in world.cast:
        stops = [place for place in (*someone.day, someone.day[0]) if place is not None] if someone.id != PLAYER else []
        found.update((min(a, b), max(a, b)) for a, b in pairwise(stops) if a != b)
    return found


def _spots(
    drawn: Sequence[Room], trodden: dict[Pair, int], width: int, height: int
) -> Mapping[PlaceId, tuple[float, float]]:
    """Lay places out by the ways between them, spread over the map, so that none covers another."""
    ties = dict.fromkeys(_neighbours(drawn), NEIGHBOURS) | {pair: 1.0 + n for pair, n in trodden.items()}
    return _laid_out(tuple(sorted(room.place.id for room in drawn)), tuple(sorted(ties.items())), width, height)


@lru_cache(maxsize=32)
def _laid_out(
    places: tuple[PlaceId, ...], ties: tuple[tuple[Pair, float], ...], width: int, height: int
) -> Mapping[PlaceId, tuple[float, float]]:
    found = lay_out(places, [(a, b, tie) for (a, b), tie in ties])
    xs = _evened([found[place].x for place in places])
    ys = _evened([found[place].y for place in places])
    right, foot = width - SIDE, height - FOOT
    at = [[SIDE + x * (right - SIDE), TOP + y * (foot - TOP)] for x, y in zip(xs, ys, strict=True)]
    for _ in range(ROUNDS):
        if not sum(_part(a, b) for a, b in combinations(at, 2)):
            break
        for spot in at:
            spot[:] = min(max(spot[0], SIDE), right), min(max(spot[1], TOP), foot)
    return MappingProxyType({place: (round(x, 1), round(y, 1)) for place, (x, y) in zip(places, at, strict=True)})


def _evened(along: Sequence[float]) -> list[float]:
    """Move values halfway to where they would stand if all were equally far apart.

    >>> _evened([0.5, 0.1, 0.2])
    [0.75, 0.05, 0.35]
    """
    if len(along) == 1:
        return [0.5]
    rank = {n: place / (len(along) - 1) for place, n in enumerate(sorted(range(len(along)), key=along.__getitem__))}
    return [round((value + rank[n]) / 2, 6) for n, value in enumerate(along)]


def _part(a: list[float], b: list[float]) -> bool:
    """Move two apart that would cover one another, the shorter way; say whether they did."""
    over = (WIDE - abs(a[0] - b[0]), HIGH - abs(a[1] - b[1]))
    if min(over) <= 0:
        return False
    axis = 0 if over[0] / WIDE < over[1] / HIGH else 1
    step = (over[axis] / 2 + 1) * (1 if a[axis] >= b[axis] else -1)
    a[axis] += step
    b[axis] -= step
    return True


def _neighbours(drawn: Iterable[Room]) -> Iterable[Pair]:
    regions: dict[str, list[PlaceId]] = {}
    for room in drawn:
        regions.setdefault(room.place.region, []).append(room.place.id)
    return (pair for places in regions.values() for pair in combinations(sorted(places), 2))


def _spot(room: Room, at: tuple[float, float]) -> Spot:
    shown = room.people[:MOST_BADGES]
    more = len(room.people) - len(shown)
    first = -BADGE * (len(shown) + bool(more) - 1) / 2
    return Spot(
        place=room.place.id,
        name=room.place.name,
        x=at[0],
        y=at[1],
        badges=tuple(Badge(short=_short(name), name=name, x=first + BADGE * n) for n, (_, name) in enumerate(shown)),
        more=more,
        told=", ".join(name for _, name in room.people),
        is_here=room.is_here,
    )


def _short(name: str) -> str:
    return "".join(word[0] for word in name.split()[:2]).upper()
