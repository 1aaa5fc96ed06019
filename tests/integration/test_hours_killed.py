"""A process that is killed while hours go by leaves whole hours, and the next one goes on as if nothing had been."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio.to_thread
import msgspec
import pytest

from ledger_service.domain.entries import Hearsay
from ledger_service.domain.events import HourPassed
from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.rumours import PASSED_ON
from ledger_service.ports import OpenUnitOfWork
from ledger_service.recording.chain import check_chain
from ledger_service.services.events.play_story import play_history
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.services.gossip.mirror_rumours import mirror_once, verify_mirror
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.stores.probe_files import ProbeFiles
from tests.builders import PlainEmbedder
from tests.integration.conftest import Database
from tests.integration.servers import Servers
from tests.speaking import STORY

pytestmark = [pytest.mark.anyio, pytest.mark.postgres, pytest.mark.falkordb]

ROOT = Path(__file__).parents[2]
HOURS = 50
MOST_AT_ONCE = 6
"""Hours that go by within the words that a process may say."""
CHILD = """
import os, signal, sys
import anyio, psycopg
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.stores.falkordb.client import GraphClient
from ledger_service.stores.falkordb.rumour_graph import FalkorRumourGraph
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import PlainEmbedder

app_url, worker_url, graph_url, played, hours, at, key = sys.argv[1:]
left = int(at)

def dying(name, owner):
    whole = getattr(owner, name)
    async def counted(self, *arguments, **more):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return await whole(self, *arguments, **more)
    setattr(owner, name, counted)

async def main():
    stores = await PostgresStores(app_url, worker_url=worker_url).open()
    graph = FalkorRumourGraph(GraphClient(graph_url))
    dying("execute", psycopg.AsyncCursor)
    dying("executemany", psycopg.AsyncCursor)
    dying("_answer", GraphClient)
    try:
        async for _ in advance_gossip(played, Passing(hours=int(hours), key=key or None), open_uow=stores.open_uow,
                                      embedder=PlainEmbedder(), graph=graph, queue=stores.mirror_queue):
            pass
    finally:
        await graph.close()
        await stores.close()

anyio.run(main)
"""


async def begin(open_uow: OpenUnitOfWork) -> PlaythroughId:
    village = ProbeFiles(STORY.parent).load("village")
    version = await add_world(village.world, open_uow=open_uow)
    played = (await open_playthrough(version, open_uow=open_uow, seed=3)).playthrough_id
    await play_history(played, village.history, open_uow=open_uow, embedder=PlainEmbedder())
    return played


async def advance(
    database: Database, servers: Servers, played: str, hours: int, *, dies_at: int = 0, key: str = ""
) -> bool:
    """Let hours go by in a process that is killed before its so-manieth word to either store; say if it ended."""
    where = [database.app_url, database.worker_url, servers.falkordb_url or ""]
    done = await anyio.to_thread.run_sync(
        lambda: subprocess.run(
            [sys.executable, "-c", CHILD, *where, played, str(hours), str(dies_at), key],
            capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, timeout=120,
            check=False,
        )
    )  # fmt: skip
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return done.returncode == 0


async def whole_hours(open_uow: OpenUnitOfWork, played: PlaythroughId, *, before: int, tick: int) -> int:
    """See that events, entries and tellings agree, and return how many hours have gone by."""
    async with open_uow(played) as uow:
        state = await uow.playthroughs.state()
        events = await uow.events.load(limit=10_000)
        entries, amendments = await uow.ledger.load_all()
        tellings = await uow.tellings.load_all()
    hours = state.seq - before
    check_chain(events)
    assert [e.seq for e in events] == list(range(1, state.seq + 1))
    assert all(isinstance(e.event, HourPassed) for e in events[before:])
    assert state.at.tick == tick + hours == events[-1].at.tick
    assert max((x.seq for x in (*entries, *tellings)), default=0) <= state.seq
    assert all(a.cause_seq <= state.seq for a in amendments)
    heard = {t.to_entry for t in tellings if t.outcome in PASSED_ON}
    assert heard == {e.entry_id for e in entries if isinstance(e, Hearsay)}
    return hours


async def everything(open_uow: OpenUnitOfWork, played: PlaythroughId) -> bytes:
    async with open_uow(played) as uow:
        found = (
            await uow.events.load(limit=10_000), await uow.ledger.load_all(), await uow.tellings.load_all(),
            await uow.playthroughs.state(),
        )  # fmt: skip
    return msgspec.json.encode(found, order="deterministic")


@pytest.mark.parametrize(
    "points", [random.Random(3).sample(range(1, 60), 5), pytest.param(range(1, 60), marks=pytest.mark.slow)],
    ids=["a few", "everywhere"],
)  # fmt: skip
async def test_whole_hours_are_left_and_the_rest_goes_on_to_the_same_bytes(
    stores: PostgresStores, database: Database, servers: Servers, points: Sequence[int]
) -> None:
    assert servers.falkordb_url is not None
    undisturbed, killed = await begin(stores.open_uow), await begin(stores.open_uow)
    async with stores.open_uow(killed) as uow:
        state = await uow.playthroughs.state()
    passed = 0
    for point in points:
        if HOURS - passed < MOST_AT_ONCE:
            break
        ended = await advance(database, servers, killed, HOURS - passed, dies_at=point)
        now = await whole_hours(stores.open_uow, killed, before=state.seq, tick=state.at.tick)
        assert (ended, passed <= now < passed + MOST_AT_ONCE) == (False, True)
        passed = now
    assert passed > 0
    for played, hours in ((killed, HOURS - passed), (undisturbed, HOURS)):
        assert await advance(database, servers, played, hours)
    assert await whole_hours(stores.open_uow, killed, before=state.seq, tick=state.at.tick) == HOURS
    assert await everything(stores.open_uow, killed) == await everything(stores.open_uow, undisturbed)
    graph = FalkorRumourGraph(GraphClient(servers.falkordb_url))
    while await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow):
        pass
    for played in (killed, undisturbed):
        assert await verify_mirror(played, open_uow=stores.open_uow, graph=graph) == ()
    await graph.close()


async def test_hours_under_a_key_that_were_killed_are_ended_by_sending_them_again(
    stores: PostgresStores, database: Database, servers: Servers
) -> None:
    undisturbed, killed = await begin(stores.open_uow), await begin(stores.open_uow)
    async with stores.open_uow(killed) as uow:
        state = await uow.playthroughs.state()
    assert not await advance(database, servers, killed, HOURS, dies_at=40, key="evening")
    passed = await whole_hours(stores.open_uow, killed, before=state.seq, tick=state.at.tick)
    assert 0 < passed < HOURS
    evening = Passing(hours=HOURS, key="evening")
    for played in (killed, undisturbed):
        async for _ in advance_gossip(played, evening, open_uow=stores.open_uow, embedder=PlainEmbedder()):
            pass
    assert await whole_hours(stores.open_uow, killed, before=state.seq, tick=state.at.tick) == HOURS
    assert await everything(stores.open_uow, killed) == await everything(stores.open_uow, undisturbed)


RIVAL = """
import sys
import anyio
from ledger_service.domain.errors import SequenceTakenError
from ledger_service.services.gossip.advance_gossip import Passing, advance_gossip
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from tests.builders import PlainEmbedder

app_url, worker_url, played, seq = sys.argv[1:]

async def main():
    stores = await PostgresStores(app_url, worker_url=worker_url).open()
    print("ready", flush=True)
    sys.stdin.readline()
    hours = 0
    try:
        passing = Passing(hours=6, expected_seq=int(seq))
        async for _ in advance_gossip(played, passing, open_uow=stores.open_uow, embedder=PlainEmbedder()):
            hours += 1
    except SequenceTakenError as error:
        print("lost", hours, error, flush=True)
    else:
        print("won", hours, flush=True)
    await stores.close()

anyio.run(main)
"""


async def test_of_two_processes_that_advance_the_same_hours_one_wins_and_the_other_is_told(
    stores: PostgresStores, database: Database
) -> None:
    contested, alone = await begin(stores.open_uow), await begin(stores.open_uow)
    async with stores.open_uow(contested) as uow:
        seq = (await uow.playthroughs.state()).seq

    def rival(played: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RIVAL, database.app_url, database.worker_url, played, str(seq)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                                env=os.environ | {"PYTHONPATH": str(ROOT)})  # fmt: skip

    def race(*processes: subprocess.Popen[str]) -> list[str]:
        """Wait until all have opened the record, then let them go at once."""
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return sorted(process.communicate(timeout=120)[0].strip() for process in processes)

    lost, won = await anyio.to_thread.run_sync(lambda: race(rival(contested), rival(contested)))
    assert won == "won 6"
    assert lost.startswith("lost 0 ")
    assert "expected" in lost
    await anyio.to_thread.run_sync(lambda: race(rival(alone)))
    assert await everything(stores.open_uow, contested) == await everything(stores.open_uow, alone)
