"""Whether a reply says that nobody did what the record has somebody do, or knows nothing of what was done."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.heard.replying import doer_of, first_words
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.overlap import akin, plain
from ledger_service.scoring.words.verbs import is_past

_PLAINLY: Final = (SAID_PLAINLY | {Stance.REFUSE}) - {Stance.GRANT}
_NOBODY: Final = re.compile(
    r"\b(?:nobody|no one|no-one|not (?:one|a|a single) (?:soul|man|woman|person|hand|body)|none of (?:us|them|you))"
    r"(?:'s| has| had| have)?(?: ever| yet| so much as| even| once| of us| here| else)* (?P<verb>\w+)"
    r"|\bnot an? \w+(?:'s| has)(?: ever)? been (?P<done>\w+)",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(
    r"\b(?:you|i|we|he|she|they|thou)(?:'(?:ve|s|d)| have| has| had| hast)?(?: never| not| ne'er)"
    r"(?: once| even| so much as| actually| yet| ever)* (?P<verb>\w+)"
    r"|\b(?:have|has|had|did|hast|didst)n't(?: even| yet| so much as| once| actually| ever)* (?P<not>\w+)"
    r"|\b(?:'ve|have|has|had) (?P<none>\w+) (?:me |us |him |her |them )?(?:nothing|none|no \w+|not an? \w+)\b"
    r"|^(?:(?:no|nay|nah|oh|me|well|and|but),? )*never (?:once |so much as |even )*(?P<bare>\w+)",
    re.IGNORECASE,
)
_AT_ALL: Final = re.compile(
    r"\b(?:touch(?:ed)?|lai?d? an? \w+ (?:on|to)|lift(?:ed)? a (?:finger|hand)|(?:w[ea]nt|go|c[ao]me) near"
    r"|d(?:id|one|o) (?:it|a thing)|manag\w+|bother\w*|g[eo]t round to|stirred|moved a|turn(?:ed)? a hand)\b",
    re.IGNORECASE,
)
"""Doing anything with it at all."""
_UNREAL: Final = re.compile(
    r"\b(?:if|would|could|should|might|can't|cannot|won't|until|till|unless|wish|before|others?|the rest|else)\b|'d\b",
    re.IGNORECASE,
)
_WHAT: Final = re.compile(r"^(?:what|which)(?: the)? ((?:\w+ ){0,3}\w+)\?", re.IGNORECASE)
_PLEADS: Final = re.compile(
    r"\byou (?:said|swore|promised) you(?:'d| would)\b.*\b(?:didn't|never|haven't|not)\b"
    r"|\b(?:i asked|i begged|i told|i kept asking) you to\b.*\b(?:and|but) you\b"
    r"|\b(?:still|been) (?:waiting|asking|begging|calling|shouting) (?:for|on|after)\b"
    r"|\ball i(?:'ve)? (?:get|got|had|hear|see|heard|seen)\b.*\bis\b"
    r"|\bif (?:only )?(?:you|he|she|they|anybody|somebody)(?:'d| had) (?:ever|only|once|so much as|troubled to)\b"
    r"|\b(?:i'd been hoping|i'd hoped|i waited|i've waited)\b",
    re.IGNORECASE,
)
"""How people say that they are owed a thing still."""
_THIRD: Final = 0.3
_TWO: Final = 2
_SOMEBODY: Final = re.compile(r"(?:(?:and|but|no|nay),? )*(?:they|he|she|it)\b", re.IGNORECASE)


def denials(hearing: Hearing) -> Iterator[Finding]:
    """Find a deed on record denied: nobody did it, they never did, what deed, it is still waited for."""
    for claim in hearing.claims:
        fact = _deed(hearing, claim)
        if fact is None:
            continue
        if _denies(hearing, claim, fact) or _knows_nothing(hearing, claim, fact) or _pleads(hearing, claim, fact):
            yield found(Code.CONTRADICTS_ENTRY, claim, f"on record: {fact.entry.statement}", fact.entry_id)
            return


def _deed(hearing: Hearing, claim: Claim) -> Fact | None:
    """Return what was done, where a clause is about that before all else."""
    if claim.lang != "en" or not (claim.negative or claim.stance is Stance.ASK or _PLEADS.search(plain(claim.text))):
        return None
    fact = next((t.fact for t in topics(hearing, claim)[:1]), None)
    return fact if fact is not None and not fact.is_negative and fact in hearing.certain else None


def _denies(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    text = plain(claim.text)
    if claim.stance not in _PLAINLY or not claim.negative or _UNREAL.search(text):
        return False
    match = _NOBODY.search(text)
    if match is not None:
        denied = is_past(match["verb"] or match["done"])
    else:
        match = _NEVER.search(text)
        denied = match is not None and _is_of_doer(hearing, claim, fact, bare=match["bare"] is not None)
    return match is not None and denied and _is_the_deed(hearing, claim, fact, text[match.start() :])


def _is_of_doer(hearing: Hearing, claim: Claim, fact: Fact, *, bare: bool) -> bool:
    doer = doer_of(hearing, fact)
    if not doer:
        return not claim.subject and _SOMEBODY.match(claim.text) is not None
    return doer == hearing.viewer if bare and not claim.subject else claim.subject == doer


def _is_the_deed(hearing: Hearing, claim: Claim, fact: Fact, after: str) -> bool:
    """Say whether what is denied is the deed on record, by its verb, or doing anything with it at all."""
    core = fact.terms - hearing.cast_names
    verbs = frozenset(stem(w) for w in words(fact.entry.statement) if is_past(w)) & core
    of_it = bool(akin(content_terms(after), verbs)) or bool(_AT_ALL.search(after) and akin(claim.terms, core))
    return of_it and len(akin(hearing.with_line(claim), core)) >= _THIRD * len(core)


def _knows_nothing(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a reply begins by asking what is meant by a thing that its speaker has on record: `What kettle?`."""
    match = _WHAT.match(hearing.text[claim.start : claim.end + 1]) if claim is first_words(hearing) else None
    asked = frozenset(content_terms(match[1])) if match is not None else frozenset()
    return bool(asked) and akin(hearing.line_terms, asked) == asked == akin(fact.terms, asked)


def _pleads(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause waits for what the one it is said to has done."""
    if doer_of(hearing, fact) != hearing.listener or not _PLEADS.search(plain(claim.text)):
        return False
    owed = (f for f in hearing.selected if isinstance(f.entry, Commitment) and f.entry.owner == hearing.listener)
    still = (f for f in owed if hearing.status_of(f.entry) == Status.OPEN)
    core = fact.terms - hearing.cast_names
    said = hearing.with_line(claim)
    return bool(akin(said, core)) and all(len(akin(said, f.terms)) < _TWO for f in still)
