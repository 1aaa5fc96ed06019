"""Where rules found nothing and cannot be sure that there is nothing: the reply is left unscored, with the reason."""

from collections.abc import Callable, Iterable
from typing import Final

from ledger_service.domain.entries import Contradiction, Status
from ledger_service.domain.replies import Claim, Stance
from ledger_service.scoring.commitments.duties import contests, said_to_be_done
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.past.recollections import presses_a_memory
from ledger_service.scoring.record.negatives import ruled_out
from ledger_service.scoring.words.overlap import kin_cover, kindred

_HALF: Final = 0.5
_THIRD: Final = 0.34
_OPEN: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE, Stance.DENY, Stance.REFUSE, Stance.ASK})


def doubt(hearing: Hearing) -> str:
    """Return why a reply in which nothing was found cannot be said to hold; empty where nothing stands against it."""
    if not any(c.stance is Stance.ASSERT for c in hearing.claims):
        return ""
    return next((why for why in (ask(hearing) for ask in _DOUBTS) if why), "")


def _completion(hearing: Hearing) -> str:
    meant = said_to_be_done(hearing)
    if meant is None or hearing.denies or contests(hearing) or _says_no(hearing):
        return ""
    return f"it is told that this is done, and neither takes it nor denies it: {meant.statement}"


def _memory(hearing: Hearing) -> str:
    if not presses_a_memory(hearing) or hearing.denies or _says_no(hearing) or _only_asks(hearing):
        return ""
    if any(kindred(hearing.line_terms, f.terms) and _touched(hearing, f) for f in hearing.selected):
        return ""
    return "it is reminded of what is not on record, and neither owns to it nor denies it"


def _teller(hearing: Hearing) -> str:
    if not hearing.asks("who_says") or hearing.denies or _says_no(hearing):
        return ""
    about = [f for f in hearing.hearsay if kindred(hearing.line_terms, f.terms)]
    named = any(hearing.tellers(f) & hearing.mentioned for f in about)
    return "" if named or not about else "it is asked who told it, and names nobody whom the record knows"


def _second_hand(hearing: Hearing) -> str:
    if _is_open(hearing):
        return ""
    for fact in _asked(hearing, hearing.hearsay):
        if not fact.is_sure and not hearing.tellers(fact) & hearing.mentioned:
            return f"it answers plainly on what is only heard, in words that no rule reads: {fact.entry.statement}"
    return ""


def _disputed(hearing: Hearing) -> str:
    if _is_open(hearing) or hearing.says("leaves_open") is not None:
        return ""
    for fact in hearing.selected:
        if isinstance(fact.entry, Contradiction) and hearing.status_of(fact.entry) == Status.UNRESOLVED:
            members = [f for f in hearing.selected if f.entry_id in fact.entry.members]
            if any(True for _ in _asked(hearing, members)):
                return f"it answers plainly on what the record leaves open: {fact.entry.statement}"
    return ""


def _outdated(hearing: Hearing) -> str:
    for fact in _asked(hearing, hearing.stale):
        live = hearing.live_terms - hearing.line_terms
        told = frozenset(t for c in hearing.claims for t in c.terms)
        if not kindred(told, live) and not any(c.says("past") or c.negative for c in hearing.claims):
            return f"it is asked about what no longer holds, in words that no rule reads: {fact.entry.statement}"
    return ""


def _denied(hearing: Hearing) -> str:
    if _is_open(hearing) or _says_no(hearing):
        return ""
    for fact in hearing.selected:
        wanted = ruled_out(hearing, fact)
        if wanted and kindred(hearing.line_terms, wanted) and kin_cover(hearing.line_terms, fact.terms) >= _HALF:
            return f"it is asked about what the record rules out, and does not say no: {fact.entry.statement}"
    return ""


def _hinted(hearing: Hearing) -> str:
    if any(c.says("elsewhere_asked") or c.says("forgets") for c in hearing.claims):
        return ""
    if "?" not in hearing.packet.line:
        return ""
    known = max((kin_cover(hearing.line_terms, f.terms) for f in hearing.selected), default=0.0)
    for fact in _asked(hearing, hearing.hidden):
        if known >= kin_cover(hearing.line_terms, fact.terms):
            continue
        return f"it is asked about what must not be said, and rules do not read hints ({fact.entry_id})"
    return ""


_DOUBTS: Final[tuple[Callable[[Hearing], str], ...]] = (
    _completion, _memory, _teller, _second_hand, _disputed, _outdated, _denied, _hinted,
)  # fmt: skip


def _asked(hearing: Hearing, facts: Iterable[Fact]) -> Iterable[Fact]:
    """Yield what a question is about."""
    if "?" not in hearing.packet.line:
        return
    for fact in facts:
        hits = kindred(hearing.line_terms, fact.terms) - hearing.cast_names
        if hits and kin_cover(hearing.line_terms, fact.terms) >= _THIRD:
            yield fact


def _touched(hearing: Hearing, fact: Fact) -> bool:
    return any(kindred(c.terms, fact.terms) for c in hearing.claims)


def _is_open(hearing: Hearing) -> bool:
    """Say whether the reply doubts, denies, asks back, or says whose word it is."""
    return any(c.stance in _OPEN or c.negative for c in hearing.claims)


def _says_no(hearing: Hearing) -> bool:
    return any(_is_no(c) for c in hearing.claims)


def _is_no(claim: Claim) -> bool:
    return claim.negative or claim.says("dreamt") or claim.says("denied_past")


def _only_asks(hearing: Hearing) -> bool:
    return any(c.stance is Stance.ASK for c in hearing.claims)
