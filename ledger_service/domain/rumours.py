"""Tellings: every retelling, also the ignored and the corroborating ones, and the chain they make."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct

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


class Version(Struct, frozen=True, kw_only=True):
    """One wording of a story as somebody holds it, as far as a chain needs it."""

    entry_id: EntryId
    statement: str
    holder: str
    how: str
    by: str | None
    millionths: int
    seq: int
    tick: int
    severity: int = 1
    place: PlaceId | None = None
    is_hearsay: bool = False


def version_of_entry(entry: LedgerEntry) -> Version:
    """Return an entry as a version."""
    heard = entry if isinstance(entry, Hearsay) else None
    return Version(
        entry_id=entry.entry_id,
        statement=entry.statement,
        holder=entry.knowers[0].who if heard is not None else (entry.source.by or ""),
        how=entry.source.kind,
        by=entry.source.by,
        millionths=to_millionths(entry.confidence),
        seq=entry.seq,
        tick=entry.at.tick,
        severity=heard.severity if heard is not None else 1,
        place=entry.place,
        is_hearsay=heard is not None,
    )


def build_chain(
    entry_id: EntryId, versions: Iterable[Version], tellings: Iterable[Telling], *, store: str
) -> ProvenanceChain:
    """Order what a store found behind an entry: by tellings away from it, then by when, then by id.

    Every store calls this with the rows it found, so that only the finding differs. There is no hop limit; a version
    reached by several ways stands once for each teller it was told by, at its shortest distance.
    """
    found = {v.entry_id: v for v in versions}
    behind: dict[EntryId, list[Telling]] = defaultdict(list)
    for telling in sorted(tellings, key=lambda t: (t.seq, t.telling_id)):
        if telling.to_entry is not None and telling.outcome in PASSED_ON:
            behind[telling.to_entry].append(telling)
    depth = _depths(entry_id, behind)
    reached = sorted((d, found[i].seq, i) for i, d in depth.items() if i in found)
    links = [link for d, _, i in reached for link in _links_of(found[i], d, behind.get(i, ()))]
    asked = found.get(entry_id)
    saw_it = asked is not None and not asked.is_hearsay and not behind.get(entry_id)
    return ProvenanceChain(entry_id=entry_id, links=tuple(links), store=store, saw_it=saw_it)


def _depths(entry_id: EntryId, behind: Mapping[EntryId, Sequence[Telling]]) -> dict[EntryId, int]:
    depth = {entry_id: 0}
    frontier = [entry_id]
    while frontier:
        farther = dict.fromkeys(t.from_entry for i in frontier for t in behind.get(i, ()) if t.from_entry not in depth)
        depth |= dict.fromkeys(farther, depth[frontier[0]] + 1)
        frontier = list(farther)
    return depth


def _links_of(version: Version, depth: int, tellings: Sequence[Telling]) -> list[ChainLink]:
    """Return one link for each telling that made or bore out a version; a witness's has none."""
    whole = ChainLink(
        entry_id=version.entry_id,
        statement=version.statement,
        holder=version.holder,
        how=version.how,
        confidence=version.millionths / MILLION,
        depth=depth,
        teller=version.by if version.is_hearsay else None,
        tick=version.tick,
        place=version.place,
        severity=version.severity,
    )
    return [
        msgspec.structs.replace(
            whole, how="told_by", teller=t.teller, tick=t.tick, place=t.place, told_by_entry=t.from_entry
        )
        for t in tellings
    ] or [whole]
