"""The village on the command line: opened, lived through, asked why, surveyed; and hours that cannot go by."""

import json

import pytest

from ledger_service.services.gossip.advance_gossip import MOST_HOURS, MOST_HOURS_ANSWERED
from tests.e2e.test_commands import ROOT

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
VILLAGE = ROOT / "probes" / "village"


@pytest.fixture
def mine(here):
    assert here("world", "load", VILLAGE / "world.yaml")[0] == 0
    code, out, err = here(
        "playthrough", "open", "village", "--history", VILLAGE / "history.yaml", "--seed", 3, "--json"
    )
    assert code == 0, err
    return json.loads(out)["playthrough_id"]


def test_twelve_hours_read_as_a_story_and_why_leads_back_to_the_stall(here, mine):
    code, out, err = here("gossip", "advance", mine, "--hours", "12")
    assert code == 0, err
    lines = out.splitlines()
    assert "day 1, 09:00  tomas → pip at market: the player took an apple" in lines[0]
    assert any("dorte → wat at quay: salt will cost a penny more" in line for line in lines)
    assert any("→ ilsa at inn" in line for line in lines)
    why = json.loads(here("why", mine, "--holder", "ilsa", "--about", "player", "--json")[1])
    assert {link["holder"] for link in why["links"]} >= {"ilsa", "bertha"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--hours", "0"), "hours: from 1 to 10,000 can go by at once, not 0"),
        (("--hours", "-1"), "hours: from 1 to 10,000 can go by at once, not -1"),
        (("--hours", "10000000"), "not 10,000,000"),
        (("--hours", "soon"), "is not a valid integer"),
        (("--region", "atlantis"), "region 'atlantis' is declared nowhere"),
        (("--expected-seq", "1"), "expected the last event to be 1"),
    ],
)
def test_hours_that_cannot_go_by_are_one_line(here, mine, arguments, said):
    code, _, err = here("gossip", "advance", mine, *arguments)
    assert code == 2
    assert said in err.replace("\n", " ")


def test_how_many_hours_go_by_at_once_is_said_where_they_are_asked_for(here, app):
    told = " ".join(here("gossip", "advance", "--help")[1].split())
    readme = " ".join((ROOT / "README.md").read_text().split())
    for said in (told, readme):
        assert f"{MOST_HOURS:,}" in said
        assert str(MOST_HOURS_ANSWERED) in said
    hours = app.openapi_schema.to_schema()["components"]["schemas"]["Hours"]["properties"]["hours"]
    assert hours["maximum"] == MOST_HOURS_ANSWERED
    assert f"{MOST_HOURS:,}" in hours["description"]


def test_hours_under_a_key_go_by_once(here, mine):
    first, again = (here("gossip", "advance", mine, "--hours", 2, "--key", "k", "--json") for _ in range(2))
    assert (first[0], again[0]) == (0, 0)
    outcomes = [json.loads(line)["outcome"] for line in (first[1] + again[1]).splitlines()]
    assert outcomes == ["created", "created", "unchanged", "unchanged"]
    code, _, err = here("gossip", "advance", mine, "--hours", 3, "--key", "k")
    assert (code, "already used for 2 hours, not 3" in " ".join(err.split())) == (2, True)


def test_a_village_that_cannot_be_names_file_line_and_path(here, tmp_path):
    broken = tmp_path / "world.yaml"
    broken.write_text(
        (VILLAGE / "world.yaml").read_text().replace("place: inn, from_hour: 13", "place: inn, from_hour: 12")
    )
    code, _, err = here("world", "load", broken)
    assert code == 2
    assert f"{broken}:12: cast[0].schedule[1].from_hour: `tomas` is at two places at 12" in err
