"""Gameplay validity: does the outcome that is spoken agree with the rules now?"""

import re
from collections.abc import Iterable
from typing import Final

from ledger_service.domain.packets import Consequence, ContextPacket
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Axis, Code, Finding, Severity, State, Verdict
from ledger_service.domain.terms import content_terms
from ledger_service.domain.worlds import World
from ledger_service.scoring.outcomes import Outcome, outcome_of

_SHARE: Final = re.compile(r"\b(\d{1,4}) ?(?:%|per ?cent\b)", re.IGNORECASE)


def gameplay_validity(packet: ContextPacket, claims: Iterable[Claim], *, world: World) -> Verdict:
    """Judge what the line grants or refuses against what the rules give for what was asked."""
    said = tuple(claims)
    bearing = [c for c in packet.consequences if c.asked or _is_named(c, said, world)]
    if not bearing:
        return Verdict(axis=Axis.GAMEPLAY, state=State.UNSCORED, why="no rule bears on this line")
    came = outcome_of(said, _asked_for(packet, bearing, world))
    if came.granted is None and came.refused is None and not _fits(came, bearing):
        return Verdict(axis=Axis.GAMEPLAY, state=State.UNSCORED, why="the line speaks no outcome")
    findings = tuple(_mismatches(bearing, came.granted, came.refused))
    return Verdict(axis=Axis.GAMEPLAY, state=State.FAIL if findings else State.PASS, findings=findings)


def _fits(came: Outcome, bearing: list[Consequence]) -> bool:
    """Say whether what is refused by the rules is held off, or what they grant is in order: no mismatch either way."""
    outcomes = {c.outcome for c in bearing}
    held = came.held is not None and outcomes == {"refused"}
    return held or (came.in_order is not None and came.held is None and outcomes == {"granted"})


def _asked_for(packet: ContextPacket, bearing: list[Consequence], world: World) -> frozenset[str]:
    """Return the stems of what is asked for: of the line, and of what the actions are called."""
    called = [c.action.replace("_", " ") for c in bearing]
    called += [phrase for a in world.actions for phrase in a.words if any(a.id == c.action for c in bearing)]
    return frozenset(term for text in (packet.line, *called) for term in content_terms(text))


def _is_named(consequence: Consequence, said: tuple[Claim, ...], world: World) -> bool:
    """Say whether the line hands out, by name, something nobody asked for."""
    action = next((a for a in world.actions if a.id == consequence.action), None)
    if action is None:
        return False
    named = [set(content_terms(phrase)) for phrase in (*action.words, action.name)]
    handed = [set(c.terms) for c in said if c.stance is Stance.GRANT]
    return any(phrase and phrase <= terms for phrase in named for terms in handed)


def _mismatches(bearing: list[Consequence], granted: Claim | None, refused: Claim | None) -> Iterable[Finding]:
    outcomes = {c.outcome for c in bearing}
    if granted is not None and "granted" not in outcomes:
        yield _of(bearing[0], granted, "the line grants what the rule refuses")
    if granted is not None:
        yield from (
            _of(c, granted, f"its price is {c.price or 'the usual one'}") for c in bearing if _misprices(c, granted)
        )
    if refused is not None and granted is None and "refused" not in outcomes:
        yield _of(bearing[0], refused, "the line refuses what the rule grants")


def _misprices(consequence: Consequence, granted: Claim) -> bool:
    """Say whether the line names a share above or below the usual price that the rule does not give."""
    named = {int(share) for share in _SHARE.findall(granted.text)}
    if consequence.factor is None or not named or consequence.outcome != "granted":
        return False
    return abs(round((consequence.factor - 1) * 100)) not in named


def _of(consequence: Consequence, claim: Claim, why: str) -> Finding:
    return Finding(
        code=Code.OUTCOME_MISMATCH,
        explanation=f"{why} ({consequence.action}, rule {consequence.rule})",
        severity=Severity.CRITICAL,
        span=claim.text,
        start=claim.start,
    )
