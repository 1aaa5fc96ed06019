"""Story time decides, and nothing else: no clock, no dice, no order of a set; half-open stretches, never backwards."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_service.domain.errors import OutOfOrderError
from ledger_service.domain.events import Deed, GameEvent, TimePassed
from ledger_service.domain.slots import Predicate, Relation, Slot, relate
from ledger_service.services.events.record_event import record_events
from tests.property.played import played, steps, thorough
from tests.strategies import histories

ROOT = Path(__file__).parents[2]
ticks = st.integers(0, 12)
stretches = st.tuples(ticks, ticks).filter(lambda s: s[0] < s[1])
TELL = """
import asyncio
from tests.speaking import the_station

async def tell():
    station = await the_station()
    for speaker in [c.id for c in station.world.cast if c.id != "player"]:
        for line in ("Who killed him?", "I brought the sensor back.", "What did you promise me?", "Good morning."):
            print((await station.ask(line, speaker=speaker)).packet.hash)
    async with station.stores.open_uow(station.playthrough_id) as uow:
        print((await uow.playthroughs.state()).head)

asyncio.run(tell())
"""


@thorough
@given(stretches, stretches)
def test_stretches_are_half_open_and_touching_ones_never_meet(one: tuple[int, int], other: tuple[int, int]) -> None:
    values = {"is": Predicate(functional=True)}
    earlier = Slot(subject="gate", predicate="is", object="open", from_tick=one[0], until_tick=one[1])
    later = Slot(subject="gate", predicate="is", object="shut", from_tick=other[0], until_tick=other[1])
    both_at_some_tick = bool(set(range(*one)) & set(range(*other)))
    assert (relate(earlier, later, values) is Relation.CONFLICTS) == both_at_some_tick


@thorough
@given(histories)
def test_time_goes_by_what_the_game_reports_and_never_backwards(history: list[GameEvent]) -> None:
    _, seen = played(history)
    for before, after in steps(seen):
        was = before.state.at.tick if before else 0
        hours = after.event.hours if isinstance(after.event, TimePassed) else 0
        assert after.state.at.tick == was + hours
        assert all(e.at == after.state.at for e in after.entries if e.seq == after.state.seq)
        assert all(a.at == after.state.at for a in after.amendments if a.cause_seq == after.state.seq)


@thorough
@given(histories, st.data())
def test_an_event_that_claims_an_earlier_tick_is_refused_and_leaves_nothing(
    history: list[GameEvent], data: st.DataObject
) -> None:
    play, seen = played([*history, TimePassed(hours=1)])
    earlier = Deed(actor="maelin", statement="x", tick=data.draw(st.integers(0, seen[-1].state.at.tick - 1)))
    before = (play.state(), play.all(), play.history())
    with pytest.raises(OutOfOrderError):
        asyncio.run(
            record_events(
                play.playthrough_id, [TimePassed(hours=1), earlier], open_uow=play.stores.open_uow,
                embedder=play.embedder,
            )
        )  # fmt: skip
    assert (play.state(), play.all(), play.history()) == before


def test_another_process_with_another_order_of_sets_comes_to_the_same_hashes() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TELL], cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2", "77")
    ]  # fmt: skip
    told = {process.communicate()[0] for process in processes}
    assert [process.returncode for process in processes] == [0, 0, 0]
    (same,) = told
    assert len(same.splitlines()) > 4
