"""The village as it ships: whole days, and the trust of the worked chain."""

import pytest

from ledger_service.domain.story_time import HOURS_A_DAY
from ledger_service.domain.worlds import Character
from ledger_service.stores.probe_files import ProbeFiles
from tests.speaking import STORY
from tests.villages import RUNGS

VILLAGE = ProbeFiles(STORY.parent).load("village")
CAST = {c.id: c for c in VILLAGE.world.cast}


@pytest.mark.parametrize("someone", VILLAGE.world.cast, ids=lambda c: c.id)
def test_everybody_is_somewhere_at_every_hour_and_has_a_voice(someone: Character):
    stays = [s for s in someone.schedule for h in range(HOURS_A_DAY) if s.from_hour <= h < s.until_hour]
    stays += [s for s in someone.schedule for h in range(HOURS_A_DAY) if s.from_hour > s.until_hour
              and not s.until_hour <= h < s.from_hour]  # fmt: skip
    assert len(stays) == HOURS_A_DAY
    assert len(someone.voice.samples) >= 4
    assert someone.home in {p.id for p in VILLAGE.world.places}


def test_the_worked_four_and_what_they_make_of_the_apple():
    trust = {(t.listener, t.teller): t.trust for t in VILLAGE.world.trust}
    worked = {("pip", "tomas"): 0.5, ("bertha", "tomas"): 0.7, ("bertha", "pip"): 0.8, ("ilsa", "bertha"): 0.75}
    assert worked.items() <= trust.items()
    assert ("ilsa", "pip") not in trust
    assert max((t, teller) for (listener, teller), t in trust.items() if listener == "ilsa") == (0.75, "bertha")
    assert (CAST["pip"].exaggeration, CAST["mira"].sceptic) == (0.8, 2)
    assert CAST["bertha"].place_at(10) == "inn"
    assert VILLAGE.world.ladders[0].rungs == RUNGS
    assert any(sum(ladder.weights) > 0 for ladder in VILLAGE.world.ladders)


def test_one_man_goes_between_the_towns_every_day():
    def regions(who: str) -> set[str]:
        return {VILLAGE.world.region_of(CAST[who].place_at(hour)) for hour in range(HOURS_A_DAY)}

    assert regions("wat") == {"thornby", "road", "saltmere"}
    assert [who for who in CAST if "saltmere" in regions(who)] == ["wat", "dorte", "nils"]
    assert all(len(regions(who)) == 1 for who in CAST if who != "wat")
