"""Whether a reply says that two who met, spoke or worked together on record never did."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.heard.replying import first_words
from ledger_service.scoring.heard.topics import place_of
from ledger_service.scoring.words.overlap import akin, plain

_MET: Final = re.compile(
    r"\b(?:alone|met|spoken|talked|worked|sat|stood|eaten|walked|sailed|ridden)\b"
    r".*\b(?:once|twice|times?|one \w+|together)\b",
    re.IGNORECASE,
)
_LIMITED: Final = re.compile(r"\b(?:only|always|never|not|but)\b", re.IGNORECASE)
_NEVER: Final = re.compile(
    r"\b(?:never (?:once|been|met|spoke|spoken|sat|talked|had|stood|worked|shared|exchanged)"
    r"|first time (?:we|i|you)|not once|never in (?:my|our|your)|perfect strangers?|strangers)\b|^(?:no,? )?never\b",
    re.IGNORECASE,
)
_NOT_SO: Final = re.compile(r"(?:no,? )?(?:i|we) (?:have|had|did|do)(?:n't| not)\b", re.IGNORECASE)
_EVER: Final = re.compile(r"\b(?:never|ever|first|hardly|before|n't|not)\b", re.IGNORECASE)
_NEAR: Final = 1


def meetings(hearing: Hearing) -> Iterator[Finding]:
    """Find it said that they never met, or never alone, where the record has them meet."""
    if not _EVER.search(plain(hearing.packet.line)):
        return
    for fact in hearing.certain:
        if not _MET.search(fact.entry.statement) or _LIMITED.search(fact.entry.statement):
            continue
        claim = next((c for c in hearing.claims if _says_never(hearing, c, fact)), None)
        if claim is not None and not _is_told(hearing, fact):
            yield found(Code.CONTRADICTS_ENTRY, claim, f"on record: {fact.entry.statement}", fact.entry_id)
            return


def _says_never(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    text, bare = plain(claim.text), len(claim.terms) <= 1
    never = _NEVER.search(text) or (bare and _NOT_SO.match(text))
    if not never or claim.stance not in SAID_PLAINLY or place_of(hearing, claim, fact) > _NEAR:
        return False
    us = re.search(r"\b(?:we|us|you)\b", text, re.IGNORECASE) is not None
    return (bare and claim is first_words(hearing)) or (us and bool(akin(claim.terms, fact.terms - hearing.cast_names)))


def _is_told(hearing: Hearing, fact: Fact) -> bool:
    """Say whether the reply tells of the meeting all the same: `never, but for the once in the loft`."""
    where = fact.terms - hearing.cast_names - frozenset({"alon", "togeth", "talk", "spoken", "speak", "met", "meet"})
    return any(not c.negative and len(akin(c.terms, where)) > 1 for c in hearing.claims)
