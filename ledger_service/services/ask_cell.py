"""Ask one cell: its packet computed twice and frozen, its line said on it, judged, and what shows why."""

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.counterfactuals import UNASKED, Counterfactuals, Said
from ledger_service.domain.errors import LedgerError, StoreError
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.probe_runs import Attempt, Branch
from ledger_service.domain.probes import Cell, Matrix, ResultState
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.rubric import Axis, Fault, Finding, Gold, Scorecard, State
from ledger_service.domain.worlds import World
from ledger_service.ports import OpenUnitOfWork, Responder
from ledger_service.recording.plain import check_said
from ledger_service.scoring.scorecard import score
from ledger_service.scoring.triage import confirmed
from ledger_service.services.build_packet import Reading, compute_packet
from ledger_service.services.counterfactuals import Question, gold_ground
from ledger_service.services.run_probes import gold_of, request_of
from ledger_service.services.score_reply import Judging, considered, read_claims, read_line
from ledger_service.services.speak import speak

NONDETERMINISM = "nondeterminism"
PROVIDER = "provider"
_AXES = {
    Fault.LEDGER: Axis.LEDGER, Fault.SELECTION: Axis.SELECTION, Fault.GENERATION: Axis.RESPONSE,
    Fault.GAMEPLAY: Axis.GAMEPLAY, Fault.VOICE: Axis.VOICE,
}  # fmt: skip


class Frozen(Struct, frozen=True, kw_only=True):
    """A cell up to the moment of speaking: whatever is repeated is said on this."""

    packet: ContextPacket
    world: World
    ledger: Ledger
    gold: Gold
    asked: tuple[Claim, ...]
    names: dict[str, str]
    """Entry ids to the labels of the history."""
    question: Question
    """What was asked, so that it can be asked otherwise."""
    flipped: str = ""
    """Why it cannot be trusted: the same question gave another packet."""


async def freeze(
    cell: Cell,
    matrix: Matrix,
    branch: Branch,
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    judging: Judging,
    earlier: str = "",
) -> Frozen:
    """Compute a cell's packet twice and compare; `earlier` is its hash as it was before an interruption.

    Raises:
        LedgerError: it cannot be asked, or a store is away.
    """
    gold = gold_of(cell.expect, branch.labels)
    request = request_of(cell, matrix)
    check_said(request.line, "line")
    async with open_uow(branch.playthrough_id) as uow:
        packet, _, world = await compute_packet(request, uow, reading)
        again, _, _ = await compute_packet(request, uow, reading)
        ledger = await considered(packet, uow)
    others = [h for h in (again.hash, earlier or packet.hash) if h != packet.hash]
    return Frozen(
        packet=packet,
        world=world,
        ledger=ledger,
        gold=gold,
        asked=read_line(packet, world=world, reader=judging.claim_reader),
        names=_names(branch),
        question=Question(
            playthrough_id=branch.playthrough_id, request=request, gold=gold, open_uow=open_uow, reading=reading
        ),
        flipped=f"the same question gave packet {packet.hash} and packet {others[0]}" if others else "",
    )


def _names(branch: Branch) -> dict[str, str]:
    """Return what a person calls each entry: its label, with its place where the event left several."""
    return {
        entry: label if place == 1 else f"{label}.{place}"
        for label, entries in branch.labels.items()
        for place, entry in enumerate(entries, start=1)
    }


async def ask(
    frozen: Frozen, responder: Responder, *, judging: Judging, repeat: int, attempt: int, reference: Responder | None
) -> Attempt:
    """Let the subject speak on a frozen packet, and judge the line; a subject that breaks is an error.

    Raises:
        StoreError: a store is away.
    """
    bare = Attempt(repeat=repeat, attempt=attempt, state=ResultState.ERROR, packet_hash=frozen.packet.hash)
    try:
        reply = await speak(frozen.packet, frozen.world, responder)
        if reply.fallback:
            return replace(bare, fault=Fault.HARNESS, subtype=PROVIDER, why=reply.note, responder=responder.name)
        check_said(reply.text, "text")
        card = judge(frozen, reply, judging)
    except StoreError:
        raise
    except LedgerError as error:
        return broken(error, repeat=repeat, attempt=attempt, responder=responder.name)
    state = _state(card)
    found = replace(
        bare, state=state, line=reply.text, responder=reply.responder, scorecard=card, fault=card.fault,
        milliseconds=reply.milliseconds,
    )  # fmt: skip
    if frozen.flipped:
        return replace(found, state=ResultState.FAIL, fault=Fault.SELECTION, subtype=NONDETERMINISM, why=frozen.flipped)
    if state is not ResultState.FAIL:
        return found
    worst = worst_of(card)
    entry = next(iter(worst.entry_ids), "") if worst else ""
    return replace(
        found,
        subtype=str(worst.code) if worst else str(card.fault),
        entry=frozen.names.get(entry, entry),
        why=card.evidence,
        beside=await _beside(frozen, card.fault, responder, reference, judging),
    )


def broken(error: LedgerError, *, repeat: int, attempt: int, responder: str, defect: bool = False) -> Attempt:
    """Say that a try broke, and whether the probe itself is at fault."""
    fault = Fault.PROBE_DEFECT if defect else Fault.HARNESS
    return Attempt(
        repeat=repeat, attempt=attempt, state=ResultState.ERROR, fault=fault, subtype=type(error).__name__,
        why=str(error), responder=responder,
    )  # fmt: skip


def judge(frozen: Frozen, reply: Reply, judging: Judging) -> Scorecard:
    """Judge a line on a frozen packet."""
    claims = read_claims(frozen.packet, reply, world=frozen.world, reader=judging.claim_reader)
    return score(
        frozen.packet, reply, claims, world=frozen.world, ledger=frozen.ledger, gold=frozen.gold, asked=frozen.asked
    )


def worst_of(card: Scorecard) -> Finding | None:
    """Return the finding that decided, of the stage at fault."""
    axis = _AXES.get(card.fault)
    found = card.verdict(axis).findings if axis is not None else ()
    order = ("critical", "major", "minor")
    return min(found, key=lambda f: order.index(f.severity), default=None)


async def _beside(
    frozen: Frozen, fault: Fault, responder: Responder, reference: Responder | None, judging: Judging
) -> Counterfactuals:
    """Say what would have been: the subject on the gold packet, the reference on the same one, and what kept out what.

    Raises:
        StoreError: a store is away.
    """
    try:
        ground = await gold_ground(frozen.question, frozen.packet, frozen.names)
        gilded = replace(frozen, packet=ground.packet, ledger=ground.ledger)
        found = Counterfactuals(
            gold=await _said(gilded, responder, judging),
            gold_is_same=ground.packet.hash == frozen.packet.hash,
            reference=None if reference is None else await _said(frozen, reference, judging),
            missing=ground.missing,
            headroom=ground.headroom,
        )
    except StoreError:
        raise
    except LedgerError:
        return UNASKED
    return confirmed(fault, found)


async def _said(frozen: Frozen, responder: Responder, judging: Judging) -> Said | None:
    """Let somebody speak on a packet, and judge the line; None where they do not answer."""
    reply = await speak(frozen.packet, frozen.world, responder)
    if reply.fallback:
        return None
    card = judge(frozen, reply, judging)
    return Said(
        by=responder.name, passed=_state(card) is not ResultState.FAIL, line=reply.text, fault=card.fault,
        why=card.evidence,
    )  # fmt: skip


def _state(card: Scorecard) -> ResultState:
    if all(v.state is State.UNSCORED for v in card.verdicts):
        return ResultState.UNSCORED
    return ResultState.PASS if card.passed else ResultState.FAIL
