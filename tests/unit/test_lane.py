"""A provider's lane: spaced, capped, and closed for a while where one after another broke."""

from itertools import pairwise

import anyio
import pytest

from ledger_service.responders.lane import Lane, LaneClosed, LaneSettings

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that a test sets, and that sleeping moves on."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def breaks(lane: Lane, why: str = "answered 500") -> None:
    with pytest.raises(RuntimeError, match=why):
        async with lane.turn():
            raise RuntimeError(why)


async def test_no_minute_begins_more_than_it_may(clock: Clock) -> None:
    lane = Lane(LaneSettings(per_minute=20), clock=clock, sleep=clock.sleep)
    begun = []
    for _ in range(50):
        async with lane.turn():
            begun.append(clock.now)
    assert all(later - earlier == pytest.approx(3.0) for earlier, later in pairwise(begun))
    assert max(sum(at <= t < at + 60 for t in begun) for at in begun) == 20


async def test_without_a_limit_nobody_waits(clock: Clock) -> None:
    lane = Lane(LaneSettings(), clock=clock, sleep=clock.sleep)
    for _ in range(50):
        async with lane.turn():
            pass
    assert clock.now == 1_000.0


async def test_no_more_than_so_many_are_under_way_at_once() -> None:
    lane = Lane(LaneSettings(in_flight=3))
    under_way, most = 0, 0

    async def ask() -> None:
        nonlocal under_way, most
        async with lane.turn():
            under_way += 1
            most = max(most, under_way)
            await anyio.sleep(0.002)
            under_way -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(ask)
    assert most == 3


async def test_after_so_many_in_a_row_it_is_left_alone_and_says_why(clock: Clock) -> None:
    lane = Lane(LaneSettings(breaks_after=3, rests_s=30), clock=clock, sleep=clock.sleep)
    for _ in range(3):
        await breaks(lane)
    with pytest.raises(LaneClosed, match="answered 500 3 times in a row, and is left alone for 30 s"):
        async with lane.turn():
            pytest.fail("nobody asks")


async def test_one_that_answers_in_between_begins_the_count_anew(clock: Clock) -> None:
    lane = Lane(LaneSettings(breaks_after=2), clock=clock, sleep=clock.sleep)
    for _ in range(5):
        await breaks(lane)
        async with lane.turn():
            pass


async def test_after_its_rest_one_tries_and_the_others_wait_for_what_it_finds(clock: Clock) -> None:
    lane = Lane(LaneSettings(breaks_after=2, rests_s=30), clock=clock, sleep=clock.sleep)
    await breaks(lane)
    await breaks(lane)
    clock.now += 31
    async with lane.turn():
        with pytest.raises(LaneClosed):
            async with lane.turn():
                pytest.fail("one is enough")
    async with lane.turn():
        pass


async def test_one_that_is_still_away_after_its_rest_rests_again(clock: Clock) -> None:
    lane = Lane(LaneSettings(breaks_after=2, rests_s=30), clock=clock, sleep=clock.sleep)
    await breaks(lane)
    await breaks(lane)
    clock.now += 31
    await breaks(lane, "answered 503")
    with pytest.raises(LaneClosed, match="answered 503 3 times in a row, and is left alone for 30 s"):
        async with lane.turn():
            pytest.fail("nobody asks")


async def test_a_provider_that_wants_to_be_left_alone_is(clock: Clock) -> None:
    lane = Lane(LaneSettings(), clock=clock, sleep=clock.sleep)
    lane.hold(7)
    async with lane.turn():
        assert clock.now == 1_007.0


async def test_a_wait_that_is_cut_off_counts_as_broken(clock: Clock) -> None:
    lane = Lane(LaneSettings(breaks_after=1), clock=clock, sleep=clock.sleep)
    with anyio.move_on_after(0.01):
        async with lane.turn():
            await anyio.sleep_forever()
    with pytest.raises(LaneClosed, match="did not answer 1 times"):
        async with lane.turn():
            pytest.fail("nobody asks")
