"""Selection validity: is what is relevant in the packet, and are secrets, stale things and noise out of it?"""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Contradiction, EmotionalResidue, LedgerEntry, Status
from ledger_service.domain.ids import EntryId
from ledger_service.domain.ledger import LIVE, Ledger
from ledger_service.domain.packets import ContextPacket, Reason
from ledger_service.domain.rubric import Axis, Code, Finding, Gold, Severity, State, Verdict
from ledger_service.domain.visibility import DisclosureMode

_SECRET: Final = frozenset(
    {Reason.NOT_VISIBLE, Reason.GATE_NOT_MET, Reason.DERIVED_FROM_HIDDEN, Reason.IDENTITY_NOT_LINKED, "act_only"}
)
_STALE: Final = frozenset(
    {
        Reason.SUPERSEDED, Reason.EXPIRED, Reason.RETRACTED, Reason.SUSPENDED, Reason.OFF_BRANCH, Reason.QUARANTINED,
        Reason.SAME_ORIGIN_ECHO,
    }
)  # fmt: skip


def selection_validity(packet: ContextPacket, *, ledger: Ledger, gold: Gold | None = None) -> Verdict:
    """Judge the packet against the ledger it was drawn from, and against what a probe expects of it."""
    findings = [*_against_ledger(packet, ledger), *_partition(packet)]
    if gold is not None:
        findings += [*_against_gold(packet, gold), *_flags_against_gold(packet, gold)]
    unique = {(f.code, f.entry_ids, "" if f.entry_ids else f.explanation): f for f in reversed(findings)}
    kept = tuple(reversed(unique.values()))
    return Verdict(axis=Axis.SELECTION, state=State.FAIL if kept else State.PASS, findings=kept)


def _of(code: Code, why: str, *ids: EntryId, severity: Severity = Severity.MAJOR) -> Finding:
    return Finding(code=code, explanation=why, severity=severity, entry_ids=ids)


def _against_ledger(packet: ContextPacket, ledger: Ledger) -> Iterator[Finding]:
    viewer = packet.pov or packet.speaker
    for item in packet.selected:
        entry = ledger.entries.get(item.entry_id)
        if entry is None:
            continue
        closed = _why_closed(entry, packet, ledger)
        if closed:
            yield _of(Code.SECRET_SELECTED, closed, entry.entry_id, severity=Severity.CRITICAL)
        status = ledger.status_of(entry, viewer=viewer)
        lapsed = isinstance(entry, EmotionalResidue) and status is Status.LAPSED
        if status not in LIVE or lapsed:
            yield _of(Code.STALE_SELECTED, f"it is {status}", entry.entry_id)
        if isinstance(entry, Contradiction) and status is Status.UNRESOLVED:
            yield from _one_sided(entry, packet)


def _why_closed(entry: LedgerEntry, packet: ContextPacket, ledger: Ledger) -> str:
    """Say why an entry may not be said to these listeners; a gate with a condition was judged when it was built."""
    viewer = packet.pov or packet.speaker
    if ledger.knower_of(entry, viewer) is None:
        return f"{viewer} does not know it"
    if entry.disclosure.mode is DisclosureMode.SECRET:
        return "it is a secret: acted on, never said"
    unaware = sorted(set(packet.audience) & set(entry.unaware))
    if unaware:
        return f"{', '.join(unaware)} must not learn it"
    gate = entry.disclosure
    if gate.mode is DisclosureMode.GUARDED and not gate.when:
        outside = [who for who in packet.audience if not _is_named(who, gate.to, ledger)]
        return f"it may not be said to {', '.join(outside)}" if outside else ""
    return ""


def _is_named(who: str, to: tuple[str, ...], ledger: Ledger) -> bool:
    return who in to or not ledger.roster.groups_of(who, at_seq=ledger.at_seq).isdisjoint(to)


def _one_sided(entry: Contradiction, packet: ContextPacket) -> Iterator[Finding]:
    """A contradiction that is open is told with all its sides, or not at all."""
    there = {s.entry_id for s in packet.selected}
    missing = [m for m in entry.members if m not in there]
    if missing:
        yield _of(Code.MISSING_ENTRY, "one side of an open contradiction is not in the packet", *missing)


def _partition(packet: ContextPacket) -> Iterator[Finding]:
    """Every considered entry leaves exactly once: selected, act-only or withheld."""
    seen: set[EntryId] = set()
    for entry_id in (
        *(s.entry_id for s in packet.selected), *(a.entry_id for a in packet.act_only),
        *(w.entry_id for w in packet.withheld),
    ):  # fmt: skip
        if entry_id in seen:
            yield _of(Code.NOT_REPRODUCIBLE, "it left the packet's steps twice", entry_id)
        seen.add(entry_id)


def _against_gold(packet: ContextPacket, gold: Gold) -> Iterator[Finding]:
    selected = {s.entry_id for s in packet.selected}
    reasons = {w.entry_id: w.reason for w in packet.withheld} | {a.entry_id: "act_only" for a in packet.act_only}
    for entry_id in gold.must_include:
        if entry_id not in selected:
            why = reasons.get(entry_id)
            told = f"withheld as {why}" if why else "never considered"
            yield _of(Code.MISSING_ENTRY, f"the packet should hold it; it was {told}", entry_id)
    for entry_id, reason in gold.must_exclude.items():
        if entry_id in selected:
            yield _of(
                _leaked_as(reason), "the packet should not hold it" + (f" ({reason})" if reason else ""), entry_id
            )


def _leaked_as(reason: str) -> Code:
    if reason in _SECRET:
        return Code.SECRET_SELECTED
    return Code.STALE_SELECTED if reason in _STALE else Code.NOISE_SELECTED


def _flags_against_gold(packet: ContextPacket, gold: Gold) -> Iterator[Finding]:
    for expected in gold.flags:
        if not any(flag.meets(expected) for flag in packet.flags):
            yield _of(Code.MISSING_FLAG, f"no flag {expected}")
    for unwanted in gold.flags_must_exclude:
        if any(flag.meets(unwanted) for flag in packet.flags):
            yield _of(Code.WRONG_FLAG, f"a flag {unwanted} that the record does not bear out")
