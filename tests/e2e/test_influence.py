"""Influence and the spymaster over HTTP and on the command line: asked, played, and named errors."""

import json

import msgspec
import pytest

from ledger_service.domain.events import Deed
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import mirror_once
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.web.app import roles_of
from tests.villages import RUNGS, worked

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
THEFT = Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player")


@pytest.fixture
async def village(application):
    version = await add_world(worked(), open_uow=application.open_uow)
    played = (await open_playthrough(version, open_uow=application.open_uow, seed=7)).playthrough_id
    await record_events(played, (THEFT,), open_uow=application.open_uow)
    while await mirror_once(application.mirror_queue, application.graph, open_uow=application.open_uow):
        pass
    return f"/playthroughs/{played}"


@pytest.mark.anyio
async def test_a_plan_asked_for_over_http_and_played_over_http_comes_out_as_promised(http, village):
    advice = (await http.get(f"{village}/spymaster", params={"target": "ilsa"})).json()
    assert advice["summary"] == "Ilsa trusts Bertha most, 0.75; Bertha is at well at 09:00 on day 1."
    plan = advice["plans"][0]
    assert (plan["place"], plan["hour"], plan["confidence"], plan["reaches_at"]) == ("well", 9, 0.675, 11)
    assert (await http.post(f"{village}/hours", json={"hours": plan["wait_hours"]})).status_code == 200
    posted = await http.post(f"{village}/events", json={"events": [plan["event"]]})
    origin = posted.json()["receipts"][0]["entries"][0]["entry_id"]
    await http.post(f"{village}/hours", json={"hours": plan["then_hours"]})
    chain = (await http.get(f"{village}/why", params={"holder": "ilsa", "origin": origin})).json()
    assert chain["links"][0]["confidence"] == plan["confidence"]
    assert chain["links"][0]["teller"] == plan["hops"][-1]["teller"]


@pytest.mark.anyio
async def test_ranks_cliques_brokers_and_routes_over_http(http, village):
    found = (await http.get(f"{village}/influence")).json()
    assert [r["who"] for r in found["believed"]] == ["tomas", "bertha", "pip", "ilsa"]
    assert sum(r["score"] for r in found["believed"]) == pytest.approx(1)
    assert (found["brokers"][0]["who"], found["brokers_exact"]) == ("bertha", True)
    route = {"teller": "tomas", "listener": "ilsa"}
    answers = [
        (await http.get(f"{village}/influence/route", params=route | {"store": store})).json()
        for store in ("record", "graph")
    ]
    assert answers[0]["route"] == answers[1]["route"]
    assert answers[0]["route"]["people"] == ["tomas", "bertha", "ilsa"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "params", "status", "title"),
    [
        ("spymaster", {"target": "nobody"}, 422, "UnknownCharacter"),
        ("spymaster", {"target": "ilsa", "say": "x", "ladder": "none"}, 422, "Content"),
        ("spymaster", {}, 400, "Malformed"),
        ("influence/route", {"teller": "nobody", "listener": "ilsa"}, 422, "UnknownCharacter"),
        ("influence/route", {"teller": "ilsa", "listener": "tomas"}, 404, "NoRoute"),
        ("influence/route", {"teller": "ilsa", "listener": "tomas", "store": "mind"}, 400, "Malformed"),
    ],
)
async def test_names_that_do_not_exist_are_named_problems(http, village, path, params, status, title):
    answer = await http.get(f"{village}/{path}", params=params)
    assert (answer.status_code, answer.json()["title"]) == (status, title)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.anyio
async def test_influence_of_an_unknown_playthrough_is_404(http, village):
    for path in ("influence", "spymaster?target=ilsa", "influence/route?teller=a&listener=b"):
        answer = await http.get(f"/playthroughs/none/{path}")
        assert (answer.status_code, answer.json()["title"]) == (404, "UnknownPlaythrough")


@pytest.mark.anyio
async def test_influence_is_for_reviewers_and_described_with_examples(app):
    mine = {r: needs for r, needs in roles_of(app).items() if "influence" in r or "spymaster" in r}
    assert len(mine) == 3
    assert set(mine.values()) == {"reviewer"}
    paths = app.openapi_schema.to_schema()["paths"]
    for path, name in (("spymaster", "target"), ("influence/route", "teller"), ("influence/route", "listener")):
        given = paths[f"/v1/playthroughs/{{playthrough_id}}/{path}"]["get"]["parameters"]
        (parameter,) = [p for p in given if p["name"] == name]
        assert parameter["examples"] or parameter["schema"]["examples"]


def test_the_commands_advise_and_what_they_advise_comes_out(here, tmp_path):
    world = tmp_path / "world.yaml"
    world.write_bytes(msgspec.json.encode(worked()))
    assert here("world", "load", world)[0] == 0
    played = here("playthrough", "open", "village", "--seed", "7")[1].strip()
    here("event", "post", played, "-", stdin=msgspec.json.encode([THEFT]).decode())
    code, out, err = here("spymaster", played, "--target", "ilsa")
    assert code == 0, err
    assert "Ilsa trusts Bertha most, 0.75; Bertha is at well at 09:00" in out
    assert "Be seen doing good by Bertha and Pip at well at 09:00" in out
    plan = json.loads(here("spymaster", played, "--target", "ilsa", "--json")[1])["plans"][0]
    here("gossip", "advance", played, "--hours", plan["wait_hours"])
    here("event", "post", played, "-", stdin=json.dumps([plan["event"]]))
    passed = here("gossip", "advance", played, "--hours", plan["then_hours"], "--json")[1]
    told = [t for line in passed.splitlines() for t in json.loads(line)["tellings"] if t["listener"] == "ilsa"]
    assert plan["confidence"] in {t["offered_millionths"] / 1e6 for t in told}

    code, out, err = here("influence", played)
    assert code == 0, err
    assert "Most believed" in out
    assert "bertha, ilsa, pip, tomas" in out
    for store in ("record", "graph"):
        way = here("influence", played, "--route", "tomas", "ilsa", "--store", store)[1]
        assert f"tomas →0.70→ bertha →0.75→ ilsa: of a confidence of 1.00, 0.43 arrives, by the {store}" in way
    for arguments, why in (
        (("influence", played, "--route", "ilsa", "tomas"), "no trust leads from ilsa to tomas"),
        (("spymaster", played, "--target", "nobody"), "unknown target 'nobody'"),
    ):
        code, _, err = here(*arguments)
        assert (code, why in err.replace("\n", " ")) == (2, True)
