"""Whom a clause has do what was agreed: `I owe you that`, `it is his job`, `the eight crowns are mine to find`."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from ledger_service.domain.clipped import spelt
from ledger_service.domain.replies import Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem, words
from ledger_service.scoring.commitments.matters import Matter, Spoken, matters, points, spoken
from ledger_service.scoring.heard.hearing import Hearing, found, once
from ledger_service.scoring.words.overlap import akin, kindred
from ledger_service.scoring.words.wording import cue, forms

_MUST: Final = forms("must")
_VOWED: Final = forms("vowed")
_WILL: Final = forms("will")
_SORTS: Final = ((_VOWED, "word"), (_MUST, "must"), (_WILL, "will"), (forms("does"), "will"))
"""The ways of saying that somebody is bound; the last, `you temper it`, only where a line asks for terms."""
_FROM_OWN: Final = cue("from_own")
"""Out of whose purse, or by whose hands, where a line asks for terms."""
_OWNS: Final = frozenset({"my", "your", "his", "her", "me", "him", "mine", "yours", "hers", "thy", "thine", "thee"})
_TO_POINTED: Final = re.compile(r"\s*to (?:\w+ )?\w+ (?:it|that|them|this)\b", re.IGNORECASE)
_CONFIRMS: Final = cue("confirms")
_A_DEBT: Final = cue("a_debt")
_ELLIPTIC: Final = cue("elliptic")
"""What an answer begins with that tells a bargain: `that I would keep out of it`."""
_IS_OWN: Final = cue("is_own")
_THE_ONE: Final = cue("the_one")
_ANSWERS: Final = cue("answers")
_ASKS_WHO: Final = cue("asks_who")
_IS_OWED: Final = cue("is_owed")
_NO: Final = cue("no")
_IF: Final = cue("if")
_LISTED: Final = cue("listed")
_RECEIVES: Final = cue("receives")
"""What follows where the one of whom something is promised is to get it, not to do it."""
_BARGAIN: Final = cue("bargain")
_IDLE: Final = cue("idle")
"""What `I will` begins with that is no deed: `take your word`, `give you that`."""
_TURNS: Final = cue("turns")
"""Where, in what somebody is to do, something else begins to be told."""
_A_WORD: Final = re.compile(r"[\w-]+")
_NEAR: Final = 24
"""Letters before a word in which a no takes back what it says."""
_SPENT: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN})
_LIGHT: Final = frozenset(
    stem(w)
    for w in (
        "do see get bring deliver give have make take send finish find hold keep run fetch handle sort carry pay owe "
        "cover settle mind look tend stand"
    ).split()
)
_PRONOUNS: Final = frozenset({"i", "you", "he", "she"})
_HALF: Final = 0.5


def swapped(hearing: Hearing) -> Iterator[Finding]:
    """Find what was agreed put on another than the one who is to do it."""
    given = matters(hearing)
    for said in spoken(hearing):
        if said.matter is None or said.claim.lang != "en" or said.claim.stance in _SPENT:
            continue
        who = _bearer(hearing, said, said.matter) or _answered(hearing, said) or _confirmed(hearing, said)
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
    terms, own = frozenset(said.claim.terms), said.matter
    least = len(akin(terms, own.things)) if own is not None else 0
    return any(m.owner == who and m != own and len(akin(terms, m.things)) >= max(1, least) for m in given)


@once
def _asks_terms(hearing: Hearing) -> bool:
    """Say whether the line asks what was agreed, what is left to do, or who is to do it."""
    lists = any(hearing.asks(cue_) for cue_ in ("whose_list_mine", "whose_list_yours"))
    return lists or any(c.says("terms") or _ASKS_WHO.search(c.text) or _A_DEBT.search(c.text) for c in hearing.asked)


def _confirmed(hearing: Hearing, said: Spoken) -> str:
    """Return which third one the line has do it, where the first words say that this is so."""
    matter = said.matter
    if not said.first or said.claim.negative or matter is None or not _CONFIRMS.match(spelt(said.claim.text)):
        return ""
    for claim in hearing.asked:
        asked = Spoken(claim=claim, matter=matter, named=True, first=True)
        who = "" if claim.lang != "en" or claim.negative else _bearer(hearing, asked, matter)
        if who and who not in {hearing.viewer, hearing.listener}:
            return who
    return ""


class _Borne(Struct, frozen=True):
    """Somebody who is said to have to do something, or to have given their word on it."""

    who: str
    what: str
    sort: str


def _bearer(hearing: Hearing, said: Spoken, matter: Matter) -> str:
    """Return whom a clause has do it."""
    text = spelt(said.claim.text)
    if _IS_OWED.search(text) or _IF.search(said.before):
        return ""
    asked = any(_BARGAIN.search(c.text) for c in hearing.asked)
    borne = (b for b in _borne(hearing, said, text) if b.who and _is_what(said, matter, b, asked=asked))
    return next((b.who for b in borne), "")


def _borne(hearing: Hearing, said: Spoken, text: str) -> Iterator[_Borne]:
    """Yield everybody whom a clause says to be bound to something, and to what."""
    terms = _asks_terms(hearing)
    for cue_, sort in ((_IS_OWN, "own"), (_THE_ONE, "one"), (_ELLIPTIC, "will"), (_FROM_OWN, "own"))[
        : 4 if terms else 3
    ]:
        match = cue_.search(text)
        if match is not None and _NO.search(text[max(0, match.start() - _NEAR) : match.start()]) is None:
            yield _Borne(_person(hearing, said, _part(match, _NAMED)), _part(match, _WHAT), sort)
    listed = _LISTED.match(text) if said.first else None
    if listed is not None and hearing.asks("whose_list_mine") != hearing.asks("whose_list_yours"):
        yield _Borne(hearing.listener if hearing.asks("whose_list_mine") else hearing.viewer, listed["what"], "must")
    for word in _A_WORD.finditer(text):
        who = _person(hearing, said, word[0])
        if not who or _NO.search(text[max(0, word.start() - _NEAR) : word.start()]):
            continue
        for forms_, sort in _SORTS if terms and word[0].casefold() not in _OWNS else _SORTS[:-1]:
            match = next((m for form in forms_ if (m := form.match(text, word.end()))), None)
            if match is not None and not (sort == "will" and _IDLE.match(match["what"])):
                inner, what = match.groupdict().get("inner") or "", _TURNS.split(match["what"] or "")[0]
                bound = "" if not inner or _RECEIVES.match(what) else _person(hearing, said, inner)
                yield _Borne(bound or who, what, sort)


_NAMED: Final = ("who", "whose", "whom", "purse", "purse2", "one", "inner")
_WHAT: Final = ("verb", "doing", "what", "rest")


def _part(match: re.Match[str], names: tuple[str, ...]) -> str:
    """Return what is in the named groups of a match."""
    parts = match.groupdict()
    return " ".join(parts[k] or "" for k in names if parts.get(k)).strip()


def _is_what(said: Spoken, matter: Matter, borne: _Borne, *, asked: bool) -> bool:
    """Say whether what somebody is said to have to do is this: the same deed, of the same things."""
    terms, pointed = frozenset(content_terms(borne.what)), points(borne.what)
    first = next((stem(w) for w in words(borne.what) if w not in _EMPTY), "")
    deed = bool(akin(terms, matter.deed)) or _same({first}, matter.deed)
    if borne.sort == "will":
        done = bool(kindred({first}, matter.deed)) or _same({first}, matter.deed)
        return done and (said.named or pointed)
    things = len(akin(terms, matter.things))
    if things and (deed or things >= _HALF * len(matter.things) or terms & _LIGHT):
        return True
    plainly = bool(kindred(terms, matter.deed - _LIGHT))
    if plainly or (deed and (said.named or pointed)) or (borne.sort == "own" and said.named):
        return True
    if borne.sort == "one" and _TO_POINTED.match(borne.what):
        return True
    if borne.sort == "word" and (said.named or asked or not terms - _LIGHT - matter.things):
        return True
    return (not first or first in _LIGHT) and (pointed or not borne.what.strip(" .,;!"))


def _same(terms: Iterable[str], deeds: frozenset[str]) -> bool:
    """Say whether one of some words is a verb of carrying, and the deed is one."""
    return bool(_CARRIES.intersection(terms) and deeds & _CARRIES)


_CARRIES: Final = frozenset(
    stem(w) for w in "bring carry take cart fetch deliver haul lug run bear trot return give hand".split()
)


_EMPTY: Final = frozenset({"be", "still", "have", "you", "me", "him", "her", "us", "to"})


def _person(hearing: Hearing, said: Spoken, named: str) -> str:
    """Return who is meant by a word: I, you, somebody of the cast, or he and she for whom was named last."""
    word = named.casefold().removesuffix("'s")
    if word in {"i", "me", "my", "mine"}:
        return str(hearing.viewer)
    if word in {"you", "thou", "thee", "your", "yours", "thy", "thine"}:
        return str(hearing.listener)
    if word in {"he", "she", "him", "her", "his", "hers"}:
        return _last_named(hearing, said)
    return next((known for w in words(word) if (known := _cast(hearing).get(stem(w)))), _someone(word))


def _someone(named: str) -> str:
    """Return somebody outside the cast, named by what they are: `the supervisor`."""
    return named if named.startswith(("the ", "old ", "our ")) else ""


@once
def _cast(hearing: Hearing) -> dict[str, str]:
    """Return who goes by which stem."""
    return {stem(w): str(c.id) for c in hearing.world.cast for w in words(c.id) if c.id not in _PRONOUNS}


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
    match = _ANSWERS.match(spelt(said.claim.text)) if said.first and asked and not said.claim.negative else None
    if match is None:
        return ""
    name = match["who"]
    return _person(hearing, said, name)
