"""Step 5: order by what the line is about, and keep to the budget."""

from msgspec import Struct

from ledger_service.domain.candidates import recall_terms
from ledger_service.domain.entries import Contradiction, LedgerEntry, RelationshipDelta, Status
from ledger_service.domain.ids import EntryId
from ledger_service.domain.packets import Reason, ScoreParts
from ledger_service.domain.terms import count_tokens
from ledger_service.reconcile.sift import Sift
from ledger_service.reconcile.view import View

MUST = 250
ENTITY = 200
WORDS = 400
MEANING = 300
RECENCY = 60
SALIENCE = 40
PROTECTED = 20
ON_TOPIC_MEANING = 90
HALF_LIFE_TICKS = 24


class Ranked(Struct, frozen=True, kw_only=True):
    """An entry with its score, in thousandths."""

    entry: LedgerEntry
    parts: ScoreParts
    tokens: int

    @property
    def on_topic(self) -> bool:
        """The line, or the moment, has something to do with it."""
        p = self.parts
        return bool(p.must or p.entities or p.words) or p.meaning >= ON_TOPIC_MEANING


def score(entry: LedgerEntry, view: View) -> ScoreParts:
    """Score one entry: slots and entities, then words, then meaning, then recency and salience."""
    intent = view.moment.intent
    found = recall_terms(entry)
    entities = sum(1 for name in intent.mentions if f"@{name}" in found)
    line = set(intent.terms)
    words = WORDS * len(line & found) // len(line) if line else 0
    age = max(0, view.moment.at.tick - entry.at.tick)
    similarity = view.candidates.similarity.get(entry.entry_id, 0)
    return ScoreParts(
        must=MUST if view.is_must_have(entry) and _matters_now(entry, view) else 0,
        entities=min(2, entities) * ENTITY,
        words=words,
        meaning=max(0, similarity) * MEANING // 1000,
        recency=RECENCY * HALF_LIFE_TICKS // (HALF_LIFE_TICKS + age),
        salience=int(SALIENCE * entry.confidence) + (PROTECTED if entry.protected else 0),
    )


def weigh(entry: LedgerEntry, view: View) -> Ranked:
    """Return an entry with its score, and with the room that it takes."""
    return Ranked(entry=entry, parts=score(entry, view), tokens=count_tokens(entry.statement))


def _matters_now(entry: LedgerEntry, view: View) -> bool:
    """Closed commitments and standing towards people who are not here wait their turn."""
    if isinstance(entry, RelationshipDelta):
        return entry.to in view.moment.audience
    return view.status_of(entry) in {Status.OPEN, Status.UNRESOLVED, Status.FELT}


def rank(sift: Sift, view: View) -> tuple[Sift, tuple[Ranked, ...]]:
    """Order what is kept, ties by entry id, and withhold what the budget has no room for."""
    scored = [weigh(e, view) for e in sift.kept]
    scored.sort(key=lambda r: (-r.parts.total, r.entry.entry_id))
    chosen = _within_budget(scored, view)
    if len(chosen) == len(scored):
        return sift, tuple(scored)
    by_id = {r.entry.entry_id: r for r in scored}

    def left_out(entry: LedgerEntry) -> tuple[Reason, str] | None:
        if entry.entry_id in chosen:
            return None
        reason = Reason.OVER_BUDGET if by_id[entry.entry_id].on_topic else Reason.OFF_TOPIC
        return reason, f"ranked behind {len(chosen)} others"

    return sift.withhold_by(left_out), tuple(r for r in scored if r.entry.entry_id in chosen)


def _within_budget(scored: list[Ranked], view: View) -> set[EntryId]:
    """Choose from the top; what a chosen entry rests on comes along, or the entry stays out."""
    by_id = {r.entry.entry_id: r for r in scored}
    chosen: set[EntryId] = set()
    tokens = 0
    for ranked in scored:
        if ranked.entry.entry_id in chosen:
            continue
        along = [by_id[i] for i in _rests_on(ranked.entry) if i in by_id and i not in chosen]
        cost = ranked.tokens + sum(r.tokens for r in along)
        if len(chosen) + 1 + len(along) > view.world.max_items or tokens + cost > view.world.max_tokens:
            continue
        chosen |= {ranked.entry.entry_id, *(r.entry.entry_id for r in along)}
        tokens += cost
    return chosen


def _rests_on(entry: LedgerEntry) -> tuple[EntryId, ...]:
    members = entry.members if isinstance(entry, Contradiction) else ()
    evidence = entry.evidence if isinstance(entry, RelationshipDelta) else ()
    return tuple(dict.fromkeys((*entry.derived_from, *members, *evidence)))
