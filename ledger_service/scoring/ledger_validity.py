"""Ledger validity: are source, owner, visibility, confidence and expiry of what was selected right?"""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    Entry,
    Hearsay,
    LedgerEntry,
    RelationshipDelta,
    SourceKind,
    Status,
)
from ledger_service.domain.expiry import AtTick, Happened, Match, has_expired, leaves
from ledger_service.domain.ids import GROUP_PREFIX
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.packets import ContextPacket, Selected
from ledger_service.domain.rubric import Axis, Code, Finding, Severity, State, Verdict
from ledger_service.domain.worlds import World

_NEEDS_BY: Final = frozenset({SourceKind.TOLD_BY, SourceKind.PLAYER_CLAIM})
_MADE_FROM_OTHERS: Final = frozenset({SourceKind.DERIVED, SourceKind.INFERRED})
_ENDABLE: Final = frozenset({Status.ACTIVE, Status.OPEN, Status.FELT})
_AS_GOOD_AS_SEEN: Final = 0.95
_ROUNDING: Final = 1e-6


def ledger_validity(packet: ContextPacket, *, world: World, ledger: Ledger) -> Verdict:
    """Judge the entries that the line was given, and the endings that should have come before it."""
    findings: list[Finding] = []
    for item in packet.selected:
        entry = ledger.entries.get(item.entry_id)
        if entry is None:
            findings.append(_of(Code.MISSING_ENTRY, item.entry_id, "it was selected and the ledger has no such entry"))
        else:
            findings += _entry_findings(entry, item, packet, world, ledger)
    findings += _overdue(packet, ledger)
    return Verdict(axis=Axis.LEDGER, state=State.FAIL if findings else State.PASS, findings=tuple(findings))


def _of(code: Code, entry_id: str, why: str, severity: Severity = Severity.MAJOR) -> Finding:
    return Finding(code=code, explanation=why, severity=severity, entry_ids=(entry_id,))


def _entry_findings(
    entry: LedgerEntry, item: Selected, packet: ContextPacket, world: World, ledger: Ledger
) -> Iterator[Finding]:
    problems = {
        Code.BAD_SOURCE: _bad_source(entry, ledger),
        Code.BAD_OWNER: _bad_owner(entry, world),
        Code.BAD_CONFIDENCE: _bad_confidence(entry, item, packet, ledger),
        Code.BAD_EXPIRY: _bad_expiry(entry),
        Code.BAD_VISIBILITY: _bad_visibility(entry, packet, ledger),
    }
    for code, why in problems.items():
        if why:
            yield _of(code, entry.entry_id, why)


def _bad_source(entry: LedgerEntry, ledger: Ledger) -> str:
    """Say what is wrong with where an entry comes from, for its kind."""
    source = entry.source
    teller = entry.teller if isinstance(entry, Hearsay) else None
    if source.kind in _NEEDS_BY and not (source.by or teller):
        return f"{source.kind} and nobody told it"
    if isinstance(entry, Hearsay) and source.kind is SourceKind.WITNESSED:
        return "hearsay that claims to have been witnessed"
    if isinstance(entry, Contradiction) and any(m == entry.entry_id for m in entry.members):
        return "it contradicts itself"
    if entry.entry_id in entry.derived_from:
        return "it rests on itself"
    confirmed = any(a.status is Status.ACTIVE for a in ledger.amendments_of(entry.entry_id))
    if (source.kind is SourceKind.GENERATED_LINE or entry.quarantined) and not confirmed:
        return "a generated line is no evidence until an event or a person confirms it"
    return ""


def _bad_owner(entry: LedgerEntry, world: World) -> str:
    match entry:
        case Commitment(owner=a, to=b):
            parties, same = {"owner": a, "the one it is owed to": b}, a == b
        case RelationshipDelta(from_whom=a, to=b):
            parties, same = {"holder": a, "the other": b}, a == b
        case EmotionalResidue(holder=a):
            parties, same = {"holder": a}, False
        case _:
            return ""
    if same:
        return "both parties are the same"
    unknown = [f"{role} {who!r}" for role, who in parties.items() if not _is_somebody(who, world)]
    return f"unknown {' and '.join(unknown)}" if unknown else ""


def _is_somebody(who: str, world: World) -> bool:
    groups = {group.id for group in world.groups}
    return world.find_character(who) is not None or who.startswith(GROUP_PREFIX) or who in groups


def _bad_confidence(entry: LedgerEntry, item: Selected, packet: ContextPacket, ledger: Ledger) -> str:
    """Say where something is surer than what it comes from, or shown surer than it is."""
    knower = ledger.knower_of(entry, packet.pov or packet.speaker)
    held = entry.confidence if knower is None or knower.confidence is None else knower.confidence
    if abs(item.confidence - held) > _ROUNDING:
        return f"shown with {item.confidence:g}, held with {held:g}"
    if entry.source.kind is SourceKind.PLAYER_CLAIM and held >= _AS_GOOD_AS_SEEN:
        return "a player's word is evidence that it was said, and of nothing else"
    if isinstance(entry, Hearsay) and entry.derived_from:
        ceiling = _together(ledger, entry.derived_from)
        if ceiling is not None and held > ceiling + _ROUNDING:
            return f"{held:g} is surer than all its tellers together ({ceiling:g})"
    return ""


def _together(ledger: Ledger, inputs: tuple[str, ...]) -> float | None:
    """Return how sure several tellers can make anybody; None where one of them is not here."""
    doubt = 1.0
    for entry_id in inputs:
        teller = ledger.entries.get(entry_id)
        if teller is None:
            return None
        doubt *= 1 - teller.confidence
    return 1 - doubt


def _bad_expiry(entry: Entry) -> str:
    before = [leaf.tick for leaf in leaves(entry.expires) if isinstance(leaf, AtTick) and leaf.tick <= entry.at.tick]
    return f"it ends at tick {before[0]}, and was written at tick {entry.at.tick}" if before else ""


def _bad_visibility(entry: LedgerEntry, packet: ContextPacket, ledger: Ledger) -> str:
    """Say where the knowers themselves are wrong; that something unseen was selected is another axis's fault."""
    viewer = packet.pov or packet.speaker
    if viewer in entry.unaware:
        return f"{viewer} must not learn it, and knows it through {_how(entry, viewer, ledger)}"
    inputs = entry.members if isinstance(entry, Contradiction) else entry.derived_from
    made = isinstance(entry, Contradiction) or entry.source.kind in _MADE_FROM_OTHERS
    if not made or ledger.knower_of(entry, viewer) is None:
        return ""
    hidden = [i for i in inputs if not ledger.knows(viewer, i)]
    return f"made of {', '.join(hidden)}, which {viewer} does not know" if hidden else ""


def _how(entry: LedgerEntry, viewer: str, ledger: Ledger) -> str:
    knower = ledger.knower_of(entry, viewer)
    return knower.who if knower is not None else "nobody"


def _happened_after(seq: int, ledger: Ledger) -> Happened:
    """Return the question: did an event of that name and with those fields happen after `seq`?"""

    def happened(name: str, match: Match) -> bool:
        since = (o for o in ledger.occurrences if seq < o.seq <= ledger.at_seq)
        return any(o.name == name and match.items() <= o.fields.items() for o in since)

    return happened


def _overdue(packet: ContextPacket, ledger: Ledger) -> Iterator[Finding]:
    """Find endings whose time had come before the line, and that were not recorded."""
    for entry in ledger.entries.values():
        if ledger.status_of(entry) not in _ENDABLE:
            continue
        if has_expired(entry.expires, written=entry.at, now=packet.at, happened=_happened_after(entry.seq, ledger)):
            yield _of(Code.OVERDUE, entry.entry_id, f"it had ended by tick {packet.at.tick}, and still counts as live")
