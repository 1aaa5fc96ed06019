"""`continuity probe reload`: the new process of a save and reload; runs of probes start it by themselves."""

import os
import sys

import anyio
import click
import msgspec

from ledger_service.bootstrap import Application, new_record, open_reading
from ledger_service.cli.run import in_application, json_option
from ledger_service.domain.errors import MalformedError
from ledger_service.services.probes.reload_branch import load_again


@click.command("reload")
@json_option
def reload(as_json: bool) -> None:  # noqa: ARG001  (an answer is JSON in either case)
    """Load what standard input orders (JSON), in this process, and print what it came to (JSON).

    A run of probes starts this where a distance saves and reloads: it opens the stores by itself, reads the save, and
    computes every packet that is going to be asked for there, for the run to compare with its own.

    Example: continuity probe reload < order.json
    """
    order = sys.stdin.buffer.read()

    async def on_stores(app: Application) -> bytes:
        return await load_again(order, pid=os.getpid(), open_uow=app.open_uow, reading=app.reading)

    async def in_memory() -> bytes:
        return await load_again(order, pid=os.getpid(), open_uow=new_record(), reading=open_reading())

    try:
        is_whole = bool(msgspec.json.decode(order, type=dict[str, object]).get("document"))
        found = anyio.run(in_memory) if is_whole else in_application(on_stores, graph=False)
    except msgspec.MsgspecError as error:
        raise MalformedError("order", f"is none: {error}") from error
    click.echo(found)


reload.hidden = True
