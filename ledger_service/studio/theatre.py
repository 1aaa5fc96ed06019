"""The theatre: stories played once a run, and clean playthroughs of them, each a copy that nobody else sees."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal
from msgspec import Struct

from ledger_service.bootstrap import MemoryStores, find_shipped, honest_speaker, open_judging, open_reading
from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.ids import PlaythroughId
from ledger_service.probing.documents import History, decode_history, decode_world
from ledger_service.services.events.play_story import Labels, play_history
from ledger_service.services.playthroughs.open_playthrough import add_world, open_playthrough
from ledger_service.studio.speaker import Speaker, as_responder
from ledger_service.studio.stage import Stage, Tools

P = ParamSpec("P")
T = TypeVar("T")


class Ground(Struct, frozen=True, kw_only=True):
    """A story played up to where tests begin, kept as it is."""

    record: MemoryStores
    playthrough_id: PlaythroughId
    labels: Labels
    history: History | None


class Theatre:
    """Opens playthroughs. Whatever is asynchronous runs on one loop in a thread of its own, so that steps are plain."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._played: dict[tuple[Path, int | None, bool], Ground] = {}
        self.grounds: dict[str, float] = {}
        """Seconds that each story took to play, once."""
        self.opened: list[float] = []
        """Seconds that each clean playthrough took to open."""

    def __enter__(self) -> Self:
        self._open = ExitStack()
        self._portal: BlockingPortal = self._open.enter_context(start_blocking_portal())
        self._reading = open_reading()
        self._judging = open_judging(self._reading)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def call(self, function: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run something asynchronous to its end, and return what it comes to."""
        return self._portal.call(partial(function, *args, **kwargs))

    def open(self, story: str, *, seed: int | None = None, history: bool = True, speaker: Speaker = None) -> Stage:
        """Return a clean playthrough of a story, on which nothing has been played but its history.

        Raises:
            StoryFileError: there is no such story, or a file of it that is wrong, with file, line and path.
        """
        folder = self._find(story)
        key = (folder, seed, history)
        if key not in self._played:
            began = time.perf_counter()
            self._played[key] = self.call(self._play, folder, seed=seed, history=history)
            self.grounds[f"{story}{'' if history else ' (world alone)'}"] = time.perf_counter() - began
        began = time.perf_counter()
        ground = self._played[key]
        tools = Tools(
            call=self.call,
            reading=self._reading,
            judging=self._judging,
            responder=as_responder(speaker) or honest_speaker(),
        )
        stage = Stage(ground.record.copy(), ground.playthrough_id, dict(ground.labels), tools)
        self.opened.append(time.perf_counter() - began)
        return stage

    def _find(self, story: str) -> Path:
        """Return a story's folder: the studio's own, else one that comes with the ledger."""
        folders = (*self._folders, find_shipped("probes"))
        found = next((f / story for f in folders if (f / story / "world.yaml").is_file()), None)
        if found is None:
            there = sorted({p.parent.name for f in folders for p in f.glob("*/world.yaml")})
            looked = ", ".join(str(f) for f in self._folders)
            why = f"there is no such story in {looked} (there are: {', '.join(there)}); see `continuity_stories`"
            raise StoryFileError(f"{story}/world.yaml", why)
        return found

    async def _play(self, folder: Path, *, seed: int | None, history: bool) -> Ground:
        record = MemoryStores()
        world = decode_world((folder / "world.yaml").read_bytes(), f"{folder.name}/world.yaml")
        version = await add_world(world, open_uow=record.open_uow)
        opened = await open_playthrough(version, open_uow=record.open_uow, seed=seed)
        file = folder / "history.yaml"
        told = decode_history(file.read_bytes(), f"{folder.name}/history.yaml") if history and file.is_file() else None
        mine = opened.playthrough_id
        embedder = self._reading.embedder
        labels = {} if told is None else await play_history(mine, told, open_uow=record.open_uow, embedder=embedder)
        return Ground(record=record, playthrough_id=mine, labels=labels, history=told)
