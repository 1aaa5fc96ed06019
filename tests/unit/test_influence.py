"""Influence over small nets of trust, each worked out by hand."""

import pytest

from ledger_service.domain.worlds import Gossip, Trust, World
from ledger_service.rumours.influence import (
    Network,
    brokers,
    cliques,
    likeliest_route,
    most_believed,
    network_of,
    route_along,
)
from tests.builders import a_world
from tests.villages import CHAIN, a_village, somebody, worked


def net(trust: dict[tuple[str, str], float], *others: str) -> Network:
    return Network(people=tuple(sorted({who for pair in trust for who in pair} | set(others))), trust=trust)


def shares(network: Network) -> dict[str, float]:
    return {r.who: round(r.score, 6) for r in most_believed(network)}


def test_two_who_trust_each_other_are_believed_alike() -> None:
    assert shares(net({("a", "b"): 0.9, ("b", "a"): 0.1})) == {"a": 0.5, "b": 0.5}


def test_who_trusts_nobody_gives_to_all() -> None:
    # b idle: a = .075 + .425 b; b = .075 + .85 a + .425 b; a + b = 1
    assert shares(net({("a", "b"): 0.3})) == {"b": 0.649123, "a": 0.350877}


def test_trust_is_given_in_proportion() -> None:
    # s = .05 + .85 (c + d), c = .05 + .85 x 3/4 s, d = .05 + .85 x 1/4 s
    found = shares(net({("s", "c"): 0.6, ("s", "d"): 0.2, ("c", "s"): 1.0, ("d", "s"): 1.0}))
    s = (0.05 + 0.85 * 0.1) / (1 - 0.85**2)
    assert found == {"s": round(s, 6), "c": round(0.05 + 0.6375 * s, 6), "d": round(0.05 + 0.2125 * s, 6)}


def test_without_trust_all_are_believed_alike_and_nobody_is_of_nobody() -> None:
    assert shares(net({}, "a", "b", "c", "d")) == dict.fromkeys("abcd", 0.25)
    assert most_believed(net({})) == ()


def test_cliques_are_held_together_by_strong_trust_alone() -> None:
    network = net({("a", "b"): 0.6, ("c", "d"): 0.9, ("d", "e"): 0.8, ("b", "c"): 0.2, ("f", "a"): 0.59})
    assert cliques(network, strong=0.6) == (("c", "d", "e"), ("a", "b"))
    assert cliques(network, strong=0.2) == (("a", "b", "c", "d", "e", "f"),)
    assert cliques(network, strong=1.0) == ()


def test_a_broker_is_on_the_shortest_ways_between_others() -> None:
    star = net({(leaf, "hub"): 0.5 for leaf in "abc"} | {("hub", leaf): 0.5 for leaf in "abc"})
    assert [(r.who, r.score) for r in brokers(star)] == [("hub", 6.0), ("a", 0.0), ("b", 0.0), ("c", 0.0)]


def test_equally_short_ways_share_a_pair() -> None:
    diamond = net({("b", "a"): 0.9, ("c", "a"): 0.1, ("d", "b"): 0.9, ("d", "c"): 0.1})
    assert {r.who: r.score for r in brokers(diamond)} == {"b": 0.5, "c": 0.5, "a": 0.0, "d": 0.0}


def test_a_line_of_five_has_its_broker_in_the_middle() -> None:
    line = net({("b", "a"): 0.5, ("c", "b"): 0.5, ("d", "c"): 0.5, ("e", "d"): 0.5})
    assert {r.who: r.score for r in brokers(line)} == {"a": 0, "b": 3, "c": 4, "d": 3, "e": 0}


def test_the_worked_route_goes_by_who_is_trusted_more() -> None:
    found = likeliest_route(network_of(worked()), "tomas", "ilsa")
    assert found is not None
    assert (found.people, found.trusts) == (("tomas", "bertha", "ilsa"), (0.7, 0.75))
    assert found.carried == pytest.approx(0.7 * 0.75 * 0.81)
    assert found.cost == 356_675 + 287_682
    assert likeliest_route(network_of(worked()), "ilsa", "tomas") is None


def test_a_longer_way_of_more_trust_is_likelier_unless_it_has_too_many_hops() -> None:
    network = net({("b", "a"): 0.9, ("c", "b"): 0.9, ("d", "c"): 0.9, ("d", "a"): 0.5})
    found = [likeliest_route(network, "a", "d", most_hops=most) for most in (None, 3, 2, 1)]
    assert [r.people for r in found if r is not None] == [("a", "b", "c", "d")] * 2 + [("a", "d")] * 2
    assert likeliest_route(network, "a", "c", most_hops=1) is None


def test_a_dear_way_of_few_hops_is_not_hidden_by_a_cheap_one_of_too_many() -> None:
    network = net({("b", "a"): 1.0, ("c", "b"): 1.0, ("d", "c"): 1.0, ("c", "a"): 0.2})
    found = likeliest_route(network, "a", "d", most_hops=2)
    assert found is not None
    assert found.people == ("a", "c", "d")


def test_of_ways_that_cost_the_same_the_shortest_is_taken_then_the_first_by_id() -> None:
    both = net({("y", "a"): 0.5, ("x", "a"): 0.5, ("z", "y"): 0.5, ("z", "x"): 0.5})
    found = likeliest_route(both, "a", "z")
    assert found is not None
    assert found.people == ("a", "x", "z")
    sure = net({("b", "a"): 1.0, ("c", "b"): 1.0, ("c", "a"): 1.0})
    found = likeliest_route(sure, "a", "c")
    assert found is not None
    assert found.people == ("a", "c")


@pytest.mark.parametrize(("teller", "listener"), [("tomas", "tomas"), ("nobody", "ilsa"), ("tomas", "nobody")])
def test_between_nobody_there_is_no_way(teller: str, listener: str) -> None:
    assert likeliest_route(network_of(worked()), teller, listener) is None


def test_a_known_way_is_told_with_its_trust() -> None:
    network = network_of(worked())
    assert route_along(("tomas", "bertha", "ilsa"), network) == likeliest_route(network, "tomas", "ilsa")


def test_only_those_who_pass_stories_on_are_counted_and_only_trust_above_nothing() -> None:
    trust = (
        Trust(listener="orla", teller="rex", trust=0.9), Trust(listener="orla", teller="player", trust=0.9),
        Trust(listener="orla", teller="maelin", trust=0.0), Trust(listener="tovi", teller="orla", trust=0.9),
        Trust(listener="tovi", teller="orla", trust=0.4),
    )  # fmt: skip
    network = network_of(a_world(trust=trust))
    assert network.people == ("brun", "maelin", "orla", "tovi")
    assert network.trust == {("tovi", "orla"): 0.9}


def test_the_bar_for_strong_trust_is_the_worlds() -> None:
    world: World = a_village(tuple(somebody(w) for w in ("ilsa", "bertha", "pip", "tomas")), CHAIN,
                             gossip=Gossip(strong_trust=0.78))  # fmt: skip
    assert cliques(network_of(world), strong=world.gossip.strong_trust) == (("bertha", "pip"),)
