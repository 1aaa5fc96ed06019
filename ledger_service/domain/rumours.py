"""Tellings: every retelling, also the ignored and the corroborating ones, and the chain they make."""

from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from ledger_service.domain.entries import Hearsay, LedgerEntry
from ledger_service.domain.ids import CharacterId, EntryId, PlaceId


class TellingOutcome(StrEnum):
    """What a telling came to."""

    BELIEVED = "believed"
    CORROBORATED = "corroborated"
    IGNORED = "ignored"
    ECHO = "echo"
    CORRECTED = "corrected"
    UNCHANGED = "unchanged"


class Telling(Struct, frozen=True, kw_only=True):
    """One retelling: who passed what to whom, when and where, how surely, and what came of it."""

    telling_id: str
    from_entry: EntryId
    to_entry: EntryId | None
    teller: CharacterId
    listener: CharacterId
    origin: EntryId
    seq: int
    tick: int
    place: PlaceId | None = None
    offered_millionths: int = 0
    outcome: TellingOutcome = TellingOutcome.BELIEVED


class ChainLink(Struct, frozen=True, kw_only=True):
    """One version on the way back to the witness."""

    entry_id: EntryId
    statement: str
    holder: str
    how: str
    confidence: float
    depth: int
    """Tellings between this version and the belief that was asked about."""
    teller: CharacterId | None = None
    tick: int = 0
    place: PlaceId | None = None
    severity: int = 1
    told_by_entry: EntryId | None = None
    """The teller's version."""


class ProvenanceChain(Struct, frozen=True, kw_only=True):
    """Everything a belief goes back to, nearest first, and which store answered."""

    entry_id: EntryId
    links: tuple[ChainLink, ...]
    store: str
    """`postgres` or `graph`."""
    saw_it: bool = False


_PASSED_ON = frozenset({TellingOutcome.BELIEVED, TellingOutcome.CORROBORATED, TellingOutcome.CORRECTED})


def build_chain(
    entry_id: EntryId, entries: Iterable[LedgerEntry], tellings: Iterable[Telling], *, store: str
) -> ProvenanceChain:
    """Order what a store found behind an entry: by tellings away from it, then by when, then by id.

    Both stores call this with the rows they found, so that only the finding differs. There is no hop limit; a version
    reached by several ways stands once for each teller it was told by, at its shortest distance.
    """
    found = {e.entry_id: e for e in entries}
    behind: dict[EntryId, list[Telling]] = defaultdict(list)
    for telling in tellings:
        if telling.to_entry is not None and telling.outcome in _PASSED_ON:
            behind[telling.to_entry].append(telling)
    depth = {entry_id: 0}
    frontier = [entry_id]
    while frontier:
        nearer = frontier
        frontier = []
        for current in nearer:
            for telling in behind.get(current, ()):
                if telling.from_entry not in depth:
                    depth[telling.from_entry] = depth[current] + 1
                    frontier.append(telling.from_entry)
    reached = sorted((d, found[i].seq, i) for i, d in depth.items() if i in found)
    links = [link for d, _, i in reached for link in _links_of(found[i], d, behind.get(i, ()))]
    asked = found.get(entry_id)
    saw_it = asked is not None and not isinstance(asked, Hearsay) and not behind.get(entry_id)
    return ProvenanceChain(entry_id=entry_id, links=tuple(links), store=store, saw_it=saw_it)


def _links_of(entry: LedgerEntry, depth: int, tellings: Iterable[Telling]) -> list[ChainLink]:
    """Return one link for each telling that made or bore out a version; a witness's has none."""
    ordered = sorted(tellings, key=lambda t: (t.seq, t.telling_id))
    severity = entry.severity if isinstance(entry, Hearsay) else 1
    holder = entry.knowers[0].who if len(entry.knowers) == 1 or isinstance(entry, Hearsay) else ""
    base = {
        "entry_id": entry.entry_id, "statement": entry.statement, "holder": holder or (entry.source.by or ""),
        "confidence": entry.confidence, "depth": depth, "severity": severity,
    }  # fmt: skip
    if not ordered:
        teller = entry.source.by if isinstance(entry, Hearsay) else None
        return [ChainLink(**base, how=entry.source.kind, teller=teller, tick=entry.at.tick, place=entry.place)]  # type: ignore[arg-type]
    return [
        ChainLink(**base, how="told_by", teller=t.teller, tick=t.tick, place=t.place, told_by_entry=t.from_entry)  # type: ignore[arg-type]
        for t in ordered
    ]
