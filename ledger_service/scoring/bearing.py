"""Whom a clause has do what was agreed: `I owe you that`, `it is his job`, `the eight crowns are mine to find`."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem, words
from ledger_service.scoring.hearing import Hearing, found
from ledger_service.scoring.matters import Matter, Spoken, matters, points, spoken
from ledger_service.scoring.overlap import akin, kindred, plain
from ledger_service.scoring.wording import cue

_BEARS: Final = cue("bears")
_IS_OWN: Final = cue("is_own")
_THE_ONE: Final = cue("the_one")
_ANSWERS: Final = cue("answers")
_ASKS_WHO: Final = cue("asks_who")
_PROMISES: Final = cue("promises")
_IS_OWED: Final = cue("is_owed")
_NO: Final = cue("no")
_SPENT: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN})
_LIGHT: Final = frozenset(
    stem(w)
    for w in (
        "do see get bring deliver give have make take send finish find hold keep run fetch handle sort carry pay owe "
        "cover settle"
    ).split()
)
_HALF: Final = 0.5


def swapped(hearing: Hearing) -> Iterator[Finding]:
    """Find what was agreed put on another than the one who is to do it."""
    given = matters(hearing)
    for said in spoken(hearing):
        if said.matter is None or said.claim.lang != "en" or said.claim.stance in _SPENT:
            continue
        who = _bearer(hearing, said, said.matter) or _answered(hearing, said)
        fits = who and who != said.matter.owner and not _is_of_another(said, given, who)
        if fits:
            right = (
                "the listener"
                if said.matter.owner == hearing.listener
                else "the speaker"
                if said.matter.owner == hearing.viewer
                else said.matter.owner
            )
            yield found(Code.OWNER_SWAPPED, said.claim, f"the duty is {right}'s", said.matter.commitment.entry_id)
            return


def _is_of_another(said: Spoken, given: tuple[Matter, ...], who: str) -> bool:
    """Say whether a clause may as well speak of something that this one is to do."""
    terms = frozenset(said.claim.terms)
    return any(m.owner == who and m != said.matter and akin(terms, m.things) for m in given)


def _bearer(hearing: Hearing, said: Spoken, matter: Matter) -> str:
    """Return whom a clause has do it."""
    text = plain(said.claim.text)
    for match in (_BEARS.search(text), _IS_OWN.search(text), _THE_ONE.search(text), _PROMISES.search(text)):
        if match is None or _IS_OWED.search(text) or _NO.search(text[: match.start()]) or _NO.search(said.before):
            continue
        parts = match.groupdict()
        named = next((parts[k] for k in ("who", "whose", "whom", "purse", "one") if parts.get(k)), "i")
        what = " ".join(parts[k] for k in ("verb", "doing", "what", "rest") if parts.get(k))
        who = _person(hearing, said, named)
        if who and _is_what(said, matter, what, bare=match.re is _IS_OWN, deed_wanted=match.re is _PROMISES):
            return who
    return ""


def _is_what(said: Spoken, matter: Matter, what: str, *, bare: bool, deed_wanted: bool) -> bool:
    """Say whether what somebody is said to have to do is this: the same deed, of the same things."""
    terms = frozenset(content_terms(what))
    deed = bool(kindred(terms, matter.deed) if deed_wanted else akin(terms, matter.deed))
    if deed_wanted:
        first = next((stem(w) for w in words(what)), "")
        return (deed or (first in _CARRIES and bool(matter.deed & _CARRIES))) and (said.named or points(what))
    things = len(akin(terms, matter.things))
    if things and (deed or things >= _HALF * len(matter.things) or terms & _LIGHT):
        return True
    if deed and (said.named or points(what)):
        return True
    first = next((stem(w) for w in words(what) if w not in {"be", "still", "have"}), "")
    meant = not first or first in _LIGHT or deed
    return (bare and said.named) or (meant and (points(what) or not what.strip(" .,;!")))


_CARRIES: Final = frozenset(
    stem(w) for w in "bring carry take cart fetch deliver haul lug run bear trot return give hand".split()
)


def _person(hearing: Hearing, said: Spoken, named: str) -> str:
    """Return who is meant by a word: I, you, somebody of the cast, or he and she for whom was named last."""
    word = named.casefold().removesuffix("'s")
    if word in {"i", "me", "my", "mine"}:
        return str(hearing.viewer)
    if word in {"you", "thou", "thee", "your", "yours", "thy", "thine"}:
        return str(hearing.listener)
    if word in {"he", "she", "him", "her", "his", "hers"}:
        return _last_named(hearing, said)
    stems = {stem(w) for w in words(word)}
    return next((str(c.id) for c in hearing.world.cast if stems & {stem(w) for w in words(c.id)}), "")


def _last_named(hearing: Hearing, said: Spoken) -> str:
    """Return who was named last before a clause, of those who are not talking."""
    talking = {hearing.viewer, hearing.listener}
    before = [c for c in hearing.claims if c.start < said.claim.start]
    for claim in (*reversed(before), *reversed(hearing.asked)):
        others = [m for m in claim.mentions if m not in talking]
        if others:
            return others[0] if len(others) == 1 else ""
    return ""


def _answered(hearing: Hearing, said: Spoken) -> str:
    """Return whom the first words name, where the line asks who is to do it."""
    asked = any(c.stance is Stance.ASK and _ASKS_WHO.search(c.text) for c in hearing.asked)
    match = _ANSWERS.match(plain(said.claim.text)) if said.first and asked and not said.claim.negative else None
    if match is None:
        return ""
    name = match["who"]
    return _person(hearing, said, name)
