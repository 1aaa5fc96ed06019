"""The spyglass over HTTP: for reviewers, of one playthrough, with the queries that made its graph."""

import pytest

from ledger_service.services.gossip.mirror_rumours import mirror_once

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]


async def test_a_reviewer_sees_graph_influence_and_queries(http, played, app):
    application = app.state.application
    deed = {"kind": "deed", "actor": "player", "statement": "the player whistles", "witnesses": ["maelin"]}
    assert (
        await http.post(f"/playthroughs/{played.playthrough_id}/events", json={"events": [deed]})
    ).status_code == 200
    while await mirror_once(application.mirror_queue, application.graph, open_uow=application.open_uow):
        pass
    answer = await http.get(f"/playthroughs/{played.playthrough_id}/spyglass", params={"queries": 500})
    assert answer.status_code == 200, answer.text
    seen = answer.json()
    assert "maelin" in {c["id"] for c in seen["graph"]["characters"]}
    assert "the player whistles" in {s["statement"] for s in seen["graph"]["stories"]}
    assert {"project_world", "finish_filling"} <= {q["name"] for q in seen["queries"]}
    assert "the player whistles" not in str(seen["queries"])
    assert all(q["milliseconds"] > 0 and q["rows"] >= 0 for q in seen["queries"])
    assert seen["influence"]["believed"]


async def test_what_cannot_be_looked_at_is_a_named_problem(http, played):
    for path, status in (("pnone/spyglass", 404), (f"{played.playthrough_id}/spyglass?queries=-1", 400),
                         (f"{played.playthrough_id}/spyglass?queries=501", 400)):  # fmt: skip
        answer = await http.get(f"/playthroughs/{path}")
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
