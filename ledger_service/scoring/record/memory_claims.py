"""Whether a reply uses what no longer holds, or says the opposite of the record."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import place_of
from ledger_service.scoring.words.lexicon import denies
from ledger_service.scoring.words.overlap import akin_cover, cover, kindred, shared

_MOST: Final = 0.6
_NEARLY_ALL: Final = 0.75
_HALF: Final = 0.5
_SHORT: Final = 3
_OPPOSITES: Final = tuple(
    (frozenset(stem(w) for w in a.split()), frozenset(stem(w) for w in b.split()))
    for a, b in (
        ("open unlocked reopened unsealed", "closed shut locked sealed barred"),
        ("dead killed drowned", "alive living"),
        ("lit bright", "dark unlit"),
        ("empty", "full"),
        ("first", "last"),
        ("found", "lost"),
        ("kept", "broke"),
        ("before", "after"),
        ("early", "late"),
        ("guilty", "innocent"),
        ("true", "false"),
        ("won", "lost"),
        ("arrived", "left"),
        ("north", "south"),
        ("east", "west"),
        ("borrowed bought", "stole"),
        ("repaired", "broken"),
        ("frayed rotten worn torn cracked rusty decayed leaking", "sound new whole solid sturdy strong"),
        ("ill sick fever feverish", "healthy recovered cured"),
        ("married", "unmarried single widowed"),
        ("rich", "poor penniless"),
        ("safe", "dangerous unsafe deadly"),
        ("flooded wet", "dry dried"),
        ("asleep slept", "awake"),
        ("sober", "drunk"),
        ("loved liked praised", "hated loathed despised"),
        ("cheap", "expensive costly"),
        ("present", "absent"),
        ("young", "old"),
        ("hot", "cold"),
        ("accepted took", "refused declined"),
    )
)
"""Words of which one says what the other denies."""
_NOT_THAT: Final = re.compile(r"not (?:for|on|about|with|over|because)\b[^,]*,|(?:keep|leave|let)\b", re.IGNORECASE)
"""An answer that says no to a part of what is asked, and goes on to say what is so; or a bidding."""
_POINTS: Final = re.compile(r"(?:it|he|she|they|that|those)\b", re.IGNORECASE)


def opposites(hearing: Hearing) -> Iterator[Finding]:
    """Find the plain opposite of something the speaker knows for certain, and a deed put on the wrong person."""
    disputed = {i for flag in hearing.flags(FlagKind.CONTRADICTION) for i in flag.entry_ids}
    for claim in hearing.claims:
        if claim.stance not in SAID_PLAINLY or _NOT_THAT.match(claim.text) or _was_once(hearing, claim):
            continue
        fact, code = _closest_certain(hearing, claim), Code.CONTRADICTS_ENTRY
        why = "the speaker knows for certain that it is otherwise"
        doer = doer_of(hearing, fact) if fact is not None else ""
        other = bool(doer and claim.subject and claim.subject != doer)
        if fact is not None and other and claim.negative:
            continue
        if fact is not None and not _is_turned(claim, fact):
            wrong = other and _is_deed(claim, fact)
            code, why = Code.ATTRIBUTION_WRONG, f"it was {doer} who did it"
            fact = fact if wrong else None
        if fact is not None and fact.entry_id not in disputed and place_of(hearing, claim, fact) == 0:
            yield found(code, claim, why, fact.entry_id)


def _was_once(hearing: Hearing, claim: Claim) -> bool:
    """Say whether a clause in another language tells of what was, and something in the reply of what is now."""
    return claim.lang != "en" and claim.says("past") and "but_now" in hearing.given


def _is_turned(claim: Claim, fact: Fact) -> bool:
    """Say whether a claim says no where the record says yes, or uses the opposite word."""
    return (claim.negative != fact.is_negative) != _uses_opposite(claim, fact)


def _uses_opposite(claim: Claim, fact: Fact) -> bool:
    said = set(content_terms(claim.text) if claim.lang == "en" else ()) or set(claim.terms)
    if any(denies(a, b) for a in said - fact.terms for b in fact.terms - said):
        return True
    return any(
        (a & said and b & fact.terms and not a & fact.terms) or (b & said and a & fact.terms and not b & fact.terms)
        for a, b in _OPPOSITES
    )


def _is_deed(claim: Claim, fact: Fact) -> bool:
    return len(shared(claim.terms, fact.terms)) > 1 and not claim.says("past_unlike")


def _closest_certain(hearing: Hearing, claim: Claim) -> Fact | None:
    asked = hearing.line_terms if "?" in hearing.packet.line else frozenset[str]()
    said = frozenset(claim.terms) - hearing.names
    pointed = frozenset(claim.terms) | (asked if _POINTS.match(claim.text) else frozenset())
    certain = [
        f for f in hearing.certain
        if shared(pointed, f.terms) and '"' not in f.entry.statement
        and len(f.terms) > 1 and not _up_to_now(f)
        and (_is_about(said, f) or _answers_opposite(claim, pointed, f, asked) or _denies_deed(hearing, claim, f))
    ]  # fmt: skip
    return max(certain, key=lambda f: (cover(said, f.terms), akin_cover(said, f.terms), f.entry_id), default=None)


def _denies_deed(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause says of the one who did it that they did not, in these or other words."""
    if not claim.negative or fact.is_negative or not claim.subject or not claim.says("undone"):
        return False
    said = kindred(claim.terms, fact.terms)
    plainly = bool(said) and claim.subject == doer_of(hearing, fact)
    return plainly and len(said) > 1 and len(said) >= _HALF * len(fact.terms) and bool(shared(claim.terms, fact.terms))


def _up_to_now(fact: Fact) -> bool:
    """Say whether a fact says that something was never so before some time: what is so since is another matter."""
    return fact.is_negative and not {"before", "until", "till"}.isdisjoint(words(fact.entry.statement))


def _answers_opposite(claim: Claim, pointed: frozenset[str], fact: Fact, asked: frozenset[str]) -> bool:
    """Say whether an answer names the thing asked after, and of it a word that the one on record rules out."""
    named = shared(pointed, fact.terms) & shared(asked, fact.terms) or shared(pointed, fact.terms)
    whole = akin_cover(frozenset(claim.terms) | asked, fact.terms) >= _HALF
    return (
        bool(named and asked and whole) and _uses_opposite(claim, fact) and not (claim.negative or claim.says("past"))
    )


def _is_about(said: frozenset[str], fact: Fact) -> bool:
    """Say whether a claim speaks of a fact: of nearly all that makes it up, or of nothing else."""
    hits = len(shared(said, fact.terms))
    most = cover(said, fact.terms)
    return most >= _NEARLY_ALL or (hits > 1 and most >= _HALF and hits >= _NEARLY_ALL * len(said))
