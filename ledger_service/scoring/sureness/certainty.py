"""Whether a reply names the right teller, and says of nobody what the record has of somebody else."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.ids import EntryId
from ledger_service.domain.moments import AskKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.overlap import cover, shared

_HALF: Final = 0.5
_TWO: Final = 2


def attribution(hearing: Hearing) -> Iterator[Finding]:
    """Find the wrong teller named, or one deeper in the chain than the speaker's own."""
    seen: set[EntryId] = set()
    for claim in hearing.claims:
        if claim.stance is Stance.ASK or claim.says("elsewhere_asked"):
            continue
        for fact in hearing.hearsay:
            named = _wrong_teller(hearing, claim, fact)
            if named and fact.entry_id not in seen:
                seen.add(fact.entry_id)
                why = f"it names {named}, who is not the speaker's own teller"
                yield found(Code.ATTRIBUTION_WRONG, claim, why, fact.entry_id)
    yield from _of_somebody_else(hearing)


def _wrong_teller(hearing: Hearing, claim: Claim, fact: Fact) -> str:
    if claim.attributed_to is None and not hearing.asks("who_says"):
        return ""
    tellers = hearing.tellers(fact)
    asked_who = hearing.asks("who_says") and _is_asked(hearing, fact)
    about = cover(claim.terms, fact.terms) >= _HALF and len(shared(claim.terms, fact.terms)) > 1
    if not (about or asked_who):
        return ""
    named = {claim.attributed_to} if claim.attributed_to else set()
    people = {c.id for c in hearing.world.cast} - {hearing.viewer, hearing.listener}
    named |= people & set(claim.mentions) if asked_who else set()
    wrong = sorted(named - tellers - (frozenset() if about else hearing.all_tellers))
    return wrong[0] if wrong and tellers.isdisjoint(hearing.mentioned) else ""


def _is_asked(hearing: Hearing, fact: Fact) -> bool:
    asks = hearing.packet.intent.asks
    who = hearing.asks("who_says") or any(a.kind in {AskKind.WHO, AskKind.WHERE} for a in asks) or not asks
    return who and (bool(shared(hearing.line_terms, fact.terms)) or len(hearing.hearsay) == 1)


def _of_somebody_else(hearing: Hearing) -> Iterator[Finding]:
    """Find what the ledger says of one person said of another."""
    for fact in hearing.of_others:
        own = frozenset(t for t in fact.terms if not shared(hearing.spoken_of - {"eat"}, {t}))
        said = [c for c in hearing.claims if c.stance is not Stance.ASK]
        hits = {t for c in said for t in shared(c.terms, own)}
        claim = max(said, key=lambda c: len(shared(c.terms, own)), default=None)
        if claim is not None and len(hits) > 1:
            why = "the ledger says it of somebody else"
            yield found(Code.ATTRIBUTION_WRONG, claim, why, fact.entry_id)
