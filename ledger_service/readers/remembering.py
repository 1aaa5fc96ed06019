"""Remembers how lines were read: a matrix asks the same ones at every distance, and is answered alike."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Generic, Protocol, TypeVar

from ledger_service.domain.ids import CharacterId
from ledger_service.domain.moments import Intent
from ledger_service.domain.replies import Claim
from ledger_service.domain.worlds import World, version_of
from ledger_service.ports import LineReader

REMEMBERED: Final = 4_096
MOST_WORLDS: Final = 64
SHORT: Final = 1_000
"""Letters of a line that is remembered; longer ones are rare, and seldom the same."""
Read_co = TypeVar("Read_co", covariant=True)


class Reader(Protocol[Read_co]):
    """Whatever reads a line of somebody, said to somebody, in a world."""

    def read(self, text: str, *, world: World, speaker: CharacterId, audience: Sequence[CharacterId]) -> Read_co:
        """Read it: the same always comes to the same."""
        ...


class Remembering(Generic[Read_co]):
    """A reader that reads the same line, in the same world, of the same speaker, once."""

    def __init__(self, reader: Reader[Read_co]) -> None:
        self._reader = reader
        self._worlds: dict[int, tuple[World, str]] = {}
        self._by_version: dict[str, World] = {}
        """Those of the worlds that are known by their copies, and no others."""
        self._known = lru_cache(maxsize=REMEMBERED)(self._read)

    def read(self, text: str, *, world: World, speaker: CharacterId, audience: Sequence[CharacterId]) -> Read_co:
        """Return what the reader says of it."""
        if len(text) > SHORT:
            return self._reader.read(text, world=world, speaker=speaker, audience=audience)
        return self._known(text, self._version_of(world), speaker, tuple(audience))

    def _version_of(self, world: World) -> str:
        """Return a world's version, worked out once for each copy of it."""
        known = self._worlds.get(id(world))
        if known is None:
            if len(self._worlds) >= MOST_WORLDS:
                self._worlds.clear()
                self._by_version.clear()
            known = self._worlds[id(world)] = (world, version_of(world))
            self._by_version[known[1]] = world
        return known[1]

    def _read(self, text: str, version: str, speaker: CharacterId, audience: tuple[CharacterId, ...]) -> Read_co:
        return self._reader.read(text, world=self._by_version[version], speaker=speaker, audience=audience)


class RememberingClaimReader(Remembering[tuple[Claim, ...]]):
    """A reader of replies that remembers."""


class RememberingLineReader(Remembering[Intent]):
    """A reader of lines that remembers; its packets are those of the reader that it asks."""

    def __init__(self, reader: LineReader) -> None:
        super().__init__(reader)
        self.version = reader.version
