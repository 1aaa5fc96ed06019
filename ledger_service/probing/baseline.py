"""Baselines: what a run came to, accepted; another run of the same matrix is held against it."""

import msgspec
from msgspec import Struct

from ledger_service.domain.errors import MalformedError
from ledger_service.domain.probe_runs import KeptCell, RunPlan
from ledger_service.domain.probes import ResultState
from ledger_service.probing.statistics import Comparison, compare


class Baseline(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run came to, cell by cell."""

    story: str
    subject: str
    matrix_hash: str
    world_version: str
    run_id: str
    cells: dict[str, str]


def baseline_of(run: RunPlan, cells: list[KeptCell]) -> Baseline:
    """Return a run as a baseline."""
    return Baseline(
        story=run.story,
        subject=run.settings.subject,
        matrix_hash=run.matrix_hash,
        world_version=run.world_version,
        run_id=run.run_id,
        cells={c.cell.name: str(c.state) for c in cells},
    )


def encode_baseline(baseline: Baseline) -> str:
    """Return a baseline as a file's text, a cell a line, so that a change of it can be read."""
    return msgspec.json.format(msgspec.json.encode(baseline, order="deterministic"), indent=2).decode() + "\n"


def decode_baseline(content: bytes, file: str) -> Baseline:
    """Read a baseline.

    Raises:
        MalformedError: it is none.
    """
    try:
        return msgspec.json.decode(content, type=Baseline)
    except msgspec.MsgspecError as error:
        raise MalformedError(file, f"is no baseline: {error}") from error


def hold_against(before: Baseline, now: Baseline) -> Comparison:
    """Compare two runs of one matrix, paired by cell.

    Raises:
        MalformedError: the baseline is of another matrix or world.
    """
    for what, was, became in (
        ("matrix", f"{before.story} {before.matrix_hash}", f"{now.story} {now.matrix_hash}"),
        ("world", before.world_version, now.world_version),
    ):
        if was != became:
            refused = MalformedError("baseline", f"is of another {what}: {was}, and this run is of {became}")
            refused.cure = "accept a run of this matrix and world as the new baseline"
            raise refused
    return compare(_judged(before), _judged(now))


def _judged(baseline: Baseline) -> dict[str, bool]:
    decided = {ResultState.PASS, ResultState.FAIL}
    return {name: state == ResultState.PASS for name, state in baseline.cells.items() if state in decided}
