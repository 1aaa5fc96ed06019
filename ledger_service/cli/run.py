"""How every command runs: settings, stores, one event loop, one line for an error, one shape for JSON."""

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import anyio
import click
import msgspec
from rich.console import Console

from ledger_service.bootstrap import Application, bring_up_to_date, open_application, open_places, single
from ledger_service.domain.errors import LedgerError, MalformedError, StoreError
from ledger_service.settings import LOOP, Settings, from_env

T = TypeVar("T")
BAD_INPUT = 2
STORE_AWAY = 3
console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def settings() -> Settings:
    """Read the settings from the environment."""
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
        raise MalformedError(str(file), f"cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


def fail(error: LedgerError) -> NoReturn:
    """Say what is wrong and what to do about it, in a line each, and leave with a code."""
    errors.print(f"[bold red]error:[/] {_escaped(str(error))}", soft_wrap=True)
    if error.cure:
        errors.print(f"[green]try:[/] {_escaped(error.cure)}", soft_wrap=True)
    sys.exit(STORE_AWAY if isinstance(error, StoreError) else BAD_INPUT)


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


def printable(text: str) -> str:
    """Return text as rich prints it literally."""
    return _escaped(text)


class Group(click.Group):
    """A group whose commands turn our errors into one line."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run the command."""
        try:
            return super().invoke(ctx)
        except LedgerError as error:
            fail(error)
        except BrokenPipeError:
            os._exit(0)
