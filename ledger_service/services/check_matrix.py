"""Hold what a matrix expects against what its story leaves: what no speaker could pass is a defect of the probe."""

from collections.abc import Iterator

from msgspec import Struct

from ledger_service.domain.errors import ContentError
from ledger_service.domain.ledger import LIVE, Ledger
from ledger_service.domain.probe_runs import Branch
from ledger_service.domain.probes import Cell, Matrix
from ledger_service.domain.worlds import World
from ledger_service.ports import NewProcess, OpenUnitOfWork
from ledger_service.probing.documents import History
from ledger_service.probing.matrix import expand
from ledger_service.services.build_packet import Reading
from ledger_service.services.open_playthrough import add_world, open_playthrough
from ledger_service.services.play_story import play_history
from ledger_service.services.run_probes import Ground, gold_of, pass_distance, request_of
from ledger_service.services.story_state import story_state


class Impossible(Struct, frozen=True, kw_only=True):
    """A row that cannot be passed at a distance, and why."""

    distance: str
    pressure: str
    why: str


async def check_matrix(
    matrix: Matrix,
    world: World,
    history: History,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    afresh: NewProcess | None = None,
) -> tuple[Impossible, ...]:
    """Play the story and every distance in a record of its own, and look at what each row expects there.

    Raises:
        LedgerError: the story itself cannot be played.
    """
    version = await add_world(world, open_uow=open_uow)
    mine = (await open_playthrough(version, open_uow=open_uow)).playthrough_id
    labels = await play_history(mine, history, open_uow=open_uow, embedder=reading.embedder)
    ground = Ground(playthrough_id=mine, history=history, labels=labels)
    cells = [c for c in expand(matrix) if c.paraphrase == 0 and not c.skipped]
    found: list[Impossible] = []
    for distance in matrix.distances:
        branch = await pass_distance(matrix, distance.id, ground, open_uow=open_uow, reading=reading, afresh=afresh)
        if branch.error:
            found.append(Impossible(distance=distance.id, pressure="", why=branch.error))
            continue
        ledger = await _ledger(branch, open_uow)
        for cell in (c for c in cells if c.distance == distance.id):
            found += [Impossible(distance=distance.id, pressure=cell.pressure, why=why)
                      for why in _why_not(cell, matrix, branch, ledger)]  # fmt: skip
    return tuple(found)


async def _ledger(branch: Branch, open_uow: OpenUnitOfWork) -> Ledger:
    async with open_uow(branch.playthrough_id) as uow:
        state = await story_state(uow, at_seq=None)
        entries, amendments = await uow.ledger.load_all()
    return Ledger(entries, amendments, roster=state.roster, at_seq=state.seq)


def _why_not(cell: Cell, matrix: Matrix, branch: Branch, ledger: Ledger) -> Iterator[str]:
    """Say which entries a packet must hold and cannot: unseen by its speaker, over, or not there."""
    speaker = request_of(cell, matrix).speaker
    try:
        wanted = gold_of(cell.expect, branch.labels).must_include
    except ContentError as error:
        yield str(error)
        return
    for name, entry_id in zip(cell.expect.must_include, wanted, strict=True):
        entry = ledger.entries.get(entry_id)
        if entry is None:
            yield f"`{name}` has not happened there"
        elif not ledger.knows(speaker, entry_id):
            yield f"`{name}` is nothing that {speaker} can see"
        elif ledger.status_of(entry, viewer=speaker) not in LIVE:
            yield f"`{name}` is {ledger.status_of(entry, viewer=speaker)} there"
