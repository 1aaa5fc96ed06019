"""Step 4: keep what the speaker knows and may say to all who listen; everything else leaves with its reason."""

from collections.abc import Callable
from functools import partial

from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    LedgerEntry,
    RelationshipDelta,
    SourceKind,
    Status,
)
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.packets import Reason
from ledger_service.domain.visibility import DisclosureMode
from ledger_service.reconcile.expire import is_over
from ledger_service.reconcile.sift import Sift
from ledger_service.reconcile.view import View

Judge = Callable[[View, LedgerEntry], str | None]

_BY_STATUS = {
    Status.RETRACTED: Reason.RETRACTED,
    Status.QUARANTINED: Reason.QUARANTINED,
    Status.SUSPENDED: Reason.SUSPENDED,
    Status.ECHO: Reason.SAME_ORIGIN_ECHO,
    Status.SUPERSEDED: Reason.SUPERSEDED,
    Status.ENDED: Reason.SUPERSEDED,
    Status.RESOLVED: Reason.SUPERSEDED,
    Status.DISMISSED: Reason.SUPERSEDED,
    Status.EXPIRED: Reason.EXPIRED,
    Status.EASED: Reason.EXPIRED,
}


def disclose(sift: Sift, view: View) -> Sift:
    """Withhold, in this order, what is unseen, dead, irrelevant to these people, and closed to these ears."""
    sift = sift.withhold_by(partial(_first_reason, view))
    sift = sift.act_on(partial(_never_said, view))
    return _follow_sources(sift)


def _first_reason(view: View, entry: LedgerEntry) -> tuple[Reason, str] | None:
    return _caught(_UNSEEN, view, entry) or _dead(view, entry) or _caught(_UNSAID, view, entry)


def _caught(judges: tuple[tuple[Reason, Judge], ...], view: View, entry: LedgerEntry) -> tuple[Reason, str] | None:
    for reason, judge in judges:
        why = judge(view, entry)
        if why is not None:
            return reason, why
    return None


def _derived_from_hidden(view: View, entry: LedgerEntry) -> str | None:
    """Text made from hidden entries hides with them: a contradiction with a hidden side, a plan, an inference."""
    match entry:
        case Contradiction(members=inputs):
            pass
        case _ if entry.source.kind in {SourceKind.DERIVED, SourceKind.INFERRED}:
            inputs = entry.derived_from
        case _:
            return None
    hidden = sum(1 for entry_id in inputs if not view.ledger.knows(view.viewer, entry_id))
    return f"{hidden} of its {len(inputs)} sources cannot be seen" if hidden else None


def _not_visible(view: View, entry: LedgerEntry) -> str | None:
    return None if view.sees(entry) else f"{view.viewer} does not know it"


def _off_branch(view: View, entry: LedgerEntry) -> str | None:
    return "it belongs to an abandoned future" if entry.entry_id in view.candidates.off_branch else None


def _dead(view: View, entry: LedgerEntry) -> tuple[Reason, str] | None:
    status = view.status_of(entry)
    if view.viewer in entry.source.via:
        return Reason.SAME_ORIGIN_ECHO, f"it goes back to what {view.viewer} said"
    if _faded(view, entry, status):
        return Reason.EXPIRED, str(status)
    if entry.confidence == 0 and view.ledger.belief_of(entry.entry_id) is not None:
        return Reason.SUPERSEDED, "what is known since leaves nothing of it"
    reason = _BY_STATUS.get(status)
    if reason is None:
        return None
    last = view.ledger.last_amendment(entry, viewer=view.viewer)
    return reason, (last.reason or str(status)) if last is not None else str(status)


def _faded(view: View, entry: LedgerEntry, status: Status) -> bool:
    """Say whether a feeling, or a stance with an end of its own, is over by time and not by what came after it."""
    match entry:
        case EmotionalResidue():
            return status is Status.LAPSED
        case RelationshipDelta():
            return status is Status.ENDED and is_over(entry, view.moment.at, view.state.occurrences)
        case _:
            return False


def _current_question(view: View, entry: LedgerEntry) -> str | None:
    line_seq = view.moment.line_seq
    if line_seq is None or line_seq not in {entry.seq, entry.source.event_seq}:
        return None
    return "it rests on nothing but the line being answered"


def _style_of_other(view: View, entry: LedgerEntry) -> str | None:
    style = entry.style_of
    return f"it is how {style} speaks" if style is not None and style != view.moment.speaker else None


def _is_of(entry: LedgerEntry, who: CharacterId) -> bool:
    """Say whether an entry is of or about somebody under their own name."""
    match entry:
        case RelationshipDelta(from_whom=a, to=b):
            involved = {a, b}
        case Commitment(owner=a, to=b):
            involved = {a, b}
        case _:
            involved = set()
    named = {entry.subject, *entry.about, *involved}
    if entry.slot is not None:
        named |= {entry.slot.subject, entry.slot.object}
    return who in named or (entry.subject is None and entry.statement.split(maxsplit=1)[0].casefold() == who)


def _identity_not_linked(view: View, entry: LedgerEntry) -> str | None:
    for who, shown in view.disguised.items():
        if _is_of(entry, who) and not view.is_mentioned(who):
            return f"the speaker takes this person for {shown}"
    return None


def _other_subject(view: View, entry: LedgerEntry) -> str | None:
    """Its subject is neither speaker, nor audience as presented, nor mentioned, nor one of their groups."""
    subject = entry.subject
    if subject is None or subject in view.inanimate or isinstance(entry, Commitment | Contradiction):
        return None
    return None if subject in view.concerned or view.is_mentioned(subject) else f"it is about {subject}"


def _gate_not_met(view: View, entry: LedgerEntry) -> str | None:
    if entry.disclosure.mode is not DisclosureMode.GUARDED:
        return None
    closed = [who for who in view.moment.audience if not _may_hear(entry, who, view)]
    return f"it may not be said to {', '.join(closed)}" if closed else None


def _may_hear(entry: LedgerEntry, listener: CharacterId, view: View) -> bool:
    gate = entry.disclosure
    groups = view.ledger.roster.groups_of(listener, at_seq=view.moment.seq)
    named = listener in gate.to or not groups.isdisjoint(gate.to)
    return named or (bool(gate.when) and view.scope.holds(gate.when, listener=listener))


def _never_said(view: View, entry: LedgerEntry) -> str | None:
    if entry.disclosure.mode is DisclosureMode.SECRET:
        return "it is a secret"
    unaware = [who for who in view.moment.audience if who in entry.unaware]
    return f"{', '.join(unaware)} must not learn it" if unaware else None


def may_be_said(view: View, entry: LedgerEntry) -> bool:
    """Say whether an entry, whatever became of it, may be spoken of to all who listen now, and so what it rests on."""
    if any(judge(view, entry) is not None for judge in _MOUTHS):
        return False
    rests_on = (view.ledger.entries.get(entry_id) for entry_id in _inputs(entry))
    return all(source is None or may_be_said(view, source) for source in rests_on)


def _follow_sources(sift: Sift) -> Sift:
    """Text made from something that may not be said now may not be said either, nor what is made from that."""
    while True:
        before = len(sift.kept)
        acted = {e.entry_id for e in sift.act_only}
        gated = {w.entry_id for w in sift.withheld if w.reason is Reason.GATE_NOT_MET}
        if not acted and not gated:
            return sift
        sift = sift.withhold(Reason.GATE_NOT_MET, partial(_rests_on, gated))
        sift = sift.act_on(partial(_rests_on, acted))
        if len(sift.kept) == before:
            return sift


def _rests_on(closed: set[EntryId], entry: LedgerEntry) -> str | None:
    return None if closed.isdisjoint(_inputs(entry)) else "what it rests on may not be said"


def _inputs(entry: LedgerEntry) -> tuple[EntryId, ...]:
    return (*entry.derived_from, *(entry.members if isinstance(entry, Contradiction) else ()))


_UNSEEN: tuple[tuple[Reason, Judge], ...] = (
    (Reason.DERIVED_FROM_HIDDEN, _derived_from_hidden),
    (Reason.NOT_VISIBLE, _not_visible),
    (Reason.OFF_BRANCH, _off_branch),
)
_UNSAID: tuple[tuple[Reason, Judge], ...] = (
    (Reason.CURRENT_QUESTION, _current_question),
    (Reason.STYLE_OF_OTHER, _style_of_other),
    (Reason.IDENTITY_NOT_LINKED, _identity_not_linked),
    (Reason.OTHER_SUBJECT, _other_subject),
    (Reason.GATE_NOT_MET, _gate_not_met),
)
_MOUTHS = (_not_visible, _derived_from_hidden, _identity_not_linked, _gate_not_met, _never_said)
