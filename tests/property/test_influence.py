"""Laws of influence, on made-up nets of trust."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_service.domain.confidence import telling_cost
from ledger_service.rumours.influence import Network, brokers, cliques, likeliest_route, most_believed
from tests.conftest import RULE_EXAMPLES

NAMES = tuple("abcdefg")
TRUST = st.one_of(st.sampled_from((0.25, 0.5, 1.0)), st.floats(min_value=0.001, max_value=1.0))


@st.composite
def nets(draw: st.DrawFn) -> Network:
    people = NAMES[: draw(st.integers(min_value=1, max_value=7))]
    pairs = [(a, b) for a in people for b in people if a != b]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Network(people=people, trust={pair: draw(TRUST) for pair in chosen})


def renamed(network: Network, names: dict[str, str]) -> Network:
    trust = {(names[a], names[b]): t for (a, b), t in network.trust.items()}
    return Network(people=tuple(sorted(names[p] for p in network.people)), trust=trust)


def ways(network: Network, teller: str, listener: str, most_hops: int) -> list[tuple[str, ...]]:
    """Every way without a repetition, by trying all."""
    others = [p for p in network.people if p not in {teller, listener}]
    found = []
    for between in range(min(len(others), most_hops - 1) + 1):
        for middle in itertools.permutations(others, between):
            way = (teller, *middle, listener)
            if all((b, a) in network.trust for a, b in itertools.pairwise(way)):
                found.append(way)
    return found


def cost_of(network: Network, way: tuple[str, ...]) -> int:
    return sum(telling_cost(network.trust[b, a]) for a, b in itertools.pairwise(way))


@settings(max_examples=RULE_EXAMPLES)
@given(nets())
def test_shares_of_belief_sum_to_one_and_none_is_nothing(network: Network) -> None:
    found = most_believed(network)
    assert sum(r.score for r in found) == pytest.approx(1.0, abs=1e-12)
    assert {r.who for r in found} == set(network.people)
    assert all(r.score >= 0.15 / len(network.people) - 1e-12 for r in found)


@settings(max_examples=RULE_EXAMPLES)
@given(nets(), st.permutations(NAMES))
def test_other_names_change_nothing_but_names(network: Network, shuffled: list[str]) -> None:
    names = dict(zip(NAMES, shuffled, strict=True))
    other = renamed(network, names)
    for measure in (most_believed, brokers):
        scores = {r.who: r.score for r in measure(other)}
        assert {names[r.who]: pytest.approx(r.score, abs=1e-9) for r in measure(network)} == scores
    sets = {frozenset(names[w] for w in c) for c in cliques(network, strong=0.5)}
    assert sets == {frozenset(c) for c in cliques(other, strong=0.5)}
    for teller, listener in itertools.permutations(network.people, 2):
        one = likeliest_route(network, teller, listener)
        two = likeliest_route(other, names[teller], names[listener])
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert (one.cost, len(one.people)) == (two.cost, len(two.people))


@settings(max_examples=RULE_EXAMPLES)
@given(nets(), st.integers(min_value=1, max_value=7))
def test_no_way_is_likelier_than_the_likeliest(network: Network, most_hops: int) -> None:
    for teller, listener in itertools.permutations(network.people, 2):
        every = ways(network, teller, listener, most_hops)
        found = likeliest_route(network, teller, listener, most_hops=most_hops)
        best = min(every, key=lambda w: (cost_of(network, w), len(w), w), default=None)
        assert (None if found is None else found.people) == best


@settings(max_examples=RULE_EXAMPLES)
@given(nets())
def test_brokers_are_those_on_the_shortest_ways_of_all_pairs(network: Network) -> None:
    expected = dict.fromkeys(network.people, 0.0)
    for teller, listener in itertools.permutations(network.people, 2):
        every = ways(network, teller, listener, len(network.people))
        shortest = [w for w in every if len(w) == min(map(len, every))]
        for way in shortest:
            for who in way[1:-1]:
                expected[who] += 1 / len(shortest)
    assert {r.who: r.score for r in brokers(network)} == pytest.approx(expected, abs=1e-9)
