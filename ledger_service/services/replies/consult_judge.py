"""Ask the judge: for a verdict that rules leave open, and for how far it can be trusted."""

from collections.abc import Sequence

from msgspec.structs import replace

from ledger_service.domain.judging import PASS, UNSCORED, Judgement, Question
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.replies import Reply
from ledger_service.domain.rubric import Axis, Code, Fault, Finding, Scorecard, State, Verdict
from ledger_service.ports import Judge
from ledger_service.probing.agreement import Agreement, agreement
from ledger_service.probing.labelled import Labelled
from ledger_service.scoring.heard.hearing import hidden_in
from ledger_service.scoring.triage import earliest_fault


async def consult(
    card: Scorecard, packet: ContextPacket, reply: Reply, *, ledger: Ledger, judge: Judge, may_gate: bool = False
) -> Scorecard:
    """Return a card with the judge's word beside it, where rules leave the response unscored; any other as it is.

    A judge is never asked about a line of its own. What it says decides only where it may gate; an answer that is
    none changes nothing.
    """
    verdict = card.verdict(Axis.RESPONSE)
    if verdict.state is not State.UNSCORED or is_by(judge, reply):
        return card
    known = tuple(s.statement for s in packet.selected)
    said = await judge.judge(
        Question(known=known, hidden=hidden_from(packet, ledger), asked=packet.line, line=reply.text)
    )
    beside = replace(card, judged=said)
    if not may_gate or said.label == UNSCORED:
        return beside
    verdicts = tuple(_decided(v, said, reply.text) if v is verdict else v for v in card.verdicts)
    fault = earliest_fault(verdicts) if card.fault is Fault.NONE else None
    return replace(
        beside,
        verdicts=verdicts,
        fault=card.fault if fault is None else fault.fault,
        evidence=card.evidence if fault is None else fault.evidence,
    )


def is_by(judge: Judge, reply: Reply) -> bool:
    """Say whether the judge's own model spoke the line."""
    return reply.responder.removeprefix("http_chat:") == judge.name.removeprefix("judge:")


def hidden_from(packet: ContextPacket, ledger: Ledger) -> tuple[str, ...]:
    """Return what must not be said: what is acted on only, and what the speaker may not know or tell."""
    return tuple(ledger.entries[i].statement for i in hidden_in(packet) if i in ledger.entries)


def _decided(verdict: Verdict, said: Judgement, line: str) -> Verdict:
    if said.label == PASS:
        return replace(verdict, state=State.PASS, why="")
    finding = Finding(
        code=Code(said.label),
        explanation=f"{said.judge} says so, where rules could not tell: {verdict.why}",
        span=said.span,
        start=line.find(said.span),
    )
    return replace(verdict, state=State.FAIL, findings=(*verdict.findings, finding), why="")


async def calibrate(items: Sequence[Labelled], judge: Judge) -> Agreement:
    """Ask the judge about labelled replies, twice each, and hold its answers against the labels."""
    pairs: list[tuple[str, str]] = []
    alike = unscored = tokens = 0
    spent = 0.0
    judged = [item for item in items if item.expected["response"] != "na"]
    for item in judged:
        first, second = await _ask(item, judge), await _ask(item, judge)
        alike += first.label == second.label
        spent += first.milliseconds + second.milliseconds
        tokens += first.tokens + second.tokens
        if first.label == UNSCORED:
            unscored += 1
            continue
        pairs.append((item.expected["response"], "pass" if first.label == PASS else "fail"))
    return replace(
        agreement(pairs),
        unscored=unscored,
        self_consistency=round(alike / len(judged), 4) if judged else None,
        milliseconds=round(spent, 3),
        tokens=tokens,
    )


async def _ask(item: Labelled, judge: Judge) -> Judgement:
    statements = {e.entry_id: e.statement for e in item.case.candidates.entries}
    packet = item.raw["packet"]
    hidden = [*(packet.get("act_only") or ()), *(packet.get("withheld_because") or ())]
    return await judge.judge(
        Question(
            known=tuple(statements[k] for k in packet["include"]),
            hidden=tuple(statements[k] for k in hidden),
            asked=item.case.lines[0],
            line=item.reply,
        )
    )
