"""Re-voicing with a real service and a real chat server: hours do not wait, and what changes a telling is dropped."""

import time

import anyio
import anyio.to_thread
import httpx
import msgspec
import pytest

from ledger_service.bootstrap import open_application
from ledger_service.domain.errors import SettingError
from ledger_service.domain.events import Deed
from ledger_service.services.events.record_event import record_events
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.web.app import create_app, roles_of
from tests.providers import completion, hangs, in_turn, says, serving
from tests.villages import RUNGS, worked

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]
THEFT = Deed(tick=7, actor="player", statement=RUNGS[0], place="market", ladder="theft", subject="player")


async def a_village(application) -> str:
    version = await add_world(worked(), open_uow=application.open_uow)
    played = (await open_playthrough(version, open_uow=application.open_uow, seed=7)).playthrough_id
    await record_events(played, (THEFT,), open_uow=application.open_uow)
    return f"/playthroughs/{played}"


def calls(app) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test/v1")


async def test_what_the_model_said_is_shown_beside_what_was_told_and_what_changes_it_is_not(settings, places):
    said = [says(completion(line)) for line in (
        "Upon my soul, the player ransacked the whole market!",
        "The player burned the fruit stall down.",
        "Well, the player stole a basket of apples, and I saw the robbery.",
        "Upon my soul, the player stole a basket of apples.",
    )]  # fmt: skip
    with serving(in_turn(*said)) as url:
        with_model = msgspec.structs.replace(settings, chat_url=f"{url}/v1", chat_model="small")
        async with open_application(with_model, places, mirror=True) as application:
            village = await a_village(application)
            async with calls(create_app(application)) as http:
                hours = (await http.post(f"{village}/hours", json={"hours": 4})).json()["hours"]
                told = [t["statement"] for hour in hours for t in hour["tellings"]]
                assert told == [RUNGS[1], RUNGS[2], RUNGS[1], RUNGS[3]]
                with anyio.fail_after(30):
                    while True:
                        lines = (await http.get(f"{village}/tellings")).json()
                        if all(line.get("voice") for line in lines):
                            break
                        await anyio.sleep(0.05)
    assert [line["telling"]["statement"] for line in lines] == told[::-1]
    kept = [line["said"] for line in lines if line["said"] != line["telling"]["statement"]]
    assert kept == [
        "Upon my soul, the player ransacked the whole market!",
        "Upon my soul, the player stole a basket of apples.",
    ]
    assert {line["voice"] for line in lines} == {"http_chat:small"}
    assert len([line for line in lines if line["dropped"]]) == 2
    assert "burned" not in str([line["said"] for line in lines])


async def test_an_hour_does_not_wait_for_a_model_that_hangs(settings, places):
    with serving(hangs) as url:
        with_model = msgspec.structs.replace(settings, chat_url=f"{url}/v1", chat_deadline_s=5.0)
        async with open_application(with_model, places, mirror=True) as application:
            village = await a_village(application)
            async with calls(create_app(application)) as http:
                began = time.monotonic()
                for _ in range(4):
                    assert (await http.post(f"{village}/hours", json={"hours": 1})).status_code == 200
                assert time.monotonic() - began < 5
                lines = (await http.get(f"{village}/tellings", params={"limit": 2})).json()
            assert [line["said"] for line in lines] == [line["telling"]["statement"] for line in lines]


async def test_without_a_model_tellings_are_shown_as_told_and_none_can_be_asked_for(application, http, app):
    village = await a_village(application)
    await http.post(f"{village}/hours", json={"hours": 2})
    lines = (await http.get(f"{village}/tellings")).json()
    assert [line["said"] for line in lines] == [line["telling"]["statement"] for line in lines]
    assert lines
    with pytest.raises(SettingError, match="CONTINUITY_CHAT_URL"):
        application.voice()
    assert (await http.get("/playthroughs/pnone/tellings")).status_code == 404
    assert (await http.get(f"{village}/tellings", params={"limit": 0})).status_code == 400
    assert {needs for route, needs in roles_of(app).items() if route.endswith("/tellings")} == {"reviewer"}


async def test_the_command_says_where_a_model_is_to_be_configured(here, application):
    village = await a_village(application)
    code, _, err = await anyio.to_thread.run_sync(lambda: here("gossip", "revoice", village.rsplit("/", 1)[1]))
    assert code != 0
    assert "CONTINUITY_CHAT_URL" in err
