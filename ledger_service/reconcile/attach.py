"""Step 6: add what follows: consequences by rule, commitments and standing as they are, residue as tone."""

from collections.abc import Iterable

from ledger_service.domain.entries import Commitment, EmotionalResidue, LedgerEntry
from ledger_service.domain.ledger import find_all
from ledger_service.domain.packets import CommitmentLine, Consequence, ResidueLine, StandingLine
from ledger_service.domain.worlds import Action, Rule
from ledger_service.reconcile.view import View

PRICE_DIGITS = 4


def commitments(kept: Iterable[LedgerEntry], view: View) -> tuple[CommitmentLine, ...]:
    """Return the commitments that may be spoken of, with their status now."""
    found = find_all(kept, Commitment)
    return tuple(
        CommitmentLine(
            entry_id=c.entry_id,
            statement=c.statement,
            owner=c.owner,
            to=c.to,
            status=view.status_of(c),
            due=c.due,
            trigger=c.trigger,
            due_now=view.is_due(c),
        )
        for c in sorted(found, key=lambda c: (c.seq, c.entry_id))
    )


def residue(kept: Iterable[LedgerEntry], view: View) -> tuple[ResidueLine, ...]:
    """Return what the speaker feels, as tone."""
    found = find_all(kept, EmotionalResidue, lambda r: r.holder == view.viewer)
    return tuple(
        ResidueLine(entry_id=r.entry_id, emotion=r.emotion, intensity=r.intensity, statement=r.statement)
        for r in sorted(found, key=lambda r: (r.seq, r.entry_id))
    )


def standings(kept: Iterable[LedgerEntry], view: View) -> tuple[StandingLine, ...]:
    """Return the speaker's standing towards the audience, also in scopes that a rule needs and nobody filled."""
    kept_ids = {e.entry_id for e in kept}
    deltas = [d for d in view.deltas if d.entry_id in kept_ids]
    needed = {scope for _, rule in rules_of(view) for scope in rule.scopes}
    lines = []
    for listener in view.moment.audience:
        if listener in view.disguised:
            continue
        ours = [d for d in deltas if d.from_whom == view.viewer and d.to == listener]
        for scope in sorted({d.scope for d in ours} | needed):
            in_scope = [d for d in ours if d.scope == scope]
            lines.append(
                StandingLine(
                    from_whom=view.viewer,
                    to=listener,
                    scope=scope,
                    amount=view.standing(view.viewer, listener, scope),
                    absent=not in_scope,
                    reasons=tuple(d.statement for d in sorted(in_scope, key=lambda d: (d.seq, d.entry_id))),
                )
            )
    return tuple(lines)


def rules_of(view: View) -> list[tuple[Action, Rule]]:
    """Return the rules over what this speaker can grant."""
    actions = {a.id: a for a in view.world.actions if a.is_granted_by(view.moment.speaker)}
    return [(actions[rule.action], rule) for rule in view.world.rules if rule.action in actions]


def consequences(view: View) -> tuple[Consequence, ...]:
    """Return what the speaker grants or refuses now and at what price, by which rule, and what would change it."""
    asked = {*view.moment.intent.actions, view.moment.action}
    found = [_consequence(action, rule, view, asked=action.id in asked) for action, rule in rules_of(view)]
    return tuple(sorted(found, key=lambda c: (not c.asked, c.action, c.rule)))


def _consequence(action: Action, rule: Rule, view: View, *, asked: bool) -> Consequence:
    """Apply one rule; without the number that its price needs, nothing is granted."""
    view.questions.take_asked()
    granted = view.scope.holds(rule.grant_when, listener=view.moment.audience[0])
    factor = view.scope.number(rule.factor) if granted and rule.factor else None
    granted = granted and (factor is not None or not rule.factor)
    return Consequence(
        action=action.id,
        outcome="granted" if granted else "refused",
        rule=rule.id,
        because=rule.because,
        would_change="" if granted and not _is_dearer(factor) else rule.would_change,
        asked=asked,
        factor=None if factor is None else round(max(0.0, factor), PRICE_DIGITS),
        opinions=view.questions.take_asked(),
    )


def _is_dearer(factor: float | None) -> bool:
    return factor is not None and round(factor, PRICE_DIGITS) > 1
