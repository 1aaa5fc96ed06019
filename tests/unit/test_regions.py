"""Level of detail: where the player is, every hour; elsewhere, several hours at once, with a stated difference."""

import asyncio
import random
from statistics import mean

import msgspec
import pytest

from ledger_service.domain.entries import Hearsay
from ledger_service.domain.errors import ContentError, UndeclaredError
from ledger_service.domain.events import Deed, EventReceipt, HourPassed, Moved, RegionsCaughtUp
from ledger_service.domain.worlds import Character, Place, Stay, World
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from tests.playing import Play
from tests.villages import RUNGS, a_village


def a_country(seed: int, *, regions: int = 4, people: int = 8) -> World:
    """Regions with three places each; every second person spends four hours of each day in the next one."""
    chance = random.Random(seed)
    places = [Place(id=f"r{r}_{p}", name=p, region=f"r{r}") for r in range(regions) for p in ("inn", "well", "gate")]
    cast = tuple(_somebody(chance, r, n, regions) for r in range(regions) for n in range(people))
    near = {c.id: c.id[1] for c in cast}
    trust = {
        (a.id, b.id): round(chance.uniform(0.3, 0.9), 2)
        for a in cast
        for b in cast
        if a.id != b.id and chance.random() < (0.5 if near[a.id] == near[b.id] else 0.2)
    }
    village = a_village(cast, trust)
    return msgspec.structs.replace(village, places=(*places, *village.places))


def _somebody(chance: random.Random, region: int, number: int, regions: int) -> Character:
    stays = []
    leaves = chance.randrange(6, 19)
    for hour in range(24):
        away = number % 2 == 0 and leaves <= hour < leaves + 4
        where = (region + 1) % regions if away else region
        stays.append(
            Stay(place=f"r{where}_{chance.choice(('inn', 'well', 'gate'))}", from_hour=hour, until_hour=hour + 1)
        )
    return Character(id=f"c{region}_{number}", name=f"c{region}_{number}", schedule=tuple(stays), exaggeration=0.5)


def advance(play: Play, passing: Passing) -> list[EventReceipt]:
    async def go() -> list[EventReceipt]:
        return [r async for r in advance_gossip(play.playthrough_id, passing, open_uow=play.stores.open_uow)]

    return asyncio.run(go())


def begun(world: World, *, seed: int = 1) -> Play:
    play = Play(world, seed=seed)
    play.record(Moved(who="player", to="r0_inn"))
    play.record(
        Deed(actor="player", statement=RUNGS[0], witnesses=("c0_0", "c0_1"), ladder="theft", subject="player")
    )  # fmt: skip
    return play


def believers(play: Play) -> dict[str, float]:
    heard = (e for e in play.ledger().entries.values() if isinstance(e, Hearsay))
    return {e.knowers[0].who: e.confidence for e in heard}


def test_where_the_player_is_nothing_differs_until_a_traveller_brings_something() -> None:
    full, near = begun(a_country(1)), begun(a_country(1))
    advance(full, Passing(hours=10))
    advance(near, Passing(hours=10, every=6))
    here = [{who: c for who, c in believers(play).items() if who.startswith("c0")} for play in (full, near)]
    assert here[0] == here[1]
    assert here[0]


def test_a_region_is_caught_up_with_in_its_turn_and_when_the_player_arrives() -> None:
    play = begun(a_country(2))
    advance(play, Passing(hours=3, every=24))
    behind = play.state().talked
    assert set(behind) <= {"r1", "r2", "r3", ""}
    assert "r1" in behind
    play.record(Moved(who="player", to="r1_inn"))
    kinds = [(r.kind, r.at.tick) for r in advance(play, Passing(hours=1, every=24))]
    assert kinds[0] == ("regions_caught_up", 3)
    assert "r1" not in play.state().talked


def test_nobody_passes_on_what_they_learn_only_later() -> None:
    play = begun(a_country(3))
    advance(play, Passing(hours=72, every=12))
    entries = play.ledger().entries
    learned = {e.entry_id: e.at.tick for e in entries.values()}
    for telling in play.tellings():
        source = [t.tick for t in play.tellings() if t.to_entry == telling.from_entry] or [learned[telling.from_entry]]
        assert min(source) < telling.tick


def arrived(play: Play) -> dict[str, int]:
    """The hour in which each of them first had it, whenever that was made up for."""
    first: dict[str, int] = {}
    for telling in play.tellings():
        if telling.to_entry is not None:
            first[telling.listener] = min(telling.tick, first.get(telling.listener, telling.tick))
    return first


@pytest.mark.parametrize("hours", [12, 24])
@pytest.mark.parametrize(("every", "most"), [(3, 0.02), (6, 0.03), (12, 0.05)])
def test_the_difference_from_the_full_simulation_is_within_what_is_stated(every: int, most: float, hours: int) -> None:
    """Of how many have it, of how sure each is, and of the hour in which it came: the README states these bounds."""
    reached, apart, late = [], [], []
    for seed in range(4):
        full, coarse = begun(a_country(seed), seed=seed), begun(a_country(seed), seed=seed)
        advance(full, Passing(hours=hours))
        advance(coarse, Passing(hours=hours, every=every))
        coarse.record(RegionsCaughtUp(regions=tuple(coarse.state().talked)))
        all_hours, fewer = believers(full), believers(coarse)
        reached.append(abs(len(all_hours) - len(fewer)) / len(all_hours))
        apart += [abs(all_hours[who] - fewer[who]) for who in all_hours.keys() & fewer.keys()]
        at, then = arrived(full), arrived(coarse)
        late += [abs(at[who] - then[who]) for who in at.keys() & then.keys()]
    assert mean(reached) <= 2 * most if hours < 24 else mean(reached) <= most
    assert 0 < mean(apart) <= most
    assert mean(late) <= 0.5


def test_the_same_hours_by_level_of_detail_tell_the_same_story_again() -> None:
    first, second = begun(a_country(4)), begun(a_country(4))
    advance(first, Passing(hours=30, every=6))
    for _ in range(30):
        advance(second, Passing(every=6))
    assert first.all() == second.all()
    assert first.tellings() == second.tellings()


def test_regions_that_are_not_there_and_odd_intervals_are_refused() -> None:
    play = begun(a_country(1))
    with pytest.raises(UndeclaredError):
        play.record(HourPassed(regions=("atlantis",)))
    with pytest.raises(UndeclaredError):
        play.record(RegionsCaughtUp(regions=("atlantis",)))
    with pytest.raises(ContentError, match="every 1 to"):
        advance(play, Passing(every=0))
