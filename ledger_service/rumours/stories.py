"""Who holds which version of a story, what it rests on, and what was put aside: what a telling is decided against."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from ledger_service.domain.entries import Hearsay, LedgerEntry, Status
from ledger_service.domain.ids import GROUP_PREFIX, RESERVED_SCOPES, CharacterId, EntryId
from ledger_service.domain.ledger import LIVE, Ledger, left_of
from ledger_service.domain.rumours import PASSED_ON, Telling, TellingOutcome
from ledger_service.domain.visibility import DisclosureMode
from ledger_service.domain.worlds import Forgetting
from ledger_service.rumours.belief import Offer

Key = tuple[CharacterId, EntryId]
WITHDRAWN: Final = frozenset({Status.RETRACTED, Status.SUPERSEDED, Status.SUSPENDED})
"""Statuses of what its holder knows not to stand; what is merely over may be told them anew."""


class Version(Struct, frozen=True, kw_only=True):
    """A story as one character holds it."""

    entry_id: EntryId
    who: CharacterId
    origin: EntryId
    statement: str
    seq: int
    confidence: float
    """Before any of it fades."""
    reinforced_at: int
    roots: tuple[CharacterId, ...]
    severity: int = 1
    hops: int = 0
    ladder: str | None = None
    corrects: EntryId | None = None
    offers: tuple[Offer, ...] = ()
    """What tellers have offered; empty where the holder has it first hand."""
    is_open: bool = True
    """It may be said to anybody."""
    may_hear: frozenset[str] = frozenset()
    """To whom else a guarded one may be said."""
    unaware: tuple[CharacterId, ...] = ()
    since: int = 0
    """The tick at which the holder learned it; they pass it on in a later hour."""
    is_live: bool = True
    is_withdrawn: bool = False
    """The holder knows that it does not stand; told again by whomever, it is not believed anew."""
    fades: bool = True

    @property
    def key(self) -> Key:
        """Return whose version of which story it is."""
        return (self.who, self.origin)

    def may_be_told(self, listener: CharacterId) -> bool:
        """Say whether the holder may pass it on to somebody."""
        return listener not in self.unaware and (self.is_open or listener in self.may_hear)

    def left_at(self, tick: int, forgetting: Forgetting) -> float:
        """Return how sure the holder still is."""
        if not self.fades:
            return self.confidence
        return left_of(self.confidence, forgetting, reinforced_at=self.reinforced_at, now=tick)


class Stories:
    """What people hold, the tellings between them, and those put aside; only what is decided changes it."""

    def __init__(self, versions: Iterable[Version], tellings: Iterable[Telling]) -> None:
        self.versions: dict[Key, Version] = {}
        self.corrections: dict[Key, dict[EntryId, Version]] = defaultdict(dict)
        """By holder and by the story that is put right: the corrections held, by their origin."""
        self.pending: dict[Key, list[Telling]] = defaultdict(list)
        self._behind: dict[EntryId, set[EntryId]] = defaultdict(set)
        for version in versions:
            self.hold(version)
        for telling in tellings:
            self.note(telling)

    def hold(self, version: Version) -> None:
        """Let somebody hold a version; of several they have, the one at first hand counts, else the oldest."""
        known = self.versions.get(version.key)
        if known is None or known.entry_id == version.entry_id or _rank(version) < _rank(known):
            self.versions[version.key] = version
        if version.corrects is not None and version.is_live:
            self.corrections[version.who, version.corrects][version.origin] = version

    def note(self, telling: Telling) -> None:
        """Remember that one version goes back to another, or that a telling was put aside."""
        if telling.outcome is TellingOutcome.IGNORED:
            self.pending[telling.listener, telling.origin].append(telling)
        elif telling.to_entry is not None and telling.outcome in PASSED_ON:
            self._behind[telling.to_entry].add(telling.from_entry)

    def goes_back_to(self, version: EntryId, other: EntryId) -> bool:
        """Say whether a version is, or goes back through any number of tellings to, another."""
        seen = {version}
        frontier = {version}
        while frontier and other not in seen:
            frontier = {b for v in frontier for b in self._behind.get(v, ())} - seen
            seen |= frontier
        return other in seen

    def doubts(self, who: CharacterId, origin: EntryId) -> list[float]:
        """Return how sure somebody is of each thing they have heard that puts a story right."""
        return [c.confidence for c in self.corrections.get((who, origin), {}).values()]


def _rank(version: Version) -> tuple[bool, int, int, EntryId]:
    return (not version.is_live, len(version.offers), version.seq, version.entry_id)


def versions_of(entries: Mapping[EntryId, LedgerEntry], ledger: Ledger, tellings: Iterable[Telling],
                forgetting: Forgetting) -> list[Version]:  # fmt: skip
    """Return the versions that people hold of these entries, as they were written; scopes are nobody's own copy."""
    heard: dict[EntryId, list[Telling]] = defaultdict(list)
    for telling in tellings:
        if telling.to_entry is not None and telling.outcome in PASSED_ON:
            heard[telling.to_entry].append(telling)
    return [
        _version(entry, knower.who, knower.confidence, heard.get(entry.entry_id, ()), ledger, forgetting)
        for entry in entries.values()
        for knower in entry.knowers
        if not (knower.who in RESERVED_SCOPES or knower.who.startswith(GROUP_PREFIX))
    ]


def _version(
    entry: LedgerEntry, who: CharacterId, own: float | None, heard: Sequence[Telling], ledger: Ledger,
    forgetting: Forgetting,
) -> Version:  # fmt: skip
    belief = ledger.belief_of(entry.entry_id)
    held = belief.confidence if belief is not None else entry.confidence if own is None else own
    offers = _offers(entry, heard)
    roots = tuple(sorted({root for o in offers for root in o.roots})) or (who,)
    status = ledger.status_of(entry, viewer=who)
    return Version(
        entry_id=entry.entry_id,
        who=who,
        origin=entry.root,
        statement=entry.statement,
        seq=entry.seq,
        confidence=held,
        reinforced_at=belief.reinforced_at if belief is not None else entry.at.tick,
        roots=roots,
        severity=entry.severity if isinstance(entry, Hearsay) else 1,
        hops=entry.hops if isinstance(entry, Hearsay) else 0,
        ladder=entry.ladder,
        corrects=entry.corrects,
        offers=offers,
        is_open=entry.disclosure.mode is DisclosureMode.OPEN,
        may_hear=_may_hear(entry),
        unaware=entry.unaware,
        since=min((t.tick for t in heard), default=entry.at.tick),
        is_live=status in LIVE and status is not Status.QUARANTINED,
        is_withdrawn=status in WITHDRAWN,
        fades=str(entry.__struct_config__.tag) in forgetting.kinds and not entry.protected,
    )


def _may_hear(entry: LedgerEntry) -> frozenset[str]:
    """Return to whom a guarded entry may be said whatever happens; what hangs on a condition is kept."""
    guarded = entry.disclosure.mode is DisclosureMode.GUARDED and not entry.disclosure.when
    return frozenset(entry.disclosure.to) if guarded else frozenset()


def _offers(entry: LedgerEntry, heard: Iterable[Telling]) -> tuple[Offer, ...]:
    """Return what was offered; a hearsay without a recorded telling came from its teller as it stands."""
    offers = tuple(
        Offer(teller=t.teller, confidence=t.offered_millionths / 1_000_000, roots=t.roots or (t.teller,), tick=t.tick)
        for t in heard
    )
    if offers or not isinstance(entry, Hearsay):
        return offers
    teller = entry.teller or entry.source.by or ""
    return (Offer(teller=teller, confidence=entry.confidence, roots=entry.roots or (teller,), tick=entry.at.tick),)


def with_belief(version: Version, offers: tuple[Offer, ...], confidence: float, reinforced_at: int) -> Version:
    """Return a version after one more telling."""
    roots = tuple(sorted({root for o in offers for root in o.roots}))
    return msgspec.structs.replace(
        version, offers=offers, confidence=confidence, reinforced_at=reinforced_at, roots=roots
    )  # fmt: skip
