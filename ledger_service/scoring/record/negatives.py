"""Whether a reply says that somebody does, has or did what the record says they never do, have not, or never did."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import place_of
from ledger_service.scoring.words.overlap import DENIALS, akin, shared

_NO: Final = re.compile(rf"\b(?:{'|'.join(DENIALS)})\b|n't\b", re.IGNORECASE)
_SAID: Final = frozenset({Stance.ASSERT, Stance.GRANT, Stance.PROMISE, Stance.THANK})
_UNREAL: Final = re.compile(
    r"\b(?:if|would|could|should|might|dream\w*|wish\w*|want\w*|heard?|hears|imagin\w*|fanc(?:y|ies)|afraid|fear\w*"
    r"|hat(?:e|es|ed)|stor(?:y|ies)"
    r"|tell|told|says?|said|will|'ll|shall|once|whatever|elsewhere|owes?|calls?|used up|out of|last of|empty|gone"
    r"|remember how)\b",
    re.IGNORECASE,
)
_OUT_OF_ORDER: Final = re.compile(
    r"(?:the |a |an )?([\w' -]+?) (?:is|are|was|were|has been|have been) "
    r"(?:dead|broken|gone|lost|missing|wrecked|ruined|burnt|burned|destroyed|out of order)\b",
    re.IGNORECASE,
)
_BY_MEANS: Final = re.compile(
    r"\b(?:on|with|by|over|through|using|used|uses?) (?:the|my|our|your|that)\b", re.IGNORECASE
)
_DEED: Final = re.compile(r"\b(?:i|we|you)(?:'ve| have)? (\w+ed)\b", re.IGNORECASE)
_NEXT_WORDS: Final = 2
_NEAR: Final = 1
_OPINION: Final = re.compile(r"\b(?:trusts?|likes?|believes?|cares?|minds?|approves?|thinks?)\b", re.IGNORECASE)
"""What may be spoken of as freely by one who thinks nothing of it."""
_UP_TO: Final = re.compile(r"\b(?:before|until|till)\b", re.IGNORECASE)
_HOLLOW: Final = frozenset(
    content_terms(
        "left more any longer anything since before yet ever even together again "
        "month week day year season time summer winter spring autumn"
    )
)


def denied_things(hearing: Hearing) -> Iterator[Finding]:
    """Find what the record rules out said as so: wine drunk by one who drinks none, a sea crossed and never seen."""
    for fact in hearing.certain:
        wanted = ruled_out(hearing, fact)
        if not wanted:
            continue
        claim = next((c for c in hearing.claims if _says_so(hearing, c, fact, wanted)), None)
        if claim is not None:
            why = f"the record says otherwise: {fact.entry.statement}"
            yield found(Code.CONTRADICTS_ENTRY, claim, why, fact.entry_id)


def ruled_out(hearing: Hearing, fact: Fact) -> frozenset[str]:
    """Return what a record that says no says no to: the last word of content after its no."""
    return _ruled_out(fact.entry.statement, hearing.names)


@lru_cache(maxsize=8_192)
def _ruled_out(statement: str, names: frozenset[str]) -> frozenset[str]:
    match = None if _UP_TO.search(statement) else _NO.search(statement)
    after = content_terms(statement[match.end() :]) if match else ()
    return frozenset([t for t in after if t not in _HOLLOW and t not in names][-1:])


def broken_things(hearing: Hearing) -> Iterator[Finding]:
    """Find a thing said to have been used that is on record as dead, broken or gone."""
    for fact in hearing.certain:
        match = _OUT_OF_ORDER.match(fact.entry.statement)
        if match is None:
            continue
        thing = hearing.terms_of(match[1])
        for claim in hearing.claims:
            if claim.stance is not Stance.ASSERT or claim.negative or _UNREAL.search(claim.text):
                continue
            if thing and claim.subject and _is_used(claim, thing):
                why = f"the record says otherwise: {fact.entry.statement}"
                yield found(Code.CONTRADICTS_ENTRY, claim, why, fact.entry_id)
                break


def _is_used(claim: Claim, thing: frozenset[str]) -> bool:
    """Say whether something was done with a thing: `on the radio`, or `I radioed them`."""
    use = _BY_MEANS.search(claim.text)
    with_it = use is not None and thing <= shared(content_terms(claim.text[use.end() :])[:_NEXT_WORDS], thing)
    verb = _DEED.search(claim.text)
    return with_it or (verb is not None and stem(verb[1].casefold()) in thing)


def _says_so(hearing: Hearing, claim: Claim, fact: Fact, wanted: frozenset[str]) -> bool:
    if claim.stance not in _SAID or claim.negative or claim.lang != "en" or _UNREAL.search(claim.text):
        return False
    whose = doer_of(hearing, fact)
    if (whose and claim.subject != whose) or _OPINION.search(fact.entry.statement):
        return False
    return bool(akin(content_terms(claim.text), wanted)) and place_of(hearing, claim, fact) <= _NEAR
