"""Whether a reply that is asked for its source names the one whom the speaker has it from."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.lexicon import is_person
from ledger_service.scoring.words.overlap import akin, akin_cover
from ledger_service.scoring.words.verbs import is_past

_ROLE: Final = re.compile(
    r"^(?:(?:it|that) was |from |by |only )?(?:the|my|your|his|her|our|their|an?|some|one of the|old|good)"
    r" (?:own |old |good |young |dear |new )*([\w-]+)"
    r"(?=$|[,.;!]| (?P<next>\w+))",
    re.IGNORECASE,
)
_TOLD_APART: Final = re.compile(r"\b(?:himself|herself|own)\b", re.IGNORECASE)
_TRADE: Final = re.compile(r"(?:smith|keeper|man|woman|ist|boy|girl)$")
_TELLS: Final = re.compile(
    r"(?:has|let|says|who|over|at|in|by|with|on|from|himself|herself|keeps|always)\b", re.IGNORECASE
)
_ELSEWHERE: Final = re.compile(r"\b(?:ask|would|might|may|could|should|whoever|if)\b", re.IGNORECASE)
_NOT_NAMED: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN, Stance.REFUSE, Stance.PROMISE})
_FIRST_FEW: Final = 3


def sources(hearing: Hearing) -> Iterator[Finding]:
    """Find somebody named as the source who told the speaker nothing of it."""
    if not (hearing.asks("asks_source") or hearing.asks("who_says")):
        return
    facts = asked_of(hearing)
    tellers = frozenset(who for fact in facts for who in hearing.tellers(fact))
    if not tellers or _is_named(hearing, tellers):
        return
    for claim in hearing.claims[:_FIRST_FEW]:
        if claim.negative or claim.stance in _NOT_NAMED or claim.says("knows_not"):
            continue
        named = _named(hearing, claim)
        if named and not _told_something_else(hearing, claim, named):
            why = f"it names {named} as the source, and the speaker has it from {', '.join(sorted(tellers))}"
            yield found(Code.ATTRIBUTION_WRONG, claim, why, facts[0].entry_id)
            return


def asked_of(hearing: Hearing) -> tuple[Fact, ...]:
    """Return the hearsay that a question for its source is nearest to; all of it where the question names nothing."""
    told = [f for f in hearing.hearsay if hearing.tellers(f)]
    rated = [(akin_cover(hearing.line_terms, f.terms), f) for f in told]
    best = max((part for part, _ in rated), default=0.0)
    first_hand = max((akin_cover(hearing.line_terms, f.terms) for f in hearing.certain), default=0.0)
    if first_hand > best:
        return ()
    return tuple(f for part, f in rated if part == best)


def _is_named(hearing: Hearing, tellers: frozenset[str]) -> bool:
    """Say whether the reply names one of them anywhere, by id, name or alias."""
    if tellers & hearing.mentioned:
        return True
    said = {stem(w) for w in words(hearing.text)}
    return any({stem(w) for w in words(who.replace("_", " "))} <= said for who in tellers)


def _told_something_else(hearing: Hearing, claim: Claim, who: str) -> bool:
    """Say whether a clause has something of what the speaker does have from the one who is named."""
    return any(who in hearing.tellers(f) and akin(hearing.terms_of(claim.text), f.terms) for f in hearing.hearsay)


def _named(hearing: Hearing, claim: Claim) -> str:
    """Return whom a clause names: one of the cast, or somebody by what they are."""
    if _ELSEWHERE.search(claim.text):
        return ""
    people = {c.id for c in hearing.world.cast} - {hearing.viewer, hearing.listener}
    asked = {name for c in hearing.asked for name in c.mentions}
    named = sorted(people & set(claim.mentions) - asked)
    if named:
        return named[0]
    if claim.attributed_to == hearing.listener and claim.says("you_say"):
        return hearing.listener
    return named_by_trade(hearing, claim)


def named_by_trade(hearing: Hearing, claim: Claim) -> str:
    """Return whom a clause begins with by what they are, where it tells of what they did: `the carpenter had ...`."""
    role = _ROLE.match(claim.text)
    if role is None or not (role["next"] is None or _TELLS.match(role["next"]) or is_past(role["next"])):
        return ""
    return role[1] if _is_another(hearing, claim, stem(role[1].casefold())) else ""


def _is_another(hearing: Hearing, claim: Claim, role: str) -> bool:
    """Say whether a word is for somebody that the record or the clause tells from the teller: `his own valet`."""
    if not (is_person(role) or _TRADE.search(role)) or akin({role}, hearing.line_terms):
        return False
    return role in hearing.cast_names or role in hearing.told_of or _TOLD_APART.search(claim.text) is not None
