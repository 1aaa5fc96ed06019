"""Whether a reply puts something else in the place of what the record has: plums for pears, left for right."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, is_stopword, stem, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.overlap import akin

_PLAINLY: Final = SAID_PLAINLY | {Stance.REFUSE}
_OF: Final = re.compile(r"\b([a-z]+) of ((?:[a-z]+ )?[a-z]+)\b", re.IGNORECASE)
_KINDS: Final = tuple(
    frozenset(listed.split())
    for listed in (
        "left right", "upper lower middle topmost bottom", "inner outer", "front back rear fore aft",
        "north south east west northern southern eastern western", "port starboard", "elder younger eldest youngest",
        "big small large little", "red blue green white black yellow grey brown purple", "hot cold", "old new",
        "first second third last",
        "gold silver copper iron brass tin bronze lead steel", "spring summer autumn winter",
        "monday tuesday wednesday thursday friday saturday sunday",
        "mother's father's brother's sister's uncle's aunt's",
    )
)  # fmt: skip
"""Words of which, before the same noun, one rules out the others."""


def instead(hearing: Hearing) -> Iterator[Finding]:
    """Find what is said of the same thing with another of its kind, or another stuff, than is on record."""
    for claim in hearing.claims:
        if claim.stance not in _PLAINLY or claim.negative or claim.lang != "en":
            continue
        fact = next((t.fact for t in topics(hearing, claim)[:1]), None)
        if fact is None or fact.entry_id not in hearing.items or hearing.is_second_hand(fact):
            continue
        if _is_of_other_stuff(hearing, claim, fact) or _is_the_other(hearing, claim, fact):
            yield found(Code.CONTRADICTS_ENTRY, claim, f"on record: {fact.entry.statement}", fact.entry_id)


def _is_of_other_stuff(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether there is so much of one thing in a clause as there is of another on record."""
    said, told = _measured(claim.text), _measured(fact.entry.statement)
    return any(
        not akin(claim.terms, told[of]) and not akin(stuff, hearing.told_of | hearing.line_terms)
        for of, stuff in said.items() if of in told
    )  # fmt: skip


def _measured(text: str) -> dict[str, frozenset[str]]:
    """Return what there is a measure of, by the measure: tray, plums."""
    found = {stem(m[1].casefold()): frozenset(content_terms(m[2])) for m in _OF.finditer(text)}
    return {of: stuff for of, stuff in found.items() if stuff and not is_stopword(of)}


def _is_the_other(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether the same noun has another of two or more words before it, and nothing else on record has that one."""
    said, told = _marked(claim.text), _marked(fact.entry.statement)
    new = [(mark, noun) for mark, noun in said if any(n == noun and _rules_out(mark, m) for m, n in told)]
    if not new or any(n == noun and m == mark for mark, noun in new for m, n in told):
        return False
    others = {pair for f in hearing.everything if f is not fact for pair in _marked(f.entry.statement)}
    return any(pair not in others | _marked(hearing.packet.line) for pair in new)


def _marked(text: str) -> set[tuple[str, str]]:
    """Return what stands before which noun: left, foot."""
    listed = words(text)
    marks = frozenset().union(*_KINDS)
    return {(a, stem(b)) for a, b in pairwise(listed) if a in marks and not is_stopword(b)}


def _rules_out(one: str, other: str) -> bool:
    return one != other and any(one in kind and other in kind for kind in _KINDS)
