"""A reviewer overrules a finding: the card is judged again without it, and says who did so and why."""

from msgspec.structs import replace

from ledger_service.domain.rubric import Axis, Fault, Finding, Overruling, Scorecard, Severity, State, Verdict
from ledger_service.scoring.scorecard import MASKING
from ledger_service.scoring.triage import earliest_fault


def find(card: Scorecard, code: str, *, span: str = "") -> Finding | None:
    """Return the finding of a code, by its words where there are several."""
    findings = [f for v in card.verdicts for f in v.findings if f.code == code]
    return next((f for f in findings if not span or span in f.span or f.span in span), None)


def overrule(card: Scorecard, finding: Finding, *, by: str, why: str) -> Scorecard:
    """Return the card without a finding, its axes and fault judged anew from what is left."""
    left = tuple(_without(v, finding) for v in card.verdicts)
    verdicts = _unmasked(left)
    fault = earliest_fault(verdicts) if card.fault not in {Fault.HARNESS, Fault.PROBE_DEFECT} else None
    return replace(
        card,
        verdicts=verdicts,
        fault=card.fault if fault is None else fault.fault,
        evidence=card.evidence if fault is None else fault.evidence,
        overruled=(*card.overruled, Overruling(finding=finding, by=by, why=why)),
    )


def _without(verdict: Verdict, finding: Finding) -> Verdict:
    if finding not in verdict.findings:
        return verdict
    left = tuple(f for f in verdict.findings if f != finding)
    state = verdict.state if verdict.state is not State.FAIL or _fails(left) else State.PASS
    return replace(verdict, findings=left, state=state)


def _fails(findings: tuple[Finding, ...]) -> bool:
    return any(f.severity is not Severity.MINOR for f in findings)


def _unmasked(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """Show again what was masked, where no ledger or selection fails any more."""
    if any(v.axis in MASKING and v.state is State.FAIL for v in verdicts):
        return verdicts
    return tuple(_judged_again(v) if v.state is State.MASKED else v for v in verdicts)


def _judged_again(verdict: Verdict) -> Verdict:
    if not verdict.findings and verdict.axis is not Axis.RESPONSE:
        return replace(verdict, state=State.UNSCORED, why="it was masked when it was judged")
    return replace(verdict, state=State.FAIL if _fails(verdict.findings) else State.PASS, why="")
