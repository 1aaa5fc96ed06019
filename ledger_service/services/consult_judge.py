"""Ask the judge: for a verdict that rules leave open, and for how far it can be trusted."""

from collections.abc import Sequence

from msgspec.structs import replace

from ledger_service.domain.judging import PASS, UNSCORED, Judgement, Question
from ledger_service.domain.packets import ContextPacket
from ledger_service.domain.rubric import Axis, Code, Finding, Severity, State, Verdict
from ledger_service.ports import Judge
from ledger_service.probing.agreement import Agreement, agreement
from ledger_service.probing.labelled import Labelled


async def consult(
    verdict: Verdict, packet: ContextPacket, line: str, *, hidden: Sequence[str], judge: Judge, may_gate: bool = False
) -> Verdict:
    """Return a response verdict with the judge's word on what rules left open; any other verdict stays as it is.

    A judge that may not gate only notes what it finds: its finding is minor, and the axis stays unscored.
    """
    if verdict.axis is not Axis.RESPONSE or verdict.state is not State.UNSCORED:
        return verdict
    known = tuple(s.statement for s in packet.selected)
    said = await judge.judge(Question(known=known, hidden=tuple(hidden), asked=packet.line, line=line))
    cost = f"{said.judge}, {said.milliseconds:g} ms, {said.tokens} tokens"
    if said.label == UNSCORED:
        return replace(verdict, why=f"{verdict.why}; {said.why} ({cost})")
    if said.label == PASS:
        state = State.PASS if may_gate else State.UNSCORED
        return replace(verdict, state=state, why=f"{verdict.why}; the judge finds nothing ({cost})")
    finding = Finding(
        code=Code(said.label),
        explanation=f"the judge says so ({cost})",
        severity=Severity.MAJOR if may_gate else Severity.MINOR,
        span=said.span,
        start=line.find(said.span),
    )
    return replace(verdict, state=State.FAIL if may_gate else State.UNSCORED, findings=(*verdict.findings, finding))


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
