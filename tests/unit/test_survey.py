"""Surveys: the theft reaches the guard by every seed, and what cannot be surveyed is said."""

import json
from functools import cache

import anyio
import pytest
from click.testing import CliRunner

from ledger_service.bootstrap import load_story, new_record
from ledger_service.cli.main import main
from ledger_service.domain.errors import ContentError, UnknownCharacterError
from ledger_service.services.gossip.survey_gossip import Asked, Survey, survey_gossip


@cache
def surveyed(**asked: object) -> Survey:
    story = load_story("village")

    async def ask() -> Survey:
        return await survey_gossip(story.world, story.history, Asked(**asked), new_record=new_record)  # type: ignore[arg-type]

    return anyio.run(ask)


def test_over_fifty_seeds_the_theft_reaches_the_guard_in_all_of_them():
    (reach,) = surveyed(seeds=50, hours=12, story="theft", to="ilsa").reaches
    assert (reach.reached, reach.of) == (50, 50)
    assert reach.hours is not None
    assert reach.severity is not None
    assert 9 <= reach.hours.least <= reach.hours.mean <= 10 >= reach.hours.most
    assert 2 < reach.severity.mean < 3
    assert reach.severity.deviation > 0.4
    assert reach.tellers == {"bertha": 50}
    assert sum(reach.severities.values()) == 50


def test_good_news_and_bad_reach_the_other_town_with_the_carter_and_he_first():
    found = surveyed(seeds=3, hours=30)
    hours = {(r.story, r.to): r.hours.mean for r in found.reaches if r.hours is not None}
    for story in ("theft", "rescue"):
        assert hours[story, "wat"] < hours[story, "dorte"] < hours[story, "nils"]
    assert hours["salt", "wat"] < hours["salt", "bertha"] < hours["salt", "mira"]
    assert ("salt", "dorte") not in {(r.story, r.to) for r in found.reaches}


def test_a_story_that_reaches_nobody_yet_says_so():
    (reach,) = surveyed(seeds=2, hours=1, story="theft", to="ilsa").reaches
    assert (reach.reached, reach.of, reach.hours) == (0, 2, None)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"seeds": 0}, ContentError, "seeds: from 1 to 10,000, not 0"),
        ({"seeds": 10_000_000}, ContentError, "not 10,000,000"),
        ({"hours": 0}, ContentError, "hours: from 1 to 10,000 can go by at once, not 0"),
        ({"story": "guards"}, ContentError, "there are rescue, salt, theft"),
        ({"to": "nobody"}, UnknownCharacterError, "unknown listener 'nobody'; the cast is tomas"),
    ],
)
def test_what_cannot_be_surveyed_is_said(asked, error, said):
    with pytest.raises(error, match=said):
        surveyed(**asked)


def test_the_command_prints_a_table_or_json():
    command = ["gossip", "survey", "village", "--seeds", "2", "--hours", "11", "--to", "ilsa", "--story", "theft"]
    shown = CliRunner().invoke(main, command, env={"COLUMNS": "160"})
    assert shown.exit_code == 0
    assert "2 of 2" in shown.output
    found = json.loads(CliRunner().invoke(main, [*command, "--json"]).output)
    assert found["reaches"][0]["reached"] == 2
    assert [a["teller"] for a in found["arrivals"]] == ["bertha", "bertha"]
    assert CliRunner().invoke(main, ["gossip", "survey", "village", "--seeds", "0"]).exit_code == 2
