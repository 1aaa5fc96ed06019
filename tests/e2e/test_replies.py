"""Replies on real servers: what a finding carries, overruling it, and the drafts that a line leaves."""

import json
from pathlib import Path

import pytest

from ledger_service.probing.labelled import decode_labelled
from tests.e2e.conftest import Played

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]

LEAK = "I filed for a transfer off the moon, if you must know."
PROMISE = "Not now. I promise I'll bring you the manual tomorrow."


async def say(http, played: Played, text: str, *, line: str = "Are you staying?", **fields):
    """Ask Maelin, say a line on the packet, and return the reply as it is kept."""
    base = f"/playthroughs/{played.playthrough_id}"
    packet = (await http.post(f"{base}/packets", json={"speaker": "maelin", "line": line})).json()["packet_id"]
    answer = await http.post(f"{base}/packets/{packet}/replies", json={"text": text, "responder": "test"} | fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def response(kept) -> dict:
    return next(v for v in kept["scorecard"]["verdicts"] if v["axis"] == "response_validity")


async def rows_of(application, played: Played, reply_id: str) -> list[tuple[int, str]]:
    """Return the score rows of a reply, oldest first."""
    async with application.open_uow(played.playthrough_id) as uow:
        link = uow.packets._link
        return await link.rows("SELECT row_no, fault FROM scorecard WHERE reply_id = %s ORDER BY row_no", [reply_id])


async def test_a_finding_carries_the_entries_that_its_words_speak_of(http, played):
    (finding,) = response(await say(http, played, LEAK))["findings"]
    assert finding["code"] == "leak"
    aligned = finding["aligned"]
    assert aligned[0]["entry_id"] == finding["entry_ids"][0]
    assert 0 < aligned[0]["score"] <= 1
    assert "transfer" in aligned[0]["reason"]


async def test_overruling_over_http_leaves_a_new_score_row_with_who_and_why(application, http, played):
    kept = await say(http, played, LEAK)
    path = f"/playthroughs/{played.playthrough_id}/replies/{kept['reply_id']}"
    said = {"code": "leak", "by": "wen", "why": "everybody knows since supper", "span": "transfer"}
    answer = await http.post(f"{path}/overrulings", json=said)
    assert answer.status_code == 201, answer.text
    (overruled,) = (await http.get(path)).json()["scorecard"]["overruled"]
    assert (overruled["by"], overruled["why"]) == ("wen", "everybody knows since supper")
    assert response((await http.get(path)).json())["state"] == "pass"
    rows = await rows_of(application, played, kept["reply_id"])
    assert [fault for _, fault in rows] == ["generation", "none"]
    assert rows[0][0] < rows[1][0]


async def test_what_was_overruled_is_exported_as_a_labelled_item(http, played):
    kept = await say(http, played, LEAK)
    base = f"/playthroughs/{played.playthrough_id}"
    said = {"code": "leak", "by": "wen", "why": "she may tell"}
    answer = await http.post(f"{base}/replies/{kept['reply_id']}/overrulings", json=said)
    assert answer.status_code == 201, answer.text
    exported = (await http.get(f"{base}/overrulings")).json()
    (item,) = decode_labelled(exported)
    assert (item.id, item.reply, item.expected["response"]) == (kept["reply_id"], LEAK, "pass")
    assert exported["items"][0]["overruled"][0]["why"] == "she may tell"


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"code": "side_taken"}, 404), ({"why": "  "}, 422), ({"by": ""}, 422), ({"span": "elsewhere"}, 404)],
)
async def test_what_cannot_be_overruled_is_refused_and_leaves_no_row(application, http, played, fields, status):
    kept = await say(http, played, LEAK)
    said = {"code": "leak", "by": "wen", "why": "so"} | fields
    path = f"/playthroughs/{played.playthrough_id}/replies/{kept['reply_id']}/overrulings"
    answer = await http.post(path, json=said)
    assert answer.status_code == status, answer.text
    assert len(await rows_of(application, played, kept["reply_id"])) == 1


def test_a_reviewer_overrules_and_exports_on_the_command_line(here):
    assert here("world", "load", ROOT / "probes/maelin/world.yaml")[0] == 0
    opened = here("playthrough", "open", "maelin", "--history", ROOT / "probes/maelin/history.yaml", "--json")
    mine = json.loads(opened[1])["playthrough_id"]
    asked = here("packet", mine, "--speaker", "maelin", "--line", "Are you staying?", "--json")
    kept = json.loads(here("reply", mine, json.loads(asked[1])["packet_id"], LEAK, "--json")[1])
    (finding,) = response(kept)["findings"]
    assert finding["aligned"][0]["reason"]
    said = ("--code", "leak", "--by", "wen", "--why", "she may tell", "--json")
    code, out, err = here("reply", "overrule", mine, kept["reply_id"], *said)
    assert code == 0, err
    assert json.loads(out)["scorecard"]["overruled"][0]["by"] == "wen"
    code, out, _ = here("reply", "export", mine)
    assert code == 0
    assert [i["id"] for i in json.loads(out)["items"]] == [kept["reply_id"]]
    assert here("reply", "overrule", mine, "r0", *said)[0] == 2


async def drafts_of(http, played: Played, word: str) -> list[dict]:
    found = await http.get(f"/playthroughs/{played.playthrough_id}/entries", params={"word": word})
    return [e for e in found.json()["entries"] if e["source"]["kind"] == "generated_line" and e.get("owner")]


async def test_a_promise_read_from_a_line_is_a_draft_with_its_exact_words_and_their_place(http, played):
    kept = await say(http, played, PROMISE)
    (draft,) = await drafts_of(http, played, "manual")
    words, start = draft["source"]["quote"], draft["source"]["start"]
    assert words == "I promise I'll bring you the manual tomorrow."
    assert kept["reply"]["text"][start : start + len(words)] == words
    assert words in draft["statement"]
    assert (draft["owner"], draft["to"], draft["quarantined"]) == ("maelin", "player", True)
    later = (await ask(http, played, "What did you promise me about the manual?")).json()["packet"]
    assert draft["entry_id"] not in {s["entry_id"] for s in later["selected"]}


async def ask(http, played: Played, line: str):
    return await http.post(
        f"/playthroughs/{played.playthrough_id}/packets", json={"speaker": "maelin", "line": line},
        params={"view": "review"},
    )  # fmt: skip


async def test_one_call_confirms_a_draft_and_it_may_be_drawn_on(http, played):
    await say(http, played, PROMISE)
    (draft,) = await drafts_of(http, played, "manual")
    confirmed = {"kind": "confirmed", "entry_id": draft["entry_id"], "reason": "she did say it", "author": "wen"}
    answer = await http.post(f"/playthroughs/{played.playthrough_id}/events", json={"events": [confirmed]})
    assert answer.status_code == 200, answer.text
    packet = (await ask(http, played, "What did you promise me about the manual?")).json()["packet"]
    chosen = {s["entry_id"]: s for s in packet["selected"]}
    assert chosen[draft["entry_id"]]["status"] == "open"


async def test_a_game_confirms_in_the_call_that_posts_the_line(http, played):
    await say(http, played, PROMISE, confirmed=True)
    (draft,) = await drafts_of(http, played, "manual")
    packet = (await ask(http, played, "What did you promise me about the manual?")).json()["packet"]
    assert draft["entry_id"] in {s["entry_id"] for s in packet["selected"]}


async def test_a_line_that_promises_nothing_leaves_no_draft(http, played):
    await say(http, played, "The manual is on the shelf.")
    assert await drafts_of(http, played, "manual") == []
