"""Triage: the earliest stage that failed, with one sentence of evidence, and what counterfactuals say to it."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ledger_service.domain.counterfactuals import Counterfactuals
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket, hash_of
from ledger_service.domain.rubric import Axis, Fault, Finding, Gold, Severity, State, Verdict

_STAGES: Final = (
    (Axis.LEDGER, Fault.LEDGER), (Axis.SELECTION, Fault.SELECTION), (Axis.RESPONSE, Fault.GENERATION),
    (Axis.GAMEPLAY, Fault.GAMEPLAY), (Axis.VOICE, Fault.VOICE),
)  # fmt: skip
"""Axes in the order in which a fault comes about."""
_WORST_FIRST: Final = (Severity.CRITICAL, Severity.MAJOR, Severity.MINOR)


class Triage(Struct, frozen=True, kw_only=True):
    """The stage at fault, and what shows it."""

    fault: Fault
    evidence: str = ""


def triage(
    verdicts: Iterable[Verdict], packet: ContextPacket, *, ledger: Ledger, gold: Gold | None = None
) -> Triage:  # fmt: skip
    """Return the earliest stage that failed: the harness, the probe itself, then the five in order."""
    harness = _harness(packet, ledger)
    if harness:
        return Triage(fault=Fault.HARNESS, evidence=harness)
    defect = _defect(gold, ledger) if gold is not None else ""
    if defect:
        return Triage(fault=Fault.PROBE_DEFECT, evidence=defect)
    noted = gold.signals if gold is not None else ()
    return earliest_fault(v for v in verdicts if v.axis not in noted)


def earliest_fault(verdicts: Iterable[Verdict]) -> Triage:
    """Return the first of the five that failed."""
    by_axis = {v.axis: v for v in verdicts}
    for axis, fault in _STAGES:
        verdict = by_axis.get(axis)
        if verdict is not None and verdict.state is State.FAIL:
            return Triage(fault=fault, evidence=_evidence(verdict))
    return Triage(fault=Fault.NONE)


def _harness(packet: ContextPacket, ledger: Ledger) -> str:
    """Say where what is judged is not what was built."""
    if packet.hash and hash_of(packet) != packet.hash:
        return "the packet is not the one that was sealed: its hash does not match"
    if ledger.at_seq != packet.seq:
        return f"the ledger is of event {ledger.at_seq}, the packet of event {packet.seq}"
    return ""


def _defect(gold: Gold, ledger: Ledger) -> str:
    """Say where a probe expects what cannot be."""
    both = sorted(set(gold.must_include) & set(gold.must_exclude))
    if both:
        return f"the probe wants {', '.join(both)} both in and out"
    kinds = {f.partition(":")[0] for f in gold.flags if ":" not in f} & {
        f for f in gold.flags_must_exclude if ":" not in f
    }
    if kinds:
        return f"the probe wants the flag {', '.join(sorted(kinds))} both in and out"
    nowhere = [i for i in gold.must_include if i not in ledger.entries]
    return f"the probe names {nowhere[0]}, which the ledger never held" if nowhere and not ledger.entries else ""


def _evidence(verdict: Verdict) -> str:
    worst = worst_finding(verdict.findings)
    return f"{verdict.axis} failed" if worst is None else in_words(worst)


def worst_finding(findings: Sequence[Finding]) -> Finding | None:
    """Return the gravest finding, the first of several."""
    return min(findings, key=lambda f: _WORST_FIRST.index(f.severity), default=None)


def in_words(finding: Finding) -> str:
    """Say a finding in one sentence, with its words and entries."""
    where = f" in “{finding.span}”" if finding.span else ""
    ids = f" ({', '.join(finding.entry_ids)})" if finding.entry_ids else ""
    return f"{finding.code.replace('_', ' ')}{where}: {finding.explanation}{ids}"


_OF_THE_LINE: Final = frozenset({Fault.GENERATION, Fault.VOICE, Fault.GAMEPLAY})
_OF_THE_PACKET: Final = frozenset({Fault.LEDGER, Fault.SELECTION})


def confirmed(fault: Fault, beside: Counterfactuals) -> Counterfactuals:
    """Add whether the fault stands by what would have been, and why.

    A fault of the line stands where the subject fails on the gold packet too and the reference passes on the same
    packet; one of the packet stands by what is missing from it, and all the more where the gold packet saves the line.
    """
    stands, why = None, ""
    if fault in _OF_THE_LINE:
        stands, why = _of_the_line(beside)
    elif fault in _OF_THE_PACKET:
        stands, why = _of_the_packet(beside)
    return replace(beside, confirmed=stands, verdict=why)


def _of_the_line(beside: Counterfactuals) -> tuple[bool | None, str]:
    gold, reference = beside.gold, beside.reference
    if reference is not None and not reference.passed:
        return False, f"{reference.by} fails on the same packet too: see whether the probe asks what can be done"
    if gold is None:
        return (None, "") if reference is None else (True, f"{reference.by} passes on the same packet")
    if gold.fault in _OF_THE_PACKET:
        return False, "no packet meets what the probe expects: it wants what may not be said, or is not so"
    if gold.passed and beside.gold_is_same:
        return False, "asked again on the same packet it passes: it is a matter of chance"
    if gold.passed:
        return False, "given the packet that the probe expects it passes: what else the packet holds leads it astray"
    other = f", and {reference.by} passes on the same one" if reference is not None else ""
    again = "asked again on this packet, which is the one expected, it fails again" if beside.gold_is_same else ""
    return True, f"{again or 'it fails on the packet that the probe expects too'}{other}"


def _of_the_packet(beside: Counterfactuals) -> tuple[bool | None, str]:
    gold = beside.gold
    if gold is None:
        return None, ""
    if gold.passed:
        return True, "given the packet that the probe expects, the same subject passes"
    if gold.fault is Fault.SELECTION:
        return False, "no packet meets what the probe expects: it wants what may not be said, or is not so"
    if gold.fault is Fault.LEDGER:
        return True, "with the packet that the probe expects the ledger is wrong all the same"
    return True, f"given the packet that the probe expects, the line fails as well ({gold.fault}: {gold.why})"
