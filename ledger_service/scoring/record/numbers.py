"""Whether a reply gives another number of something than the record does."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import first_words
from ledger_service.scoring.words.overlap import kindred

_WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_TENS: Final = "thirty forty fifty sixty seventy eighty ninety hundred".split()
NUMBER_OF: Final = (
    {word: n for n, word in enumerate(_WORDS)}
    | {word: (n + 3) * 10 for n, word in enumerate(_TENS)}
    | {"once": 1, "twice": 2, "thrice": 3, "dozen": 12, "pair": 2, "couple": 2}
)
_COUNT: Final = re.compile(rf"\b(\d{{1,6}}|{'|'.join(NUMBER_OF)})(?: of)?(?: \w+)? (\w+)\b", re.IGNORECASE)
_NEXT: Final = re.compile(rf"\b(\d{{1,6}}|{'|'.join(NUMBER_OF)})(?: of)? (\w+)\b", re.IGNORECASE)
_HOW_MANY: Final = re.compile(r"\bmany\b|\bhow much\b|\bwhat (?:\w+ )*i owe\b", re.IGNORECASE)
_FIRST: Final = re.compile(
    rf"(?:an? |only |just )?(\d{{1,6}}|{'|'.join(NUMBER_OF)}|none|not one|nothing)\b", re.IGNORECASE
)
_PLAINLY: Final = frozenset({Stance.ASSERT, Stance.PROMISE, Stance.THANK, Stance.GRANT})
_ROUGHLY: Final = re.compile(
    r"\b(?:at least|more than|about|nearly|almost|some|or|over|under|another|were|was once|used to|the other day)\b",
    re.IGNORECASE,
)
_ENOUGH: Final = 2


def counts(hearing: Hearing) -> Iterator[Finding]:
    """Find a number of things other than the one on record: two skins lost, where three are told."""
    for claim in hearing.claims:
        said = counted(claim.text)
        if not said or claim.negative or claim.stance not in _PLAINLY or _ROUGHLY.search(claim.text):
            continue
        for fact in hearing.selected:
            wrong = _differs(said, fact, hearing, claim)
            if wrong:
                yield found(Code.CONTRADICTS_ENTRY, claim, f"on record it is {wrong}", fact.entry_id)
                break


def how_many(hearing: Hearing) -> Iterator[Finding]:
    """Find an answer to `how many` that is another number than the one on record, or none at all."""
    first = first_words(hearing)
    if first is None or not _HOW_MANY.search(hearing.packet.line) or _ROUGHLY.search(first.text):
        return
    said = _FIRST.match(first.text)
    if said is None or first.stance in {Stance.HEDGE, Stance.ATTRIBUTE, Stance.QUOTE, Stance.ASK}:
        return
    value = _number(said[1])
    if value and first.negative:
        return
    for fact in hearing.selected:
        on_record = counted(fact.entry.statement)
        units = [unit for unit in on_record if kindred(hearing.line_terms, {unit})]
        if not units or hearing.is_second_hand(fact):
            continue
        right = on_record[units[0]]
        if value not in right:
            yield found(Code.CONTRADICTS_ENTRY, first, f"on record it is {min(right)} {units[0]}", fact.entry_id)
            return


def _differs(said: dict[str, set[int]], fact: Fact, hearing: Hearing, claim: Claim) -> str:
    """Return what the record counts, where the claim speaks of the same and counts otherwise."""
    on_record = counted(fact.entry.statement)
    both = [unit for unit in said if unit in on_record]
    if not both or hearing.is_second_hand(fact):
        return ""
    about = kindred(claim.terms, fact.terms - {stem(w) for w in NUMBER_OF})
    context = len(about) >= _ENOUGH or (about and len(kindred(hearing.with_line(claim), fact.terms)) >= _ENOUGH)
    wrong = [unit for unit in both if said[unit].isdisjoint(on_record[unit])]
    return f"{min(on_record[wrong[0]])} {wrong[0]}" if wrong and context else ""


@lru_cache(maxsize=4_096)
def counted(text: str) -> dict[str, set[int]]:
    """Return what a text counts, by the stem of the thing.

    >>> counted("Twelve dinars and two water skins.")["skin"]
    {2}
    """
    found: dict[str, set[int]] = {}
    for pattern in (_NEXT, _COUNT):
        for match in pattern.finditer(text):
            found.setdefault(stem(match[2].casefold()), set()).add(_number(match[1]))
    return found


def _number(said: str) -> int:
    """Return the number that is said in figures or in words; `none` and the like are 0."""
    word = said.casefold()
    return int(word) if word.isdecimal() else NUMBER_OF.get(word, 0)
