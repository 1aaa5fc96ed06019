"""HTTP to database and back."""

import asyncio

import httpx
import msgspec
import pytest

from ledger_service.bootstrap import open_application
from ledger_service.services.gossip.mirror_rumours import mirror_once
from ledger_service.web.app import create_app, roles_of
from ledger_service.web.roles import ROLES, may

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]

ASKED = "Let me use the restricted transmitter."


async def ask(http, played, *, view="review", **fields):
    body = {"speaker": "maelin", "line": ASKED} | fields
    return await http.post(f"/playthroughs/{played.playthrough_id}/packets", params={"view": view}, json=body)


async def test_the_worked_example_comes_out_exactly(http, played):
    packet = (await ask(http, played)).json()["packet"]
    selected = {s["entry_id"]: s for s in packet["selected"]}
    promise = selected[played.labels["sensor"][0]]
    confession = selected[played.labels["confession"][1]]
    assert (promise["status"], promise["fields"]["owner"]) == ("open", "player")
    assert confession["how"] == "witnessed"
    standing = {s["scope"]: (s["amount"], s["absent"]) for s in packet["standings"]}
    assert standing["honesty_under_pressure"] == (1.0, False)
    assert standing["reliability"] == (0.0, True)
    (rule,) = packet["consequences"]
    assert (rule["action"], rule["outcome"], rule["asked"]) == ("use_transmitter", "refused", True)
    assert rule["would_change"] == "the sensor comes back"


async def test_a_game_sees_neither_what_was_withheld_nor_what_is_acted_on(http, played):
    shown = (await ask(http, played, view="game")).json()["packet"]
    assert (shown["withheld"], shown["act_only"]) == ([], [])
    assert "transfer off the moon" not in msgspec.json.encode(shown).decode()


async def test_the_hidden_message_reaches_nobody_who_did_not_read_it(http, played):
    answer = await ask(http, played, line="What did the supervisor's message say about the forecaster?")
    assert "be replaced" not in answer.text


async def test_a_review_names_every_entry_and_why_it_is_not_in_the_packet(http, played):
    packet_id = (await ask(http, played)).json()["packet_id"]
    review = (await http.get(f"/playthroughs/{played.playthrough_id}/packets/{packet_id}/review")).json()
    reasons = {w["entry_id"]: w["reason"] for w in review["withheld"]}
    assert reasons[played.labels["message"][0]] == "not_visible"
    assert reasons[played.labels["heater_dead"][0]] == "superseded"
    packet = review["stored"]["packet"]
    everything = {x["entry_id"] for x in (*packet["selected"], *packet["act_only"], *review["withheld"])}
    assert everything == set(review["statements"])
    assert sum(review["counts"].values()) == len(review["withheld"])


async def test_the_contradiction_with_the_station_log_is_open_and_shown(http, played):
    packet = (await ask(http, played)).json()["packet"]
    flag = next(f for f in packet["flags"] if f["kind"] == "contradiction")
    assert {played.labels["denial"][1], played.labels["log"][0]} <= set(flag["entry_ids"])


async def test_a_packet_of_the_past_knows_nothing_later(http, played):
    early = (await ask(http, played, at_seq=5)).json()["packet"]
    statements = [s["statement"] for s in early["selected"]]
    assert "player replaced the relay fuse" not in statements
    assert "player admitted damaging the relay before anyone had asked" in statements


async def test_a_fork_changes_no_packet(http, played):
    before = (await ask(http, played)).json()["packet"]["hash"]
    fork = (await http.post(f"/playthroughs/{played.playthrough_id}/fork", json={})).json()
    branch = msgspec.structs.replace(played, playthrough_id=fork["playthrough_id"])
    assert (await ask(http, branch)).json()["packet"]["hash"] == before


async def test_what_happens_on_a_branch_stays_there(http, played):
    fork = (await http.post(f"/playthroughs/{played.playthrough_id}/fork", json={"at_seq": 9})).json()
    branch = msgspec.structs.replace(played, playthrough_id=fork["playthrough_id"])
    deed = {"kind": "deed", "actor": "player", "statement": "player sang on the branch", "witnesses": ["maelin"]}
    await http.post(f"/playthroughs/{branch.playthrough_id}/events", json={"events": [deed]})
    on_branch, on_trunk = (await ask(http, branch)).text, (await ask(http, played)).text
    assert "sang on the branch" in on_branch
    assert "sang on the branch" not in on_trunk
    assert "left on the cable errand" not in on_branch


async def test_an_old_save_forks_and_a_new_one_goes_on(http, played):
    saves = f"/playthroughs/{played.playthrough_id}/saves"
    assert (await http.post(saves, json={"name": "early", "at_seq": 5})).status_code == 201
    assert (await http.post(saves, json={"name": "now"})).status_code == 201
    old, new = await http.post(f"{saves}/early/load"), await http.post(f"{saves}/now/load")
    assert old.json()["forked_at_seq"] == 5
    assert new.json()["playthrough_id"] == played.playthrough_id


async def test_a_reply_is_scored_and_becomes_evidence_only_that_it_was_said(http, played):
    packet_id = (await ask(http, played)).json()["packet_id"]
    path = f"/playthroughs/{played.playthrough_id}/packets/{packet_id}/replies"
    line = "I promise you the transmitter tomorrow, and the moon is made of tin."
    scored = (await http.post(path, json={"text": line, "responder": "test"})).json()
    assert scored["scorecard"]["fault"] == "generation"
    said = (await http.get(f"/playthroughs/{played.playthrough_id}/entries", params={"word": "tin"})).json()["entries"]
    assert [e["statement"][:11] for e in said if not e["quarantined"]] == ["maelin said"]


async def test_the_diff_of_two_packets_names_what_changed(http, played):
    first = (await ask(http, played)).json()["packet_id"]
    deed = {"kind": "deed", "actor": "player", "statement": "player swept the floor", "witnesses": ["maelin"]}
    await http.post(f"/playthroughs/{played.playthrough_id}/events", json={"events": [deed]})
    second = (await ask(http, played)).json()["packet_id"]
    changes = (await http.get(f"/playthroughs/{played.playthrough_id}/packets/{first}/diff/{second}")).json()
    assert [c["statement"] for c in changes if c["what"] == "entry"] == ["player swept the floor"]


async def test_to_a_character_only_their_own_teller_is_named(http, played):
    entry = played.labels["antenna"][0]
    path = f"/playthroughs/{played.playthrough_id}/entries/{entry}/why"
    chain = (await http.get(path, params={"as_character": "maelin"})).json()
    assert [link["teller"] for link in chain["links"]] == ["supervisor"]
    assert (await http.get(path, params={"as_character": "teo"})).status_code == 404


async def test_both_stores_give_the_same_chain(application, http, played):
    while await mirror_once(application.mirror_queue, application.graph, open_uow=application.open_uow):
        pass
    path = f"/playthroughs/{played.playthrough_id}/entries/{played.labels['crater'][0]}/why"
    record, graph = (await http.get(path)).json(), (await http.get(path, params={"store": "graph"})).json()
    assert (record.pop("store"), graph.pop("store")) == ("postgres", "graph")
    assert record == graph


async def test_twenty_clients_posting_one_batch_leave_one_copy(http, played):
    deed = {"kind": "deed", "actor": "player", "statement": "player fed the cat", "witnesses": ["maelin"], "key": "cat"}
    path = f"/playthroughs/{played.playthrough_id}/events"
    answers = await asyncio.gather(*(http.post(path, json={"events": [deed]}) for _ in range(20)))
    outcomes = sorted(a.json()["receipts"][0]["outcome"] for a in answers)
    assert outcomes == ["created"] + ["unchanged"] * 19
    assert len({a.json()["receipts"][0]["seq"] for a in answers}) == 1


@pytest.mark.parametrize(
    ("event", "status", "title"),
    [
        ({"kind": "deed", "actor": "ghost", "statement": "boo"}, 422, "UnknownCharacter"),
        ({"kind": "deed", "actor": "player", "statement": "early", "tick": 1}, 422, "OutOfOrder"),
        ({"kind": "happened", "name": "rapture"}, 422, "Undeclared"),
        ({"kind": "commitment_made", "owner": "", "to": "maelin", "statement": "x"}, 400, "Malformed"),
        ({"kind": "inferred", "who": "maelin", "statement": "x", "confidence": 1.2}, 400, "Malformed"),
        ({"kind": "deed", "actor": "player", "statement": "nul \x00 here"}, 422, "Content"),
        ({"kind": "felt", "who": "maelin", "emotion": "joy", "statement": "x",
          "expires": {"type": "at_tick", "tick": 3}}, 422, "Content"),
        ({"kind": "commitment_made", "owner": "player", "to": "maelin", "statement": "x",
          "fulfilled_when": "launch()"}, 400, "Condition"),
        ({"kind": "nonsense"}, 400, "Malformed"),
    ],
)  # fmt: skip
async def test_a_bad_event_is_a_named_problem_and_nothing_of_its_batch_is_written(http, played, event, status, title):
    good = {"kind": "deed", "actor": "player", "statement": "player hummed", "witnesses": ["maelin"]}
    path = f"/playthroughs/{played.playthrough_id}/events"
    answer = await http.post(path, json={"events": [good, event]})
    assert (answer.status_code, answer.json()["title"]) == (status, title)
    assert answer.headers["content-type"] == "application/problem+json"
    assert "player hummed" not in (await ask(http, played)).text


async def test_a_key_used_again_with_other_content_is_a_conflict(http, played):
    path = f"/playthroughs/{played.playthrough_id}/events"
    first = {"kind": "time_passed", "hours": 1, "key": "same"}
    assert (await http.post(path, json={"events": [first]})).status_code == 200
    other = await http.post(path, json={"events": [first | {"hours": 2}]})
    assert (other.status_code, other.json()["title"]) == (409, "DuplicateKey")


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"speaker": "ghost"}, 422), ({"audience": []}, 422), ({"audience": ["ghost"]}, 422), ({"speaker": ""}, 422),
     ({"action": "fly"}, 422), ({"at_seq": 999}, 422), ({"unknown": 1}, 400)],
)  # fmt: skip
async def test_a_packet_for_nobody_is_an_error_and_never_everything(http, played, fields, status):
    answer = await ask(http, played, **fields)
    assert answer.status_code == status
    assert "selected" not in answer.json()


async def test_a_body_too_large_is_refused(http, played):
    answer = await http.post(f"/playthroughs/{played.playthrough_id}/events", content=b" " * 5_000_000)
    assert answer.status_code == 413


async def test_the_description_shows_an_example_of_each_call_a_game_makes(app):
    described = app.openapi_schema.to_schema()["paths"]
    for path in ("", "/{playthrough_id}/events", "/{playthrough_id}/packets"):
        content = described[f"/v1/playthroughs{path}"]["post"]["requestBody"]["content"]["application/json"]
        assert content["schema"]["examples"], path


async def test_unknown_things_are_404(http, played):
    for path in ("/playthroughs/none", f"/playthroughs/{played.playthrough_id}/packets/none", "/worlds/none"):
        assert (await http.get(path)).status_code == 404


async def test_erasing_a_playthrough_leaves_nothing_and_no_other_is_touched(http, played, application):
    other = (await http.post("/playthroughs", json={"world": "maelin"})).json()["playthrough_id"]
    assert (await http.delete(f"/playthroughs/{played.playthrough_id}")).json()["rows"] > 50
    assert (await http.get(f"/playthroughs/{played.playthrough_id}")).status_code == 404
    assert (await http.get(f"/playthroughs/{other}")).status_code == 200


async def test_a_playthrough_that_branches_still_read_is_not_erased(http, played):
    await http.post(f"/playthroughs/{played.playthrough_id}/fork", json={})
    assert (await http.delete(f"/playthroughs/{played.playthrough_id}")).status_code == 409


async def test_health_asks_both_stores_a_real_question(http):
    assert (await http.get("/health")).json() == {"record": True, "graph": True, "detail": ""}


async def test_every_route_is_held_to_its_role(settings, places, application):
    keys = {role: await application.api_keys.add(role=role, label=f"test {role}") for role in ROLES}
    try:
        outside = msgspec.structs.replace(settings, host="192.0.2.1")
        async with open_application(outside, places) as bound:
            app = create_app(bound)
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
                for route, needs in roles_of(app).items():
                    method, path = route.split(" ")
                    path = (
                        path.replace("{playthrough_id:str}", "px")
                        .replace(":str}", "}")
                        .replace("{", "")
                        .replace("}", "")
                    )
                    if needs == "anybody":
                        assert (await client.request(method, path)).status_code == 200
                        continue
                    assert (await client.request(method, path)).status_code == 401, route
                    for role, key in keys.items():
                        headers = {"Authorization": f"Bearer {key}"}
                        status = (
                            await client.request(method, path, headers=headers, params={"as_character": "maelin"})
                        ).status_code
                        assert (status != 403) == may(role, needs), (route, role, status)
    finally:
        for role in ROLES:
            await application.api_keys.revoke(f"test {role}")


async def test_an_export_comes_back_with_the_same_packet_and_a_tampered_one_does_not(http, played):
    exported = await http.get(f"/playthroughs/{played.playthrough_id}/export")
    assert exported.status_code == 200
    imported = await http.post("/playthroughs/import", content=exported.content)
    copy = msgspec.structs.replace(played, playthrough_id=imported.json()["playthrough_id"])
    assert (await ask(http, copy)).json()["packet"]["hash"] == (await ask(http, played)).json()["packet"]["hash"]
    forged = exported.content.replace(b"player replaced the relay fuse", b"player smashed the relay fuse!")
    answer = await http.post("/playthroughs/import", content=forged)
    assert 400 <= answer.status_code < 500
    assert "Tampered" in answer.json()["title"]
