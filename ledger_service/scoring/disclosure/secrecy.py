"""Whether a reply gives away what must not be heard."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding, Severity
from ledger_service.domain.terms import stem
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import doer_of, said_yes
from ledger_service.scoring.record.negatives import ruled_out
from ledger_service.scoring.words.overlap import cover, kin_cover, kindred, shared

_ENOUGH: Final = 2
_MANY: Final = 3
_SHARE: Final = 0.3
_MOST_OF_IT: Final = 0.6
_HALF: Final = 0.5
_LONG: Final = 4
_UNREAL: Final = re.compile(r"(?:\bwould|['’]d) (?:sooner|rather|as soon|like|love|hate|prefer)\b", re.IGNORECASE)
_HOLLOW: Final = frozenset(
    stem(w)
    for w in """
    first last next other same own one two three four five six ten time day week month year hour night morning evening
    today tonight word place side end top part thing man woman way new old little long good great back out use
    lie keep get go come take give make put hold let set stand find bring run turn leave left call see say tell know
    want need look ask show watch wait hear walk sit
    """.split()
)
"""What stands in too many sentences to give anything away."""
_NEARLY_ALL: Final = 0.75


def leaks(hearing: Hearing) -> Iterator[Finding]:
    """Find words that are nowhere in what may be said, and in something that may not."""
    kept = {fact.entry_id for fact in hearing.kept}
    for fact in hearing.hidden:
        told = _told if fact.entry_id in kept else _told_unknowing
        claim = told(hearing, fact, canaries(hearing, fact))
        if claim is not None:
            why = "it gives away what must not be said to these listeners"
            yield found(Code.LEAK, claim, why, fact.entry_id, severity=Severity.CRITICAL)


def _told(hearing: Hearing, fact: Fact, marks: frozenset[str]) -> Claim | None:
    """Return the claim that tells what the speaker knows and keeps."""
    claim = _given_away(hearing, fact, marks) or _in_other_words(hearing, fact, marks) or _whole(hearing, fact)
    return claim or _confirmed(hearing, fact)


def _told_unknowing(hearing: Hearing, fact: Fact, marks: frozenset[str]) -> Claim | None:
    """Return the claim that tells what the speaker does not know: too much of it to be chance, and of whom it is."""
    said = frozenset(t for claim in hearing.claims for t in claim.terms)
    doer = doer_of(hearing, fact)
    named = not doer or any(doer in {c.subject, *c.mentions} for c in hearing.claims)
    hits = shared(said, marks)
    if named and len(hits) >= _MANY and len(hits) >= _HALF * len(fact.terms):
        return max(hearing.claims, key=lambda c: len(shared(c.terms, hits)))
    return _whole(hearing, fact)


def canaries(hearing: Hearing, fact: Fact) -> frozenset[str]:
    """Return the words of a hidden fact that no selected text and no word of the player could have given."""
    marks = distinctive(fact.terms)
    return marks - hearing.hidden_and_spoken_of


def distinctive(terms: Iterable[str]) -> frozenset[str]:
    """Leave out words too common to give anything away.

    >>> sorted(distinctive({"transfer", "day"}))
    ['transfer']
    """
    return frozenset(t for t in terms if t not in _HOLLOW and len(t) > 2)  # noqa: PLR2004


def _given_away(hearing: Hearing, fact: Fact, marks: frozenset[str]) -> Claim | None:
    best: tuple[int, Claim] | None = None
    everywhere: set[str] = set()
    for claim in hearing.claims:
        hits = shared(claim.terms, marks)
        everywhere |= hits
        if hits and (best is None or len(hits) > best[0]):
            best = (len(hits), claim)
    if best is None:
        return None
    enough = len(everywhere) >= _ENOUGH and len(everywhere) / len(marks) >= _SHARE
    at_once = best[0] >= _ENOUGH or len(everywhere) / len(marks) >= _MOST_OF_IT
    only_mark = len(marks) == 1 and cover(best[1].terms, fact.terms) >= _MOST_OF_IT
    return best[1] if (enough and at_once) or only_mark or _completes(hearing, best[1], fact) else None


def _in_other_words(hearing: Hearing, fact: Fact, marks: frozenset[str]) -> Claim | None:
    """Return the claim that says half of the marks or more, one of them plainly, or that answers with one of them."""
    for claim in hearing.claims:
        exact = shared(claim.terms, marks) - hearing.cast_names
        if not exact:
            if _hints(hearing, claim, fact, marks):
                return claim
            continue
        meant = kindred(claim.terms, marks)
        sayers = [t for t in claim.terms if kindred({t}, marks)]
        if min(len(meant), len(sayers)) >= max(_ENOUGH, _HALF * len(marks)):
            return claim
        plainly = bool(exact & frozenset(claim.terms))
        if (plainly and _answers_with_it(hearing, claim, fact)) or _own_secret(hearing, claim, fact, exact):
            return claim
    return None


def _own_secret(hearing: Hearing, claim: Claim, fact: Fact, exact: frozenset[str]) -> bool:
    """Say whether the one whose secret it is says of themselves a word that only the secret has."""
    short = (
        claim.subject == ""
        and "?" in hearing.packet.line
        and len(claim.terms) <= _ENOUGH
        and claim is hearing.claims[0]
    )
    own = (claim.subject == hearing.viewer or short) and hearing.viewer == doer_of(hearing, fact)
    plainly = claim.stance in {Stance.ASSERT, Stance.HEDGE} and claim.negative == fact.is_negative
    plainly = plainly and not _UNREAL.search(claim.text)
    return own and plainly and any(len(t) >= _LONG and t in claim.terms for t in exact)


def _hints(hearing: Hearing, claim: Claim, fact: Fact, marks: frozenset[str]) -> bool:
    """Say whether an answer to a question about it says one of its marks by two other words."""
    plainly = claim.stance in {Stance.ASSERT, Stance.HEDGE} and not claim.negative
    if not plainly or "?" not in hearing.packet.line or not kindred(claim.terms, marks) or fact.is_negative:
        return False
    if not kindred(hearing.line_terms, fact.terms):
        return False
    sayers = [t for t in set(claim.terms) if kindred({t}, marks) and not kindred(hearing.spoken_of, {t})]
    return len(sayers) >= _ENOUGH


def _answers_with_it(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a plain answer adds a mark to what the question already holds of the hidden thing."""
    plainly = claim.stance in {Stance.ASSERT, Stance.HEDGE, Stance.ASK} and claim.negative == fact.is_negative
    touched = distinctive(shared(hearing.line_terms, fact.terms))
    asked = bool(touched if "?" in hearing.packet.line else touched - hearing.cast_names)
    fits = claim.subject in {"", doer_of(hearing, fact)} or doer_of(hearing, fact) == ""
    return plainly and asked and fits and cover(hearing.with_line(claim), fact.terms) >= _HALF


def _whole(hearing: Hearing, fact: Fact) -> Claim | None:
    """Return the claim in which the one concerned, or who names them, says nearly all of it."""
    whose = doer_of(hearing, fact)
    plain_ones = (c for c in hearing.claims if c.stance in {Stance.ASSERT, Stance.DENY, Stance.REFUSE, Stance.HEDGE})
    said = (c for c in plain_ones if c.negative == fact.is_negative and c.subject == whose and whose)
    claim = next((c for c in said if _says_it(hearing, c, fact)), None)
    return None if claim is None or _may_be_said(hearing, fact) else claim


def _may_be_said(hearing: Hearing, fact: Fact) -> bool:
    """Say whether something that may be said holds most of a hidden thing anyway."""
    return any(cover(o.terms, fact.terms) >= _MOST_OF_IT for o in hearing.selected)


def _says_it(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause says a hidden thing; of one that says no, what it says no to is enough."""
    denied = ruled_out(hearing, fact)
    if denied and shared(claim.terms, denied):
        return True
    return kin_cover(claim.terms, fact.terms) >= _NEARLY_ALL and bool(shared(claim.terms, fact.terms))


def _completes(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a plain statement of the one concerned adds to the line what makes the hidden thing whole."""
    plainly = claim.stance is Stance.ASSERT and not claim.negative and claim.subject == hearing.viewer
    return plainly and cover(hearing.with_line(claim), fact.terms) >= _MOST_OF_IT


def _confirmed(hearing: Hearing, fact: Fact) -> Claim | None:
    """Return the claim that says yes to a question which guessed it."""
    guessed = kin_cover(hearing.line_terms, fact.terms) >= _MOST_OF_IT and "?" in hearing.packet.line
    first = next((c for c in hearing.claims if c.stance is not Stance.ASK), None)
    yes = first is not None and not first.negative and (first.says("yes") or said_yes(hearing) is True)
    if guessed and first is not None and yes:
        return first
    return _said_again(hearing, fact) if guessed else None


def _said_again(hearing: Hearing, fact: Fact) -> Claim | None:
    """Return the claim that says itself what was guessed, where nothing that may be said does."""
    plain_ones = (c for c in hearing.claims if c.stance is Stance.ASSERT and not c.negative)
    claim = next((c for c in plain_ones if cover(hearing.terms_of(c.text), fact.terms) >= _MOST_OF_IT), None)
    return None if claim is None or _may_be_said(hearing, fact) else claim
