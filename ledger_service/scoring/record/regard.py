"""Whether a reply trusts what its speaker is on record as doubting, or thinks little of what they trust."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import RelationshipDelta
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import place_of
from ledger_service.scoring.words.overlap import akin, plain

_NOT_SAID: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN})
_TRUSTS: Final = re.compile(
    r"\b(?:trusts?|admires?|respects?|rates?|relies|thinks (?:well|highly|much)|values|believes|swears by|looks up to"
    r"|has (?:faith|confidence))\b",
    re.IGNORECASE,
)
_DOUBTS: Final = re.compile(
    r"\b(?:distrusts?|mistrusts?|(?:does not|doesn't|never|no longer) (?:trusts?|rates?|believes?|relies|rely)"
    r"|doubts?|despises?|thinks (?:little|badly|poorly|nothing)|scorns?|looks down|suspects?|has no (?:faith|trust))\b",
    re.IGNORECASE,
)
_LITTLE: Final = re.compile(
    r"(?:\b(?:do|would|could|can|did|will)(?:n't| not)|\bwon't|\bnever|\bnor)(?: \w+){0,2} (?:trust|take your|rely|rate"
    r"|bank on|count on|believe|(?:thought|think) (?:\w+ )?(?:much|highly|well|anything)|lean on|follow you"
    r"|let you (?:hold|near|touch|carry|within|so much)|put (?:my|any) (?:life|weight|money|faith|trust)"
    r"|turn my back)\b"
    r"|\b(?:sooner|rather) (?:\w+ )*(?:trust|hitch|follow|have|put|take|ask|send|believe)\b.*\bthan (?:you|to you)\b"
    r"|\bno (?:faith|trust|confidence) in\b|\bnot to be (?:trusted|relied)\b|\btrust you (?:no|about as|only as) far\b"
    r"|\byou(?:'ve| have| had) (?:no|not any|never any) (?:more )?(?:feel|hand|eye|ear|head|gift|touch|knack|use)"
    r" (?:for|with|at)\b"
    r"|\bto save (?:your|his|her) life\b"
    r"|\b(?:second-guess|check behind|count behind) (?:you|every)\b|\bnot (?:worth|fit) (?:a|the|to)\b",
    re.IGNORECASE,
)
"""How people say that they think little of somebody or something."""
_MUCH: Final = re.compile(
    r"\bi(?:'d| would| do|'ll| always)? (?:(?!not|never)\w+ )?(?:trust|stake|swear by|bank on|follow"
    r"|put my (?:life|name|money)|bet|take (?:your|its|his|her|their) word|rely|believe every|go by)\b"
    r"|\bwithout (?:checking|looking|a second|question|counting|reading|testing)\b|\bas good as (?:gospel|gold)\b"
    r"|\bnever (?:wrong|once wrong|let me down|misses|fails)\b"
    r"|\b(?:no one|nobody|nothing) i(?:'d| would) (?:sooner|rather)\b"
    r"|\b(?:never|not|no)\b.*\bdoubt(?:ed|s)? (?:of|about|in)? ?(?:you|your|it|them|him|her)\b"
    r"|\bno safer (?:hands?|pair)\b"
    r"|\bslept? (?:the )?(?:better|sounder)\b",
    re.IGNORECASE,
)
"""How people say that they trust somebody or something."""
_NO: Final = re.compile(r"n't\b|\b(?:not|never|no)\b", re.IGNORECASE)
_SECOND: Final = re.compile(r"\b(?:you|your|yours|thee|thy|thou)\b", re.IGNORECASE)
_OPINION: Final = frozenset(
    content_terms("trust trusts doubts respects admires believes rates relies faith confidence suspects since values")
)
_NEAR: Final = 2


def regard(hearing: Hearing) -> Iterator[Finding]:
    """Find the opposite of what the speaker is on record as thinking of somebody or something."""
    for fact in hearing.selected:
        opinion = isinstance(fact.entry, RelationshipDelta) or not hearing.is_second_hand(fact)
        against = _against(fact.entry.statement) if opinion and doer_of(hearing, fact) == hearing.viewer else None
        claim = next((c for c in hearing.claims if against and _says(hearing, c, fact, against)), None)
        if claim is not None:
            yield found(Code.CONTRADICTS_ENTRY, claim, f"on record: {fact.entry.statement}", fact.entry_id)


def _against(statement: str) -> re.Pattern[str] | None:
    """Return how the opposite of an opinion on record is said."""
    if _DOUBTS.search(statement):
        return _MUCH
    return _LITTLE if _TRUSTS.search(statement) else None


def _says(hearing: Hearing, claim: Claim, fact: Fact, against: re.Pattern[str]) -> bool:
    text = plain(claim.text)
    match = against.search(text) if claim.stance not in _NOT_SAID and claim.lang == "en" else None
    if match is None or (against is _MUCH and _NO.search(text, 0, match.start())):
        return False
    if str(hearing.listener) in words(fact.entry.statement) and not _SECOND.search(text):
        return False
    thing = fact.terms - hearing.cast_names - _OPINION
    said = hearing.with_line(claim) if against is _MUCH else frozenset(claim.terms)
    return bool(akin(said, thing)) and place_of(hearing, claim, fact) <= _NEAR
