"""What a reply begins its answer with, and who the record says did what was asked about."""

import re
from typing import Final

from ledger_service.domain.ids import PLAYER
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing

WHO: Final = re.compile(r"\b(?:who|whose|anybody|anyone|somebody|someone)\b", re.IGNORECASE)
"""How a question names nobody and wants somebody."""
_WH: Final = re.compile(
    r"(?:so|and|but|well|then|tell me)?,? ?(?:who|whom|whose|what|which|when|where|why|how"
    r"|(?:will|would|can|could|may|might|shall|let|must|should|ought|need)\b)",
    re.IGNORECASE,
)
"""How a question begins that wants more than a yes or a no, or asks for something."""

_HEAR: Final = re.compile(
    r"\byou(?:['’]ve| have| had| did)? (?:\w+ly |ever |not |already )?"
    r"(?:hear|heard|been told|know of|know about|get word|got word)"
    r"|\b(?:told|tell) you\b|\bheard (?:of|about|that|the)\b",
    re.IGNORECASE,
)
"""How a question asks whether one has heard of something, not whether it is so."""


def asks_if_heard(hearing: Hearing) -> bool:
    """Say whether the line asks if one has heard of something: a yes says no more than that."""
    return _HEAR.search(hearing.packet.line) is not None


def first_words(hearing: Hearing) -> Claim | None:
    """Return the claim that the reply answers with: the first that is said, not shown or asked."""
    return next((c for c in hearing.claims if c.stance is not Stance.UNKNOWN and not c.is_stage), None)


def said_yes(hearing: Hearing) -> bool | None:
    """Say whether the reply says yes or no to a question that wants one of these."""
    first = first_words(hearing)
    if first is None or not any(c.stance is Stance.ASK and not _WH.match(c.text) for c in hearing.asked):
        return None
    if first.says("affirms") or first.says("yes"):
        return True
    return False if first.says("negates") else None


def doer_of(hearing: Hearing, fact: Fact) -> str:
    """Return who the record says did it: the person its sentence begins with."""
    head = next(iter(words(fact.entry.statement)), "")
    return head if head == PLAYER or hearing.world.find_character(head) is not None else ""
