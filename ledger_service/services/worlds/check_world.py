"""The one door for a world as text: everything that is wrong with it, each with its line, and what it is kept as."""

import anyio.to_thread
from msgspec import Struct

from ledger_service.domain.errors import ContentError, StoryFileError
from ledger_service.domain.worlds import World, version_of
from ledger_service.probing.world_text import WorldText, read_world
from ledger_service.recording.plain import check_world

MOST_LETTERS = 200_000
"""The largest text that is taken from a person; a larger world comes as a file (`continuity world load`)."""


class Fault(Struct, frozen=True, kw_only=True):
    """Something that is wrong with a text, and where."""

    line: int
    column: int
    path: str
    why: str


class CheckedWorld(Struct, frozen=True, kw_only=True):
    """A text that was looked through: the world in it, or all that keeps it from being one."""

    file: str
    errors: tuple[StoryFileError, ...] = ()
    world: World | None = None
    """Set only where nothing is wrong."""

    @property
    def version(self) -> str | None:
        """The version that it would be kept as."""
        return None if self.world is None else version_of(self.world)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong, for programs and pages."""
        return tuple(Fault(line=e.line or 1, column=e.column or 1, path=e.path, why=e.why) for e in self.errors)


def check_world_file(content: bytes, file: str) -> CheckedWorld:
    """Look a file through, in all that it could be refused for when it is kept."""
    text = read_world(content, file)
    if text.world is None or text.faults:
        return CheckedWorld(file=file, errors=text.faults)
    unfit = _unfit(text)
    return CheckedWorld(file=file, errors=unfit, world=None if unfit else text.world)


def _unfit(text: WorldText) -> tuple[StoryFileError, ...]:
    """Say what no store could keep of a world that is otherwise right."""
    assert text.world is not None and text.source is not None  # noqa: S101, PT018
    try:
        check_world(text.world)
    except ContentError as error:
        return (text.source.error(f"${error.path.removeprefix('world')}", error.why),)
    return ()


async def check_world_text(
    text: str, file: str, *, world_id: str | None = None, most_letters: int | None = MOST_LETTERS
) -> CheckedWorld:
    """Look through what somebody typed, without holding up anybody else.

    `world_id` is whose text it is: one that names another world is no edit of it.
    """
    if most_letters is not None and len(text) > most_letters:
        why = f"holds {len(text):,} letters, and at most {most_letters:,} are taken here"
        return CheckedWorld(file=file, errors=(StoryFileError(file, f"{why}; load it with `continuity world load`"),))
    found = await anyio.to_thread.run_sync(check_world_file, text.encode("utf-8", "surrogatepass"), file)
    if found.world is None or world_id in {None, found.world.id}:
        return found
    line = next((n for n, row in enumerate(text.splitlines(), 1) if row.startswith(("id:", '"id"'))), 1)
    why = f"this is an edit of `{world_id}`, and keeps that id; a world of another id is loaded as a file"
    return CheckedWorld(file=file, errors=(StoryFileError(file, why, line=line, column=1, path="id"),))
