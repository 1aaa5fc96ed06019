"""Hours and worlds that cannot be, over HTTP: a problem with a name, and nothing written."""

import msgspec
import pytest

from tests.e2e.conftest import shipped

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]


async def seq_of(http, played):
    return (await http.get(f"/playthroughs/{played.playthrough_id}/events", params={"limit": 500})).json()


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"hours": 0}, 400, "hours"),
        ({"hours": -1}, 400, "hours"),
        ({"hours": 10_000_000}, 400, "hours"),
        ({"hours": 241}, 400, "hours"),
        ({"hours": "many"}, 400, "hours"),
        ({"hours": 1.5}, 400, "hours"),
        ({"hors": 1}, 400, "hors"),
        ({"hours": 1, "regions": ["atlantis"]}, 422, "region 'atlantis' is declared nowhere"),
        ({"hours": 1, "regions": []}, 422, "regions is empty"),
    ],
)
async def test_hours_that_cannot_go_by_are_refused_by_name(http, played, body, status, said):
    before = await seq_of(http, played)
    answer = await http.post(f"/playthroughs/{played.playthrough_id}/hours", json=body)
    assert (answer.status_code, said in answer.text) == (status, True), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert await seq_of(http, played) == before


async def test_a_key_for_hours_means_these_hours_and_no_others(http, played):
    path = f"/playthroughs/{played.playthrough_id}/hours"
    first = (await http.post(path, json={"hours": 2, "key": "k"})).json()["hours"]
    await http.post(path, json={"hours": 1})
    again = await http.post(path, json={"hours": 2, "key": "k"})
    assert [h | {"outcome": "unchanged", "refusals": []} for h in first] == again.json()["hours"]
    before = await seq_of(http, played)
    for other in ({"hours": 3}, {"hours": 1}, {"hours": 2, "every": 2}, {"hours": 2, "regions": [""]}):
        refused = await http.post(path, json={"key": "k"} | other)
        assert (refused.status_code, refused.json()["title"]) == (409, "DuplicateKey"), refused.text
        assert refused.json()["cure"]
    assert await seq_of(http, played) == before


async def test_hours_of_a_playthrough_that_is_not_there_are_not_found(http):
    assert (await http.post("/playthroughs/pnone/hours", json={"hours": 1})).status_code == 404


async def test_the_dead_tell_nothing_over_http(http, played):
    events = [
        {"kind": "died", "who": "teo"},
        {"kind": "told", "teller": "teo", "listener": "maelin", "statement": "boo"},
    ]
    before = await seq_of(http, played)
    answer = await http.post(f"/playthroughs/{played.playthrough_id}/events", json={"events": events})
    assert (answer.status_code, "teo is dead" in answer.text) == (422, True), answer.text
    assert await seq_of(http, played) == before


async def test_a_question_that_means_nothing_is_told_what_is_wrong_with_it(http, played):
    here = f"/playthroughs/{played.playthrough_id}"
    assert (await http.post(f"{here}/events", json={"events": [{"kind": "died", "who": "teo"}]})).status_code == 200
    asked = {
        "why?entry=": (404, "no entry named ''"),
        "why?holder=maelin&origin=nope": (404, "no entry named 'nope'"),
        "why?holder=maelin&about=atlantis": (404, "the world has no person, place or group 'atlantis'"),
        "why?as_character=teo": (422, "as_character: teo is dead"),
        "influence/route?teller=maelin&listener=maelin": (422, "listener: a story goes from one person to another"),
        "why?holder=maelin&holder=teo": (400, "holder: is given 2 times"),
        "why?holder=maelin&format=gif": (400, "format: there is no 'gif'; it takes json, words, svg"),
    }
    for question, (status, said) in asked.items():
        answer = await http.get(f"{here}/{question}")
        assert (answer.status_code, said in answer.json()["detail"]) == (status, True), (question, answer.text)
    turn = await http.post(f"{here}/turns", json={"speaker": "player", "line": "hi"})
    assert (turn.status_code, turn.json()["detail"].startswith("speaker: the player speaks")) == (422, True)
    again = await http.post(f"{here}/events", json={"events": [{"kind": "died", "who": "teo"}]})
    assert (again.status_code, "teo is dead already" in again.text) == (422, True)
    unseen = {"kind": "told", "teller": "maelin", "listener": "orla", "statement": "\u200b\u202e"}
    blank = await http.post(f"{here}/events", json={"events": [unseen]})
    assert (blank.status_code, "is blank" in blank.text) == (422, True), blank.text


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("trust", 0, "trust"), 1.5, "trust[0].trust"),
        (("trust", 0, "teller"), "nobody", "unknown character `nobody`"),
        (("ladders", 0, "rungs"), ["only one"], "ladders[0].rungs"),
        (("ladders", 0, "weights"), [0] * 6, "has 6 weights for 5 rungs"),
        (("cast", 0, "schedule", 0, "from_hour"), 25, "schedule[0].from_hour"),
        (("cast", 0, "schedule", 0, "from_hour"), 24, "at 24 a stay can only end"),
        (("cast", 0, "schedule", 0, "until_hour"), 14, "`tomas` is at two places at 13: `market` and `inn`"),
    ],
)
async def test_a_village_that_cannot_be_is_refused_by_name(http, path, value, said):
    village = msgspec.to_builtins(shipped("village").world)
    inner = village
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    answer = await http.post("/worlds", json=village)
    assert answer.status_code in {400, 422}
    assert said in answer.text
    assert answer.headers["content-type"] == "application/problem+json"
