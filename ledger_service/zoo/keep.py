"""Run the zoo: every broken subject on every cell of a matrix; nothing of it is kept in any store."""

from collections.abc import AsyncIterator, Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.candidates import Candidates, line_terms, reach_of
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.probe_runs import Branch
from ledger_service.domain.probes import Cell, Matrix
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.rubric import Scorecard
from ledger_service.domain.worlds import World
from ledger_service.ports import NewProcess, OpenUnitOfWork, Responder
from ledger_service.probing.matrix import expand
from ledger_service.reconcile.pipeline import seal
from ledger_service.scoring.scorecard import score
from ledger_service.services.events.story_state import story_state
from ledger_service.services.packets.build_packet import Reading, compute_packet, similarity
from ledger_service.services.probes.run_probes import Ground, gold_of, pass_distance, request_of
from ledger_service.services.replies.score_reply import Judging, read_claims, read_line
from ledger_service.services.replies.speak import speak
from ledger_service.zoo.diagnosis import Diagnosed, Subject, ZooReport, is_own, report
from ledger_service.zoo.memories import MEMORIES, BrokenMemory, Honest
from ledger_service.zoo.speakers import SPEAKERS, BrokenSpeaker


class Keeper(Struct, frozen=True, kw_only=True):
    """Everything that the zoo is run with."""

    open_uow: OpenUnitOfWork
    reading: Reading
    judging: Judging
    reference: Responder
    """The honest speaker: what is broken is broken beside it."""
    afresh: NewProcess | None = None
    """Loads what a distance saved, in a new process; None loads it in this one."""


async def run_zoo(
    matrix: Matrix, ground: Ground, keeper: Keeper, *, progress: Callable[[], None] = lambda: None
) -> ZooReport:
    """Ask every cell of the honest speaker, then of everything that is broken.

    Raises:
        LedgerError: a cell that cannot be asked, or a store that is away.
    """
    found: list[Diagnosed] = []
    failed: list[str] = []
    branches: dict[str, Branch] = {}
    asked = 0
    for cell in expand(matrix):
        progress()
        if cell.skipped:
            continue
        if cell.distance not in branches:
            branches[cell.distance] = await pass_distance(
                matrix, cell.distance, ground, open_uow=keeper.open_uow, reading=keeper.reading, afresh=keeper.afresh
            )
        branch = branches[cell.distance]
        asked += 1
        if branch.error:
            failed.append(f"{cell.name}: {branch.error}")
            continue
        honest = await _honest(cell, matrix, branch, keeper)
        exhibit = _Exhibit(cell, honest, keeper)
        line = (await speak(honest.packet, exhibit.world, keeper.reference)).text
        card = exhibit.judge(honest.packet, line, exhibit.ledger)
        if not card.passed:
            failed.append(f"{cell.name}: {card.evidence} [{line}]")
        found += exhibit.speakers(line)
        found += [one async for one in exhibit.memories()]
    subjects = [_subject(s) for s in (*SPEAKERS, *MEMORIES)]
    return report(matrix.story, found, subjects, asked=asked, reference_failed=failed, expected=matrix.zoo)


def _subject(broken: BrokenSpeaker | BrokenMemory) -> Subject:
    return Subject(name=broken.name, means=broken.means, injects=broken.injects, codes=broken.codes)


async def _honest(cell: Cell, matrix: Matrix, branch: Branch, keeper: Keeper) -> Honest:
    request = request_of(cell, matrix)
    async with keeper.open_uow(branch.playthrough_id) as uow:
        packet, moment, world = await compute_packet(request, uow, keeper.reading)
        state = await story_state(uow, at_seq=None)
        reach = reach_of(moment.viewer, state.roster, at_seq=moment.seq)
        entries, amendments = await uow.ledger.load_candidates(moment, terms=line_terms(moment), reach=reach)
        every, became = await uow.ledger.load_all()
    candidates = Candidates(
        entries=entries, amendments=amendments, world=world, state=state,
        similarity=similarity(entries, cell.line, keeper.reading.embedder),
    )  # fmt: skip
    gold = gold_of(cell.expect, branch.labels)
    return Honest(candidates=candidates, moment=moment, packet=packet, entries=every, amendments=became, gold=gold)


class _Exhibit:
    """One cell with everything that is let loose on it."""

    def __init__(self, cell: Cell, honest: Honest, keeper: Keeper) -> None:
        self.cell = cell
        self.honest = honest
        self.keeper = keeper
        self.world: World = honest.candidates.world
        self.ledger = honest.ledger(honest.candidates.entries, honest.candidates.amendments)
        self.asked: tuple[Claim, ...] = read_line(honest.packet, world=self.world, reader=keeper.judging.claim_reader)

    def judge(self, packet: ContextPacket, line: str, ledger: Ledger) -> Scorecard:
        """Judge a line on a packet, by the same scorecard as everybody's."""
        reply = Reply(text=line, responder="zoo")
        claims = read_claims(packet, reply, world=self.world, reader=self.keeper.judging.claim_reader)
        return score(packet, reply, claims, world=self.world, ledger=ledger, gold=self.honest.gold, asked=self.asked)

    def speakers(self, line: str) -> Iterator[Diagnosed]:
        """Let every broken speaker speak on the honest packet."""
        for speaker in SPEAKERS:
            said = speaker.says(self.honest.packet, self.world, line)
            if said:
                yield self._of(speaker, self.judge(self.honest.packet, said, self.ledger), said)

    async def memories(self) -> AsyncIterator[Diagnosed]:
        """Let the honest speaker speak on every spoiled packet."""
        for memory in MEMORIES:
            spoiled = memory.spoils(self.honest)
            if not spoiled.is_active:
                continue
            bare = replace(spoiled.packet, prompt="", hash="")
            packet = seal(bare, self.keeper.reading.renderer.prompt(bare, self.world))
            line = (await speak(packet, self.world, self.keeper.reference)).text
            yield self._of(memory, self.judge(packet, line, spoiled.ledger), line)

    def _of(self, broken: BrokenSpeaker | BrokenMemory, card: Scorecard, line: str) -> Diagnosed:
        return Diagnosed(
            subject=broken.name, cell=self.cell.name, injected=broken.injects, found=card.fault,
            is_own=is_own(card, _subject(broken)), line=line, evidence=card.evidence,
        )  # fmt: skip
