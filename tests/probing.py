"""Runs of probes for tests: a desk on any stores, a small matrix, and subjects that break."""

from pathlib import Path
from typing import cast

from msgspec.structs import replace

from ledger_service.bootstrap import open_claim_reader, open_reading
from ledger_service.domain.errors import StoreUnavailableError
from ledger_service.domain.probe_runs import KeptCell, RunPlan, RunSettings
from ledger_service.domain.replies import Reply
from ledger_service.ports import Responder, RumourGraph
from ledger_service.responders.template import TemplateResponder
from ledger_service.services.probes.desk import Desk
from ledger_service.services.probes.probe_runs import find_or_add, plan
from ledger_service.services.replies.score_reply import Judging
from ledger_service.stores.memory import MemoryStores
from ledger_service.stores.postgres.unit_of_work import PostgresStores
from ledger_service.stores.probe_files import ProbeFiles, Story

FOLDER = Path(__file__).parents[1] / "probes"
READING = open_reading()
JUDGING = Judging(claim_reader=open_claim_reader(), embedder=READING.embedder)


LARGE = """extends: station.yaml
distances:
  - {id: one_turn, means: after a word of small talk, kind: near, recipe: [{turns: 1}]}
  - {id: two_turns, means: after two words of it, kind: near, recipe: [{turns: 2}]}
  - {id: six_turns, means: after six, kind: near, recipe: [{turns: 6}]}
  - {id: saved_later, means: saved and loaded after four, kind: near, recipe: [{turns: 4}, {reload: true}]}
  - {id: another_scene, means: a scene and six words later, kind: near, recipe: [{turns: 6, scenes: 1}]}
  - {id: three_scenes, means: three scenes and half a day later, kind: later, recipe: [{scenes: 3, hours: 12}]}
  - {id: a_long_day, means: thirty hours later, kind: later, recipe: [{scenes: 2}, {hours: 30, gossip: true}]}
  - {id: two_days, means: two days later, kind: later, recipe: [{scenes: 2}, {hours: 48, gossip: true}]}
"""
"""Eight distances more for the station's matrix."""


class NoGraph:
    """A graph that forgets as it is told."""

    async def drop(self, playthrough_id: str) -> None:  # noqa: ARG002
        return None


class Away:
    """A model that never answers: the template spoke."""

    name = "http_chat:away"

    async def reply(self, packet, world) -> Reply:  # noqa: ARG002
        return Reply(text="Hm.", responder="template", fallback=True, note="answered 500")


class Fickle:
    """A speaker that says another word each time."""

    name = "fickle"

    def __init__(self) -> None:
        self.asked = 0

    async def reply(self, packet, world) -> Reply:  # noqa: ARG002
        self.asked += 1
        return Reply(text=f"{'Yes' if self.asked % 2 else 'No'}, and {self.asked} more.", responder=self.name)


class AwayFor:
    """Runs of a record that is away for so many claims."""

    def __init__(self, runs, times: int) -> None:
        self._runs, self.times = runs, times

    def claim(self, run_id: str):
        if self.times > 0:
            self.times -= 1
            raise StoreUnavailableError("the server hung up")
        return self._runs.claim(run_id)

    def __getattr__(self, name: str):
        return getattr(self._runs, name)


def a_story(name: str = "maelin") -> Story:
    return ProbeFiles(FOLDER).load(name, matrix="demo.yaml")


def a_large_story(folder: Path) -> Path:
    """Write the station with a matrix of more than 2,000 cells, and return its folder."""
    story, station = folder / "station", FOLDER / "maelin"
    story.mkdir()
    for name, source in (("world", "world"), ("history", "history"), ("station", "matrix")):
        (story / f"{name}.yaml").write_bytes((station / f"{source}.yaml").read_bytes())
    (story / "matrix.yaml").write_text(LARGE)
    return story


def a_desk(stores: MemoryStores | PostgresStores, responder: Responder | None = None, **more) -> Desk:
    return Desk(
        runs=stores.probe_runs, open_uow=stores.open_uow, reading=READING, judging=JUDGING,
        graph=cast("RumourGraph", NoGraph()), responder=responder or TemplateResponder(), **more,
    )  # fmt: skip


async def a_run(stores: MemoryStores | PostgresStores, story: Story | None = None, **settings) -> RunPlan:
    """Plan and keep a run of a story."""
    story = story or a_story()
    run, cells = plan(story.world, story.history, story.matrix, RunSettings(**settings))
    kept, _ = await find_or_add(story.world, run, cells, runs=stores.probe_runs, open_uow=stores.open_uow, fresh=False)
    return kept


def essence(cells: list[KeptCell]) -> list[tuple[object, ...]]:
    """What a run came to, without what time and chance leave in it."""
    return [
        (c.cell.name, c.state, c.packet_hash, [replace(a, milliseconds=0, scorecard=None) for a in c.attempts])
        for c in cells
    ]
