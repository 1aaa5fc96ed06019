"""Whether a reply uses what no longer holds, or says the opposite of the record."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, EmotionalResidue, RelationshipDelta
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem, words
from ledger_service.scoring.answers import WHO, doer_of, first_words
from ledger_service.scoring.facts import Fact
from ledger_service.scoring.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.lexicon import denies
from ledger_service.scoring.overlap import akin, akin_cover, cover, kindred, shared
from ledger_service.scoring.topics import place_of

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
FEELINGS: Final = frozenset(
    stem(w) for w in "angry anger furious grieving grief sad bitter hurt afraid ashamed shame jealous resentful".split()
)
_NOT_THAT: Final = re.compile(r"not (?:for|on|about|with|over|because)\b[^,]*,", re.IGNORECASE)
"""An answer that says no to a part of what is asked, and goes on to say what is so."""
_POINTS: Final = re.compile(r"(?:it|he|she|they|that|those)\b", re.IGNORECASE)


def stale(hearing: Hearing) -> Iterator[Finding]:
    """Find something that no longer holds used as if it did."""
    for fact in hearing.stale:
        if isinstance(fact.entry, Commitment):
            continue
        if isinstance(fact.entry, EmotionalResidue):
            yield from _acted_out(hearing, fact, fact.entry)
            continue
        claim = next((c for c in hearing.claims if _uses(hearing, c, fact)), None) or _old_doer(hearing, fact)
        if claim is not None:
            why = "it no longer holds, and the line uses it as if it did"
            yield found(Code.STALE_FACT, claim, why, fact.entry_id)


def _old_doer(hearing: Hearing, fact: Fact) -> Claim | None:
    """Return the answer that names who did it once, where the line asks who does."""
    first, doer = first_words(hearing), doer_of(hearing, fact)
    if first is None or not doer or not WHO.search(hearing.packet.line) or "past" in hearing.given:
        return None
    about = kindred(hearing.line_terms, fact.terms - hearing.cast_names)
    named = doer in first.mentions and first.stance is Stance.ASSERT and not first.negative
    return first if about and named and len(first.terms) <= _SHORT else None


def _acted_out(hearing: Hearing, fact: Fact, residue: EmotionalResidue) -> Iterator[Finding]:
    """Find a feeling that has passed said to be there still."""
    if residue.holder != hearing.viewer:
        return
    felt = frozenset({stem(residue.emotion), *(fact.terms & FEELINGS)})
    for claim in hearing.claims:
        own = claim.subject == hearing.viewer and claim.stance is Stance.ASSERT and not claim.negative
        if own and claim.says("feels_now") and kindred(claim.terms, felt) and not claim.says("no_longer"):
            yield found(Code.STALE_FACT, claim, "it has passed, and the line acts it out", fact.entry_id)
            return


def _uses(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    if claim.stance in {Stance.ASK, Stance.QUOTE} or claim.says("past"):
        return False
    if claim.negative != fact.is_negative:
        return False
    retold = claim.attributed_to is not None and claim.attributed_to in {fact.entry.source.by, *fact.entry.source.via}
    told_by_live = {f.entry.source.by for f in hearing.hearsay}
    if retold and claim.attributed_to not in told_by_live and shared(hearing.with_line(claim), fact.terms):
        return True
    if isinstance(fact.entry, RelationshipDelta):
        core = fact.terms - hearing.cast_names
        concerned = claim.subject in {hearing.viewer, hearing.listener} or bool(shared(claim.terms, fact.terms - core))
        return bool(core) and core <= shared(claim.terms, core) and concerned
    better = max((len(shared(claim.terms, f.terms)) for f in hearing.selected), default=0)
    hits = len(shared(claim.terms, fact.terms))
    plainly = hits > 1 and cover(claim.terms, fact.terms) >= _MOST and hits > better
    answers = "?" in hearing.packet.line or bool(hearing.packet.intent.asks)
    new = shared(claim.terms, fact.terms) - shared(hearing.line_terms, fact.terms)
    elsewhere = claim.subject in {hearing.viewer, hearing.listener} and claim.subject not in words(fact.entry.statement)
    whole = cover(hearing.with_line(claim), fact.terms) >= _NEARLY_ALL
    with_line = whole and bool(new) and hits >= better and not elsewhere
    return plainly or (answers and with_line) or _in_other_words(hearing, claim, fact)


def _in_other_words(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause adds, by its own or another word, what makes something old whole, and nothing newer says."""
    live = hearing.live_terms
    asked = akin(hearing.line_terms, fact.terms)
    said = akin(claim.terms, fact.terms)
    new = said - asked if "?" in hearing.packet.line else said - kindred(live, said)
    told = claim.stance is Stance.ASSERT and "past" not in hearing.given
    whole = len(asked | said) >= _MOST * len(fact.terms) and bool((asked | said) - new)
    return told and bool(new) and whole and (claim.says("still") or not kindred(claim.terms, live - asked))


def opposites(hearing: Hearing) -> Iterator[Finding]:
    """Find the plain opposite of something the speaker knows for certain, and a deed put on the wrong person."""
    disputed = {i for flag in hearing.flags(FlagKind.CONTRADICTION) for i in flag.entry_ids}
    for claim in hearing.claims:
        if claim.stance not in SAID_PLAINLY or _NOT_THAT.match(claim.text):
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
