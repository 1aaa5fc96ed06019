"""The scorecard: five verdicts on one line; an invalid ledger or selection fails it however good it reads."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Claim, Reply
from ledger_service.domain.rubric import Axis, Gold, Scorecard, State, Verdict
from ledger_service.domain.worlds import World
from ledger_service.scoring import expected
from ledger_service.scoring.forgetting import with_forgotten
from ledger_service.scoring.gameplay_validity import gameplay_validity
from ledger_service.scoring.heard.alignment import Near
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.ledger_validity import ledger_validity
from ledger_service.scoring.response_validity import validity_of
from ledger_service.scoring.selection_validity import selection_validity
from ledger_service.scoring.triage import triage
from ledger_service.scoring.voice.voice_continuity import voice_continuity

MASKING: Final = (Axis.LEDGER, Axis.SELECTION)
"""Axes that, failing, leave the later ones without ground: what was said cannot be judged by a wrong packet."""


def score(
    packet: ContextPacket,
    reply: Reply,
    claims: Iterable[Claim],
    *,
    world: World,
    ledger: Ledger,
    gold: Gold | None = None,
    asked: Iterable[Claim] = (),
    near: Near | None = None,
) -> Scorecard:
    """Judge one line on five axes and say which stage is at fault. `ledger` is what the packet considered."""
    said = tuple(claims)
    hearing = Hearing(packet, reply, said, world=world, ledger=ledger, asked=asked, near=near)
    response = validity_of(hearing)
    if gold is not None and gold.reply:
        response = expected.with_expected(response, expected.of_reply(hearing, gold))
    found_by_rules = (
        (ledger_validity(packet, world=world, ledger=ledger), expected.of_ledger(packet, ledger, gold)),
        (selection_validity(packet, ledger=ledger, gold=gold), expected.acts_on(packet, gold)),
        (with_forgotten(response, packet, said, gold), ()),
        (voice_continuity(packet, reply, world=world), expected.of_voice(reply, gold)),
        (gameplay_validity(packet, said, world=world), expected.of_gameplay(packet, said, gold)),
    )
    noted = gold.signals if gold is not None else ()
    verdicts = _masked([expected.with_expected(verdict, more) for verdict, more in found_by_rules], noted)
    found = triage(verdicts, packet, ledger=ledger, gold=gold)
    return Scorecard(
        verdicts=verdicts,
        fault=found.fault,
        evidence=found.evidence,
        responder=reply.responder,
        signals=tuple(v.axis for v in verdicts if v.axis in noted and v.state is State.FAIL),
    )


def _masked(verdicts: Sequence[Verdict], noted: Sequence[Axis]) -> tuple[Verdict, ...]:
    """Mask what comes after a failed ledger or selection that counts; what was found there stays visible."""
    failed: Axis | None = None
    shown: list[Verdict] = []
    for verdict in verdicts:
        if failed is None:
            shown.append(verdict)
        else:
            shown.append(msgspec.structs.replace(verdict, state=State.MASKED, why=f"{failed} failed"))
        counts = verdict.axis in MASKING and verdict.axis not in noted
        if failed is None and verdict.state is State.FAIL and counts:
            failed = verdict.axis
    return tuple(shown)
