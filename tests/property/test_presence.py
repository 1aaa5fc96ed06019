"""What is mirrored of moves, put together, is where everybody is: at any level of detail, in any version of a world."""

from itertools import pairwise

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.story_time import StoryTime
from ledger_service.domain.worlds import Character, Place, Stay, World
from ledger_service.recording.mirror import moves, presence_of
from tests.conftest import RULE_EXAMPLES

PLACES = ("mill", "inn", "quay", "tower")
REGIONS = {"mill": "vale", "inn": "vale", "quay": "coast", "tower": ""}
PEOPLE = tuple("abcde")


@st.composite
def worlds(draw: st.DrawFn) -> World:
    where = st.sampled_from((None, *PLACES))
    cast = []
    for who in draw(st.lists(st.sampled_from(PEOPLE), unique=True, min_size=1)):
        stays = draw(st.lists(st.tuples(st.sampled_from(PLACES), st.integers(0, 23)), max_size=3))
        schedule = tuple(Stay(place=p, from_hour=h, until_hour=h + 1) for p, h in stays)
        cast.append(Character(id=who, name=who, home=draw(where), schedule=schedule))
    places = tuple(Place(id=p, name=p, region=r) for p, r in REGIONS.items())
    return World(id="w", title="w", cast=tuple(cast), places=places)


@st.composite
def paths(draw: st.DrawFn) -> list[tuple[StoryState, World]]:
    """Where a story stands, again and again, with regions left behind and caught up with."""
    world = draw(worlds())
    state = StoryState(world_version="0")
    path = [(state, world)]
    for seq in range(1, draw(st.integers(2, 7))):
        if draw(st.integers(0, 4)) == 0:
            world = draw(worlds())
            state = msgspec.structs.replace(state, world_version=str(seq))
        tick = state.at.tick + draw(st.integers(0, 3))
        behind = {
            r: draw(st.integers(state.talked.get(r, state.at.tick), tick))
            for r in sorted(set(REGIONS.values()))
            if draw(st.booleans())
        }
        moved = draw(st.dictionaries(st.sampled_from((*PEOPLE, "player")), st.sampled_from(PLACES), max_size=2))
        state = msgspec.structs.replace(
            state, at=StoryTime(tick=tick), seq=seq, talked=behind, places={**state.places, **moved}
        )
        path.append((state, world))
    return path


@settings(max_examples=RULE_EXAMPLES // 5)
@given(paths())
def test_moves_put_together_are_where_everybody_is(path: list[tuple[StoryState, World]]) -> None:
    here = {p.who: p.place for p in presence_of(*path[0])}
    for (before, old), (after, new) in pairwise(path):
        here |= {p.who: p.place for p in moves(before, after, old, new)}
        expected = {p.who: p.place for p in presence_of(after, new)}
        assert {who: place for who, place in here.items() if place is not None} == expected
