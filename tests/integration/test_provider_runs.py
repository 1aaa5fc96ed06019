"""Runs that ask a model over HTTP: what it costs, what it may cost, and a provider that does not behave."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from ledger_service.domain.probes import ResultState
from ledger_service.probing.summary import INCOMPLETE, UNTRUSTED, Summary, Verdict, summarise, verdict
from ledger_service.responders.http_chat import ChatSettings, HttpChatResponder
from ledger_service.responders.lane import Lane, LaneSettings
from ledger_service.services import work_run
from ledger_service.services.probe_runs import all_cells
from ledger_service.services.stopping import BREAKS_AFTER, Stop
from ledger_service.services.work_run import work
from ledger_service.stores.memory import MemoryStores
from tests.probing import a_desk, a_run
from tests.providers import BAD, BROKEN, completion, in_turn, says, serving

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("impatient")]
ONLY = ("next_turn",)


@asynccontextmanager
async def a_model(url: str, *, lane: LaneSettings | None = None, **more) -> AsyncIterator[HttpChatResponder]:
    asks = ChatSettings(**({"url": f"{url}/v1", "model": "tiny", "asks_once": True, "deadline_s": 0.3} | more))
    async with httpx.AsyncClient(timeout=None) as client:
        yield HttpChatResponder(asks, client, Lane(lane or LaneSettings()))


async def asked(responder: HttpChatResponder, stop: Stop, **settings) -> tuple[Summary, Verdict]:
    stores = MemoryStores()
    run = await a_run(stores, **({"subject": "http_chat:tiny", "only": ONLY} | settings))
    await work(run, a_desk(stores, responder), stop)
    cells = await all_cells(run.run_id, stores.probe_runs)
    summary = summarise(run.planned, cells)
    progress = await stores.probe_runs.progress(run.run_id)
    assert progress.adds_up
    assert progress.spent == pytest.approx(summary.spent)
    return summary, verdict(summary, stopped=stop.reason, resume="continuity probe resume")


@pytest.mark.parametrize("name", list(BAD))
async def test_a_provider_that_does_not_behave_makes_a_run_untrusted_with_the_count_and_in_time(name: str) -> None:
    stop, began = Stop(), time.monotonic()
    requests: list[dict] = []
    with serving(BAD[name], requests) as url:
        async with a_model(url) as model:
            summary, came = await asked(model, stop)
    assert time.monotonic() - began < BREAKS_AFTER * 0.3 + 8
    assert (came.code, stop.reason) == (UNTRUSTED, "provider")
    assert f"{BREAKS_AFTER} of {BREAKS_AFTER} tries broke" in came.reason
    assert summary.broken_tries == summary.tries == len(requests) == BREAKS_AFTER
    assert summary.adds_up


async def test_every_try_is_one_request_and_is_kept_with_why_it_broke() -> None:
    stores = MemoryStores()
    run = await a_run(stores, subject="http_chat:tiny", only=("next_turn/plain",))
    answers = in_turn(says(b"", status=500), says(b"<html>"), says(completion("Not before the sensor is back.")))
    requests: list[dict] = []
    with serving(answers, requests) as url:
        async with a_model(url, deadline_s=5) as model:
            await work(run, a_desk(stores, model), Stop())
    first, *others = await all_cells(run.run_id, stores.probe_runs)
    broke, html, said = first.attempts
    assert [a.state for a in (broke, html)] == [ResultState.ERROR, ResultState.ERROR]
    assert ("answered 500" in broke.why, "no chat completion" in html.why) == (True, True)
    assert said.line == "Not before the sensor is back."
    assert len(requests) == 3 + len(others)


async def test_what_is_spent_is_counted_and_a_budget_stops_in_time_to_be_resumed() -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 10}
    with serving(says(completion("Hm.", usage=usage))) as url:
        async with a_model(url, deadline_s=5, price_in=2.0, price_out=50.0) as model:
            stop = Stop(most_spent=0.01)
            summary, came = await asked(model, stop, only=())
    assert summary.spent == pytest.approx(0.01)  # four tries of 1,000 x 2 and 10 x 50, a million
    assert (came.code, stop.reason) == (INCOMPLETE, "budget")
    assert summary.tries == 4


async def test_tries_that_broke_cost_what_they_cost_and_earlier_spending_counts() -> None:
    thinks = completion("<think>no</think>", usage={"prompt_tokens": 500, "completion_tokens": 0})
    with serving(says(thinks)) as url:
        async with a_model(url, deadline_s=5, price_in=2.0) as model:
            stop = Stop(most_spent=1.0, spent=0.9975)
            summary, _ = await asked(model, stop)
    assert (summary.broken_tries, stop.reason) == (3, "budget")
    assert summary.spent == pytest.approx(0.003)


async def test_a_server_that_counts_no_tokens_is_counted_for() -> None:
    with serving(says(completion("Not before the sensor is back, and you know it."))) as url:
        async with a_model(url, deadline_s=5, price_out=1_000_000.0) as model:
            summary, _ = await asked(model, Stop(), only=("next_turn/plain/0",))
    assert summary.spent == pytest.approx(12)  # about four letters a token


async def test_a_lane_spaces_requests_and_they_wait_for_their_turn_however_long() -> None:
    with serving(says(completion("Hm."))) as url:
        async with a_model(url, lane=LaneSettings(per_minute=600), deadline_s=0.25) as model:
            began = time.monotonic()
            summary, _ = await asked(model, Stop())
    assert time.monotonic() - began >= (summary.tries - 1) * 0.1
    assert summary.broken_tries == 0


async def test_a_server_that_is_asked_too_often_is_left_alone_for_as_long_as_it_wants() -> None:
    stores = MemoryStores()
    run = await a_run(stores, subject="http_chat:tiny", only=("next_turn/plain/0",))
    with serving(in_turn(says(b"slow down", status=429, Retry_After="1"), says(completion("Hm.")))) as url:
        async with a_model(url, deadline_s=5) as model:
            began = time.monotonic()
            await work(run, a_desk(stores, model), Stop())
    assert time.monotonic() - began >= 1
    (cell,) = await all_cells(run.run_id, stores.probe_runs)
    assert [a.state is ResultState.ERROR for a in cell.attempts] == [True, False]


async def test_a_provider_that_stumbles_is_given_time_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_run, "PROVIDER_PAUSE_SECONDS", 0.1)
    answers = in_turn(BROKEN, BROKEN, says(completion("Not before the sensor is back.")))
    with serving(answers) as url:
        async with a_model(url, deadline_s=5) as model:
            began = time.monotonic()
            summary, _ = await asked(model, Stop(), only=("next_turn/plain/0",))
    assert time.monotonic() - began >= 0.2 + 0.4
    assert (summary.broken_tries, summary.counts["error"]) == (2, 0)
