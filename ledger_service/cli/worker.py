"""`continuity worker`: a process that stays, keeps the graph up to date and helps with offered runs of probes."""

import signal

import anyio
import click

from ledger_service.bootstrap import Application, probe_jobs
from ledger_service.cli.probe_desk import at_once_option, desk_of
from ledger_service.cli.probe_work import calm_memory
from ledger_service.cli.run import console, emit_line, in_application, json_option
from ledger_service.services.probes.help_runs import Helper


@click.command()
@at_once_option
@click.option("--once", is_flag=True, help="Ask what is offered now, and end.")
@json_option
def worker(at_once: int, once: bool, as_json: bool) -> None:
    """Keep the graph up to date, and ask runs of probes that are offered (`probe run --detach`), until stopped.

    As many as you like, on as many machines: each takes a batch, and what one leaves behind another takes up. The first
    Ctrl-C ends it after the try under way. `continuity serve` keeps the graph up to date too.

    Example: CONTINUITY_POSTGRES_URL=postgresql://app@db/continuity continuity worker --at-once 2
    """

    def say(run_id: str, what: str) -> None:
        if as_json:
            emit_line({"run": run_id, "said": what})
        else:
            console.print(f"run {run_id}: {what}" if run_id else what, soft_wrap=True, markup=False)

    async def use(app: Application) -> None:
        emit_line({"worker": "started"}) if as_json else console.print("keeping the graph up to date  (Ctrl-C stops)")
        helper = Helper(app.stores.probe_runs, lambda run: desk_of(app, run), at_once=at_once, say=say)
        with calm_memory():
            await _help(app, helper, at_once=at_once, once=once)

    in_application(use, mirror=True)
    if not as_json:
        console.print("stopped")


async def _help(app: Application, helper: Helper, *, at_once: int, once: bool) -> None:
    """Help until stopped by a signal, woken by jobs and by looking now and then."""

    async def help_with(run_id: str) -> None:
        await helper.help_with(run_id)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, helper)
        if once:
            await helper.sweep()
        else:
            tasks.start_soon(helper.look_again)
            await probe_jobs(app.places).serve(help_with, at_once=at_once, until=helper.stopped.wait)
        tasks.cancel_scope.cancel()


async def _listen(helper: Helper) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if helper.stopped.is_set():
                raise KeyboardInterrupt
            helper.drain()
