"""Tellings: every retelling, also the ignored and the corroborating ones, and the chain they make."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct

from ledger_service.domain.amendments import Belief
from ledger_service.domain.confidence import MILLION, to_millionths
from ledger_service.domain.entries import Hearsay, LedgerEntry, Observation, SourceKind
from ledger_service.domain.ids import CharacterId, EntryId, PlaceId, digest


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
    severity: int = 1
    """The rung of the wording that was told."""
    statement: str = ""
    """The wording that was told."""
    roots: tuple[CharacterId, ...] = ()
    """The witnesses whom the teller's version went back to."""


class RefusalReason(StrEnum):
    """Why a story was not passed on between two who met."""

    NOT_TRUSTED = "not_trusted"
    ECHO = "echo"
    """The listener is among those whom the story came through, or saw it themselves."""
    SCEPTIC = "sceptic"
    """Heard and kept in mind; it takes more tellers."""
    ALREADY_HEARD = "already_heard"
    """From this very teller."""
    PRIVATE = "private"
    """The teller may not say it, or not to this listener."""
    WITHDRAWN = "withdrawn"
    """The listener held it, and knows since that it does not stand."""
    LATER = "later"
    """Others were more salient; there are only so many stories a meeting."""


class Refusal(Struct, frozen=True, kw_only=True):
    """One story that was not passed on, or not believed, and why."""

    teller: CharacterId
    listener: CharacterId
    entry_id: EntryId
    """The teller's version."""
    origin: EntryId
    reason: RefusalReason


class Holding(Struct, frozen=True, kw_only=True):
    """That somebody holds a version of a story."""

    who: CharacterId
    entry_id: EntryId
    origin: EntryId
    corrects: EntryId | None = None


class HeldBelief(Struct, frozen=True, kw_only=True):
    """A story as somebody holds it, how surely before any of it fades, and when it was last borne out."""

    entry_id: EntryId
    origin: EntryId
    statement: str
    severity: int
    confidence: float
    reinforced_at: int


class Heard(Struct, frozen=True, kw_only=True):
    """One telling, decided: what the listener makes of it."""

    teller: CharacterId
    listener: CharacterId
    told: EntryId
    """The teller's version."""
    origin: EntryId
    tick: int
    place: PlaceId | None
    offered: float
    outcome: TellingOutcome
    statement: str
    severity: int = 1
    hops: int = 1
    roots: tuple[CharacterId, ...] = ()
    held: EntryId | None = None
    """The listener's version, where they hold one already."""
    belief: Belief | None = None
    """How sure the listener is afterwards of `held`, or of the version that is new with them."""
    pending: tuple[Telling, ...] = ()
    """Tellings ignored before, which count from now."""
    ladder: str | None = None
    corrects: EntryId | None = None
    unaware: tuple[CharacterId, ...] = ()
    lowered: tuple[tuple[EntryId, Belief], ...] = ()
    """What the listener held of the story that this one puts right, and how sure they are of it now."""


def first_heard(heard: Heard) -> Heard | Telling:
    """Return the telling whose wording the listener keeps: one put aside in an earlier hour, else this one."""
    return next((t for t in heard.pending if t.tick < heard.tick), heard)


def telling_of(heard: Heard, *, seq: int) -> Telling:
    """Return the row that a telling leaves."""
    return Telling(
        telling_id=_telling_id(seq, heard.teller, heard.listener, heard.told),
        from_entry=heard.told,
        to_entry=heard.held,
        teller=heard.teller,
        listener=heard.listener,
        origin=heard.origin,
        seq=seq,
        tick=heard.tick,
        place=heard.place,
        offered_millionths=to_millionths(heard.offered),
        outcome=heard.outcome,
        severity=heard.severity,
        statement=heard.statement,
        roots=heard.roots,
    )


def recounted(earlier: Telling, heard: Heard, *, seq: int) -> Telling:
    """Return the row by which a telling that had been put aside counts from now, for what the listener holds since."""
    return msgspec.structs.replace(
        earlier,
        telling_id=_telling_id(seq, earlier.teller, earlier.listener, earlier.from_entry),
        to_entry=heard.held,
        seq=seq,
        outcome=TellingOutcome.CORROBORATED,
    )


def _telling_id(seq: int, teller: CharacterId, listener: CharacterId, told: EntryId) -> str:
    return "t" + digest(seq, teller, listener, told)[:20]


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
    seq: int = 0
    """The event of the telling, or of the version where nobody told it."""
    said: str = ""
    """The wording that was told, where it was kept."""
    said_severity: int = 1
    outcome: TellingOutcome | None = None
    offered: float | None = None
    """What this telling alone is worth to the holder; None where nobody told it."""
    teller_held: float | None = None
    """How sure the teller was then."""
    after: float | None = None
    """How sure the holder was after this telling."""
    change: float | None = None
    """`after`, less how sure the first teller was."""
    named: str = ""
    """That change in words."""
    independent: float | None = None
    """The holder's confidence by independent witnesses, for a reviewer to compare."""
    left: float | None = None
    """What time has left of the confidence by now."""
    witnesses: tuple[CharacterId, ...] = ()
    """Of what nobody told: those who knew it themselves and passed it on."""


class ProvenanceChain(Struct, frozen=True, kw_only=True):
    """Everything a belief goes back to, nearest first, and which store answered."""

    entry_id: EntryId
    links: tuple[ChainLink, ...]
    store: str
    """`postgres` or `graph`."""
    saw_it: bool = False


STORIES = 200
"""The newest stories of one person that an hour looks at."""


def is_story(entry: LedgerEntry) -> bool:
    """Say whether an entry is something that people pass on: what was seen or heard, not how somebody speaks.

    What was said aloud is in the record of who said it, and travels as what it is about.
    """
    first_hand = isinstance(entry, Observation) and entry.said_by is None and entry.style_of is None
    made_up = entry.source.kind in {SourceKind.GENERATED_LINE, SourceKind.DERIVED}
    return (first_hand or isinstance(entry, Hearsay)) and not made_up and not entry.quarantined


def holdings_of(people: Iterable[CharacterId], entries: Iterable[LedgerEntry]) -> tuple[Holding, ...]:
    """Return the stories that some people hold, by the rule that every store follows."""
    wanted = set(people)
    held: dict[CharacterId, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        for who in {k.who for k in entry.knowers} & wanted if is_story(entry) else ():
            held[who].append(entry)
    return tuple(
        Holding(who=who, entry_id=e.entry_id, origin=e.root, corrects=e.corrects)
        for who in sorted(held)
        for e in sorted(held[who], key=lambda e: (-e.seq, e.entry_id))[:STORIES]
    )


def told_in(tellings: Iterable[Telling]) -> frozenset[tuple[CharacterId, CharacterId, EntryId]]:
    """Return (listener, teller, origin) of the tellings that were heard, believed or not."""
    return frozenset((t.listener, t.teller, t.origin) for t in tellings if t.outcome in HEARD)


PASSED_ON = frozenset({TellingOutcome.BELIEVED, TellingOutcome.CORROBORATED, TellingOutcome.CORRECTED})
"""Outcomes that a belief goes back through; other tellings are kept, and left nothing."""

NEW = frozenset({TellingOutcome.BELIEVED, TellingOutcome.CORRECTED})
"""Outcomes that leave the listener a version of their own."""

HEARD = PASSED_ON | {TellingOutcome.IGNORED}
"""Outcomes after which the same teller has nothing new to say."""


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
    for telling in sorted(tellings, key=_order):
        if telling.to_entry is not None and telling.outcome in PASSED_ON:
            behind[telling.to_entry].append(telling)
    depth = _depths(entry_id, behind)
    reached = sorted((d, found[i].seq, i) for i, d in depth.items() if i in found)
    links = [link for d, _, i in reached for link in _links_of(found[i], d, behind.get(i, ()))]
    asked = found.get(entry_id)
    saw_it = asked is not None and not asked.is_hearsay and not behind.get(entry_id)
    return ProvenanceChain(entry_id=entry_id, links=tuple(links), store=store, saw_it=saw_it)


def _order(telling: Telling) -> tuple[int, int, bool, str]:
    """Order tellings by event and hour; within one hour the telling that was believed gave the wording."""
    return (telling.seq, telling.tick, telling.outcome is TellingOutcome.CORROBORATED, telling.telling_id)


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
        seq=version.seq,
    )
    return [
        msgspec.structs.replace(
            whole,
            how="told_by",
            teller=t.teller,
            tick=t.tick,
            place=t.place,
            told_by_entry=t.from_entry,
            seq=t.seq,
            said=t.statement,
            said_severity=t.severity,
            outcome=t.outcome,
            offered=t.offered_millionths / MILLION,
        )
        for t in tellings
    ] or [whole]
