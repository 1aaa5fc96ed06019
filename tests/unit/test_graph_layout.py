"""Drawing graphs: repeatable, inside the square, apart from one another, and near whom one is tied to."""

from itertools import combinations, pairwise
from math import dist
from statistics import mean

from hypothesis import given
from hypothesis import strategies as st

from ledger_service.reporting.graph_layout import lay_out

NAMES = [f"n{i}" for i in range(300)]
WEB = [(NAMES[i], NAMES[(i * 7 + k) % 300], 0.3 + k / 5) for i in range(300) for k in (1, 3)]


def test_the_same_graph_is_drawn_the_same_whatever_order_it_is_told_in():
    once = lay_out(NAMES, WEB, seed=3)
    again = lay_out(list(reversed(NAMES)), [(b, a, w) for a, b, w in reversed(WEB)], seed=3)
    assert once == again
    assert lay_out(NAMES, WEB, seed=4) != once


def test_three_hundred_stand_apart_from_one_another():
    places = lay_out(NAMES, WEB)
    nearest = min(dist(a, b) for a, b in combinations(places.values(), 2))
    assert nearest > 0.4 / 300**0.5


def test_two_cliques_are_drawn_as_two():
    left, right = [f"l{i}" for i in range(5)], [f"r{i}" for i in range(5)]
    ties = [(a, b, 1.0) for side in (left, right) for a, b in combinations(side, 2)] + [("l0", "r0", 0.1)]
    places = lay_out([*left, *right], ties)
    within = mean(dist(places[a], places[b]) for side in (left, right) for a, b in combinations(side, 2))
    between = mean(dist(places[a], places[b]) for a in left for b in right)
    assert within < 0.75 * between


@given(st.integers(0, 40), st.integers(0, 40))
def test_everybody_has_a_place_of_their_own_also_who_knows_nobody(tied, alone):
    names, lonely = [f"t{i}" for i in range(tied)], [f"a{i}" for i in range(alone)]
    ties = [(a, b, 0.5) for a, b in pairwise(names)]
    places = lay_out([*names, *lonely], ties)
    assert set(places) == {*names, *lonely}
    assert all(0 <= p.x <= 1 and 0 <= p.y <= 1 for p in places.values())
    assert len(set(places.values())) == len(places)
