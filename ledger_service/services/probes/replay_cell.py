"""Replay a cell of a run: its story and branch built anew, its packet, the line and the scorecard."""

from msgspec import Struct

from ledger_service.domain.errors import LedgerError
from ledger_service.domain.probe_runs import Attempt, Branch, KeptCell, RunPlan
from ledger_service.services.events.play_story import play_history
from ledger_service.services.playthroughs.open_playthrough import open_playthrough
from ledger_service.services.probes.ask_subject import ask_subject
from ledger_service.services.probes.desk import Desk
from ledger_service.services.probes.freeze_cells import Frozen
from ledger_service.services.probes.run_ground import erase, history_of
from ledger_service.services.probes.run_probes import Ground, pass_distance
from ledger_service.services.probes.work_run import frozen_cells


class Replayed(Struct, frozen=True, kw_only=True):
    """A cell, asked once more on a branch of its own."""

    kept: KeptCell
    attempt: Attempt
    frozen: Frozen


async def replay(run: RunPlan, kept: KeptCell, desk: Desk) -> Replayed:
    """Play the story anew up to a cell and ask it again; nothing of the run changes."""
    history = history_of(run)
    opened = await open_playthrough(run.world_version, open_uow=desk.open_uow, title=f"replay of {kept.cell.name}")
    mine, branch = opened.playthrough_id, Branch()
    try:
        labels = await play_history(mine, history, open_uow=desk.open_uow, embedder=desk.reading.embedder)
        ground = Ground(playthrough_id=mine, history=history, labels=labels)
        branch = await pass_distance(
            run.matrix, kept.cell.distance, ground, open_uow=desk.open_uow, reading=desk.reading, afresh=desk.afresh
        )
        frozen = (await frozen_cells(run, [kept], branch, desk))[kept.cell_no]
        if isinstance(frozen, LedgerError):
            raise frozen
        attempt = await ask_subject(
            frozen, desk.responder, cell=kept.cell.name, judging=desk.judging, repeat=1, attempt=1,
            reference=desk.reference,
        )  # fmt: skip
    finally:
        for left in (branch.playthrough_id, mine):
            if left:
                await erase(left, desk)
    return Replayed(kept=kept, attempt=attempt, frozen=frozen)
