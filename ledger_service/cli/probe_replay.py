"""`continuity probe replay`: a cell of a run once more, with its packet, line and scorecard."""

import click
from rich.text import Text

from ledger_service.bootstrap import Application
from ledger_service.cli import show
from ledger_service.cli.probe_desk import desk_of
from ledger_service.cli.run import console, emit, in_application, json_option
from ledger_service.domain.errors import ContentError
from ledger_service.domain.rubric import Scorecard
from ledger_service.services.probes import probe_runs
from ledger_service.services.probes.replay_cell import Replayed
from ledger_service.services.probes.replay_cell import replay as replay_cell


@click.command("replay")
@click.argument("run_id", metavar="RUN")
@click.argument("cell")
@json_option
def replay(run_id: str, cell: str, as_json: bool) -> None:
    """Build a cell's branch anew and show its packet, the line and the scorecard; the run stays as it is.

    Exits with 0 where the packet is the same as in the run, with 3 where it is not.

    Example: continuity probe replay r0123456789ab two_scenes/owner_swap/0
    """

    async def use(app: Application) -> Replayed:
        run = await probe_runs.run_of(run_id, app.stores.probe_runs)
        cells = await probe_runs.all_cells(run_id, app.stores.probe_runs)
        kept = next((c for c in cells if cell in {c.cell.name, str(c.cell_no)}), None)
        if kept is None:
            raise ContentError("cell", f"run {run_id} has no cell {cell!r}; a cell is distance/pressure/wording")
        return await replay_cell(run, kept, desk_of(app, run))

    again = in_application(use, graph=False)
    is_same = not again.frozen.flipped
    if as_json:
        packet = again.frozen.packet
        emit({"cell": again.kept.cell, "same_packet": is_same, "packet": packet, "attempt": again.attempt})
    else:
        console.print(show.packet(again.frozen.packet, (), {}))
        _print_try(again.attempt.line, again.attempt.responder, again.attempt.scorecard)
        for name, what in again.attempt.beside.told():
            console.print(Text(f"{name}: {what}", style="dim"), soft_wrap=True)
        console.print(again.frozen.flipped or "the packet is the same as in the run")
    raise SystemExit(0 if is_same else 3)


def _print_try(line: str, responder: str, card: Scorecard | None) -> None:
    console.print(Text(f"“{line}”", style="italic"), Text(f"— by {responder}\n"))
    if card is not None:
        console.print(show.scorecard(card))
