"""Whether what a clause says is left open where it is said: by a doubt or a teller in its sentence or one after it."""

import re
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.heard.topics import topics

_DOUBTS: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE})
_POINTS: Final = frozenset(
    "it that this so he she him her his both neither either which it's that's he's she's".split()
)
_ANYBODY: Final = re.compile(
    r"\b(?:who|what)ever\b|\bevery(?:body|one)\b|\b(?:ask|like|as) any(?:body|one)\b"
    r"|\bany(?:body|one)(?:['’]ll| will| can| could| would| here| in \w+| who| with| has| had)* "
    r"(?:know|say|said|tell|told|swear|see|saw|agree|talk|hear|heard|seen)",
    re.IGNORECASE,
)
_BUT: Final = re.compile(r"\W*(?:but|yet|still)\b", re.IGNORECASE)
_THING: Final = re.compile(r"\W*(?:the|an?|my|your|our|their|these|those)\b", re.IGNORECASE)
_FEW: Final = 2
_SOME: Final = 4
_AFTER: Final = 2
Row = tuple[Claim, ...]


def is_open(claim: Claim) -> bool:
    """Say whether a clause doubts something, or says whose word it is."""
    if on_no_ones_word(claim):
        return claim.says("unsure")
    return claim.stance in _DOUBTS or claim.says("unsure") or claim.says("told")


def on_no_ones_word(claim: Claim) -> bool:
    """Say whether a clause has it from anybody and so from nobody: `everybody knows`, `whoever says otherwise`."""
    return claim.attributed_to is None and _ANYBODY.search(claim.text) is not None


def around(hearing: Hearing, claim: Claim) -> tuple[Row, ...]:
    """Return the sentence that a clause is in, and the next few, as clauses."""
    rows = hearing.said
    at = next((i for i, row in enumerate(rows) if claim in row), None)
    return ((claim,),) if at is None else rows[at : at + 1 + _AFTER]


def left_open(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a doubt or a teller stands with a clause about a fact: in its sentence, or after it and of it."""
    own, *following = around(hearing, claim)
    return any(is_open(c) for c in _with_it(own, claim)) or any(
        any(is_open(c) for c in row) and _is_of(hearing, row, fact) for row in following
    )


def _with_it(row: Row, claim: Claim) -> Row:
    """Return the clauses of a sentence that stand with one: what comes before a `but` that leads to it does not."""
    at = row.index(claim)
    turn = max((i for i in range(at + 1) if _BUT.match(row[i].text)), default=0)
    return row[turn:]


def _is_of(hearing: Hearing, row: Row, fact: Fact) -> bool:
    """Say whether a later sentence is still of a fact: its topic, or hardly anything of its own, or pointing back."""
    said = {w for c in row for w in words(c.text)}
    terms = {t for c in row for t in c.terms}
    if words(row[0].text)[:1] == ["they"] and not any(c.says("told") for c in row):
        return False
    of_it = _SOME if not _POINTS.isdisjoint(said) else 0 if _THING.match(row[0].text) else _FEW
    if len(terms) <= of_it:
        return True
    return any(t.fact.entry_id == fact.entry_id and t.words for c in row for t in topics(hearing, c)[:1])


def teller_near(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether one whom the speaker has it from is named with it, as who says so and not as who did it."""
    own, *following = around(hearing, claim)
    named = {who for c in own for who in c.mentions}
    named |= {who for row in following for c in row if _tells(c) for who in c.mentions}
    tellers = (hearing.tellers(fact) & named) - {hearing.viewer}
    return any(hearing.terms_of(who.replace("_", " ")).isdisjoint(fact.terms) for who in tellers)


def _tells(claim: Claim) -> bool:
    return claim.stance is Stance.ATTRIBUTE or claim.says("told") or claim.says("attribute")
