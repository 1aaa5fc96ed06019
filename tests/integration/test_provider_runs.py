"""Runs that ask a model over HTTP: what it costs, what it may cost, and a provider that does not behave."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise

import anyio
import httpx
import pytest

from ledger_service.domain.probes import ResultState
from ledger_service.probing.summary import INCOMPLETE, UNTRUSTED, Summary, Verdict, summarise, verdict
from ledger_service.responders.http_chat import ChatSettings, HttpChatResponder
from ledger_service.responders.lane import Lane, LaneSettings
from ledger_service.services.probes import work_run
from ledger_service.services.probes.probe_runs import all_cells
from ledger_service.services.probes.stopping import BREAKS_AFTER, Stop
from ledger_service.services.probes.work_run import work
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
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
    run = await a_run(stores, subject="http_chat:tiny", only=("next_turn/plain/0",))
    answers = in_turn(says(b"", status=500), says(b"<html>"), says(completion("Not before the sensor is back.")))
    requests: list[dict] = []
    with serving(answers, requests) as url:
        async with a_model(url, deadline_s=5) as model:
            await work(run, a_desk(stores, model), Stop())
    (cell,) = await all_cells(run.run_id, stores.probe_runs)
    broke, html, said = cell.attempts
    assert [a.state for a in (broke, html)] == [ResultState.ERROR, ResultState.ERROR]
    assert ("answered 500" in broke.why, "no chat completion" in html.why) == (True, True)
    assert said.line == "Not before the sensor is back."
    assert len(requests) == 3 + (cell.state is ResultState.FAIL)  # what fails is asked once more, beside


async def test_what_is_spent_is_counted_and_a_budget_stops_in_time_to_be_resumed() -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 10}
    requests: list[dict] = []
    with serving(says(completion("Hm.", usage=usage)), requests) as url:
        async with a_model(url, deadline_s=5, price_in=2.0, price_out=50.0) as model:
            stop = Stop(most_spent=0.01)
            summary, came = await asked(model, stop, only=())
    assert summary.spent == pytest.approx(len(requests) * 0.0025)  # 1,000 x 2 and 10 x 50 a million, beside tries too
    assert (came.code, stop.reason) == (INCOMPLETE, "budget")
    assert 0.01 <= summary.spent < 0.016


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
    assert summary.spent in [pytest.approx(12), pytest.approx(24)]  # about four letters a token; twice where it failed


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


async def test_lanes_of_several_processes_share_a_minute_through_the_record(stores: PostgresStores, database) -> None:
    begun: list[float] = []

    async def ask(lane: Lane) -> None:
        async with lane.turn():
            begun.append(time.monotonic())

    other = await PostgresStores(database.app_url, worker_url=database.worker_url).open()
    try:
        gates = (partial(stores.in_turn, "chat lane A"), partial(other.in_turn, "chat lane A"))
        lanes = [Lane(LaneSettings(per_minute=600), gate=gate) for gate in gates]
        async with anyio.create_task_group() as tasks:
            for i in range(8):
                tasks.start_soon(ask, lanes[i % 2])
    finally:
        await other.close()
    assert len(begun) == 8
    assert all(later - earlier >= 0.095 for earlier, later in pairwise(begun))


async def test_another_providers_minute_is_its_own(stores: PostgresStores) -> None:
    async with stores.in_turn("chat lane A"):
        with anyio.fail_after(5):
            async with stores.in_turn("chat lane B"):
                pass
