"""Whether the speaker binds themselves, for later or for nothing, to what no rule grants and nothing on record says."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Status
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem
from ledger_service.scoring.hearing import Hearing, found
from ledger_service.scoring.lexicon import word
from ledger_service.scoring.overlap import akin_cover, cover, plain

_BOUND: Final = re.compile(
    r"\bi(?:'ll| will| shall| am going to|'m going to)(?: \w+ly| myself| even| gladly| also)? (\w+)\b"
    r".*\b(?:you|your|yours)\b"
    r"|\byou(?:'ll| will| shall) (have|get|be paid)\b|\b(?:is|'s|are|'re) (yours)\b|\b(?:will|shall|'ll) be (yours)\b",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:tomorrow|next (?!to\b)\w+|soon|one day|some day|(?:on|by|before|after|come) (?:\w+day|noon|midnight|dawn"
    r"|dusk|easter|christmas|midsummer|spring|summer|autumn|winter|the (?:thaw|harvest|fair|feast|show|spring|week"
    r"|month|storm))"
    r"|in (?:an?|two|three|\d+) (?:hours?|days?|weeks?|months?)|no charge|free of charge|for nothing|for free"
    r"|gratis|the (?:day|morning|week) after)\b",
    re.IGNORECASE,
)
_NOT_BOUND: Final = re.compile(
    r"\b(?:if|unless|until|till|once|when|whenever|provided|perhaps|maybe|might)\b", re.IGNORECASE
)
_SENTENCE_END: Final = re.compile(r"[.!?…]+\s")
_SLIGHT: Final = frozenset(
    stem(w)
    for w in "tell see ask think know say hear remember miss thank warn show meet pray wait forgive watch".split()
)
_SLIGHT_KINDS: Final = frozenset("csm")
_SOME: Final = 0.34
_GIVEN: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.HEDGE, Stance.ATTRIBUTE, Stance.UNKNOWN})


def offers(hearing: Hearing) -> Iterator[Finding]:
    """Find a promise for later that no commitment of the speaker and no granted request bears out."""
    if any(c.asked and c.outcome == "granted" for c in hearing.packet.consequences):
        return
    for claim in hearing.claims:
        binds = claim.lang == "en" and _binds(claim) and not _is_conditional(hearing.text, claim)
        if binds and not _is_owed(hearing, claim):
            yield found(Code.PROMISE_INVENTED, claim, "no rule grants it, and no commitment of the speaker says it")


def _binds(claim: Claim) -> bool:
    said = plain(claim.text)
    match = _BOUND.search(said)
    if match is None or claim.stance in _GIVEN or claim.negative or _NOT_BOUND.search(said) or not _LATER.search(said):
        return False
    verb = stem((match[1] or "").casefold())
    return verb not in _SLIGHT and _SLIGHT_KINDS.isdisjoint(word(verb).kinds)


def _is_conditional(text: str, claim: Claim) -> bool:
    """Say whether the sentence of a clause begins with what it hangs on: `if the storm passes, ...`."""
    before = _SENTENCE_END.split(text[: claim.start])[-1]
    return _NOT_BOUND.search(before) is not None


def _is_owed(hearing: Hearing, claim: Claim) -> bool:
    """Say whether the speaker owes it anyway, or the record has it coming."""
    mine = (c for c in hearing.commitments if c.owner == hearing.viewer and hearing.status_of(c) == Status.OPEN)
    owed = any(akin_cover(hearing.with_line(claim), hearing.terms_of(c.statement)) >= _SOME for c in mine)
    return owed or any(akin_cover(claim.terms, f.terms) >= _SOME + _SOME for f in hearing.selected)


def promises(hearing: Hearing) -> Iterator[Finding]:
    """Find the speaker binding themselves to what no rule grants and no commitment of theirs says."""
    for claim in hearing.claims:
        if claim.stance is not Stance.PROMISE or _is_own(hearing, claim):
            continue
        if claim.says("sworn") or _gives_what_is_refused(hearing, claim):
            yield found(Code.PROMISE_INVENTED, claim, "no rule grants it, and no commitment of the speaker says it")


def _is_own(hearing: Hearing, claim: Claim) -> bool:
    mine = [c for c in hearing.commitments if c.owner == hearing.viewer and hearing.status_of(c) == Status.OPEN]
    granted = any(c.asked and c.outcome == "granted" for c in hearing.packet.consequences)
    return granted or any(cover(hearing.with_line(claim), hearing.terms_of(c.statement)) >= _SOME for c in mine)


def _gives_what_is_refused(hearing: Hearing, claim: Claim) -> bool:
    refused = any(c.asked and c.outcome == "refused" for c in hearing.packet.consequences)
    to_you = re.search(r"\b(?:you|your|yours|it)\b", plain(claim.text), re.IGNORECASE) is not None
    return refused and (to_you or claim.lang != "en")
