"""Whether a reply remembers what was not, uses what no longer holds, or says the opposite of the record."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, EmotionalResidue, RelationshipDelta
from ledger_service.domain.moments import ClaimKind
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import words
from ledger_service.scoring.hearing import SAID_PLAINLY, Fact, Hearing, cover, found, plain, shared

_MOST: Final = 0.6
_NEARLY_ALL: Final = 0.75
_RECALLS: Final = re.compile(
    r"\bi (?:also )?(?:said|told you|promised you|asked you|whispered|warned you)\b|\byou (?:laughed"
    r"|asked me|told me|said to me|thanked"
    r" me|held|kissed|promised me)\b|\b(?:remember|recall) (?:when|how|that (?:night|day|time))\b"
    r"|\bwe (?:sat|drank|talked|walked|watched"
    r"|shared|danced|ate)\b|\blast time (?:we|you)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:was|were|would have|used to|no longer|not any more|anymore|once|formerly|before|had been|gone|until)\b",
    re.IGNORECASE,
)
_NEGATIONS: Final = frozenset("no not never none nobody nothing without cannot".split())
_MEMORIES: Final = frozenset({ClaimKind.SAID, ClaimKind.ALONE, ClaimKind.MET})


def inventions(hearing: Hearing) -> Iterator[Finding]:
    """Find a shared past that no record bears out."""
    put = [c for c in hearing.packet.intent.presupposes if c.kind in _MEMORIES]
    absent = bool(hearing.flags(FlagKind.FALSE_PREMISE) or hearing.flags(FlagKind.NO_RECORD))
    if hearing.denies or not (put or absent):
        return
    everything = frozenset().union(*(f.terms for f in hearing.selected), hearing.line_terms if not absent else ())
    for claim in hearing.claims:
        recalled = claim.stance not in {Stance.ASK, Stance.QUOTE, Stance.DENY, Stance.REFUSE} and not claim.negative
        if not recalled or not _RECALLS.search(plain(claim.text)):
            continue
        own = hearing.terms_of(claim.text)
        if len(own) > 1 and not shared(everything, own):
            yield found(Code.INVENTED_MEMORY, claim, "no record of it, and the line takes it as shared memory")
            return


def stale(hearing: Hearing) -> Iterator[Finding]:
    """Find something that no longer holds used as if it did."""
    for fact in hearing.stale:
        if isinstance(fact.entry, EmotionalResidue | RelationshipDelta | Commitment):
            continue
        claim = next((c for c in hearing.claims if _uses(hearing, c, fact)), None)
        if claim is not None:
            why = "it no longer holds, and the line uses it as if it did"
            yield found(Code.STALE_FACT, claim, why, fact.entry_id)


def _uses(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    if claim.stance in {Stance.ASK, Stance.QUOTE} or _PAST.search(plain(claim.text)):
        return False
    if claim.negative != _negative(fact.entry.statement):
        return False
    retold = claim.attributed_to is not None and claim.attributed_to in {fact.entry.source.by, *fact.entry.source.via}
    told_by_live = {f.entry.source.by for f in hearing.hearsay}
    if retold and claim.attributed_to not in told_by_live and shared(hearing.with_line(claim), fact.terms):
        return True
    better = max((len(shared(claim.terms, f.terms)) for f in hearing.selected), default=0)
    hits = len(shared(claim.terms, fact.terms))
    plainly = hits > 1 and cover(claim.terms, fact.terms) >= _MOST and hits > better
    answers = "?" in hearing.packet.line or bool(hearing.packet.intent.asks)
    new = shared(claim.terms, fact.terms) - shared(hearing.line_terms, fact.terms)
    with_line = cover(hearing.with_line(claim), fact.terms) >= _NEARLY_ALL and bool(new) and hits >= better
    return plainly or (answers and with_line)


def opposites(hearing: Hearing) -> Iterator[Finding]:
    """Find the plain opposite of something the speaker knows for certain."""
    disputed = {i for flag in hearing.flags(FlagKind.CONTRADICTION) for i in flag.entry_ids}
    for claim in hearing.claims:
        if claim.stance not in SAID_PLAINLY:
            continue
        fact = _closest_certain(hearing, claim)
        if fact is not None and fact.entry_id not in disputed and claim.negative != _negative(fact.entry.statement):
            why = "the speaker knows for certain that it is otherwise"
            yield found(Code.CONTRADICTS_ENTRY, claim, why, fact.entry_id)


def _closest_certain(hearing: Hearing, claim: Claim) -> Fact | None:
    kinds = (Commitment, EmotionalResidue, RelationshipDelta)
    certain = [
        f for f in hearing.selected
        if not isinstance(f.entry, kinds) and not hearing.is_second_hand(f) and '"' not in f.entry.statement
        and len(f.terms) > 1 and cover(claim.terms, f.terms) >= _NEARLY_ALL
    ]  # fmt: skip
    return max(certain, key=lambda f: (cover(claim.terms, f.terms), f.entry_id), default=None)


def _negative(statement: str) -> bool:
    return not _NEGATIONS.isdisjoint(words(statement))
