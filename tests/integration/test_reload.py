"""Save and reload: another process opens the stores, reads the save, and computes the same packets, once a distance."""

import json
import os

import msgspec
import pytest
from msgspec.structs import replace

from ledger_service.domain.errors import ContentError, StoreUnavailableError
from ledger_service.domain.probes import Distance, Expectation, Pressure, ResultState
from ledger_service.domain.rubric import Fault
from ledger_service.services.probes.ask_cell import NONDETERMINISM
from ledger_service.services.probes.probe_runs import all_cells
from ledger_service.services.probes.stopping import Stop
from ledger_service.services.probes.work_run import work
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.new_process import ReloadProcess
from tests.probing import a_desk, a_run, a_story

pytestmark = pytest.mark.anyio
ROWS = (
    Pressure(id="plain", anchor="Let me use the restricted transmitter.",
             paraphrases=("May I have the long-range set?",), expect=Expectation(must_include=("sensor",))),
    Pressure(id="never_happened", anchor="Tell me about the fire in the greenhouse.",
             expect=Expectation(flags=("no_record",))),
)  # fmt: skip


class Watched:
    """A new process whose orders and answers are looked at, and may be altered."""

    def __init__(self, inner: ReloadProcess, alter=lambda answer: answer) -> None:
        self.inner, self.alter = inner, alter
        self.shares_record = inner.shares_record
        self.answers: list[dict] = []

    async def run(self, order: bytes) -> bytes:
        answer = json.loads(await self.inner.run(order))
        self.answers.append(answer)
        return msgspec.json.encode(self.alter(answer))


@pytest.fixture
def process(request, record, tmp_path) -> ReloadProcess:
    if isinstance(record, MemoryStores):
        return ReloadProcess(shares_record=False)
    url = request.getfixturevalue("database").app_url
    env = os.environ | {"CONTINUITY_HOME": str(tmp_path), "CONTINUITY_POSTGRES_URL": url}
    return ReloadProcess(shares_record=True, env=env)


def reloading():
    """The station, asked right away and after a save and reload."""
    story = a_story()
    distances = (Distance(id="next_turn"), Distance(id="after_reload"))
    return replace(story, matrix=replace(story.matrix, never=(), distances=distances, pressures=ROWS))


async def asked(record, process):
    run = await a_run(record, reloading())
    await work(run, a_desk(record, afresh=process), Stop())
    return {c.cell.name: c for c in await all_cells(run.run_id, record.probe_runs)}


async def test_a_distance_is_loaded_once_in_another_process_that_computes_the_same_packets(record, process):
    watched = Watched(process)
    cells = await asked(record, watched)
    assert {c.state for c in cells.values()} == {ResultState.PASS}
    (answer,) = watched.answers
    assert answer["pid"] not in {0, os.getpid()}
    with pytest.raises(ProcessLookupError):
        os.kill(answer["pid"], 0)
    assert set(answer["packets"]) == {name for name in cells if name.startswith("after_reload/")}
    for name, packet in answer["packets"].items():
        assert packet == cells[name].packet_hash == cells[name.replace("after_reload", "next_turn")].packet_hash


async def test_a_packet_that_the_other_process_computed_otherwise_is_nondeterminism(record, process):
    def alter(answer):
        return answer | {"packets": answer["packets"] | {"after_reload/plain/0": "another"}}

    cells = await asked(record, Watched(process, alter))
    wrong = {name: c.attempts[0] for name, c in cells.items() if c.state is not ResultState.PASS}
    assert [(n, a.subtype) for n, a in wrong.items()] == [("after_reload/plain/0", NONDETERMINISM)]
    assert "another" in wrong["after_reload/plain/0"].why


async def test_what_comes_back_as_another_story_is_no_reload(record, process):
    cells = await asked(record, Watched(process, lambda answer: answer | {"head": "elsewhere"}))
    broken = [c.attempts[0] for name, c in cells.items() if name.startswith("after_reload/")]
    assert {(a.state, a.fault) for a in broken} == {(ResultState.ERROR, Fault.PROBE_DEFECT)}
    assert all("came back as elsewhere" in a.why for a in broken)


async def test_a_process_that_cannot_open_the_stores_or_breaks_says_so(tmp_path):
    away = "postgresql://continuity_app@127.0.0.1:1/nothing"
    env = os.environ | {"CONTINUITY_HOME": str(tmp_path), "CONTINUITY_POSTGRES_URL": away}
    process = ReloadProcess(shares_record=True, env=env)
    with pytest.raises(StoreUnavailableError):
        await process.run(b'{"playthrough_id": "p1", "save": "reload"}')
    with pytest.raises(ContentError, match="is none"):
        await ReloadProcess(shares_record=False).run(b"[]")
    with pytest.raises(ContentError, match="ended with 2"):
        await ReloadProcess(shares_record=False).run(b'{"document": "{}"}')
