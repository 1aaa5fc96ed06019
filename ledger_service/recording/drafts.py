"""Entries posted directly: a draft and its kind in, an entry out."""

from typing import Any

from ledger_service.domain.entries import (
    KINDS,
    Commitment,
    Contradiction,
    EmotionalResidue,
    Form,
    Hearsay,
    Intensity,
    LedgerEntry,
    Observation,
    RelationshipDelta,
    Source,
    SourceKind,
)
from ledger_service.domain.events import EntryDraft
from ledger_service.domain.visibility import Knower
from ledger_service.recording.scribe import Scribe

_COMMON = (
    "statement", "slot", "confidence", "unaware", "disclosure", "expires", "origin", "derived_from", "supersedes",
    "protected", "subject", "about", "place", "event_tick", "said_by", "said_to", "style_of", "quarantined",
)  # fmt: skip
_OWN: dict[type[LedgerEntry], tuple[str, ...]] = {
    Observation: ("claimed_value", "believed_value"),
    Hearsay: ("teller", "hops", "severity"),
    Commitment: ("owner", "to", "name", "form", "trigger", "fulfilled_when", "broken_when", "due"),
    RelationshipDelta: ("from_whom", "to", "axis", "amount", "scope", "reason", "evidence", "cap"),
    Contradiction: ("members",),
    EmotionalResidue: ("holder", "emotion", "intensity"),
}
_DEFAULTS: dict[str, Any] = {
    "hops": 1, "severity": 1, "form": Form.PROMISE, "axis": "trust", "amount": 0.0, "intensity": Intensity.MEDIUM,
}  # fmt: skip


def entry_of(draft: EntryDraft, scribe: Scribe, *, author: str | None) -> LedgerEntry:
    """Turn a draft, already checked, into an entry of its kind."""
    kind = KINDS[draft.kind]
    source = draft.source or scribe.source(SourceKind.ENGINE, author)
    teller = draft.teller or (source.by if source.kind is SourceKind.TOLD_BY else None)
    fields = {name: getattr(draft, name) for name in (*_COMMON, *_OWN[kind])}
    fields = {name: _DEFAULTS.get(name) if value is None else value for name, value in fields.items()}
    if kind is Hearsay:
        fields["teller"] = teller
    holder = ""
    knowers = tuple(_knower(k, source, teller, scribe) for k in draft.knowers)
    if kind in {Hearsay, RelationshipDelta, EmotionalResidue}:
        holder = knowers[0].who
    return scribe.write(kind, copy_of=holder, source=source, knowers=knowers, **fields)


def _knower(given: str | Knower, source: Source, teller: str | None, scribe: Scribe) -> Knower:
    if isinstance(given, Knower):
        return Knower(
            who=given.who, how=given.how, from_whom=given.from_whom, confidence=given.confidence,
            since_seq=scribe.seq, since_tick=scribe.after.at.tick,
        )  # fmt: skip
    return scribe.knowers((given,), source.kind, from_whom=teller)[0]
