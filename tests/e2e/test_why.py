"""Why, over HTTP and on the command line: the worked chain in words, as JSON and as a comic strip, by role."""

import json
from xml.etree import ElementTree as ET

import httpx
import msgspec
import pytest

from ledger_service.bootstrap import open_application
from ledger_service.domain.events import Deed, HourPassed
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import mirror_once
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.web.app import create_app
from tests.villages import RUNGS, worked

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]
SVG = "{http://www.w3.org/2000/svg}"


class Village(msgspec.Struct, frozen=True, kw_only=True):
    """The worked story, told through four hours."""

    playthrough_id: str
    origin: str

    @property
    def path(self) -> str:
        return f"/playthroughs/{self.playthrough_id}/why"


async def record(application, playthrough_id, *events):
    embedder = application.reading.embedder
    return await record_events(playthrough_id, events, open_uow=application.open_uow, embedder=embedder)


@pytest.fixture
async def village(application):
    version = await add_world(worked(), open_uow=application.open_uow)
    mine = (await open_playthrough(version, open_uow=application.open_uow)).playthrough_id
    stolen = Deed(tick=7, actor="player", statement=RUNGS[0], witnesses=("tomas",), subject="player", ladder="theft",
                  place="market")  # fmt: skip
    (receipt,) = await record(application, mine, stolen)
    await record(application, mine, *(HourPassed() for _ in range(4)))
    return Village(playthrough_id=mine, origin=receipt.entries[0].entry_id)


async def test_the_strongest_belief_comes_back_to_the_witness(http, village):
    answer = await http.get(village.path, params={"holder": "ilsa", "about": "player"})
    links = answer.json()["links"]
    found = [(k["holder"], k["teller"], f"{k['confidence']:.2f}", k["severity"], k["tick"], k["place"]) for k in links]
    assert found == [
        ("ilsa", "bertha", "0.51", 4, 11, "gate"),
        ("bertha", "pip", "0.75", 3, 9, "well"),
        ("bertha", "tomas", "0.75", 3, 10, "inn"),
        ("tomas", None, "1.00", 1, 7, "market"),
        ("pip", "tomas", "0.45", 2, 8, "market"),
    ]  # fmt: skip
    assert [k["named"] for k in links] == [
        "lost 0.24 in the retelling", "lost 0.13 in the retelling", "gained 0.30 by a second teller", "",
        "lost 0.55 in the retelling",
    ]  # fmt: skip
    by_origin = await http.get(village.path, params={"holder": "ilsa", "origin": village.origin})
    assert by_origin.json() == answer.json()


async def test_it_can_be_had_in_words(http, village):
    answer = await http.get(village.path, params={"holder": "ilsa", "format": "words"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    lines = answer.text.splitlines()
    assert lines[0] == (
        f"day 1, 11:00 (tick 11) at gate: Bertha told Ilsa: {RUNGS[3]}"
        " (unverified, 0.51, rung 4 of 5, lost 0.24 in the retelling)"
    )
    assert "Tomas saw it" in lines[3]


async def test_it_can_be_had_as_a_comic_strip_in_which_nothing_can_run(http, village):
    answer = await http.get(village.path, params={"holder": "ilsa", "format": "svg"})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    panels = [g for g in ET.fromstring(answer.content).iter(f"{SVG}g") if g.get("role") == "img"]
    assert len(panels) == 5


@pytest.mark.parametrize("form", ["json", "words", "svg"])
async def test_to_a_character_no_form_names_more_than_their_own_teller(http, village, form):
    answer = await http.get(village.path, params={"as_character": "ilsa", "about": "player", "format": form})
    assert answer.status_code == 200
    assert "bertha" in answer.text.lower()
    for hidden in ("tomas", "pip", village.origin, *RUNGS[:3], "rung", "retelling"):
        assert hidden not in answer.text.lower()


async def test_the_graph_gives_the_same_answer_in_every_form(application, http, village):
    while await mirror_once(application.mirror_queue, application.graph, open_uow=application.open_uow):
        pass
    for form in ("json", "words", "svg"):
        asked = {"holder": "ilsa", "format": form}
        record_says = (await http.get(village.path, params=asked)).text
        graph_says = (await http.get(village.path, params=asked | {"store": "graph"})).text
        assert graph_says.replace('"store":"graph"', '"store":"postgres"') == record_says


async def test_a_game_asks_as_a_character_and_a_reviewer_sees_all(settings, places, application, village):
    roles = ("game", "reviewer")
    keys = {r: await application.api_keys.add(role=r, label=f"why {r}") for r in roles}
    try:
        async with open_application(msgspec.structs.replace(settings, host="192.0.2.1"), places) as bound:
            transport = httpx.ASGITransport(create_app(bound))
            async with httpx.AsyncClient(transport=transport, base_url="http://test/v1") as client:

                async def ask(role, **asked):
                    headers = {"Authorization": f"Bearer {keys[role]}"}
                    return await client.get(village.path, params=asked, headers=headers)

                for form in ("json", "words", "svg"):
                    assert (await ask("game", holder="ilsa", format=form)).status_code == 403
                    assert (await ask("game", as_character="ilsa", format=form)).status_code == 200
                    assert (await ask("reviewer", holder="ilsa", format=form)).status_code == 200
                assert (await ask("game", as_character="ilsa", holder="bertha")).status_code == 422
    finally:
        for r in roles:
            await application.api_keys.revoke(f"why {r}")


@pytest.mark.parametrize(
    ("asked", "status", "title"),
    [
        ({}, 422, "Content"),
        ({"about": "player"}, 422, "Content"),
        ({"holder": "nobody"}, 422, "UnknownCharacter"),
        ({"holder": "ilsa", "about": "moon"}, 404, "NoBelief"),
        ({"entry": "e0"}, 404, "UnknownEntry"),
        ({"holder": "ilsa", "format": "pdf"}, 400, "Malformed"),
        ({"holder": "ilsa", "store": "shop"}, 400, "Malformed"),
    ],
)
async def test_a_question_that_cannot_be_answered_is_a_named_problem(http, village, asked, status, title):
    answer = await http.get(village.path, params=asked)
    assert (answer.status_code, answer.json()["title"]) == (status, title)


def test_the_command_tells_prints_and_draws(here, village, tmp_path):
    def why(*arguments):
        return here("why", village.playthrough_id, *arguments)

    comic = tmp_path / "why.svg"
    code, told, err = why("--holder", "ilsa", "--about", "player", "--comic", comic)
    assert code == 0, err
    assert "gained 0.30 by a second teller" in told
    assert "Tomas saw it" in told
    assert ET.fromstring(comic.read_bytes()).tag == f"{SVG}svg"
    shown = json.loads(why("--holder", "ilsa", "--json")[1])
    assert [k["holder"] for k in shown["links"]] == ["ilsa", "bertha", "bertha", "tomas", "pip"]
    own = why("--as", "ilsa")[1]
    assert "Bertha told Ilsa" in own
    assert "Tomas" not in own


def test_the_command_says_in_a_line_what_it_cannot_do(here, village, tmp_path):
    for arguments in (("--about", "player"), ("--holder", "ilsa", "--comic", tmp_path / "no" / "folder.svg")):
        code, _, err = here("why", village.playthrough_id, *arguments)
        assert (code, err.startswith("error:")) == (2, True)
