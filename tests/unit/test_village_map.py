"""The map of a village: every place once, none on another, the same each time; and what is left out is counted."""

from itertools import combinations

import pytest

from ledger_service.bootstrap import load_story
from ledger_service.domain.worlds import Character, Place, World
from ledger_service.services.play.village import Room
from ledger_service.web.console.village_map import HIGH, MOST_BADGES, MOST_PLACES, WIDE, map_of, ways_of


def a_world(count: int) -> World:
    places = tuple(Place(id=f"p{n}", name=f"place {n}") for n in range(count))
    return World(id="plain", title="Plain", cast=(Character(id="ada", name="Ada Low"),), places=places)


def rooms(world: World, **people: tuple[tuple[str, str], ...]) -> list[Room]:
    return [Room(place=p, people=people.get(p.id, ()), is_here=p.id == "p1") for p in world.places]


@pytest.mark.parametrize(
    "world", [load_story("village").world, load_story("maelin").world, a_world(1), a_world(30), a_world(60)],
    ids=["village", "maelin", "one", "thirty", "sixty"],
)  # fmt: skip
def test_no_place_covers_another_and_all_are_within_the_map(world):
    drawn = map_of(rooms(world), world)
    assert {spot.place for spot in drawn.spots} == {p.id for p in world.places}
    for a, b in combinations(drawn.spots, 2):
        assert abs(a.x - b.x) > WIDE - 4 or abs(a.y - b.y) > HIGH - 4, (a.name, b.name)
    assert all(0 < spot.x < drawn.width and 0 < spot.y < drawn.height for spot in drawn.spots)
    assert map_of(rooms(world), world) == drawn


def test_ways_are_those_that_people_take_in_a_day():
    ways = ways_of(load_story("village").world)
    assert ways["anchor", "salt_road"] == 1, "the carter alone comes back"
    assert ways["inn", "market"] == 4, "Tomas at one, at two and at seven, the carter at six"
    assert not any({"market", "quay"} == set(pair) for pair in ways)
    assert ways_of(a_world(3)) == {}


def test_of_very_many_places_those_with_people_are_drawn_and_the_rest_is_counted():
    world = a_world(100)
    drawn = map_of(rooms(world, p99=(("ada", "Ada Low"),)), world)
    assert (len(drawn.spots), drawn.left_out) == (MOST_PLACES, 40)
    assert {"p1", "p99"} <= {spot.place for spot in drawn.spots}


def test_a_crowd_is_counted_and_its_names_are_told():
    world = a_world(2)
    crowd = tuple((f"c{n}", f"Cole {chr(65 + n)}") for n in range(7))
    spot = next(s for s in map_of(rooms(world, p0=crowd), world).spots if s.place == "p0")
    assert ([b.short for b in spot.badges], spot.more) == (["CA", "CB", "CC", "CD"][:MOST_BADGES], 3)
    assert spot.told.endswith("Cole G")
    assert sum(b.x for b in spot.badges) < 0, "the row makes room for the count"
