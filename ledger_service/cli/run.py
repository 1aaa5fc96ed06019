"""How every command runs: settings, stores, one event loop, one line for an error, one shape for JSON."""

import contextlib
import inspect
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import anyio
import click
import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ledger_service.bootstrap import Application, bring_up_to_date, open_application, open_places, single
from ledger_service.domain.errors import LedgerError, MalformedError, SettingError, StoreError
from ledger_service.settings import LOOP, Settings, from_env

T = TypeVar("T")
BAD_INPUT = 2
STORE_AWAY = 3
OUR_FAULT = 4
STOPPED = 130


class _Console(Console):
    """A console that shows what would move the cursor, or turn the reading order, as a box."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render without control characters that stand in a text."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(segment.text.translate(_BOXES), segment.style)


_TURNING = (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_BOXES = dict.fromkeys((*range(10), *range(11, 32), *range(127, 160), *_TURNING), "\ufffd")
console = _Console(highlight=False)
errors = _Console(stderr=True, highlight=False)
SEQ = click.IntRange(0, 2**31 - 1)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def settings() -> Settings:
    """Read the settings from the environment.

    Raises:
        SettingError: a value that cannot be used.
    """
    for name, value in os.environ.items():
        if name.startswith("CONTINUITY_") and not value.isprintable():
            raise SettingError(name, "is no plain text on one line", cure="set it anew")
    return from_env(os.environ)


def in_application(use: Callable[[Application], Awaitable[T]], *, graph: bool = True, mirror: bool = False) -> T:
    """Run one use on an open application, and close everything after it."""
    chosen = settings()

    async def whole() -> T:
        async with open_application(chosen, places, mirror=mirror) as application:
            return await use(application)

    with open_places(chosen, graph=graph) as places:
        bring_up_to_date(places)
        try:
            return anyio.run(whole, backend_options=LOOP)
        except BaseExceptionGroup as group:
            raise single(group) from None


def emit(value: object) -> None:
    """Print a value as one JSON document."""
    click.echo(msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2).decode())


def emit_line(value: object) -> None:
    """Print a value as one line of JSON."""
    click.echo(msgspec.json.encode(value, order="sorted").decode())


def write_whole(file: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        MalformedError: nothing can be written there.
    """
    partial = file.with_name(f".{file.name}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(file)
    except OSError as error:
        refused = MalformedError(str(file), f"cannot be written: {error.strerror}")
        refused.cure = "name a file in a folder that is there and may be written"
        raise refused from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def say_error(what: str, cure: str | None = None) -> None:
    """Say what is wrong and what to do about it, in a line each."""
    errors.print(f"[bold red]error:[/] {_escaped(what)}", soft_wrap=True)
    if cure:
        errors.print(f"[green]try:[/] {_escaped(cure)}", soft_wrap=True)


def say_stopped() -> int:
    """Say that a person ended it, and return the code for that."""
    errors.print("stopped")
    return STOPPED


def code_of(error: LedgerError) -> int:
    """Return the exit code of an error of ours."""
    return STORE_AWAY if isinstance(error, StoreError) else BAD_INPUT


def fail(error: LedgerError) -> NoReturn:
    """Say what is wrong, of which event where it is of a batch, and leave with a code."""
    which = "" if error.position is None else f"event {error.position + 1} of the batch: "
    say_error(f"{which}{error}", error.cure)
    sys.exit(code_of(error))


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


def printable(text: str) -> str:
    """Return text as rich prints it literally."""
    return _escaped(text)


class Group(click.Group):
    """A group whose commands turn our errors into one line; they are listed in the order in which they were added."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **more)
        self.help = _shaped(self.help)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run the command."""
        try:
            return super().invoke(ctx)
        except LedgerError as error:
            fail(error)
        except BrokenPipeError:
            os._exit(0)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command; the examples in its help keep their lines."""
        cmd.help = _shaped(cmd.help)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of use."""
        return list(self.commands)


Group.group_class = Group


def _shaped(text: str | None) -> str | None:
    """Return a help text whose examples, and what is marked so, are not filled into paragraphs."""
    if text is None:
        return None
    marked = inspect.cleandoc(text).replace(r"\b", "\b")
    return re.sub(r"\n\n(?!\x08)(Examples?:)", "\n\n\b\n\\1", marked)
