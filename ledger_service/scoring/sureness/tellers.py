"""Whether somebody is named as the teller of what the speaker has from somebody else."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.naming import bare_name, named_as_source, named_plainly, told_by_pronoun
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.sureness.sources import asked_of
from ledger_service.scoring.words.overlap import akin_cover

_NOT_SAID: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN})
_SAID: Final = 0.3
_SURE: Final = 0.8
_LINE: Final = 0.4
_RIVAL: Final = 0.5
_CLOSE: Final = 0.1
_FIRST_FEW: Final = 3
_BESIDE: Final = 2


def tellers(hearing: Hearing) -> Iterator[Finding]:
    """Find somebody named as the teller of something that the speaker has from another."""
    if not hearing.hearsay:
        return
    said = [c for c in hearing.claims if c.stance not in _NOT_SAID and c.lang == "en"]
    for at, claim in enumerate(said):
        who = _named(hearing, said, at)
        if not who:
            continue
        fact = _told(hearing, said, at, who)
        if fact is not None:
            own = ", ".join(sorted(hearing.tellers(fact)))
            why = f"it names {who} as the teller, and the speaker has it from {own}"
            yield found(Code.ATTRIBUTION_WRONG, claim, why, fact.entry_id)
            return


def _asks_who(hearing: Hearing) -> bool:
    return hearing.asks("asks_source") or hearing.asks("who_says") or hearing.asks("asks_teller")


def _named(hearing: Hearing, said: list[Claim], at: int) -> str:
    """Return whom a clause names as a teller, also a bare name that the next clause has say it."""
    claim = said[at]
    if claim.negative and not claim.attributed_to and claim.stance is not Stance.ATTRIBUTE:
        return ""
    answering = at < _FIRST_FEW and _asks_who(hearing)
    who = named_as_source(hearing, claim.text, answering=answering)
    if not who and any(told_by_pronoun(c.text) for c in said[at + 1 : at + 1 + _BESIDE]):
        who = bare_name(hearing, claim.text)
    return who


def _told(hearing: Hearing, said: list[Claim], at: int, who: str) -> Fact | None:
    """Return the hearsay that is told on somebody's word who is none of those whom the speaker has it from."""
    fact = _told_in(hearing, said[at])
    if fact is None and hearing.certain and _of_certain(hearing, said[at]):
        return None
    told: Claim | None = said[at]
    if fact is None:
        told, fact = _told_beside(hearing, said, at, who)
    if fact is None or hearing.tellers(fact) & {who, *named_plainly(hearing)}:
        return None
    return None if _tells_a_rival(hearing, told, fact, who) else fact


def _told_in(hearing: Hearing, claim: Claim, *, pointed_at: bool = False) -> Fact | None:
    """Return the hearsay that a clause itself is about; one that the next points at may say less of it."""
    best = next(iter(topics(hearing, claim)), None)
    heard = [t for t in topics(hearing, claim) if t.fact.entry_id in hearing.items and _has_teller(hearing, t.fact)]
    top = next((t for t in heard if best is not None and t.score >= best.score - _CLOSE), None)
    if top is None or (top.words < _SAID and not (pointed_at and top.words and top.score >= _SURE)):
        return None
    return top.fact


def _of_certain(hearing: Hearing, claim: Claim) -> bool:
    """Say whether a clause is plainly about something that is no hearsay at all."""
    best = next(iter(topics(hearing, claim)), None)
    return best is not None and best.words >= _RIVAL and not hearing.is_second_hand(best.fact)


def _told_beside(hearing: Hearing, said: list[Claim], at: int, who: str) -> tuple[Claim | None, Fact | None]:
    """Return the hearsay that the clauses beside one are about, with the clause, or what the line asks after."""
    beside = (*said[at + 1 : at + 1 + _BESIDE], *said[max(0, at - 1) : at])
    points = said[at].says("points_back")
    told = [(claim, fact) for claim in beside if (fact := _told_in(hearing, claim, pointed_at=points)) is not None]
    if any(who in hearing.tellers(fact) for _, fact in told):
        return None, None
    if told:
        return told[0]
    if _asks_who(hearing):
        return None, next(iter(asked_of(hearing)), None)
    best = next(iter(topics(hearing, said[at])), None)
    asked = best is not None and best.with_line >= _LINE and best.fact.entry_id in hearing.items
    return None, best.fact if best is not None and asked and _has_teller(hearing, best.fact) else None


def _tells_a_rival(hearing: Hearing, claim: Claim | None, fact: Fact, who: str) -> bool:
    """Say whether it may as well be of something else that the speaker does have from the one who is named."""
    mine = [f for f in hearing.hearsay if who in hearing.tellers(f)]
    if claim is None:
        asked = akin_cover(hearing.line_terms, fact.terms)
        return any(not asked or akin_cover(hearing.line_terms, f.terms) >= asked for f in mine)
    rated = {t.fact.entry_id: t for t in topics(hearing, claim)}
    told = rated[fact.entry_id]
    plainly = told.words >= _RIVAL
    least = _RIVAL * (told.words if plainly else told.score)
    return any((rated[f.entry_id].words if plainly else rated[f.entry_id].score) >= least for f in mine)


def _has_teller(hearing: Hearing, fact: Fact) -> bool:
    return hearing.is_second_hand(fact) and bool(hearing.tellers(fact) - {hearing.viewer, hearing.listener})
