"""Whether a reply gives another hour, day or month of something than the record does."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Contradiction, EmotionalResidue, RelationshipDelta
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.overlap import akin, akin_cover
from ledger_service.scoring.words.time_words import times_in

_PLAINLY: Final = frozenset({Stance.ASSERT, Stance.PROMISE, Stance.GRANT, Stance.THANK, Stance.REFUSE})
_NO_TIMES: Final = (EmotionalResidue, RelationshipDelta, Contradiction)
_ABOUT: Final = 0.6
_TOUCHED: Final = 0.3
Times = dict[str, frozenset[str]]


def times(hearing: Hearing) -> Iterator[Finding]:
    """Find a time that is not the one on record, of what is on record with a time of that kind."""
    timed = [
        (f, told) for f in hearing.selected
        if not isinstance(f.entry, _NO_TIMES) and not hearing.is_second_hand(f)
        and (told := times_in(f.entry.statement, "en"))
    ]  # fmt: skip
    if not timed:
        return
    for claim in hearing.claims:
        said = times_in(claim.text, claim.lang) if _is_plain(claim) else {}
        wrong = next((f for f, told in timed if _differs(hearing, claim, said, f, told, timed)), None) if said else None
        if wrong is not None:
            yield found(Code.CONTRADICTS_ENTRY, claim, f"on record: {wrong.entry.statement}", wrong.entry_id)
            return


def _is_plain(claim: Claim) -> bool:
    return claim.stance in _PLAINLY and not claim.negative and not claim.says("past")


def _differs(
    hearing: Hearing, claim: Claim, said: Times, fact: Fact, told: Times, timed: list[tuple[Fact, Times]]
) -> bool:  # fmt: skip
    """Say whether a clause gives another time of the same kind, and no other fact that it may be about has that one."""
    kinds = [kind for kind in said if kind in told]
    if not kinds or any(not said[k].isdisjoint(told[k]) for k in kinds):
        return False
    others = [(f, t) for f, t in timed if f is not fact and kinds[0] in t]
    if any(not said[kinds[0]].isdisjoint(t[kinds[0]]) for _, t in others):
        return False
    return _is_about(hearing, claim, fact, alone=not others)


def _is_about(hearing: Hearing, claim: Claim, fact: Fact, *, alone: bool) -> bool:
    rest = frozenset(
        t for t in fact.terms - hearing.cast_names if not times_in(t, "en") and t not in {"o'clock", "clock"}
    )
    rest -= _number_words(fact)
    asked = hearing.asks("asks_when")
    if asked and alone and (hearing.asked and all(c.lang != "en" for c in hearing.asked)):
        return True
    whole = akin_cover(hearing.with_line(claim), rest)
    if asked and alone and akin_cover(hearing.line_terms, rest) >= _TOUCHED:
        return True
    return whole >= _ABOUT and bool(akin(claim.terms, rest) or asked)


def _number_words(fact: Fact) -> frozenset[str]:
    return frozenset(t for t in fact.terms if times_in(f"{t} o'clock", "en").get("hour", frozenset()) - {"0:00"})
