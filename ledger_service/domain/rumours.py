"""Tellings: every retelling, also the ignored and the corroborating ones, and the chain they make."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct, structs

from ledger_service.domain.confidence import MILLION, to_millionths
from ledger_service.domain.confidence import MILLION, to_millionths
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


class Version(Struct, frozen=True, kw_only=True):
    """What a chain needs to know of an entry; both stores keep this much."""

    entry_id: EntryId
    statement: str
    holder: str
    """Whose version it is: the one who knows it, else its source."""
    how: str
    """The kind of its source."""
    by: str | None
    confidence_millionths: int
    seq: int
    tick: int
    place: str | None
    severity: int = 1
    hearsay: bool = False


def version_of(entry: LedgerEntry) -> Version:
    """Return what a chain needs to know of an entry."""
    heard = entry if isinstance(entry, Hearsay) else None
    own = heard is not None or len(entry.knowers) == 1
    return Version(
        entry_id=entry.entry_id,
        statement=entry.statement,
        holder=entry.knowers[0].who if own else entry.source.by or "",
        how=str(entry.source.kind),
        by=entry.source.by,
        confidence_millionths=to_millionths(entry.confidence),
        seq=entry.seq,
        tick=entry.at.tick,
        place=entry.place,
        severity=heard.severity if heard is not None else 1,
        hearsay=heard is not None,
    )


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


PASSED_ON = frozenset({TellingOutcome.BELIEVED, TellingOutcome.CORROBORATED, TellingOutcome.CORRECTED})
"""Outcomes that a belief goes back through; other tellings are kept, and left nothing."""


def build_chain(
    entry_id: EntryId, entries: Iterable[LedgerEntry | Version], tellings: Iterable[Telling], *, store: str
) -> ProvenanceChain:
    """Order what a store found behind an entry: by tellings away from it, then by when, then by id.

    Both stores call this with the rows they found, so that only the finding differs. There is no hop limit; a version
    reached by several ways stands once for each teller it was told by, at its shortest distance. Confidence is in
    whole millionths, as both stores compare it.
    """
    versions = (e if isinstance(e, Version) else version_of(e) for e in entries)
    found = {v.entry_id: v for v in versions}
    behind: dict[EntryId, list[Telling]] = defaultdict(list)
    for telling in tellings:
        if telling.to_entry is not None and telling.outcome in PASSED_ON:
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
    saw_it = asked is not None and not asked.hearsay and not behind.get(entry_id)
    return ProvenanceChain(entry_id=entry_id, links=tuple(links), store=store, saw_it=saw_it)


def _links_of(version: Version, depth: int, tellings: Iterable[Telling]) -> list[ChainLink]:
    """Return one link for each telling that made or bore out a version; a witness's has none."""
    link = ChainLink(
        entry_id=version.entry_id,
        statement=version.statement,
        holder=version.holder,
        how=version.how,
        confidence=version.confidence_millionths / MILLION,
        depth=depth,
        teller=version.by if version.hearsay else None,
        tick=version.tick,
        place=version.place,
        severity=version.severity,
    )
    told = [
        structs.replace(link, how="told_by", teller=t.teller, tick=t.tick, place=t.place, told_by_entry=t.from_entry)
        for t in sorted(tellings, key=lambda t: (t.seq, t.telling_id))
    ]
    return told or [link]
