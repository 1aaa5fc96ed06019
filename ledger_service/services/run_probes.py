"""Run a matrix: a branch for each distance, each question through the same door as the game, every line scored."""

from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct

from ledger_service.domain.errors import LedgerError
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.probes import Cell, CellResult, Expectation, Matrix, ProbeRun, ResultState
from ledger_service.domain.rubric import Gold, Scorecard, State
from ledger_service.ports import OpenUnitOfWork, Responder
from ledger_service.probing.documents import History, Step
from ledger_service.probing.matrix import expand
from ledger_service.services.build_packet import PacketRequest, Reading, build_packet
from ledger_service.services.open_playthrough import fork_playthrough
from ledger_service.services.play_story import Labels, play_history
from ledger_service.services.score_reply import Judging, score_reply
from ledger_service.services.speak import speak
from ledger_service.services.story_state import world_of


class Ground(Struct, frozen=True, kw_only=True):
    """A story that has been played up to where the questions begin."""

    playthrough_id: PlaythroughId
    history: History
    labels: Labels


async def run_matrix(
    matrix: Matrix,
    ground: Ground,
    responder: Responder,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
    progress: Callable[[CellResult], Awaitable[None] | None] = lambda _: None,
) -> ProbeRun:
    """Ask every cell. A cell that breaks is an error of that cell, and the others go on."""
    cells = expand(matrix)
    results: list[CellResult] = []
    branches: dict[str, tuple[PlaythroughId, Labels]] = {}
    for cell in cells:
        if cell.skipped:
            result = CellResult(cell=cell, state=ResultState.SKIPPED, error=cell.skipped)
        else:
            if cell.distance not in branches:
                branches[cell.distance] = await _branch(
                    matrix, cell.distance, ground, open_uow=open_uow, reading=reading
                )
            branch, labels = branches[cell.distance]
            result = await _ask(
                cell, matrix, branch, labels, responder, open_uow=open_uow, reading=reading, judging=judging
            )
        results.append(result)
        progress(result)
    return ProbeRun(story=matrix.story, subject=responder.name, planned=len(cells), results=tuple(results))


async def _branch(
    matrix: Matrix, distance: str, ground: Ground, *, open_uow: OpenUnitOfWork, reading: Reading
) -> tuple[PlaythroughId, Labels]:
    """Branch the played story and let the distance pass."""
    recipe = next(d for d in matrix.distances if d.id == distance)
    branch = await fork_playthrough(ground.playthrough_id, open_uow=open_uow, title=f"probe {distance}")
    source = ground.history.source
    steps = tuple(
        Step(raw={k: v for k, v in raw.items() if k != "label"}, label=raw.get("label"), path="$")
        for raw in recipe.events
    )
    if not steps:
        return branch.playthrough_id, ground.labels
    passed = History(source=source, steps=steps)
    labels = await play_history(
        branch.playthrough_id, passed, open_uow=open_uow, embedder=reading.embedder, known=ground.labels
    )
    return branch.playthrough_id, labels


async def _ask(
    cell: Cell,
    matrix: Matrix,
    branch: PlaythroughId,
    labels: Mapping[str, tuple[EntryId, ...]],
    responder: Responder,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
) -> CellResult:
    request = PacketRequest(speaker=matrix.speaker, audience=(matrix.listener,), line=cell.line)
    try:
        stored = await build_packet(branch, request, open_uow=open_uow, reading=reading)
        async with open_uow(branch) as uow:
            world = await world_of(uow, stored.packet.world_version)
        reply = await speak(stored.packet, world, responder)
        scored = await score_reply(
            branch, stored.packet_id, reply, open_uow=open_uow, judging=judging, gold=gold_of(cell.expect, labels),
            delivered=False,
        )  # fmt: skip
    except LedgerError as error:
        return CellResult(cell=cell, state=ResultState.ERROR, error=str(error), responder=responder.name)
    return CellResult(
        cell=cell,
        state=_state(scored.scorecard),
        line=reply.text,
        responder=reply.responder,
        packet_hash=stored.packet.hash,
        scorecard=scored.scorecard,
    )


def _state(card: Scorecard | None) -> ResultState:
    if card is None or all(v.state is State.UNSCORED for v in card.verdicts):
        return ResultState.UNSCORED
    return ResultState.PASS if card.passed else ResultState.FAIL


def gold_of(expect: Expectation, labels: Mapping[str, tuple[EntryId, ...]]) -> Gold:
    """Turn labels into entry ids; `name.2` is the second entry that the labelled event left."""

    def entry(name: str) -> EntryId:
        label, _, place = name.partition(".")
        return labels[label][int(place or 1) - 1]

    return Gold(
        must_include=tuple(entry(name) for name in expect.must_include),
        must_exclude={entry(name): "" for name in expect.must_exclude},
        flags=expect.flags,
        flags_must_exclude=expect.flags_must_exclude,
    )
