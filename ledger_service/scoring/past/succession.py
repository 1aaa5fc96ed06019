"""What no longer holds beside what came after it, and which of the two a clause speaks of."""

import re
from typing import Final

from msgspec import Struct

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.terms import content_terms, stem
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.overlap import akin, kindred
from ledger_service.scoring.words.poles import said, told

_FIRST: Final = 2
NOT_SAID: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.HEDGE, Stance.UNKNOWN, Stance.ATTRIBUTE})
"""Ways of meaning a clause in which nothing is told as so."""
_NUMBERS: Final = frozenset(stem(w) for w in "one two three four five six seven eight nine ten eleven twelve".split())
_FIT: Final = {
    "mended": True, "open": True, "whole": True, "empty": False, "sick": False, "wet": False, "forbidden": False,
    "lit": True,
}  # fmt: skip
"""Pairs of states of which one is fit for use: whether that is the first of the pair."""
_ANYTHING: Final = frozenset({"mended", "open", "whole"})
"""Pairs of states that anything may be in; the others count only where the record tells of them."""


class Matter(Struct, frozen=True, kw_only=True):
    """Something that no longer holds, and what came after it, if anything did."""

    old: Fact
    new: Fact | None
    only_old: frozenset[str]
    """Stems that tell it from what came after."""
    only_new: frozenset[str]
    thing: frozenset[str]
    """Stems of what both speak of; all of them where nothing came after."""
    fit: bool | None
    """Whether it had the thing fit for use; none where it says nothing of that."""


def matter_of(hearing: Hearing, fact: Fact) -> Matter:
    """Return something that no longer holds with what came after it."""
    last = hearing.ledger.last_amendment(fact.entry)
    heir = next((hearing.fact_of(i) for i in last.by if i in hearing.ledger.entries), None) if last else None
    after = heir.terms if heir is not None else frozenset[str]()
    only_old = fact.terms - akin(after, fact.terms)
    told_by = frozenset(t for state in told(fact.entry.statement).values() for t in state.by)
    thing = fact.terms - (only_old if heir is not None else told_by) - _NUMBERS
    return Matter(
        old=fact,
        new=heir,
        only_old=only_old,
        only_new=after - akin(fact.terms, after) - hearing.cast_names,
        thing=thing or fact.terms,
        fit=_fitness_told(fact.entry.statement, heir),
    )


def _fitness_told(statement: str, heir: Fact | None = None) -> bool | None:
    """Say whether a record has something fit for use, as far as it tells of states, or what came after it does."""
    of = {(state.yes == _FIT[kind]) for kind, state in told(statement).items() if kind in _FIT}
    if len(of) == 1:
        return next(iter(of))
    after = None if heir is None or of else _fitness_told(heir.entry.statement)
    return None if after is None else not after


def fitness_said(claim: Claim, matter: Matter) -> bool | None:
    """Say whether a clause has something fit for use, as far as it tells of states; the old's words tell of the old."""
    if claim.says("runs_well"):
        return True
    text = _BESIDE.sub("", claim.text)
    kinds = _ANYTHING | (told(matter.old.entry.statement).keys() & _FIT.keys())
    heard = [(kind, state) for kind in sorted(kinds) if (state := said(text, kind)) and state.words != "whole"]
    alike = claim.negative == matter.old.is_negative
    fits = {
        matter.fit == alike if not matter.only_old.isdisjoint(content_terms(state.words)) else state.yes == _FIT[kind]
        for kind, state in heard
    }
    return next(iter(fits)) if len(fits) == 1 else None


_BESIDE: Final = re.compile(
    r"\b(?:not|never|no,?)(?= (?:with|while|as long as|so long as)\b)|\b(?:that|the) whole\b", re.IGNORECASE
)
"""What is denied is what is said beside it: `not with the crane down`."""


def is_told_as_past(hearing: Hearing, matter: Matter) -> bool:
    """Say whether the reply tells anywhere that it was so once, or what came after."""
    return any(_tells_past(hearing, c, matter) or _tells_new(hearing, c, matter) for c in hearing.claims)


def _tells_past(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    if claim.stance is Stance.ASK or not claim.says("told_past"):
        return False
    place = next(
        (i for i, t in enumerate(topics(hearing, claim)[:_FIRST]) if t.fact.entry_id == matter.old.entry_id), None
    )
    if place is None:
        return False
    points = place == 0 and (not claim.terms or claim.says("points_at"))
    return bool(akin(claim.terms, matter.old.terms)) or (points and bool(akin(hearing.line_terms, matter.old.terms)))


def _tells_new(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether a clause says what came after: more of it than of the old, or the state that is so now."""
    if matter.new is None or claim.stance in {Stance.ASK, Stance.QUOTE}:
        return False
    new, old = kindred(claim.terms, matter.only_new), kindred(claim.terms, matter.only_old)
    if len(new) > len(old) and (len(new) > 1 or len(new) == len(matter.only_new)):
        return True
    if matter.fit is None or claim.says("no_state") or _LATER.search(claim.text):
        return False
    fit = fitness_said(claim, matter)
    about = is_named(claim, matter) or is_meant(hearing, claim, matter)
    return fit is not None and fit != matter.fit and about


_IS: Final = re.compile(r"\b(\w+)['’]s\b")
"""What something is said of: `the well's frozen`."""
_LATER: Final = re.compile(r"\b(?:till|until|before|after|once)\b", re.IGNORECASE)


def is_named(claim: Claim, matter: Matter) -> bool:
    """Say whether a clause names what both speak of."""
    return bool(kindred(claim.terms, matter.thing)) or any(stem(w) in matter.thing for w in _IS.findall(claim.text))


def is_meant(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether a clause points at what the line speaks of, or is the first thing told in answer to it."""
    asked = bool(akin(hearing.line_terms, matter.thing))
    return asked and (claim.says("points_at") or _answers(hearing, claim))


def _answers(hearing: Hearing, claim: Claim) -> bool:
    """Say whether a clause is the first thing told in answer to a question, of something else than those who talk."""
    told_first = next((c for c in hearing.claims if c.stance not in NOT_SAID), None)
    return (
        "?" in hearing.packet.line and claim is told_first and claim.subject not in {hearing.viewer, hearing.listener}
    )


def ids_of(matter: Matter) -> tuple[str, ...]:
    """Return the ids of the old and of what came after it."""
    return (matter.old.entry_id,) if matter.new is None else (matter.old.entry_id, matter.new.entry_id)
