"""Ask one frozen cell: the line said on its packet, judged, and what shows why."""

from msgspec.structs import replace

from ledger_service.domain.counterfactuals import UNASKED, Counterfactuals, Said
from ledger_service.domain.errors import LedgerError, StoreError
from ledger_service.domain.probe_runs import NONDETERMINISM, Attempt
from ledger_service.domain.probes import ResultState
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Axis, Fault, Finding, Scorecard
from ledger_service.ports import Responder, SpeaksFromRecord
from ledger_service.recording.plain import check_said
from ledger_service.scoring.scorecard import score
from ledger_service.scoring.triage import confirmed, worst_finding
from ledger_service.services.probes.counterfactuals import gold_ground
from ledger_service.services.probes.freeze_cells import Frozen
from ledger_service.services.probes.run_probes import state_of
from ledger_service.services.replies.consult_judge import consult
from ledger_service.services.replies.score_reply import Judging, nearness, read_claims
from ledger_service.services.replies.speak import speak

PROVIDER = "provider"
_AXES = {
    Fault.LEDGER: Axis.LEDGER, Fault.SELECTION: Axis.SELECTION, Fault.GENERATION: Axis.RESPONSE,
    Fault.GAMEPLAY: Axis.GAMEPLAY, Fault.VOICE: Axis.VOICE,
}  # fmt: skip


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
        bare = replace(bare, cost=reply.cost)
        if reply.fallback:
            return replace(bare, fault=Fault.HARNESS, subtype=PROVIDER, why=reply.note, responder=responder.name)
        check_said(reply.text, "text")
        card = judge(frozen, reply, judging)
        if judging.judge is not None:
            card = await consult(
                card, frozen.packet, reply, ledger=frozen.ledger, judge=judging.judge, may_gate=judging.judge_may_gate
            )
    except StoreError:
        raise
    except LedgerError as error:
        return broken(error, repeat=repeat, attempt=attempt, responder=responder.name)
    state = state_of(card)
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
        frozen.packet, reply, claims, world=frozen.world, ledger=frozen.ledger, gold=frozen.gold, asked=frozen.asked,
        near=nearness(frozen.ledger, judging),
    )  # fmt: skip


def worst_of(card: Scorecard) -> Finding | None:
    """Return the finding that decided, of the stage at fault."""
    axis = _AXES.get(card.fault)
    return None if axis is None else worst_finding(card.verdict(axis).findings)


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
            gold=None if isinstance(responder, SpeaksFromRecord) else await _said(gilded, responder, judging),
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
        by=responder.name, passed=state_of(card) is not ResultState.FAIL, line=reply.text, fault=card.fault,
        why=card.evidence,
    )  # fmt: skip
