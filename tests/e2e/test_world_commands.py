"""An edited world file tried out by the command and over HTTP: the same answer by either door, and nothing kept."""

import json
from pathlib import Path

import pytest

from ledger_service.probing.documents import decode_world
from ledger_service.services.playthroughs.open_playthrough import add_world
from ledger_service.services.worlds.revise_world import show_revision

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
PROBES = Path(__file__).parents[2] / "probes" / "maelin"
SOURCE = (PROBES / "world.yaml").read_text()
OTHERWISE = SOURCE.replace(
    "standing('maelin', 'player', 'reliability') >= 1.0 && !open('sensor')",
    "standing('maelin', 'player', 'reliability') < 1.0 || !open('sensor')",
)
ASK = "Let me use the transmitter."


@pytest.fixture
def played_here(here):
    """A playthrough with a packet of it, by the commands alone."""
    assert here("world", "load", PROBES / "world.yaml")[0] == 0
    mine = here("playthrough", "open", "maelin", "--history", PROBES / "history.yaml")[1].strip()
    packet = json.loads(here("packet", mine, "--speaker", "maelin", "--line", ASK, "--json")[1])["packet_id"]
    yield packet
    here("playthrough", "erase", mine, "--yes")


def test_a_dry_run_prints_what_would_change_and_keeps_nothing(here, played_here, tmp_path):
    file = tmp_path / "world.yaml"
    file.write_text(OTHERWISE)
    before = here("world", "list", "--json")[1]
    code, out, _ = here("world", "dry-run", file)
    assert code == 0
    assert f"≠ {played_here} maelin at event" in out
    assert "granted" in out
    assert "would change" in out.splitlines()[-1]
    tried = json.loads(here("world", "dry-run", file, "--json")[1])
    assert played_here in [one["packet"]["packet_id"] for one in tried["result"]["changed"]]
    assert here("world", "list", "--json")[1] == before
    file.write_text(SOURCE)
    same = json.loads(here("world", "dry-run", file, "--against", tried["base_version"], "--json")[1])["result"]
    assert (same["changed"], same["unchanged"]) == ([], same["looked_at"])


def test_what_is_wrong_with_a_file_is_said_all_at_once_by_dry_run_and_validate(here, tmp_path):
    file = tmp_path / "broken.yaml"
    file.write_text(SOURCE.replace("home: ice_field", "home: nowhere").replace("teller: teo", "teller: zog"))
    for command in ("validate", "dry-run"):
        code, out, err = here("world", command, file)
        assert code == 2, err
        assert [f"broken.yaml:{n}:" in out for n in (34, 63)] == [True, True], out
        faults = json.loads(here("world", command, file, "--json")[1])["faults"]
        assert [(f["line"], f["column"], f["path"]) for f in faults] == [
            (34, 5, "cast[2].home"),
            (63, 24, "trust[1].teller"),
        ]


@pytest.mark.anyio
async def test_a_program_is_told_the_same(http, played):
    asked = await http.post(f"/playthroughs/{played.playthrough_id}/packets", json={"speaker": "maelin", "line": ASK})
    packet_id = asked.json()["packet_id"]
    answer = await http.post("/worlds/maelin/dry-run", content=OTHERWISE.encode())
    assert answer.status_code == 200
    told = answer.json()
    assert packet_id in [one["packet"]["packet_id"] for one in told["result"]["changed"]]
    assert told["result"]["looked_at"] == told["result"]["unchanged"] + len(told["result"]["changed"])
    world = (await http.get(f"/worlds/{told['base_version']}")).json()
    same = (await http.post(f"/worlds/{told['base_version']}/dry-run", json=world)).json()["result"]
    assert same["changed"] == [], "JSON is read as YAML is"
    wrong = (await http.post("/worlds/maelin/dry-run", content=b"id: village")).json()
    assert wrong["result"] is None
    assert [f["line"] for f in wrong["faults"]] == [1, 1]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "body", "status"),
    [("/worlds/nowhere/dry-run", SOURCE.encode(), 404), ("/worlds/maelin/dry-run", b"\xff\xfe", 400)],
)
async def test_what_cannot_be_tried_out_is_named(http, played, path, body, status):
    assert (await http.post(path, content=body)).status_code == status


@pytest.mark.anyio
async def test_a_file_that_is_loaded_is_kept_word_for_word(application):
    text = "# a word before\n" + SOURCE.replace("id: maelin\ntitle", "id: maelin_too\ntitle")
    await add_world(decode_world(text.encode(), "w"), open_uow=application.open_uow, source=text)
    kept = await show_revision("maelin_too", open_uow=application.open_uow)
    assert (kept.text, kept.is_written, kept.revision.number) == (text, True, 1)
