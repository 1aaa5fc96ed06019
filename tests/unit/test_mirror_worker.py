"""The mirror's worker: what it sends, what it makes anew, and how it waits while the graph is away."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import anyio
import pytest

from ledger_service.domain.errors import GraphReplacedError, GraphUnavailableError
from ledger_service.domain.events import Deed
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.mirror import MirrorBatch, MirrorWorld, merged, notice_state, world_state
from ledger_service.domain.rumours import ProvenanceChain
from ledger_service.ports import GraphState, OutboxItem
from ledger_service.services.events.record_event import record_events
from ledger_service.services.gossip.mirror_rumours import (
    LONGEST_WAIT_S,
    Difference,
    mirror_items,
    mirror_once,
    mirror_status,
    rebuild_mirror,
    run_mirror,
    verify_mirror,
)
from ledger_service.services.playthroughs.open_playthrough import add_world, fork_playthrough, open_playthrough
from ledger_service.stores.memory import MemoryStores
from tests.builders import PlainEmbedder, a_world

pytestmark = pytest.mark.anyio
PLAYED = "p1"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Done(Exception):  # noqa: N818
    """The story that a fake tells is over."""


class FakeGraph:
    """A graph in a dict, which can be away and can lose everything."""

    def __init__(self) -> None:
        self.held: dict[PlaythroughId, list[MirrorBatch]] = {}
        self.filling: dict[PlaythroughId, str] = {}
        self.is_away = False
        self.error = GraphUnavailableError("switched off")
        self.lives = 1
        self.begun = 0

    def lose_everything(self) -> None:
        self.held, self.filling = {}, {}
        self.lives += 1

    def _look(self) -> None:
        if self.is_away:
            raise self.error

    async def apply(self, playthrough_id: PlaythroughId, batch: MirrorBatch, *, filling: str = "") -> bool:
        self._look()
        if self.filling.get(playthrough_id) != filling:
            return False
        self.held[playthrough_id].append(batch)
        return True

    async def begin(self, playthrough_id: PlaythroughId, world: MirrorWorld | None = None) -> str:
        self._look()
        self.begun += 1
        put = [] if world is None else [MirrorBatch(worlds=(world,))]
        self.held[playthrough_id], self.filling[playthrough_id] = put, f"token {self.begun}"
        return self.filling[playthrough_id]

    async def finish(self, playthrough_id: PlaythroughId, filling: str) -> bool:
        if self.filling.get(playthrough_id) != filling:
            return False
        self.filling[playthrough_id] = ""
        return True

    async def is_whole(self, playthrough_id: PlaythroughId) -> bool:
        self._look()
        return self.filling.get(playthrough_id) == ""

    async def drop(self, playthrough_id: PlaythroughId) -> None:
        self.held.pop(playthrough_id, None)
        self.filling.pop(playthrough_id, None)

    async def state(self, playthrough_id: PlaythroughId) -> GraphState:
        batch = merged(self.held.get(playthrough_id, ()))
        beliefs = {f"{e.version.entry_id}|{who}": held for e in batch.entries for who, held in e.holders.items()}
        world = batch.worlds[0] if batch.worlds else MirrorWorld(seq=0)
        here = [(p.who, p.place) for p in batch.present if p.place is not None]
        held = world_state(world.cast, world.places, world.trusts, here, world.rules)
        held["notice"] = notice_state(batch.notices, batch.endings)
        return GraphState(beliefs=beliefs, tellings=frozenset(t.telling_id for t in batch.tellings), world=held)

    async def chain(self, playthrough_id: PlaythroughId, entry_id: EntryId) -> ProvenanceChain:
        raise NotImplementedError

    async def is_up(self) -> bool:
        return not self.is_away

    async def incarnation(self) -> str:
        self._look()
        return str(self.lives)


class FakeWakes:
    """The outbox of the memory stores, with a given number of reasons to look."""

    def __init__(self, stores: MemoryStores, *, wakes: int) -> None:
        self._queue = stores.mirror_queue
        self._wakes = wakes

    async def take(self, *, limit: int = 200, only: str | None = None) -> list[OutboxItem]:
        return await self._queue.take(limit=limit, only=only)

    async def mark_sent(self, outbox_ids: Sequence[int]) -> None:
        await self._queue.mark_sent(outbox_ids)

    async def lag(self) -> int:
        return await self._queue.lag()

    @asynccontextmanager
    async def wake(self) -> AsyncIterator[AsyncIterator[None]]:
        yield self._reasons()

    async def _reasons(self) -> AsyncIterator[None]:
        while self._wakes:
            self._wakes -= 1
            yield None
        raise Done


@pytest.fixture
async def stores() -> MemoryStores:
    made = MemoryStores()
    version = await add_world(a_world(), open_uow=made.open_uow)
    await open_playthrough(version, open_uow=made.open_uow, playthrough_id=PLAYED)
    return made


async def post(stores: MemoryStores, *statements: str, to: str = PLAYED) -> None:
    deeds = [Deed(actor="maelin", statement=s) for s in statements]
    await record_events(to, deeds, open_uow=stores.open_uow, embedder=PlainEmbedder())


async def differences(stores: MemoryStores, graph: FakeGraph, played: str = PLAYED) -> tuple[Difference, ...]:
    return await verify_mirror(played, open_uow=stores.open_uow, graph=graph)


async def test_what_waits_is_mirrored_and_waits_no_more(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    assert len(await differences(stores, graph)) > 0
    assert await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow) == 1
    assert await differences(stores, graph) == ()
    assert await stores.mirror_queue.lag() == 0


async def test_batches_of_one_playthrough_go_together(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await rebuild_mirror(PLAYED, open_uow=stores.open_uow, graph=graph)
    for number in range(5):
        await post(stores, f"Maelin turns wheel {number}")
    before = len(graph.held[PLAYED])
    assert await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow) == 5
    assert len(graph.held[PLAYED]) == before + 1
    assert await differences(stores, graph) == ()


async def test_a_lost_graph_is_made_anew_with_the_next_event(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    graph.lose_everything()
    await post(stores, "Maelin shuts the hatch")
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    assert await differences(stores, graph) == ()


async def test_a_branch_has_its_shared_history_before_its_first_own_event(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    branch = await fork_playthrough(PLAYED, open_uow=stores.open_uow)
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    assert (await graph.state(branch.playthrough_id)).beliefs
    assert await differences(stores, graph, branch.playthrough_id) == ()


async def test_nothing_is_marked_while_the_graph_is_away(stores: MemoryStores) -> None:
    graph = FakeGraph()
    graph.is_away = True
    await post(stores, "Maelin opens the hatch")
    with pytest.raises(GraphUnavailableError):
        await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    status = await mirror_status(stores.mirror_queue, graph)
    assert (status.is_up, status.waiting) == (False, 1)


async def test_an_erased_playthrough_is_not_brought_back_by_what_still_waits(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    items = await stores.mirror_queue.take()
    async with stores.open_uow(PLAYED) as uow:
        await uow.playthroughs.erase()
        await uow.commit()

    class Late(FakeWakes):
        async def take(self, *, limit: int = 200, only: str | None = None) -> list[OutboxItem]:
            return [i for i in items if only in {None, i.playthrough_id}][:limit]

    assert await mirror_once(Late(stores, wakes=0), graph, open_uow=stores.open_uow) == 1
    assert graph.held == {}


async def test_the_worker_waits_longer_each_time_up_to_a_bound_and_catches_up_by_itself(stores: MemoryStores) -> None:
    graph = FakeGraph()
    graph.is_away = True
    waits: list[float] = []
    await post(stores, "Maelin opens the hatch")

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        graph.is_away = len(waits) < 8

    with pytest.raises(Done):
        await run_mirror(FakeWakes(stores, wakes=9), graph, open_uow=stores.open_uow, sleep=sleep)
    assert waits == sorted(waits)
    assert waits[0] < waits[1] <= waits[-1] == LONGEST_WAIT_S
    assert await differences(stores, graph) == ()


@pytest.mark.parametrize(
    ("error", "warned"), [(GraphUnavailableError("switched off"), True), (GraphReplacedError(), False)]
)
async def test_only_a_graph_that_cannot_be_reached_is_warned_of(
    stores: MemoryStores, caplog: pytest.LogCaptureFixture, error: GraphUnavailableError, warned: bool
) -> None:
    graph, waits = FakeGraph(), list[float]()
    graph.is_away, graph.error = True, error
    await post(stores, "Maelin opens the hatch")

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        graph.is_away = False

    with pytest.raises(Done):
        await run_mirror(FakeWakes(stores, wakes=2), graph, open_uow=stores.open_uow, sleep=sleep)
    assert len(waits) == 1
    assert [r.levelname == "WARNING" for r in caplog.records] == [True] * warned
    assert await differences(stores, graph) == ()


async def test_those_who_find_a_graph_not_there_at_once_make_it_once(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    items = await stores.mirror_queue.take()
    async with anyio.create_task_group() as group:
        for _ in range(6):
            group.start_soon(partial(mirror_items, items, stores.mirror_queue, graph, open_uow=stores.open_uow))
    assert graph.begun == 1
    assert await differences(stores, graph) == ()


async def test_a_server_that_comes_back_empty_is_filled_again_without_a_new_event(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    with pytest.raises(Done):
        await run_mirror(FakeWakes(stores, wakes=1), graph, open_uow=stores.open_uow)
    graph.lose_everything()
    with pytest.raises(Done):
        await run_mirror(FakeWakes(stores, wakes=1), graph, open_uow=stores.open_uow)
    assert (await graph.state(PLAYED)).beliefs
    assert await differences(stores, graph) == ()


async def test_a_server_that_kept_everything_is_not_filled_again(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    with pytest.raises(Done):
        await run_mirror(FakeWakes(stores, wakes=3), graph, open_uow=stores.open_uow)
    assert graph.begun == 1


async def test_who_began_last_fills_the_graph_and_the_other_stops(stores: MemoryStores) -> None:
    class Overtaken(FakeGraph):
        async def begin(self, playthrough_id: PlaythroughId, world: MirrorWorld | None = None) -> str:
            mine = await super().begin(playthrough_id, world)
            await super().begin(playthrough_id, world)
            return mine

    graph = Overtaken()
    await post(stores, "Maelin opens the hatch")
    assert await rebuild_mirror(PLAYED, open_uow=stores.open_uow, graph=graph) == 0
    assert not await graph.is_whole(PLAYED)


async def test_every_difference_is_named(stores: MemoryStores) -> None:
    graph = FakeGraph()
    await post(stores, "Maelin opens the hatch")
    await mirror_once(stores.mirror_queue, graph, open_uow=stores.open_uow)
    true = await graph.state(PLAYED)
    first, *_ = true.beliefs

    class Wrong(FakeGraph):
        async def is_whole(self, playthrough_id: PlaythroughId) -> bool:
            return playthrough_id == PLAYED

        async def state(self, playthrough_id: PlaythroughId) -> GraphState:
            assert playthrough_id == PLAYED
            others = {name: held for name, held in true.beliefs.items() if name != first}
            world = true.world | {
                "trust": {"orla|maelin": 500_000},
                "strong trust": {**true.world["strong trust"], "brun|rex": 1},
                "presence": {"orla|mast": 1},
            }
            beliefs = {**others, first: 1, "e0|nobody": 5}
            return GraphState(beliefs=beliefs, tellings=frozenset({"t0"}), world=world)

    found = await verify_mirror(PLAYED, open_uow=stores.open_uow, graph=Wrong())
    assert set(found) == {
        Difference(what="belief", name=first, record=true.beliefs[first], graph=1),
        Difference(what="belief", name="e0|nobody", record=None, graph=5),
        Difference(what="telling", name="t0", record=0, graph=1),
        Difference(what="trust", name="tovi|orla", record=800_000, graph=None),
        Difference(what="strong trust", name="brun|rex", record=None, graph=1),
        Difference(what="presence", name="orla|mast", record=None, graph=1),
        *(
            Difference(what="presence", name=name, record=1, graph=None)
            for name in ("player|mast", "maelin|station", "orla|station", "tovi|harbour", "brun|cellar", "rex|station")
        ),
    }
