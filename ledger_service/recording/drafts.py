"""Entries posted directly: a draft and its kind in, an entry out."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

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


def entries_of(drafts: Iterable[EntryDraft], scribe: Scribe, *, author: str | None) -> tuple[LedgerEntry, ...]:
    """Turn drafts, already checked, into entries of their kinds; what several have heard is a copy for each."""
    return tuple(_entry_of(copy, scribe, author=author) for draft in drafts for copy in _copies(draft))


def _copies(draft: EntryDraft) -> Iterator[EntryDraft]:
    if KINDS[draft.kind] is not Hearsay:
        yield draft
        return
    for knower in draft.knowers:
        yield msgspec.structs.replace(draft, knowers=(knower,))


def _entry_of(draft: EntryDraft, scribe: Scribe, *, author: str | None) -> LedgerEntry:
    """Turn a draft into an entry of its kind; a generated line is never more than a draft until it is confirmed."""
    kind = KINDS[draft.kind]
    source = draft.source or scribe.source(SourceKind.ENGINE, author)
    if source.event_seq is None:
        source = msgspec.structs.replace(source, event_seq=scribe.seq)
    teller = draft.teller or (source.by if source.kind is SourceKind.TOLD_BY else None)
    fields = {name: getattr(draft, name) for name in (*_COMMON, *_OWN[kind])}
    fields = {name: _DEFAULTS.get(name) if value is None else value for name, value in fields.items()}
    fields["quarantined"] |= source.kind is SourceKind.GENERATED_LINE
    if kind is Hearsay:
        fields["teller"] = teller
    knowers = tuple(_knower(k, source, teller, scribe) for k in draft.knowers)
    holder = draft.from_whom or draft.holder or (knowers[0].who if kind is Hearsay else "")
    return scribe.write(kind, copy_of=holder, source=source, knowers=knowers, **fields)


def _knower(given: str | Knower, source: Source, teller: str | None, scribe: Scribe) -> Knower:
    if isinstance(given, Knower):
        return Knower(
            who=given.who, how=given.how, from_whom=given.from_whom, confidence=given.confidence,
            since_seq=scribe.seq, since_tick=scribe.after.at.tick,
        )  # fmt: skip
    return scribe.knowers((given,), source.kind, from_whom=teller)[0]
