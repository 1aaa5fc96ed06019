"""Cuts a reply into stage directions, sentences and clauses, each with its place."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from ledger_service.readers.pieces import pieces

_STAGE: Final = re.compile(r"\*[^*\n]+\*")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|sr|jr|vs|etc|capt|sgt|lt|e\.g|i\.e)|(?<!\bI)(?<![\w'’])[A-Z])\.$", re.IGNORECASE
)
_ABBREVIATED: Final = 12
"""Letters before a full stop that say whether it ends an abbreviation."""
_END: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)]*+(?=\s|$)|[。！？؟]+|\n+")
_BREAK: Final = re.compile(
    r";\s*|\s[—–-]\s|—|,\s+(?=(?:but|yet)\b)"
    r"|,\s+(?=(?:and|an['’]|so|then)\s+(?!all\b|on\b|forth\b|so\b|then\b|again\b))"
    r"|,\s+(?=(?:i|you|he|she|they|we|thou)(?:['’]\w+)?\s+\w)|,\s+(?=(?:take|have|keep|hand|give|nobody|no one)\s)"
    r"|[，،；؛]\s*|,\s+(?=(?:pero|sino|así que|y|pues|porque|aber|sondern|doch|denn|und|weil)\s)"
    r"|(?<=[가-힣][고만데니까서며지요]),\s+|(?<=\bnicht),\s+|(?<=\bno),\s+|,\s+(?=si no\s|que yo\s)",
    re.IGNORECASE,
)


_LEADING_NO: Final = re.compile(
    r"\s*[\"'“‘]?(?:(?:oh|ah|well|why),? )?(?:no|nay|nope|nein|نه|아니[요오]?|不(?:是|行|能|对|可以)?|没有)"
    r"\s*[,،，]\s*(?=\w)",
    re.IGNORECASE,
)
"""A no that answers, before what is said of its own."""


class Span(Struct, frozen=True, kw_only=True):
    """A stretch of the reply: a clause, whether its sentence asks, whether it is a stage direction."""

    start: int
    end: int
    asks: bool = False
    stage: bool = False
    follows: bool = False
    """It goes on in the sentence of the clause before it."""


def spans_of(text: str) -> Iterator[Span]:
    """Cut a reply into stage directions, sentences and their clauses."""
    at = 0
    for stage in _STAGE.finditer(text):
        yield from _sentences(text, at, stage.start())
        yield from (Span(start=a, end=b, stage=True) for a, b in pieces(text, stage.start(), stage.end()))
        at = stage.end()
    yield from _sentences(text, at, len(text))


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for match in _END.finditer(text, start, end):
        if _ABBREVIATION.search(text[max(at, match.start() - _ABBREVIATED) : match.start() + 1]):
            continue
        yield from _clauses(text, at, match.end())
        at = match.end()
    yield from _clauses(text, at, end)


def _clauses(text: str, start: int, end: int) -> Iterator[Span]:
    asks = text[start:end].rstrip(" \n\"'”’)").endswith(("?", "？", "؟"))
    first = True
    for a, b in _cut(text, start, end):
        lead = len(text[a:b]) - len(text[a:b].lstrip())
        bare = text[a:b].strip().rstrip(",;—– ")
        if any(c.isalnum() for c in bare):
            yield Span(start=a + lead, end=a + lead + len(bare), asks=asks, follows=not first)
            first = False


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a sentence where one clause ends and another begins, outside of what it quotes."""
    for low, high in pieces(text, start, end):
        lead = _LEADING_NO.match(text, low, high) if low == start else None
        breaks = [lead.end()] if lead is not None else []
        breaks += [
            m.end()
            for m in _BREAK.finditer(text, low, high)
            if m.end() not in breaks and not _inside_quote(text, low, m.start())
        ]
        yield from pairwise((low, *breaks, high))


def _inside_quote(text: str, start: int, at: int) -> bool:
    before = text[start:at]
    return before.count("“") > before.count("”") or before.count('"') % 2 == 1
