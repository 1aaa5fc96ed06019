"""Whether a reply thinks well of what its speaker is on record as thinking ill of, or ill of what they think well of.

`regard.toml` has how a record tells of either and how people say it.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from ledger_service.domain.entries import RelationshipDelta
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import place_of
from ledger_service.scoring.words.lists import any_word_of, read_lists
from ledger_service.scoring.words.overlap import akin, plain

_NOT_SAID: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN, Stance.HEDGE, Stance.ATTRIBUTE})
_NO: Final = re.compile(
    r"(?:\b(?:not|never|no|hardly|barely|scarcely|nothing|nobody|without|neither|nor|cannot|stopped|ceased)\b|n't\b)"
    r"(?:[^\w,;]+\w+){0,3}[^\w,;]*$",
    re.IGNORECASE,
)
_OWN_NO: Final = re.compile(r"(?:no|not|never|nothing|nobody|without|can|could|would|wo|ca)\b", re.IGNORECASE)
_NOT_NOW: Final = re.compile(
    r"\b(?:if|unless|until|till|once|used to|at first|back then|in those days|before|first came|pretend\w*|whoever"
    r"|it(?:'s| is| was) (?:\w+ ){1,3}(?:i|that)\b|another|others?|some (?:would|might|say)|anybody else|they)\b|\?",
    re.IGNORECASE,
)
_SECOND: Final = re.compile(r"\b(?:you|your|yours|yourself|thee|thy|thou)\b", re.IGNORECASE)
_OPINION: Final = frozenset(
    content_terms(
        "trust trusts doubts respects admires believes rates relies faith confidence suspects since values regard"
        " poor good high well badly more less feels counts holds thinks proud ashamed"
    )
)
_ASKED: Final = re.compile(
    r"\b(?:trust|faith in|(?:think|thought) (?:\w+ )?of (?:me|us)|opinion of|(?:better|ill|worse) of me|against me"
    r"|good books|like me|rate me|respect|proud of me|forgive\w* me|between us|stand with you|doubt me)\b",
    re.IGNORECASE,
)
"""How somebody asks what is thought of them."""
_NEAR: Final = 2


@cache
def _pattern(*names: str) -> re.Pattern[str]:
    """Return lists of the file as one pattern."""
    return any_word_of(p for name in names for p in read_lists(__package__, "regard.toml")[name])


def regard(hearing: Hearing) -> Iterator[Finding]:
    """Find the opposite of what the speaker is on record as thinking of the listener, or of a thing."""
    known = [(f, well) for f in hearing.selected if (well := _on_record(hearing, f)) is not None]
    for fact, well in known:
        others = frozenset().union(*(f.terms for f, other in known if other is not well)) - _OPINION - hearing.names
        heard = [(c, _thought(hearing, c, fact)) for c in hearing.claims]
        claim = next((c for c, thought in heard if thought is (not well) and not akin(c.terms, others)), None)
        if claim is not None and all(thought is not well for _, thought in heard):
            yield found(Code.CONTRADICTS_ENTRY, claim, f"on record: {fact.entry.statement}", fact.entry_id)
            return


def _on_record(hearing: Hearing, fact: Fact) -> bool | None:
    """Say whether an entry has the speaker think well of somebody or something; None where it is of no regard."""
    opinion = isinstance(fact.entry, RelationshipDelta) or not hearing.is_second_hand(fact)
    if not opinion or doer_of(hearing, fact) != hearing.viewer:
        return None
    return thinks_well(fact.entry.statement, told=True)


@lru_cache(maxsize=4_096)
def thinks_well(text: str, *, told: bool = False) -> bool | None:
    """Say whether a text thinks well of what it speaks of; None where it thinks neither, or both.

    >>> thinks_well("I'd trust you with my purse"), thinks_well("I wouldn't trust you with a bucket")
    (True, False)
    """
    rows = [
        (m.start(), m.end(), well != _is_denied(text, m))
        for well, kinds in ((True, ("told_well", "said_well")), (False, ("told_ill", "said_ill")))
        for m in _pattern(*kinds[: 1 if told else 2]).finditer(text)
    ]
    whole = [r for r in rows if not any(o[0] <= r[0] and r[1] <= o[1] and o[:2] != r[:2] for o in rows)]
    read = {well for _, _, well in whole}
    return read.pop() if len(read) == 1 else None


def _is_denied(text: str, match: re.Match[str]) -> bool:
    return _NO.search(text, 0, match.start()) is not None and _OWN_NO.match(match.group()) is None


def _thought(hearing: Hearing, claim: Claim, fact: Fact) -> bool | None:
    """Say whether a clause thinks well of what an entry is of; None for neither, and where it is of something else."""
    text = plain(claim.text)
    if claim.stance in _NOT_SAID or claim.lang != "en" or _NOT_NOW.search(text):
        return None
    well = thinks_well(text)
    return well if well is not None and _is_of_it(hearing, claim, fact, text) else None


def _is_of_it(hearing: Hearing, claim: Claim, fact: Fact, text: str) -> bool:
    of_you = not {str(hearing.listener), f"{hearing.listener}'s"}.isdisjoint(words(fact.entry.statement))
    if of_you and not _SECOND.search(text):
        return False
    if of_you and _ASKED.search(plain(hearing.packet.line)):
        return True
    if place_of(hearing, claim, fact) > _NEAR:
        return False
    thing = fact.terms - hearing.cast_names - hearing.names - _OPINION
    if of_you:
        return not thing or bool(akin(hearing.with_line(claim), thing))
    return bool(akin(claim.terms if _SECOND.search(text) else hearing.with_line(claim), thing))
