"""Opinions over HTTP and on the command line, of the village as it ships."""

import json

import pytest

from ledger_service.bootstrap import Application
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from tests.e2e.conftest import shipped
from tests.e2e.test_commands import ROOT

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]
ROBBED = {
    "kind": "deed", "actor": "player", "statement": "the player robbed the fruit stall", "place": "market",
    "witnesses": ["ilsa", "tomas"], "ladder": "theft", "subject": "player",
}  # fmt: skip


@pytest.fixture
async def thornby(application: Application) -> str:
    version = await add_world(shipped("village").world, open_uow=application.open_uow)
    return (await open_playthrough(version, open_uow=application.open_uow)).playthrough_id


async def test_an_opinion_comes_with_its_evidence(http, thornby):
    posted = await http.post(f"/playthroughs/{thornby}/events", json={"events": [ROBBED]})
    deed, notice = posted.json()["receipts"][0]["entries"]
    found = (await http.get(f"/playthroughs/{thornby}/characters/ilsa/opinion")).json()
    assert (found["who"], found["about"], found["value"], found["praise"], found["blame"]) == (
        "ilsa", "player", -0.5, 0.0, 0.5,
    )  # fmt: skip
    assert found["evidence"] == [
        {
            "entry_id": deed["entry_id"], "statement": ROBBED["statement"], "weight": -0.5, "confidence": 1.0,
            "contribution": -0.5, "source": "witnessed", "by": "player",
        }
    ]  # fmt: skip
    assert notice["statement"].startswith("Ilsa Brandt put up a notice at the north gate:")
    of_tomas = await http.get(f"/playthroughs/{thornby}/characters/ilsa/opinion", params={"about": "tomas"})
    assert (of_tomas.json()["value"], of_tomas.json()["evidence"]) == (0.0, [])


@pytest.mark.parametrize(
    ("path", "status"),
    [("characters/zog/opinion", 422), ("characters/ilsa/opinion?about=zog", 422), ("characters/public/opinion", 422)],
)
async def test_somebody_who_is_nobody_is_named(http, thornby, path, status):
    answer = await http.get(f"/playthroughs/{thornby}/{path}")
    assert answer.status_code == status
    assert "unknown" in answer.text


async def test_of_a_playthrough_that_is_not_there_there_is_no_opinion(http):
    assert (await http.get("/playthroughs/pnone/characters/ilsa/opinion")).status_code == 404


async def test_a_game_is_not_told_what_characters_think(http):
    assert (await http.get("/roles")).json()["GET /v1/playthroughs/{playthrough_id:str}/characters/{who:str}/opinion"] \
        == "reviewer"  # fmt: skip


async def test_the_gate_is_barred_and_apples_are_dearer_in_the_packet_that_a_game_gets(http, thornby):
    await http.post(f"/playthroughs/{thornby}/events", json={"events": [ROBBED]})
    asked = {"ilsa": "Let me through.", "tomas": "I would like to buy some apples."}
    found = {}
    for speaker, line in asked.items():
        body = {"speaker": speaker, "line": line}
        answer = await http.post(f"/playthroughs/{thornby}/packets", params={"view": "game"}, json=body)
        found[speaker] = next(c for c in answer.json()["packet"]["consequences"] if c["asked"])
    assert (found["ilsa"]["outcome"], found["ilsa"]["opinions"][0]["value"]) == ("refused", -0.5)
    assert (found["tomas"]["outcome"], found["tomas"]["factor"]) == ("granted", 1.25)


def test_on_the_command_line_in_words_and_as_json(here):
    loaded = json.loads(here("world", "load", ROOT / "probes/village/world.yaml", "--json")[1])
    mine = json.loads(here("playthrough", "open", loaded["world_version"], "--json")[1])["playthrough_id"]
    here("event", "post", mine, "-", stdin=json.dumps([ROBBED]))
    code, out, err = here("opinion", mine, "ilsa")
    assert code == 0, err
    told = out.splitlines()
    assert told[0] == "Ilsa Brandt thinks ill of the player (-0.50): praise 0.00, less blame 0.50."
    assert told[1].strip().startswith("-0.50  the player robbed the fruit stall (weighs -0.50, held at 1.00, witnessed")
    found = json.loads(here("opinion", mine, "tomas", "--about", "ilsa", "--json")[1])
    assert (found["who"], found["about"], found["value"], found["evidence"]) == ("tomas", "ilsa", 0.0, [])
    code, _, err = here("opinion", mine, "zog")
    assert (code, "unknown character 'zog'" in err.replace("\n", " ")) == (2, True)
