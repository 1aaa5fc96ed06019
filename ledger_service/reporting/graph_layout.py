"""Where the nodes of a graph are drawn: by forces, the same for the same graph and seed, and no two on one another."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import ceil, sqrt
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROUNDS = 60
APART = 0.72
"""How near two may be, in units of the room that each has if all have the same."""
SHELF = 0.12
"""The part of the height, at the bottom, in which those stand whom nothing ties to anybody."""

Points = NDArray[np.float64]


class Point(NamedTuple):
    """A place in a square from 0 to 1, y downwards."""

    x: float
    y: float


def lay_out(nodes: Sequence[str], edges: Sequence[tuple[str, str, float]], *, seed: int = 1) -> Mapping[str, Point]:
    """Return a place for each node; who is tied to one another, the more so by weight, stands near.

    >>> lay_out(["tomas"], [])
    mappingproxy({'tomas': Point(x=0.5, y=0.5)})
    """
    ties = {tuple(sorted((a, b))): weight for a, b, weight in edges if a != b}
    return _laid_out(tuple(sorted(set(nodes))), tuple((a, b, w) for (a, b), w in sorted(ties.items())), seed)


@lru_cache(maxsize=32)
def _laid_out(nodes: tuple[str, ...], ties: tuple[tuple[str, str, float], ...], seed: int) -> Mapping[str, Point]:
    tied = {name for a, b, _ in ties for name in (a, b)}
    among = [name for name in nodes if name in tied]
    alone = [name for name in nodes if name not in tied]
    height = 1.0 - SHELF if among and alone else 1.0
    found = dict(zip(among, _by_forces(among, ties, seed) * (1.0, height), strict=True)) if among else {}
    found |= dict(zip(alone, _in_rows(len(alone), top=height if among else 0.0), strict=True))
    return MappingProxyType({name: Point(round(float(p[0]), 4), round(float(p[1]), 4)) for name, p in found.items()})


def _by_forces(names: list[str], ties: tuple[tuple[str, str, float], ...], seed: int) -> Points:
    import networkx as nx  # noqa: PLC0415  (it takes most of a second to load, and only drawings need it)

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_weighted_edges_from(ties)
    found = nx.spring_layout(graph, seed=seed, iterations=ROUNDS, weight="weight", method="force")
    return _spread(_fitted(np.array([found[name] for name in names], dtype=np.float64)))


def _fitted(points: Points) -> Points:
    """Fill the square, leaving a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    filled: Points = 0.04 + 0.92 * (points - low) / np.maximum(high - low, 1e-9)
    return filled


def _spread(points: Points) -> Points:
    """Push apart those that are too near one another."""
    least = APART / sqrt(len(points))
    for _ in range(ROUNDS):
        apart = points[:, None, :] - points[None, :, :]
        far = np.sqrt((apart**2).sum(axis=2)) + 1e-9
        push = np.where(far < least, (least - far) / far / 2, 0.0)
        np.fill_diagonal(push, 0.0)
        if not push.any():
            break
        points = np.clip(points + (apart * push[:, :, None]).sum(axis=1) * 0.8, 0.0, 1.0)
    return points


def _in_rows(count: int, *, top: float) -> list[tuple[float, float]]:
    height = 1.0 - top
    rows = max(1, round(sqrt(count * height)))
    columns = max(1, ceil(count / rows))
    return [((i % columns + 0.5) / columns, top + height * (i // columns + 0.5) / rows) for i in range(count)]
