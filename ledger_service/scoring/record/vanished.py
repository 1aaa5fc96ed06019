"""Whether a reply has something be where it cannot be: what is on record as lost, dead, burnt or sold."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.overlap import akin

_LOST: Final = (
    r"(?:lost|drowned|burn(?:ed|t)|sold|wrecked|sank|destroyed|killed|smashed|buried|stole|died|perished|vanished"
    r"|disappeared)"
)
_OF: Final = re.compile(
    rf"\b{_LOST}(?: (?:the|an?|his|her|their|its|\w+'s))? ((?:\w+ )?\w+?)"
    r"(?= (?:on|in|at|by|to|for|from|during|under|last)\b|$)",
    re.IGNORECASE,
)
_WAS: Final = re.compile(
    rf"^(?:the |an? |\w+'s )?((?:\w+ )?\w+) (?:(?:is|was|were|has been) )?(?:{_LOST}|dead|gone|sunk|stolen)\b",
    re.IGNORECASE,
)
_THERE: Final = re.compile(
    r"(?:\b(?:is|are|stands?|sits?|lies|hangs?|sleeps?|waits?|lives?)|['’](?:s|re))\b"
    r"(?: still| safe| safely| well| right| quite| perfectly)* "
    r"(?:in|on|at|under|by|behind|with|here|there|safe|fine|well|alive|sound|upstairs|outside|home)\b",
    re.IGNORECASE,
)


def vanished(hearing: Hearing) -> Iterator[Finding]:
    """Find a thing told to be somewhere, safe or well, that is on record as lost, dead or gone."""
    for fact in hearing.certain:
        gone = "" if fact.is_negative else _gone(fact.entry.statement)
        thing = hearing.terms_of(gone) - hearing.cast_names if gone else frozenset[str]()
        claim = next((c for c in hearing.claims if thing and _is_there(c, thing)), None)
        if claim is not None:
            why = f"the record says otherwise: {fact.entry.statement}"
            yield found(Code.CONTRADICTS_ENTRY, claim, why, fact.entry_id)


@lru_cache(maxsize=8_192)
def _gone(statement: str) -> str:
    """Return what a record tells as lost, dead or gone; empty where it tells of no such thing."""
    match = _OF.search(statement) or _WAS.match(statement)
    return match[1] if match is not None else ""


def _is_there(claim: Claim, thing: frozenset[str]) -> bool:
    if claim.stance is not Stance.ASSERT or claim.negative or claim.says("past"):
        return False
    place = _THERE.search(claim.text)
    return place is not None and akin(claim.terms, thing) == thing
