"""Whether a reply names the right teller, and leaves open what is open."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Contradiction, Status
from ledger_service.domain.ids import EntryId
from ledger_service.domain.moments import AskKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.facts import Fact
from ledger_service.scoring.hearing import Hearing, found
from ledger_service.scoring.overlap import akin, cover, shared

_HALF: Final = 0.5
_TWO: Final = 2


def attribution(hearing: Hearing) -> Iterator[Finding]:
    """Find the wrong teller named, or one deeper in the chain than the speaker's own."""
    seen: set[EntryId] = set()
    for claim in hearing.claims:
        if claim.stance is Stance.ASK or claim.says("elsewhere_asked"):
            continue
        for fact in hearing.hearsay:
            named = _wrong_teller(hearing, claim, fact)
            if named and fact.entry_id not in seen:
                seen.add(fact.entry_id)
                why = f"it names {named}, who is not the speaker's own teller"
                yield found(Code.ATTRIBUTION_WRONG, claim, why, fact.entry_id)
    yield from _of_somebody_else(hearing)


def _wrong_teller(hearing: Hearing, claim: Claim, fact: Fact) -> str:
    if claim.attributed_to is None and not hearing.asks("who_says"):
        return ""
    tellers = hearing.tellers(fact)
    asked_who = hearing.asks("who_says") and _is_asked(hearing, fact)
    about = cover(claim.terms, fact.terms) >= _HALF and len(shared(claim.terms, fact.terms)) > 1
    named = {claim.attributed_to} if claim.attributed_to else set()
    people = {c.id for c in hearing.world.cast} - {hearing.viewer, hearing.listener}
    named |= people & set(claim.mentions) if asked_who else set()
    others = {who for f in hearing.hearsay for who in hearing.tellers(f)} if not about else set()
    wrong = sorted(named - tellers - others)
    return wrong[0] if wrong and (about or asked_who) and tellers.isdisjoint(hearing.mentioned) else ""


def _is_asked(hearing: Hearing, fact: Fact) -> bool:
    asks = hearing.packet.intent.asks
    who = hearing.asks("who_says") or any(a.kind in {AskKind.WHO, AskKind.WHERE} for a in asks) or not asks
    return who and (bool(shared(hearing.line_terms, fact.terms)) or len(hearing.hearsay) == 1)


def _of_somebody_else(hearing: Hearing) -> Iterator[Finding]:
    """Find what the ledger says of one person said of another."""
    for fact in hearing.of_others:
        own = frozenset(t for t in fact.terms if not shared(hearing.spoken_of - {"eat"}, {t}))
        said = [c for c in hearing.claims if c.stance is not Stance.ASK]
        hits = {t for c in said for t in shared(c.terms, own)}
        claim = max(said, key=lambda c: len(shared(c.terms, own)), default=None)
        if claim is not None and len(hits) > 1:
            why = "the ledger says it of somebody else"
            yield found(Code.ATTRIBUTION_WRONG, claim, why, fact.entry_id)


def sides(hearing: Hearing) -> Iterator[Finding]:
    """Find one version of an open contradiction told as settled."""
    for fact in hearing.selected:
        entry = fact.entry
        if not isinstance(entry, Contradiction) or hearing.status_of(entry) != Status.UNRESOLVED:
            continue
        members = [f for f in hearing.selected if f.entry_id in entry.members]
        if any(c.says("leaves_open") for c in hearing.claims) or _tells_both(hearing):
            continue
        claim = _taken(hearing, fact, members)
        if claim is not None:
            yield found(Code.SIDE_TAKEN, claim, "it settles what the record leaves open", entry.entry_id)


def _tells_both(hearing: Hearing) -> bool:
    """Say whether two words are told beside each other, and neither is believed."""
    told = [c for c in hearing.claims if c.stance is Stance.ATTRIBUTE]
    return len(told) >= _TWO and not any(c.says("settles") or c.says("closes") for c in hearing.claims)


def _taken(hearing: Hearing, fact: Fact, members: list[Fact]) -> Claim | None:
    every = frozenset().union(fact.terms, *(m.terms for m in members))
    asked = bool(shared(hearing.line_terms, every)) and ("?" in hearing.packet.line or _insists(hearing))
    touched = len(akin(hearing.line_terms, every)) >= _TWO
    for claim in hearing.claims:
        if _rules_on(hearing, claim, members) and (asked or touched):
            return claim
        if claim.says("closes") and (asked or shared(claim.terms, every)):
            return claim
        if claim.stance in {Stance.ASK, Stance.QUOTE, Stance.HEDGE, Stance.ATTRIBUTE}:
            continue
        near = any(cover(claim.terms, m.terms) >= _HALF and len(shared(claim.terms, m.terms)) > 1 for m in members)
        near = near or ((asked or touched) and _names_one(hearing, claim, members))
        if near or (claim.says("settles") and (asked or shared(claim.terms, every))):
            return claim
    return None


def _rules_on(hearing: Hearing, claim: Claim, members: list[Fact]) -> bool:
    """Say whether a clause says of one whose word is in dispute that they are right, wrong or lying."""
    if claim.stance in {Stance.ASK, Stance.QUOTE, Stance.HEDGE} or not claim.says("rules_on"):
        return False
    tellers = {who for m in members for who in (hearing.tellers(m) or {m.entry.source.by})}
    said = {stem(w) for w in words(claim.text)}
    return any({stem(w) for w in words(str(who).replace("_", " "))} & said for who in tellers if who)


def _names_one(hearing: Hearing, claim: Claim, members: list[Fact]) -> bool:
    """Say whether a clause says what only one of two versions does, and nobody else's word is in the reply for it."""
    if len(members) != _TWO or claim.stance is Stance.UNKNOWN:
        return False
    one, other = (shared(claim.terms, m.terms) for m in members)
    only, rest = one - other, other - one
    beside = {t for c in hearing.claims if c.stance in {Stance.ATTRIBUTE, Stance.HEDGE} for t in c.terms}
    said = (only or rest) - hearing.line_terms - beside
    return bool(said) and not (only and rest)


def _insists(hearing: Hearing) -> bool:
    return re.search(r"\b(?:i swear|believe me|honest|please)\b", hearing.packet.line, re.IGNORECASE) is not None
