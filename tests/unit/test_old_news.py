"""What a teller knows to be out of date is not told, also where the newer news is not for telling any more."""

import pytest

from ledger_service.domain.events import Deed, HourPassed
from ledger_service.domain.slots import Predicate, Slot
from tests.playing import Play
from tests.villages import a_village, somebody


def seen(value: str, *who: str) -> Deed:
    return Deed(
        actor="player", statement=f"the bridge is {value}", witnesses=who, place="market", subject="bridge",
        slot=Slot(subject="bridge", predicate="state", object=value),
    )  # fmt: skip


@pytest.mark.parametrize(("knows_it_is_down", "tells"), [(True, {"the bridge is down"}), (False, {"the bridge is up"})])
def test_the_older_of_two_states_is_told_only_by_who_does_not_know_better(
    knows_it_is_down: bool, tells: set[str]
) -> None:
    cast = (somebody("tomas", ("market", 1), ("market", 2)), somebody("pip", ("market", 1), ("market", 2)))
    village = a_village(
        cast, {("pip", "tomas"): 0.5}, predicates={"state": Predicate(functional=True, fluent=True)}
    )  # fmt: skip
    play = Play(village, seed=1)
    play.record(seen("up", "tomas"))
    play.record(seen("down", "tomas" if knows_it_is_down else "player"))
    for _ in range(3):
        play.record(HourPassed())
    assert {t.statement for t in play.tellings()} == tells
