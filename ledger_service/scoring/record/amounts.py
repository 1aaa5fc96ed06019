"""Whether a reply, about something on record with a number, says another number: of them, or of the one it is."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ledger_service.domain.entries import Contradiction
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import is_stopword, stem
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.record.numbers import NUMBER_OF
from ledger_service.scoring.words.overlap import akin, plain

_PLAINLY: Final = SAID_PLAINLY | {Stance.REFUSE}
_TOKEN: Final = re.compile(r"\d+(?:st|nd|rd|th)?|[a-z]+(?:'[a-z]+)?|[.,;:!?*]")
_ORDINALS: Final = {
    word: n
    for n, word in enumerate(
        "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
        "sixteenth seventeenth eighteenth nineteenth twentieth".split(), start=3,
    )
}  # fmt: skip
_FIGURE: Final = re.compile(r"(\d{1,6})(st|nd|rd|th)?")
_TIMES: Final = {"hundred": 100, "thousand": 1_000, "dozen": 12, "score": 20}
_NO_NUMBERS: Final = frozenset({"pair", "couple", "hundred", "dozen"})
_BETWEEN: Final = frozenset("of whole good long full old big small little".split())
_BEFORE_ALONE: Final = frozenset("all the those was is on it's that's there's".split())
_BEFORE_HOURS: Final = frozenset({"at", "by", "after"})
_TENS: Final = 10
_TWENTY: Final = 20
_HOURS: Final = 12
_REACH: Final = 3
_FEW: Final = 4
_OPEN: Final = re.compile(
    r"\b(?:at least|more|extra|further|apiece|each|about|nearly|almost|some|or|over|under|another|less than|fewer|would"
    r"|could|if|might|should|used to|were|was once|half past|quarter (?:past|to)|o'clock|tick"
    r"|(?:second|minute|hour|day|week|month|year)s?)\b|'d\b",
    re.IGNORECASE,
)
"""What leaves a number open, or makes it one of hours and days, which are read elsewhere."""


class Number(Struct, frozen=True):
    """A number in a text, and what it counts or which one of its kind it names."""

    value: float
    unit: str
    """The stem of what comes after it: three drums."""
    label: str
    """The stem of what comes before it: bay three."""
    alone: bool
    """Neither, in words that leave no doubt that something is counted: all three of them."""
    article: bool = False
    """It is said by `a` alone."""


def amounts(hearing: Hearing) -> Iterator[Finding]:
    """Find another number of the thing that a clause is about than the record gives, or another one of its kind."""
    for claim in hearing.claims:
        said = _said(claim)
        rated = topics(hearing, claim)[:_FEW] if said else ()
        fact = rated[0].fact if rated else None
        if fact is None or not _counts(hearing, fact) or (told := _told(fact)) == ():
            continue
        known = _known(hearing, rated)
        if any(n.value not in known and _is_of_it(hearing, claim, rated[0], n, told) for n in said):
            yield found(Code.CONTRADICTS_ENTRY, claim, f"on record: {fact.entry.statement}", fact.entry_id)


def _said(claim: Claim) -> tuple[Number, ...]:
    if claim.stance not in _PLAINLY or claim.negative or claim.lang != "en" or _OPEN.search(plain(claim.text)):
        return ()
    return tuple(n for n in numbers(claim.text) if not n.article)


def _counts(hearing: Hearing, fact: Fact) -> bool:
    """Say whether a number on record is the speaker's to get right."""
    return (
        fact.entry_id in hearing.items
        and not hearing.is_second_hand(fact)
        and not isinstance(fact.entry, Contradiction)
    )


def _told(fact: Fact) -> tuple[Number, ...]:
    return tuple(n for n in numbers(fact.entry.statement) if n.label != "tick")


def _known(hearing: Hearing, rated: tuple[Topic, ...]) -> frozenset[float]:
    """Return every number of the line, and of what the clause may be about: each may be said."""
    texts = (hearing.packet.line, *(t.fact.entry.statement for t in rated))
    return frozenset(n.value for text in texts for n in numbers(text))


def _is_of_it(hearing: Hearing, claim: Claim, topic: Topic, number: Number, told: tuple[Number, ...]) -> bool:
    """Say whether a number is of what the record counts, or names which one somebody dealt with there."""
    if number.alone:
        return topic.words > 0 and sum(not n.article for n in told) == 1
    own = claim.subject != "" and claim.subject == doer_of(hearing, topic.fact)
    same = any(_alike(number.unit, n.unit) or (own and _alike(number.label, n.label)) for n in told)
    about = akin(hearing.with_line(claim), topic.fact.terms) - hearing.cast_names
    return same and bool(about - {number.unit, number.label})


def _alike(one: str, other: str) -> bool:
    return bool(one and other) and bool(akin({one}, {other}))


@lru_cache(maxsize=4_096)
def numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text.

    >>> [(n.value, n.unit, n.label) for n in numbers("Thirty-one moves at table two.")]
    [(31, 'move', ''), (2, '', 'tabl')]
    """
    tokens = _TOKEN.findall(plain(text).casefold().replace("-", " "))
    listed: list[Number] = []
    at = 0
    while at < len(tokens):
        value, after = _value(tokens, at)
        if value is not None:
            listed += _number(tokens, at, after, value)
        at = after
    return tuple(listed)


def _value(tokens: list[str], at: int) -> tuple[float | None, int]:
    """Return the number that begins at a token, and where it ends."""
    word = tokens[at].removesuffix("'s")
    figure = _FIGURE.fullmatch(word)
    if figure is not None:
        return int(figure[1]), at + 1
    if word == "half" and tokens[at + 1 : at + 2] in (["a"], ["an"], ["the"]):
        return 0.5, at + 2
    if word in {"a", "an"}:
        return 1, at + 1
    if word in _ORDINALS:
        return _ORDINALS[word], at + 1
    return _in_words(tokens, at, word)


def _in_words(tokens: list[str], at: int, word: str) -> tuple[float | None, int]:
    if word not in NUMBER_OF or word in _NO_NUMBERS:
        return None, at + 1
    value, after = NUMBER_OF[word], at + 1
    follows = tokens[after] if after < len(tokens) else ""
    unit = NUMBER_OF.get(follows, _ORDINALS.get(follows, 0))
    if value >= _TWENTY and value % _TENS == 0 and 0 < unit < _TENS:
        value, after = value + unit, after + 1
    if after < len(tokens) and tokens[after] in _TIMES:
        value, after = value * _TIMES[tokens[after]], after + 1
    return value, after


def _number(tokens: list[str], at: int, after: int, value: float) -> list[Number]:
    word, before = tokens[at], tokens[at - 1] if at else ""
    article = word in {"a", "an"}
    ordinal = tokens[after - 1] in _ORDINALS or word[-2:] in {"st", "nd", "rd", "th"}
    unit = _unit(tokens, after)
    label = stem(before) if before.isalpha() and not is_stopword(before) and before not in NUMBER_OF else ""
    follows = tokens[after] if after < len(tokens) else ""
    alone = not (unit or label or ordinal or article) and (
        before in _BEFORE_ALONE or follows == "of" or (before in _BEFORE_HOURS and value > _HOURS)
    )
    if word == "one" and not unit:
        return []
    return [Number(value, unit, "" if article else label, alone, article)] if unit or label or alone else []


def _unit(tokens: list[str], at: int) -> str:
    """Return the stem of what is counted: the next word of content, over `of` and the like."""
    for token in tokens[at : at + _REACH]:
        if token in _BETWEEN:
            continue
        return stem(token) if token[0].isalpha() and not is_stopword(token) else ""
    return ""
