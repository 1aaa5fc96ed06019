"""Which entries a claim speaks of: by names and aliases, by slots, by words, then by nearness in meaning."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from ledger_service.domain.entries import LedgerEntry
from ledger_service.domain.ids import EntryId
from ledger_service.domain.ledger import Ledger
from ledger_service.domain.replies import Claim
from ledger_service.domain.rubric import Aligned, Finding
from ledger_service.domain.terms import stem, term_set, words
from ledger_service.scoring.words.overlap import cover, shared

LEAST: Final = 0.34
_NAMED: Final = 0.25
_BY_SLOT: Final = 0.9
_NEAR: Final = 0.5
_FAR: Final = 700
"""Thousandths of a cosine from which meaning alone points at an entry; it never decides what is true of it."""


Near = Callable[[str], Mapping[EntryId, int]]
"""How near in meaning each entry is to a text, in thousandths."""


def with_aligned(
    findings: Iterable[Finding], claims: Iterable[Claim], ledger: Ledger, near: Near | None
) -> tuple[Finding, ...]:
    """Return findings, each with the entries that its words speak of; those that it rests on come with it anyway."""
    said = tuple(claims)
    return tuple(replace(f, aligned=_of(f, said, ledger, near)) for f in findings)


def _of(finding: Finding, claims: tuple[Claim, ...], ledger: Ledger, near: Near | None) -> tuple[Aligned, ...]:
    claim = next((c for c in claims if finding.start is not None and c.start <= finding.start < c.end), None)
    if claim is None:
        return ()
    found = align(claim, ledger.entries.values(), nearness=near(claim.text) if near is not None else None)
    there = {row.entry_id for row in found}
    rest = (i for i in finding.entry_ids if i not in there)
    return (*found, *(Aligned(entry_id=i, score=0.0, reason="by what the line asked") for i in rest))


def align(
    claim: Claim, entries: Iterable[LedgerEntry], *, nearness: Mapping[EntryId, int] | None = None, most: int = 5
) -> tuple[Aligned, ...]:
    """Return the entries that a claim speaks of, best first: selected, act-only, withheld and superseded alike."""
    rated = (_rate(claim, entry, (nearness or {}).get(entry.entry_id, 0)) for entry in entries)
    found = [row for row in rated if row is not None and row.score >= LEAST]
    return tuple(sorted(found, key=lambda row: (-row.score, row.entry_id))[:most])


def _rate(claim: Claim, entry: LedgerEntry, near: int) -> Aligned | None:
    said, terms = frozenset(claim.terms), term_set(entry.statement)
    names = [m for m in claim.mentions if {stem(w) for w in words(m)} & terms]
    hits = sorted(shared(said, terms))
    by_words = cover(said, terms)
    options = [
        (_slot_score(said, entry), f"slot {entry.slot.predicate}" if entry.slot else ""),
        (min(1.0, by_words + (_NAMED if names and hits else 0.0)), _named_in_words(hits, names)),
        (_NEAR if near >= _FAR else 0.0, f"near in meaning ({near / 1000:.2f})"),
    ]
    score, reason = max(options, key=lambda row: row[0])
    return Aligned(entry_id=entry.entry_id, score=round(score, 3), reason=reason) if score else None


def _slot_score(said: frozenset[str], entry: LedgerEntry) -> float:
    if entry.slot is None:
        return 0.0
    subject, value = term_set(entry.slot.subject), term_set(entry.slot.object)
    both = bool(subject and value) and subject <= shared(said, subject) and value <= shared(said, value)
    return _BY_SLOT if both else 0.0


def _named_in_words(hits: list[str], names: list[str]) -> str:
    parts = [f"words {', '.join(hits)}"] if hits else []
    return "; ".join([*parts, *([f"names {', '.join(names)}"] if names else [])])
