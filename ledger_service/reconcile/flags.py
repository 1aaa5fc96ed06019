"""Flags: what the record says of the line itself, each with its topic."""

from collections.abc import Iterable, Iterator

from ledger_service.domain.entries import (
    Commitment,
    Contradiction,
    LedgerEntry,
    Observation,
    SourceKind,
    Status,
)
from ledger_service.domain.ids import CharacterId, EntryId
from ledger_service.domain.ledger import find_all
from ledger_service.domain.moments import AskKind, ClaimKind, LineClaim
from ledger_service.domain.packets import Flag, FlagKind, Reason
from ledger_service.domain.slots import Relation, relate
from ledger_service.domain.terms import content_words, stem, words
from ledger_service.reconcile.answers import (
    covers,
    denied_terms,
    head_terms,
    is_answered,
    is_negative,
    resolve,
    terms_of,
)
from ledger_service.reconcile.disclose import may_be_said
from ledger_service.reconcile.sift import Sift
from ledger_service.reconcile.view import View
from ledger_service.reconcile.wordings import GRAVE, counts_alike

_UNSURE = 0.7
_UNDONE = frozenset({Status.OPEN, Status.BROKEN})
"""What was promised and is not so."""
_SECOND_HAND = frozenset({SourceKind.TOLD_BY, SourceKind.OVERHEARD, SourceKind.PLAYER_CLAIM, SourceKind.GENERATED_LINE})


def flags_of(sift: Sift, view: View) -> tuple[Flag, ...]:
    """Return all flags, ordered by kind and topic, without repeats."""
    known = _known(sift)
    found = [
        *_no_record(known, view),
        *_premises(known, view),
        *_unsupported(sift.kept),
        *_contradictions(sift.kept, view),
        *_superseded(sift, view),
        *_effects_due(sift.kept, view),
        *_identities(sift, view),
    ]
    unique = {(flag.kind, flag.topic, flag.entry_ids): flag for flag in found}
    return tuple(sorted(unique.values(), key=lambda f: (f.kind, f.topic, f.entry_ids)))


def _known(sift: Sift) -> tuple[LedgerEntry, ...]:
    """What the speaker knows, said aloud or not: a secret is no absence of record."""
    return (*sift.kept, *sift.act_only)


def _no_record(known: tuple[LedgerEntry, ...], view: View) -> Iterator[Flag]:
    intent = view.moment.intent
    names = _names(known, view)
    for ask in intent.asks:
        if not ask.topic and ask.kind is not AskKind.RECORD:
            continue
        whole = resolve(ask, intent.anaphora, known)
        if whole.topic and not is_answered(whole, known, asker_names=view.audience_names, names=names):
            label = f"{ask.subject} {whole.label}" if ask.subject else whole.label
            yield Flag(kind=FlagKind.NO_RECORD, topic=label.strip(), detail=f"nothing {view.viewer} knows answers it")


def _names(known: tuple[LedgerEntry, ...], view: View) -> frozenset[str]:
    """Return the stems of the names of those whom the moment or what the speaker knows has to do with.

    The rest of the cast must not matter: who else there is may show only in what the speaker cannot see.
    """
    people = {view.moment.speaker, *view.moment.audience}
    for entry in known:
        people |= {name for name in (entry.subject, entry.said_by, entry.source.by) if name}
        people |= {*entry.said_to, *entry.about, *(knower.who for knower in entry.knowers)}
    called = {c.id: c.name for c in view.world.cast}
    return frozenset(stem(part) for who in people if who in called for part in words(f"{who} {called[who]}"))


def _premises(known: tuple[LedgerEntry, ...], view: View) -> Iterator[Flag]:
    intent = view.moment.intent
    for claim in (*intent.presupposes, *intent.asserts):
        against = _evidence_against(claim, known, view)
        if against is not None:
            yield Flag(
                kind=FlagKind.FALSE_PREMISE, topic=claim.label, entry_ids=against, detail=f"{claim.kind} is not so"
            )
        if claim.kind in {ClaimKind.DONE, ClaimKind.STATE} and not _is_supported(claim, known, view):
            yield Flag(
                kind=FlagKind.UNSUPPORTED_CLAIM, topic=claim.label, detail="the line says so; the record does not"
            )


def _evidence_against(claim: LineClaim, known: tuple[LedgerEntry, ...], view: View) -> tuple[EntryId, ...] | None:
    """Return the entries that speak against a premise (maybe none: absence is a fact), or None where it may stand."""
    match claim.kind:
        case ClaimKind.ALONE:
            return None if any(_is_private_talk(e, view) for e in known) else _about_meeting(known)
        case ClaimKind.MET:
            return None if any(_is_meeting(e, view) for e in known) else ()
        case ClaimKind.SAID:
            said = any(_covers_most(e, claim) or _said(e, view, claim) for e in known)
            return None if said or not claim.topic else ()
        case ClaimKind.WITNESSED:
            return _unwitnessed(claim, known, view)
        case ClaimKind.PROMISED | ClaimKind.OWED:
            return _not_promised(claim, known, view)
        case ClaimKind.DUE:
            return _not_promised(claim, known, view) or None
        case ClaimKind.DEED | ClaimKind.SHARED:
            return None if _is_remembered(claim, known, view) else _on_topic(claim, known)
        case ClaimKind.DONE | ClaimKind.PLACED:
            open_ones = [c for c in _matching(claim, known) if view.status_of(c) in _UNDONE]
            kept = [c for c in _matching(claim, known) if view.status_of(c) is Status.FULFILLED]
            return tuple(c.entry_id for c in open_ones) if open_ones and not kept else None
        case ClaimKind.STATE:
            return None


def _covers_most(entry: LedgerEntry, claim: LineClaim) -> bool:
    """Say whether an entry is about what was said, and does not merely share a word with it."""
    return covers(entry, claim.topic) * 2 > len(claim.topic) and counts_alike(claim.topic, entry.statement)


def _said(entry: LedgerEntry, view: View, claim: LineClaim) -> bool:
    mine = entry.said_by == view.moment.speaker and counts_alike(claim.topic, entry.statement)
    return mine and covers(entry, claim.topic) > 0


def _is_private_talk(entry: LedgerEntry, view: View) -> bool:
    said = set(words(entry.statement))
    alone = "alone" in said or "privately" in said or ("private" in said and "in" in said)
    talked = entry.said_by == view.moment.speaker and not set(entry.said_to).isdisjoint(view.moment.audience)
    return (alone and not is_negative(entry.statement)) or (talked and entry.source.channel == "private")


def _about_meeting(known: Iterable[LedgerEntry]) -> tuple[EntryId, ...]:
    telling = {"met", "meet", "others", "present", "alone", "together"}
    return tuple(e.entry_id for e in known if len(telling & set(words(e.statement))) > 1)


def _is_meeting(entry: LedgerEntry, view: View) -> bool:
    parties = set(view.moment.audience)
    names = {entry.subject, *entry.about, entry.said_by, *entry.said_to, *words(entry.statement)}
    return not parties.isdisjoint(names) and entry.at.tick < view.moment.at.tick


def _unwitnessed(claim: LineClaim, known: tuple[LedgerEntry, ...], view: View) -> tuple[EntryId, ...] | None:
    """Return what the speaker has of it by hearsay alone: to have seen something else of the same thing is not it."""
    most = max((covers(e, claim.topic) for e in known), default=0)
    about = [e for e in known if most and covers(e, claim.topic) == most]
    if not claim.topic or any(_saw(e, view) for e in about):
        return None
    return tuple(e.entry_id for e in about)


def _saw(entry: LedgerEntry, view: View) -> bool:
    knower = view.knower_of(entry)
    first_hand = entry.source.kind in {SourceKind.WITNESSED, SourceKind.SELF, SourceKind.ENGINE}
    return first_hand and knower is not None and knower.how not in {"told_by", "overheard"}


def _not_promised(claim: LineClaim, known: tuple[LedgerEntry, ...], view: View) -> tuple[EntryId, ...] | None:
    about = _matching(claim, known)
    if any(c.owner == view.moment.speaker and _is_promised(c, view) for c in about):
        return None
    lent = claim.kind is ClaimKind.OWED and any(len(claim.topic) == covers(e, claim.topic) for e in _told(known))
    if lent and claim.topic and not any(c.owner in view.moment.audience for c in about):
        return None
    return tuple(c.entry_id for c in about if c.owner in view.moment.audience)


def _is_promised(commitment: Commitment, view: View) -> bool:
    """Say whether it was given to one of those who listen, or to somebody whom the line names."""
    return commitment.to in view.moment.audience or view.is_mentioned(commitment.to)


def _told(known: Iterable[LedgerEntry]) -> Iterator[LedgerEntry]:
    return (e for e in known if not isinstance(e, Commitment) and not is_negative(e.statement))


def _is_remembered(claim: LineClaim, known: tuple[LedgerEntry, ...], view: View) -> bool:
    """Say whether the record holds most of what a claim says was done, or something near it done by the speaker.

    One's own deeds one would know of: what is not on record is no premise to answer from. Nor is somebody held to have
    sold or burnt a thing because they did something harmless with it.
    """
    near = [(e, len(set(claim.topic) & terms_of(e))) for e in known]
    if claim.kind is ClaimKind.DEED and not GRAVE.isdisjoint(claim.topic):
        near = [(e, hits) for e, hits in near if not GRAVE.isdisjoint(terms_of(e))]
    if not claim.topic or any(hits * 2 > len(claim.topic) for _, hits in near):
        return True
    alone = claim.kind is ClaimKind.DEED and len(claim.topic) == 1
    return any((hits or alone) and _is_deed_of(e, view.moment.speaker) for e, hits in near)


def _is_deed_of(entry: LedgerEntry, who: CharacterId) -> bool:
    said = words(entry.statement)
    first = set(said[: 1 + len(who.split("_"))]) - {"the", "a"}
    return bool(first & set(who.split("_"))) or (isinstance(entry, Commitment) and entry.owner == who)


def _on_topic(claim: LineClaim, known: tuple[LedgerEntry, ...]) -> tuple[EntryId, ...]:
    return tuple(e.entry_id for e in known if covers(e, claim.topic))


def _matching(claim: LineClaim, known: Iterable[LedgerEntry]) -> list[Commitment]:
    """Return the commitments that a claim is about, the closest first; a claim without words is about any."""
    found = find_all(known, Commitment)
    if claim.kind is ClaimKind.DONE and claim.owner is not None:
        found = [c for c in found if c.owner == claim.owner]
    if not claim.topic:
        return found
    best = max((covers(c, claim.topic) for c in found), default=0)
    return [c for c in found if best and covers(c, claim.topic) == best]


def _is_supported(claim: LineClaim, known: tuple[LedgerEntry, ...], view: View) -> bool:
    if not claim.topic:
        return True
    bearing = [e for e in known if covers(e, claim.topic) and is_negative(e.statement) == claim.negative]
    return any(not (isinstance(e, Commitment) and view.status_of(e) in _UNDONE) and e.source.kind not in
               {SourceKind.PLAYER_CLAIM, SourceKind.GENERATED_LINE} for e in bearing)  # fmt: skip


def _unsupported(kept: tuple[LedgerEntry, ...]) -> Iterator[Flag]:
    """A second-hand claim that a record looked for and did not find, or that rests on the player's word alone."""
    records = [e for e in kept if isinstance(e, Observation) and e.source.kind not in _SECOND_HAND]
    disputed = {m for c in find_all(kept, Contradiction) for m in c.members}
    for entry in kept:
        if entry.source.kind not in _SECOND_HAND or entry.confidence >= _UNSURE or isinstance(entry, Commitment):
            continue
        heads = head_terms(entry.statement)
        against = [r for r in records if denied_terms(r.statement) & heads]
        bare_word = entry.source.kind in {SourceKind.PLAYER_CLAIM, SourceKind.GENERATED_LINE}
        borne_out = any(len(heads & head_terms(r.statement)) > len(heads) // 2 for r in records if r not in against)
        if (against or (bare_word and not borne_out)) and entry.entry_id not in disputed:
            yield Flag(
                kind=FlagKind.UNSUPPORTED_CLAIM,
                topic=_topic(entry),
                entry_ids=(entry.entry_id, *(r.entry_id for r in against)),
                detail="somebody says so; no record bears it out",
            )


def _contradictions(kept: tuple[LedgerEntry, ...], view: View) -> Iterator[Flag]:
    """Recorded contradictions, and those that the slots of what is kept show."""
    recorded = [c for c in find_all(kept, Contradiction) if view.status_of(c) is Status.UNRESOLVED]
    settled = [set(c.members) for c in find_all(view.ledger.entries.values(), Contradiction) if c not in recorded]
    for entry in recorded:
        topic = entry.disputed.subject.replace("_", " ") if entry.disputed else _in_dispute(entry, view)
        yield Flag(kind=FlagKind.CONTRADICTION, topic=topic, entry_ids=(*entry.members, entry.entry_id))
    covered = [set(c.members) for c in recorded]
    for a, b in conflicting_pairs(kept, view):
        pair = {a.entry_id, b.entry_id}
        if a.slot is not None and not any(pair <= members for members in (*covered, *settled)):
            topic = a.slot.subject.replace("_", " ")
            yield Flag(kind=FlagKind.CONTRADICTION, topic=topic, entry_ids=tuple(sorted(pair)))


def _in_dispute(entry: Contradiction, view: View) -> str:
    """Return what both sides speak of, then what the contradiction itself says."""
    sides = [content_words(view.ledger.entries[m].statement) for m in entry.members if m in view.ledger.entries]
    shared = [word for word in (sides[0] if sides else ()) if all(word in side for side in sides)]
    return " ".join(dict.fromkeys((*shared, *content_words(entry.statement)[:6])))


def conflicting_pairs(kept: Iterable[LedgerEntry], view: View) -> Iterator[tuple[LedgerEntry, LedgerEntry]]:
    """Yield pairs that cannot both hold, the older first."""
    slotted = sorted((e for e in kept if e.slot is not None), key=lambda e: (e.seq, e.entry_id))
    for i, older in enumerate(slotted):
        for newer in slotted[i + 1 :]:
            if older.slot and newer.slot and _conflict(older, newer, view):
                yield older, newer


def _conflict(older: LedgerEntry, newer: LedgerEntry, view: View) -> bool:
    if older.slot is None or newer.slot is None:
        return False
    return relate(older.slot, newer.slot, view.world.predicates) is Relation.CONFLICTS


def _superseded(sift: Sift, view: View) -> Iterator[Flag]:
    """What is so no longer, and what is so instead: only where both may be said."""
    for held in sift.withheld:
        entry = view.ledger.entries[held.entry_id]
        if held.reason is Reason.SUPERSEDED and all(may_be_said(view, e) for e in (entry, *_instead(entry, view))):
            yield Flag(kind=FlagKind.SUPERSEDED, topic=_topic(entry), entry_ids=(entry.entry_id,), detail=held.detail)


def _instead(entry: LedgerEntry, view: View) -> list[LedgerEntry]:
    last = view.ledger.last_amendment(entry, viewer=view.viewer)
    return [view.ledger.entries[i] for i in (last.by if last is not None else ()) if i in view.ledger.entries]


def _effects_due(kept: Iterable[LedgerEntry], view: View) -> Iterator[Flag]:
    for entry in find_all(kept, Commitment):
        if view.is_due(entry):
            detail = f"{entry.trigger} has happened" if entry.trigger else f"it was due at tick {entry.due}"
            yield Flag(kind=FlagKind.EFFECT_DUE, topic=_topic(entry), entry_ids=(entry.entry_id,), detail=detail)


def _identities(sift: Sift, view: View) -> Iterator[Flag]:
    hidden = tuple(w.entry_id for w in sift.withheld if w.reason is Reason.IDENTITY_NOT_LINKED)
    if hidden:
        yield Flag(
            kind=FlagKind.IDENTITY_UNLINKED,
            topic=" ".join(sorted(view.disguised.values())).replace("_", " "),
            entry_ids=hidden,
        )


def _topic(entry: LedgerEntry) -> str:
    return " ".join(content_words(entry.statement)[:6])
