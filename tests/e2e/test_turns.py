"""Turns over HTTP: one call hears, perceives, decides, speaks and remembers; a game sees no more than it may."""

import pytest

from ledger_service.web.app import roles_of

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]
ASKED = {"speaker": "maelin", "line": "The sensor is back. Let me use the transmitter.", "key": "turn-1"}


async def test_a_turn_is_one_call_and_the_same_again_is_the_same_turn(http, played):
    path = f"/playthroughs/{played.playthrough_id}"
    answer = await http.post(f"{path}/turns", json=ASKED)
    assert answer.status_code == 201, answer.text
    turn = answer.json()
    assert turn["reply"]["reply"]["responder"] == "template"
    assert {s["entry_id"] for s in turn["packet"]["packet"]["selected"]} >= set(turn["perceived"]["stories"])
    assert any(c["outcome"] == "refused" for c in turn["packet"]["packet"]["consequences"])
    assert not {"withheld", "act_only"} & {k for k, v in turn["packet"]["packet"].items() if v}
    events = (await http.get(f"{path}/events", params={"limit": 500})).json()
    again = (await http.post(f"{path}/turns", json=ASKED)).json()
    assert (again["packet"]["packet_id"], again["reply"]) == (turn["packet"]["packet_id"], turn["reply"])
    assert (await http.get(f"{path}/events", params={"limit": 500})).json() == events
    heard = [e for e in str(events).split("'kind'") if ASKED["line"] in e]
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"speaker": "nobody", "line": "Hello?"}, 422, "nobody"),
        ({"speaker": "maelin", "line": " "}, 422, "blank"),
        ({"speaker": "maelin", "line": "x" * 60_000}, 400, "line"),
        ({"speaker": "maelin", "lime": "Hello?"}, 400, "lime"),
        ({"line": "Hello?"}, 400, "speaker"),
        ({"speaker": "maelin", "responder": "oracle"}, 400, "oracle"),
        ({"speaker": "maelin", "responder": "http_chat"}, 400, "CONTINUITY_CHAT_URL"),
    ],
)
async def test_a_turn_that_cannot_be_is_a_named_problem_and_nothing_is_said(http, played, body, status, said):
    path = f"/playthroughs/{played.playthrough_id}/events"
    before = (await http.get(path, params={"limit": 500})).json()
    answer = await http.post(f"/playthroughs/{played.playthrough_id}/turns", json=body)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert (await http.get(path, params={"limit": 500})).json() == before


async def test_turns_are_for_games(app, http):
    assert {needs for route, needs in roles_of(app).items() if route.endswith("/turns")} == {"game"}
    assert (await http.post("/playthroughs/pnone/turns", json=ASKED)).status_code == 404
