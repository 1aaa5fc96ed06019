"""Memory systems of others: the contract over real HTTP, by adapters where they are installed, and in a run."""

import importlib.util
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from msgspec.structs import replace

from ledger_service.bootstrap import open_peers
from ledger_service.domain.errors import MemoryAwayError, SettingError
from ledger_service.domain.memory_contract import Ask, MemoryEnding, MemoryEntry, MemoryItem, MemoryKnower, Write
from ledger_service.domain.probe_runs import RunSettings
from ledger_service.domain.probes import ResultState
from ledger_service.domain.rubric import Code, Fault
from ledger_service.ports import OutsideMemory
from ledger_service.probing.summary import UNTRUSTED, summarise, verdict
from ledger_service.responders.http_memory import HttpMemory, MemorySettings
from ledger_service.responders.peers import PEERS, open_peer
from ledger_service.responders.peers.careful import CarefulMemory, may_be_said
from ledger_service.responders.remembering import RememberingResponder
from ledger_service.services.probes.compare_memories import LEDGER, Bench, compare_memories
from ledger_service.services.probes.probe_runs import all_cells, plan
from ledger_service.services.probes.stopping import BREAKS_AFTER, Stop
from ledger_service.services.probes.work_run import work
from ledger_service.settings import Settings
from ledger_service.stores.memory import MemoryStores
from tests.memory_server import WordsInCommon, memory_server
from tests.probing import JUDGING, READING, a_desk, a_run, a_story
from tests.providers import BAD, completion, says, serving

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("impatient")]
ONLY = ("two_scenes/plain", "next_turn/owner_swap/0")
EVERYBODY = ("over HTTP", *PEERS)


@asynccontextmanager
async def over_http(url: str, **more) -> AsyncIterator[HttpMemory]:
    async with httpx.AsyncClient(timeout=None) as client:
        yield HttpMemory(MemorySettings(**({"url": url, "name": "other", "deadline_s": 5.0} | more)), client)


@pytest.fixture(params=EVERYBODY)
async def memory(request: pytest.FixtureRequest) -> AsyncIterator[OutsideMemory]:
    if request.param == "over HTTP":
        with memory_server(WordsInCommon()) as url:
            async with over_http(url) as found:
                yield found
        return
    if importlib.util.find_spec({"mem0": "mem0"}.get(request.param, request.param)) is None:
        pytest.skip(f"{request.param} is not installed: pip install '.[peers]'")
    yield open_peer(request.param, READING.embedder.vectors)  # type: ignore[attr-defined]


def told(name: str, statement: str, *knowers: str, **more) -> MemoryEntry:
    who = tuple(MemoryKnower(who=k) for k in knowers)
    return MemoryEntry(
        id=name, kind="observation", statement=statement, knowers=who, tick=1, seq=int(name[1:]), source="witnessed",
        **more,
    )  # fmt: skip


def question(line: str, *known_to: str, scope: str = "p1") -> Ask:
    return Ask(
        scope=scope, speaker=known_to[0], audience=("player",), line=line, known_to=known_to, tick=9, limit=24
    )  # fmt: skip


THREE = (
    told("e1", "the relay on the north mast is broken", "maelin"),
    told("e2", "the sensor lies under the bridge", "teo"),
    told("e3", "the supply ship lands on friday", "public"),
)


async def test_what_was_written_is_found_by_what_it_says(memory: OutsideMemory) -> None:
    await memory.reset("p1")
    await memory.write(Write(scope="p1", entries=THREE))
    found = await memory.ask(question("what about the broken relay on the mast?", "maelin", "public"))
    assert found[0] == MemoryItem(id="e1", text="the relay on the north mast is broken")
    assert await memory.ask(question("what about the broken relay on the mast?", "maelin", "public")) == found


async def test_who_looks_in_their_own_space_finds_what_they_know(memory: OutsideMemory) -> None:
    await memory.reset("p1")
    await memory.write(Write(scope="p1", entries=THREE))
    found = {i.id for i in await memory.ask(question("the sensor under the bridge, the supply ship", "teo", "public"))}
    assert {"e2", "e3"} <= found
    if memory.name != "bm25s":
        assert "e1" not in found


async def test_what_is_gone_is_not_found_again_and_what_merely_changed_is(memory: OutsideMemory) -> None:
    await memory.reset("p1")
    await memory.write(Write(scope="p1", entries=THREE))
    over = MemoryEnding(id="e1", status="superseded", gone=True, tick=2, seq=4)
    kept = MemoryEnding(id="e3", status="fulfilled", gone=False, tick=2, seq=4)
    await memory.write(Write(scope="p1", endings=(over, kept)))
    found = {i.id for i in await memory.ask(question("the relay mast, the supply ship", "maelin", "public"))}
    assert "e1" not in found
    assert "e3" in found


async def test_one_run_sees_nothing_of_another_and_a_reset_forgets(memory: OutsideMemory) -> None:
    for scope in ("p1", "p2"):
        await memory.reset(scope)
    await memory.write(Write(scope="p1", entries=THREE))
    assert await memory.ask(question("the broken relay", "maelin", "public", scope="p2")) == ()
    await memory.reset("p1")
    assert await memory.ask(question("the broken relay", "maelin", "public")) == ()


async def asked(memory: OutsideMemory, stop: Stop | None = None, **settings):
    stores, stop = MemoryStores(), stop or Stop()
    run = await a_run(stores, **({"subject": memory.name, "only": ONLY} | settings))
    await work(run, a_desk(stores, RememberingResponder(memory), repeatable=True), stop)
    cells = await all_cells(run.run_id, stores.probe_runs)
    return cells, verdict(summarise(run.planned, cells), stopped=stop.reason)


async def test_a_memory_is_told_a_branch_once_asked_each_cell_twice_and_told_to_forget_it() -> None:
    kept = WordsInCommon()
    with memory_server(kept) as url:
        async with over_http(url) as memory:
            cells, _ = await asked(memory)
    assert kept.calls.count("ask") == 2 * len(cells)
    assert kept.calls.count("write") == 2 * (1 + 1)
    assert list(kept.scopes.values()) == [{}, {}]  # what is over is forgotten


@pytest.mark.parametrize("ids", [True, False], ids=["by id", "by its words"])
async def test_a_memory_that_keeps_to_who_knows_and_to_what_holds_fails_for_flags_alone(ids: bool) -> None:
    with memory_server(WordsInCommon(ids=ids)) as url:
        async with over_http(url) as memory:
            cells, _ = await asked(memory)
    codes = {f.code for c in cells for a in c.attempts for v in a.scorecard.verdicts[:2] for f in v.findings}
    assert codes <= {Code.MISSING_FLAG}
    assert all(a.fault in {Fault.SELECTION, Fault.NONE} for c in cells for a in c.attempts)


async def test_a_memory_that_returns_whatever_there_is_leaks_and_is_blamed_for_it() -> None:
    with memory_server(WordsInCommon(leaks=True)) as url:
        async with over_http(url) as memory:
            cells, _ = await asked(memory)
    for cell in cells:
        (attempt,) = cell.attempts
        assert (cell.state, attempt.fault) == (ResultState.FAIL, Fault.SELECTION)
        found = {f.code for v in attempt.scorecard.verdicts for f in v.findings}
        assert Code.SECRET_SELECTED in found


async def test_behind_a_filter_of_what_entries_say_of_themselves_the_same_memory_leaks_nothing() -> None:
    with memory_server(WordsInCommon(leaks=True)) as url:
        async with over_http(url) as memory:
            cells, _ = await asked(CarefulMemory(memory))
    assert {c.attempts[0].responder for c in cells} <= {"template", "http_memory:other, filtered"}
    codes = {f.code for c in cells for a in c.attempts for v in a.scorecard.verdicts[:2] for f in v.findings}
    assert codes <= {Code.MISSING_FLAG}


@pytest.mark.parametrize(
    ("more", "passes"),
    [
        ({}, True),
        ({"disclosure": "secret"}, False),
        ({"disclosure": "guarded"}, False),
        ({"disclosure": "guarded", "to": ("player",)}, True),
        ({"disclosure": "guarded", "to": ("teo",)}, False),
        ({"unaware": ("player",)}, False),
        ({"unaware": ("teo",)}, True),
        ({"quarantined": True}, False),
        ({"knowers": (MemoryKnower(who="teo"),)}, False),
        ({"knowers": (MemoryKnower(who="public"),)}, True),
    ],
)
def test_what_may_be_said_by_an_entrys_own_word(more: dict, passes: bool) -> None:
    entry = replace(told("e1", "the mast is iced over", "maelin"), **more)
    assert may_be_said(entry, question("well?", "maelin", "public")) is passes


async def test_a_memory_that_answers_otherwise_the_second_time_is_caught() -> None:
    class Fickle(WordsInCommon):
        def ask(self, body: dict) -> dict:
            items = super().ask(body)["items"]
            return {"items": items if self.calls.count("ask") % 2 else items[::-1]}

    with memory_server(Fickle()) as url:
        async with over_http(url) as memory:
            cells, came = await asked(memory)
    assert {a.subtype for c in cells for a in c.attempts} == {"nondeterminism"}
    assert came.code == UNTRUSTED


@pytest.mark.parametrize("name", [*BAD, "no items"])
async def test_a_memory_that_does_not_behave_makes_a_run_untrusted_with_the_count_and_in_time(name: str) -> None:
    began = time.monotonic()
    bad = BAD.get(name, says(completion("Hm.")))
    # It takes up what it is told, so that what it answers is what breaks.
    with serving(lambda handler, *more: (bad if handler.path == "/ask" else says(b"{}"))(handler, *more)) as url:
        async with over_http(url, deadline_s=0.3) as memory:
            _, came = await asked(memory)
    assert time.monotonic() - began < BREAKS_AFTER * 0.3 + 8
    assert came.code == UNTRUSTED
    assert f"{BREAKS_AFTER} of {BREAKS_AFTER} tries broke" in came.reason


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9", "broke off /reset (ConnectError)"),
        ("ftp://127.0.0.1", "has an address or a key that cannot be used"),
        ("not an address", "has an address or a key that cannot be used"),
    ],
)
async def test_nobody_there_is_one_error_of_ours(url: str, why: str) -> None:
    async with over_http(url) as memory:
        with pytest.raises(MemoryAwayError) as away:
            await memory.reset("p1")
    assert str(away.value) == f"http_memory:other {why}"


async def test_too_many_items_and_a_key_are_seen_to() -> None:
    requests: list[dict] = []
    many = b'{"items": [' + b",".join([b'{"id": "e1"}'] * 1_001) + b"]}"
    with serving(says(many), requests) as url:
        async with over_http(url, key="k-1") as memory:
            with pytest.raises(MemoryAwayError, match="with 1001 items, and at most 1000 are read"):
                await memory.ask(question("well?", "maelin"))
    assert requests[0]["headers"]["Authorization"] == "Bearer k-1"
    assert requests[0]["body"] == {
        "scope": "p1", "speaker": "maelin", "audience": ["player"], "line": "well?", "known_to": ["maelin"],
        "tick": 9, "limit": 24,
    }  # fmt: skip


async def test_memories_are_compared_on_the_same_cells_with_the_ledger_first() -> None:
    story = a_story()
    _, cells = plan(story.world, story.history, story.matrix, RunSettings(only=ONLY))
    with memory_server(WordsInCommon(leaks=True)) as url:
        async with over_http(url) as memory:
            bench = Bench(open_uow=MemoryStores().open_uow, reading=READING, judging=JUDGING)
            rows = [
                row
                async for row in compare_memories(
                    story.world, story.history, story.matrix, cells, [RememberingResponder(memory)], bench=bench
                )
            ]
    ours = [cell for name, cell in rows if name == LEDGER]
    theirs = [cell for name, cell in rows if name == memory.name]
    assert [c.cell for c in ours] == [c.cell for c in theirs] == [c.cell.name for c in cells]
    assert all(not c.found and c.held == c.wanted for c in ours)
    assert all(Code.SECRET_SELECTED in c.found for c in theirs)


async def test_a_peer_that_is_not_installed_says_how_to_get_it(tmp_path) -> None:
    with pytest.raises(SettingError, match="CONTINUITY_MEMORY_URL: http_memory has nobody to ask"):
        async with open_peers(Settings(home=tmp_path), ["http_memory"]):
            pass
    async with open_peers(Settings(home=tmp_path)) as (found, absent):
        assert len(found) + len(absent) == len(PEERS)
        assert all("pip install" in why for why in absent)
