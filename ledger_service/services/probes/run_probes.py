"""Run a matrix: a branch for each distance, each question through the same door as the game, every line scored."""

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import asdict, replace

from ledger_service.domain.errors import ContentError, LedgerError, StoreError
from ledger_service.domain.ids import EntryId, PlaythroughId
from ledger_service.domain.probe_runs import Branch
from ledger_service.domain.probes import (
    Cell,
    CellResult,
    Distance,
    EntryExpectation,
    Expectation,
    Matrix,
    ProbeRun,
    ResultState,
    Weight,
)
from ledger_service.domain.rubric import ClaimWant, EntryWant, Fault, Gold, Scorecard, State, VoiceWant
from ledger_service.ports import NewProcess, OpenUnitOfWork, Responder
from ledger_service.probing.documents import History, read_steps
from ledger_service.probing.matrix import expand
from ledger_service.probing.recipes import events_of, held, is_label, legs_of, paths_of
from ledger_service.probing.source import Source
from ledger_service.scoring.expected import AXES
from ledger_service.services.events.play_story import Labels, play_history
from ledger_service.services.events.story_state import world_of
from ledger_service.services.packets.build_packet import PacketRequest, Reading, build_packet
from ledger_service.services.playthroughs.open_playthrough import fork_playthrough
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough
from ledger_service.services.probes.reload_branch import reload_branch
from ledger_service.services.replies.score_reply import Judging, score_reply
from ledger_service.services.replies.speak import speak


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
    progress: Callable[[CellResult], None] = lambda _: None,
    afresh: NewProcess | None = None,
) -> ProbeRun:
    """Ask every cell. A cell that breaks is an error of that cell, and the others go on.

    Raises:
        StoreError: a store is away; what was asked so far says nothing of the rest.
    """
    cells = expand(matrix)
    results: list[CellResult] = []
    branches: dict[str, Branch] = {}
    for cell in cells:
        if cell.skipped:
            result = CellResult(cell=cell, state=ResultState.SKIPPED, error=cell.skipped)
        else:
            if cell.distance not in branches:
                branches[cell.distance] = await pass_distance(
                    matrix, cell.distance, ground, open_uow=open_uow, reading=reading, afresh=afresh
                )
            result = await _ask(
                cell, matrix, branches[cell.distance], responder, open_uow=open_uow, reading=reading, judging=judging
            )
        results.append(result)
        progress(result)
    return ProbeRun(story=matrix.story, subject=responder.name, planned=len(cells), results=tuple(results))


async def pass_distance(
    matrix: Matrix,
    distance: str,
    ground: Ground,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    afresh: NewProcess | None = None,
    title: str = "",
) -> Branch:
    """Branch the played story and let the distance pass; a distance that could not says why.

    Where it saves and reloads, `afresh` loads it, once for all its cells; without one it is loaded in this process.

    Raises:
        StoreError: a store is away, which says nothing of the distance.
    """
    i, recipe = next((i, d) for i, d in enumerate(matrix.distances) if d.id == distance)
    source = Source(file=f"{matrix.story}/matrix.yaml", values=[], lines={})
    labels = ground.labels
    try:
        at_seq = await _leaves_at(recipe, ground, open_uow=open_uow)
        branch = await fork_playthrough(
            ground.playthrough_id, open_uow=open_uow, title=title or f"probe {distance}", at_seq=at_seq
        )
        found = Branch(playthrough_id=branch.playthrough_id)
        legs = legs_of(recipe)
        for leg, where in zip(legs, paths_of(recipe), strict=True):
            events = list(events_of(leg, recipe, matrix))
            steps = read_steps(source, events, at=f"$.distances[{i}].{where}", known=labels)
            labels = await play_history(
                found.playthrough_id, History(source=source, steps=steps), open_uow=open_uow,
                embedder=reading.embedder, known=labels,
            )  # fmt: skip
            if leg.reload:
                asked = _questions(matrix, distance) if leg is legs[-1] else {}
                found = await _reloaded(found, asked, open_uow=open_uow, reading=reading, afresh=afresh)
    except StoreError:
        raise
    except LedgerError as error:
        return Branch(error=f"the distance {distance} could not pass: {error}")
    return replace(found, labels=labels)


def _questions(matrix: Matrix, distance: str) -> dict[str, PacketRequest]:
    """Return what is asked at a distance, by cell."""
    there = replace(matrix, distances=tuple(d for d in matrix.distances if d.id == distance))
    return {c.name: request_of(c, matrix) for c in expand(there) if not c.skipped}


async def _leaves_at(recipe: Distance, ground: Ground, *, open_uow: OpenUnitOfWork) -> int | None:
    """Return the event after which another branch leaves the story; None is its end.

    Raises:
        ContentError: that label is of no entry.
    """
    if recipe.branch_at is None:
        return None
    wanted = entry_of(recipe.branch_at, ground.labels)
    async with open_uow(ground.playthrough_id) as uow:
        entries, _ = await uow.ledger.get([wanted])
    return entries[0].seq


async def _reloaded(
    branch: Branch,
    questions: Mapping[str, PacketRequest],
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    afresh: NewProcess | None,
) -> Branch:
    """Save a branch whole and load it under another id: all that is remembered is what the document says."""
    if afresh is None:
        document = await export_playthrough(branch.playthrough_id, open_uow=open_uow)
        loaded = await import_playthrough(document, open_uow=open_uow, embedder=reading.embedder)
        return Branch(playthrough_id=loaded.playthrough_id)
    again = await reload_branch(branch.playthrough_id, questions, open_uow=open_uow, reading=reading, afresh=afresh)
    return Branch(playthrough_id=again.playthrough_id, pid=again.pid, packets=again.packets)


async def _ask(
    cell: Cell,
    matrix: Matrix,
    branch: Branch,
    responder: Responder,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
) -> CellResult:
    broken = CellResult(
        cell=cell, state=ResultState.ERROR, error=branch.error, broke=Fault.PROBE_DEFECT, responder=responder.name,
        playthrough_id=branch.playthrough_id,
    )  # fmt: skip
    if branch.error:
        return broken
    try:
        gold = gold_of(cell.expect, branch.labels)
    except ContentError as error:
        return replace(broken, error=str(error))
    request = request_of(cell, matrix)
    mine = branch.playthrough_id
    try:
        stored = await build_packet(mine, request, open_uow=open_uow, reading=reading)
        _check_same(cell, branch, stored.packet.hash)
        async with open_uow(mine) as uow:
            world = await world_of(uow, stored.packet.world_version)
        reply = await speak(stored.packet, world, responder)
        scored = await score_reply(
            mine, stored.packet_id, reply, open_uow=open_uow, judging=judging, gold=gold, delivered=False
        )
    except StoreError:
        raise
    except LedgerError as error:
        return replace(broken, error=str(error), broke=Fault.HARNESS)
    return CellResult(
        cell=cell,
        state=state_of(scored.scorecard),
        line=reply.text,
        responder=reply.responder,
        playthrough_id=mine,
        packet_hash=stored.packet.hash,
        scorecard=scored.scorecard,
    )


def _check_same(cell: Cell, branch: Branch, packet: str) -> None:
    """Hold a packet against the one that the process computed which loaded its branch."""
    there = branch.packets.get(cell.name, packet)
    if there != packet:
        raise ContentError("packet", f"it is {packet} here, and was {there} in the process that loaded the save")


def request_of(cell: Cell, matrix: Matrix) -> PacketRequest:
    """Return what a cell asks: of its own speaker, for its own listener, else for the matrix's."""
    listener = cell.listener or matrix.listener
    return PacketRequest(speaker=cell.speaker or matrix.speaker, audience=(listener,), line=cell.line)


def state_of(card: Scorecard | None) -> ResultState:
    """Return what a line comes to by its verdicts; where none was reached it is unscored."""
    if card is None or all(v.state is State.UNSCORED for v in card.verdicts):
        return ResultState.UNSCORED
    return ResultState.PASS if card.passed else ResultState.FAIL


def gold_of(expect: Expectation, labels: Mapping[str, tuple[EntryId, ...]]) -> Gold:
    """Turn labels into entry ids.

    Raises:
        ContentError: a label of no event, or of one that left fewer entries.
    """
    entry = partial(entry_of, labels=labels)

    def claim(stance: str, text: str) -> ClaimWant:
        return ClaimWant(stance=stance, entry_id=entry(text)) if is_label(text) else ClaimWant(stance=stance, text=text)

    return Gold(
        must_include=tuple(entry(name) for name in expect.must_include),
        must_exclude={entry(name): "" for name in expect.must_exclude},
        flags=expect.flags,
        flags_must_exclude=expect.flags_must_exclude,
        act_only=tuple(entry(name) for name in expect.act_only),
        ledger=tuple(_entry_want(entry(name), want) for name, want in expect.ledger.items()),
        reply=tuple(claim(stance, text) for stance, texts in held(expect.reply) for text in texts),
        voice=VoiceWant(**asdict(expect.voice)),
        gameplay=dict(expect.gameplay),
        signals=tuple(AXES[stage] for stage, weight in expect.stages.items() if weight is Weight.SIGNAL),
    )


def entry_of(name: str, labels: Mapping[str, tuple[EntryId, ...]]) -> EntryId:
    """Return the entry that a name means (see `find_entry`).

    Raises:
        ContentError: a label of no event, or of one that left fewer entries.
    """
    found = find_entry(name, labels)
    if found is None:
        label = name.partition(".")[0]
        left = len(labels.get(label, ()))
        raise ContentError("expect", f"`{name}` is no entry: an event labelled `{label}` left {left}")
    return found


def find_entry(name: str, labels: Mapping[str, tuple[EntryId, ...]]) -> EntryId | None:
    """Return the entry that a name means, if it is there; `name.2` is the second one that the labelled event left."""
    label, _, place = name.partition(".")
    left = labels.get(label, ())
    at = int(place or 1)
    return left[at - 1] if 1 <= at <= len(left) else None


def _entry_want(entry_id: EntryId, want: EntryExpectation) -> EntryWant:
    return EntryWant(
        entry_id=entry_id, status=str(want.status or ""), band=str(want.band or ""), owner=want.owner or "",
        known_to=want.known_to, unknown_to=want.unknown_to,
    )  # fmt: skip
