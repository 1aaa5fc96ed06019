"""The stories of a `probes/` folder: each one's world, history and matrix, held against each other."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from ledger_service.domain.errors import StoryFileError
from ledger_service.domain.probes import Matrix
from ledger_service.domain.worlds import World
from ledger_service.probing.documents import History, decode_history, decode_world
from ledger_service.probing.matrix import decode_matrix

_NAME: Final = re.compile(r"^[a-z][a-z0-9_]{0,63}$")
_T = TypeVar("_T")


class Story(Struct, frozen=True, kw_only=True):
    """One story's files, read."""

    world: World
    history: History
    matrix: Matrix


class ProbeFiles:
    """Reads a folder of stories; nothing is written there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def list_stories(self) -> tuple[str, ...]:
        return tuple(sorted(p.parent.name for p in self._folder.glob("*/world.yaml") if _NAME.match(p.parent.name)))

    def list_matrices(self) -> dict[str, tuple[str, ...]]:
        """Return the matrix files of each story, the whole one first."""
        beside = {"world.yaml", "history.yaml"}
        found = {s: sorted(p.name for p in (self._folder / s).glob("*.yaml")) for s in self.list_stories()}
        return {
            s: tuple(sorted(set(names) - beside, key=lambda n: (n != "matrix.yaml", n))) for s, names in found.items()
        }

    def load(self, story: str, *, matrix: str = "matrix.yaml") -> Story:
        """Read a story, with one of its matrices.

        Raises:
            StoryFileError: a file that is missing or wrong, or a story that is not there.
        """
        if story not in self.list_stories():
            there = ", ".join(self.list_stories()) or "none"
            raise StoryFileError(f"{story}/world.yaml", f"there is no such story (there are: {there})")
        world = self._read(story, "world.yaml", decode_world)
        history = self._read(story, "history.yaml", decode_history)

        def decode(content: bytes, file: str) -> Matrix:
            return decode_matrix(content, file, world=world, history=history, find=find)

        def find(name: str) -> bytes:
            return self._bytes(story, Path(name).name)

        return Story(world=world, history=history, matrix=self._read(story, matrix, decode))

    def _read(self, story: str, name: str, decode: Callable[[bytes, str], _T]) -> _T:
        return decode(self._bytes(story, name), f"{story}/{name}")

    def _bytes(self, story: str, name: str) -> bytes:
        try:
            return (self._folder / story / name).read_bytes()
        except OSError as error:
            raise StoryFileError(f"{story}/{name}", f"cannot be read: {error.strerror or error}") from error
