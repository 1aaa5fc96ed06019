"""Whether a reply owns up, by `I did it` and the like, to a deed that the speaker must not be heard to tell of."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding, Severity
from ledger_service.scoring.disclosure.secrecy import distinctive
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.words.lexicon import is_person
from ledger_service.scoring.words.overlap import akin, akin_cover, shared
from ledger_service.scoring.words.verbs import is_deed, is_past

_DEED: Final = re.compile(
    r"\bi(?:'d| had|'ve| have)?(?: \w+ly| only| just| simply| myself| also| even)? (\w+)\b(?: \w+)? "
    r"(?:it|them|him|her|that|those|every one|both)\b",
    re.IGNORECASE,
)
_PLAINLY: Final = frozenset({Stance.ASSERT, Stance.HEDGE, Stance.GRANT})
_MOST: Final = 0.6
_HALF: Final = 0.5


def admissions(hearing: Hearing) -> Iterator[Finding]:
    """Find a hidden deed owned up to without its own words, and a hidden thing made whole by other words."""
    for fact in hearing.kept:
        marks = frozenset(t for t in distinctive(fact.terms) - hearing.cast_names if not is_person(t))
        touched = akin(hearing.line_terms, marks)
        if not touched or _known_better(hearing, fact):
            continue
        claim = next(
            (c for c in hearing.claims if _owns_up(hearing, c, fact) or _completes(hearing, c, fact, marks)), None
        )
        if claim is not None:
            why = "it gives away what must not be said to these listeners"
            yield found(Code.LEAK, claim, why, fact.entry_id, severity=Severity.CRITICAL)
            return


def _known_better(hearing: Hearing, fact: Fact) -> bool:
    """Say whether the line speaks rather of something that may be said."""
    return hearing.best_of_line > akin_cover(hearing.line_terms, fact.terms)


def _owns_up(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    own = doer_of(hearing, fact) == hearing.viewer and not fact.is_negative
    if not own or claim.negative or claim.stance is not Stance.ASSERT:
        return False
    if hearing.asks("asks_who") and claim.says("it_was_i"):
        return akin_cover(hearing.line_terms, fact.terms) >= _HALF
    if claim.lang != "en":
        said = akin_cover(claim.terms, fact.terms)
        return claim.subject == hearing.viewer and said >= _HALF and not _may_be_said(hearing, fact)
    deed = _DEED.search(claim.text)
    return deed is not None and is_past(deed[1]) and is_deed(deed[1])


def _may_be_said(hearing: Hearing, fact: Fact) -> bool:
    """Say whether something that may be said holds most of it anyway."""
    return any(akin_cover(f.terms, fact.terms) >= _MOST for f in hearing.selected)


def _completes(hearing: Hearing, claim: Claim, fact: Fact, marks: frozenset[str]) -> bool:
    """Say whether an answer adds, by any word for it, what makes a hidden thing whole."""
    plainly = claim.stance in _PLAINLY and claim.negative == fact.is_negative and "?" in hearing.packet.line
    fits = claim.subject in {"", doer_of(hearing, fact)} or doer_of(hearing, fact) == ""
    if not plainly or not fits or claim.lang != "en":
        return False
    new = akin(claim.terms, marks) - akin(hearing.line_terms, marks)
    new -= shared(hearing.live_terms, new)
    return bool(new) and akin_cover(hearing.with_line(claim), fact.terms) >= _MOST
