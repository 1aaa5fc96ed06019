"""The ledger in memory: the candidate rule and every other question, by going through the whole ledger."""

from collections.abc import Iterable, Sequence

from ledger_service.domain.amendments import Amendment
from ledger_service.domain.candidates import (
    CLOSING,
    MUST_HAVE,
    NEWEST,
    PER_TERM,
    STORY,
    Reach,
    closes,
    must_have_keys,
    must_have_places,
    recall_terms,
    window_of,
)
from ledger_service.domain.cursors import place_after, read_place
from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    EmotionalResidue,
    LedgerEntry,
    Observation,
    RelationshipDelta,
    SourceKind,
    kind_of,
)
from ledger_service.domain.expiry import AfterScenes, AfterTurns, AtTick, OnEvent, leaves
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.moments import Moment
from ledger_service.domain.playthroughs import StoryState
from ledger_service.domain.slots import Slot
from ledger_service.ports import (
    EntryFilter,
    Page,
)
from ledger_service.stores.memory_desk import LAST_SEQ, Desk

Found = tuple[tuple[LedgerEntry, ...], tuple[Amendment, ...]]


class MemoryLedger:
    """Entries, and what became of them; the whole ledger is gone through for every question."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def append(self, entries: Sequence[LedgerEntry]) -> None:
        new = {e.entry_id: e for e in entries}
        self._desk.write(lambda book: book.entries.update(new))

    async def amend(self, amendments: Sequence[Amendment]) -> None:
        new = {(a.entry_id, a.cause_seq, str(a.status)): a for a in amendments}
        self._desk.write(
            lambda book: book.amendments.update({k: a for k, a in new.items() if k not in book.amendments})
        )

    def _entries(self, at_seq: int = LAST_SEQ) -> list[LedgerEntry]:
        found = self._desk.gather(lambda book: book.entries.values(), lambda e: e.seq)
        return sorted((e for e in found if e.seq <= at_seq), key=lambda e: (e.seq, e.entry_id))

    def _amendments(self, at_seq: int = LAST_SEQ) -> list[Amendment]:
        found = self._desk.gather(lambda book: book.amendments.values(), lambda a: a.cause_seq)
        return sorted((a for a in found if a.cause_seq <= at_seq), key=lambda a: (a.cause_seq, a.entry_id, a.status))

    def _with_amendments(self, entries: Iterable[LedgerEntry], at_seq: int = LAST_SEQ) -> Found:
        kept = {e.entry_id: e for e in entries}
        return tuple(kept.values()), tuple(a for a in self._amendments(at_seq) if a.entry_id in kept)

    async def load_candidates(self, moment: Moment, *, terms: Sequence[str], reach: Reach) -> Found:
        everything = self._entries(moment.seq)
        newest_first = sorted(everything, key=lambda e: (-e.seq, e.entry_id))
        known = [e for e in newest_first if _reaches(e, reach)]
        closed = {a.entry_id for a in self._amendments(moment.seq) if closes(a, reach.now)}
        wanted = set(must_have_keys(moment))
        picked = {e.entry_id: e for e in known[:NEWEST]}
        for term in dict.fromkeys(terms):
            picked |= {e.entry_id: e for e in [e for e in known if term in recall_terms(e)][:PER_TERM]}
        for window in {window_of(key) for key in wanted}:
            places = {key for key in wanted if window_of(key) == window}
            matter = [e for e in known if e.entry_id not in closed and not places.isdisjoint(must_have_places(e))]
            picked |= {e.entry_id: e for e in matter[:MUST_HAVE]}
        beneath = _rests_on(*self._with_amendments(picked.values(), moment.seq))
        chosen = [e for e in everything if e.entry_id in picked or e.entry_id in beneath]
        return self._with_amendments(chosen, moment.seq)

    async def load_all(self, *, at_seq: int | None = None) -> Found:
        at = LAST_SEQ if at_seq is None else at_seq
        return self._with_amendments(self._entries(at), at)

    async def get(self, entry_ids: Sequence[EntryId]) -> Found:
        wanted = set(entry_ids)
        return self._with_amendments(e for e in self._entries() if e.entry_id in wanted)

    async def page(self, where: EntryFilter, *, limit: int = 50, after: str | None = None) -> Page:
        before = (LAST_SEQ, "") if after is None else read_place(after)
        at = LAST_SEQ if where.at_seq is None else where.at_seq
        found = [e for e in reversed(self._entries(at)) if (e.seq, e.entry_id) < before and _shows(where, e)]
        entries, amendments = self._with_amendments(found[:limit], at)
        last = entries[-1] if len(found) > limit else None
        next_after = place_after(last.seq, last.entry_id) if last else None
        return Page(entries=entries, amendments=amendments, next_after=next_after)

    async def find_by_slot(self, slots: Sequence[Slot], *, limit: int = 100) -> list[LedgerEntry]:
        pairs = {(name, slot.predicate) for slot in slots for name in (slot.subject, slot.object)}
        found = [e for e in self._newest_first() if e.slot is not None and _answers(e.slot, pairs)]
        return found[:limit]

    async def find_ending(
        self, *, before: StoryState, now: StoryState, event_names: Sequence[str]
    ) -> list[LedgerEntry]:  # fmt: skip
        return [e for e in self._entries() if _may_end(e, before, now, event_names)]

    async def find_open_commitments(self, *, limit: int = 500) -> list[Commitment]:
        closed = {a.entry_id for a in self._amendments() if a.status in CLOSING}
        found = [e for e in self._newest_first() if isinstance(e, Commitment) and e.entry_id not in closed]
        return [e for e in found if e.fulfilled_when or e.broken_when][:limit]

    async def find_commitments(self, name: str) -> list[Commitment]:
        found = (e for e in self._newest_first() if isinstance(e, Commitment))
        return [e for e in found if name in {e.name, e.entry_id}]

    async def find_by_origin(self, origin: EntryId, *, knower: CharacterId) -> list[LedgerEntry]:
        held = (e for e in self._entries() if any(k.who == knower for k in e.knowers))
        return [e for e in held if e.root == origin][:100]

    async def find_stories(self, reach: Reach, about: Sequence[str], *, at_seq: int) -> Found:
        closed = {a.entry_id for a in self._amendments(at_seq) if closes(a, reach.now)}
        known = [e for e in self._newest_first() if e.seq <= at_seq and _reaches(e, reach) and e.entry_id not in closed]
        stories = [[e for e in known if (STORY, who) in must_have_places(e)][:MUST_HAVE] for who in about]
        return self._with_amendments((e for of in stories for e in of), at_seq)

    async def find_notices(self) -> list[Observation]:
        gone = {a.entry_id for a in self._amendments() if a.status in CLOSING}
        found = (e for e in self._entries() if isinstance(e, Observation) and e.notice is not None)
        return [e for e in found if e.entry_id not in gone]

    async def find_readers(self, notices: Sequence[EntryId]) -> frozenset[tuple[EntryId, CharacterId]]:
        read = (e for e in self._entries() if e.source.kind is SourceKind.DOCUMENT and e.origin in set(notices))
        return frozenset((e.root, k.who) for e in read for k in e.knowers)

    async def load_conditional(self, kinds: Sequence[str]) -> Found:
        return self._with_amendments([e for e in self._newest_first() if kind_of(e) in kinds][:5_000])

    async def find_residue(self, holder: CharacterId, emotion: str) -> list[LedgerEntry]:
        ended = {a.entry_id for a in self._amendments() if a.status in CLOSING}
        found = (e for e in self._newest_first() if isinstance(e, EmotionalResidue) and e.entry_id not in ended)
        return [e for e in found if e.holder == holder and emotion in {"", e.emotion}]

    def _newest_first(self) -> list[LedgerEntry]:
        return sorted(self._entries(), key=lambda e: (-e.seq, e.entry_id))


def _reaches(entry: LedgerEntry, reach: Reach) -> bool:
    who = {k.who for k in entry.knowers}
    return any(scope in who and entry.seq < bound for scope, bound in reach.scopes)


def _rests_on(entries: Iterable[LedgerEntry], amendments: Iterable[Amendment]) -> set[EntryId]:
    """Return what entries rest on and what superseded them, one level deep."""
    found = {by for amendment in amendments for by in amendment.by}
    for entry in entries:
        found |= {*entry.derived_from, *entry.supersedes}
        found |= set(entry.members) if isinstance(entry, Contradiction) else set()
        found |= set(entry.evidence) if isinstance(entry, RelationshipDelta) else set()
    return found


def _shows(where: EntryFilter, entry: LedgerEntry) -> bool:
    return (
        where.kind in {None, kind_of(entry)}
        and where.source in {None, str(entry.source.kind)}
        and (where.knower is None or any(k.who == where.knower for k in entry.knowers))
        and (where.term is None or where.term in recall_terms(entry))
    )


def _answers(slot: Slot, pairs: set[tuple[str, str]]) -> bool:
    return (slot.subject, slot.predicate) in pairs or (slot.object, slot.predicate) in pairs


def _may_end(entry: LedgerEntry, before: StoryState, now: StoryState, event_names: Sequence[str]) -> bool:
    for leaf in leaves(entry.expires):
        match leaf:
            case AtTick(tick=tick):
                ends = before.at.tick < tick <= now.at.tick
            case AfterScenes(scenes=n):
                ends = before.at.scene < entry.at.scene + n <= now.at.scene
            case AfterTurns(turns=n):
                ends = before.at.turn < entry.at.turn + n <= now.at.turn
            case OnEvent(name=name):
                ends = name in event_names
            case _:
                ends = False
        if ends:
            return True
    return False
