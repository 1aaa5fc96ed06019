"""With the graph down, everything but what only the graph does goes on, and it catches up when it is back."""

import httpx
import msgspec
import pytest

from ledger_service.bootstrap import NO_GRAPH, open_application
from ledger_service.services.gossip.mirror_rumours import mirror_once, verify_mirror
from ledger_service.web.app import create_app

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]


async def test_the_record_goes_on_without_the_graph_and_the_mirror_catches_up(settings, places, application, played):
    nowhere = msgspec.structs.replace(places, graph_url=NO_GRAPH)
    mine = f"/playthroughs/{played.playthrough_id}"
    async with open_application(settings, nowhere, mirror=True) as alone:
        transport = httpx.ASGITransport(create_app(alone))
        async with httpx.AsyncClient(transport=transport, base_url="http://test/v1") as http:
            deed = {"kind": "deed", "actor": "player", "statement": "player lit the stove", "witnesses": ["maelin"]}
            assert (await http.post(f"{mine}/events", json={"events": [deed]})).status_code == 200
            packet = await http.post(f"{mine}/packets", json={"speaker": "maelin", "line": "Who lit the stove?"})
            assert "player lit the stove" in packet.text
            why = f"{mine}/entries/{played.labels['crater'][0]}/why"
            assert (await http.get(why)).json()["store"] == "postgres"
            assert (await http.get(why, params={"store": "graph"})).status_code == 503
            assert (await http.get("/health")).json()["graph"] is False
    while await mirror_once(application.mirror_queue, application.graph, open_uow=application.open_uow):
        pass
    found = await verify_mirror(played.playthrough_id, open_uow=application.open_uow, graph=application.graph)
    assert found == ()
