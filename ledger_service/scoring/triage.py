"""Triage: the earliest stage that failed, with one sentence of evidence."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

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
    return earliest_fault(verdicts)


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
    worst = min(verdict.findings, key=lambda f: _WORST_FIRST.index(f.severity), default=None)
    return f"{verdict.axis} failed" if worst is None else in_words(worst)


def in_words(finding: Finding) -> str:
    """Say a finding in one sentence, with its words and entries."""
    where = f" in “{finding.span}”" if finding.span else ""
    ids = f" ({', '.join(finding.entry_ids)})" if finding.entry_ids else ""
    return f"{finding.code.replace('_', ' ')}{where}: {finding.explanation}{ids}"
