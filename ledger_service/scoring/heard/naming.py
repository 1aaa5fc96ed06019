"""Who is named as the one who said something, in all the ways that English has for it.

Before a verb of telling, after `from`, as the owner of a word, as a bare answer, or with `he says` after the name.
"""

import re
from functools import lru_cache
from typing import Final

from ledger_service.domain.ids import PLAYER
from ledger_service.domain.replies import Stance
from ledger_service.domain.terms import is_stopword, stem, words
from ledger_service.scoring.heard.hearing import Hearing
from ledger_service.scoring.words.lexicon import word
from ledger_service.scoring.words.lists import read_lists
from ledger_service.scoring.words.overlap import plain

_LISTS: Final[dict[str, list[str]]] = read_lists(__package__, "naming.toml")
"""How somebody tells something, as patterns: by a verb of telling, by bringing word, by a voice or a sign."""
_TITLES: Final = (
    "the|old|young|our|my|your|little|poor|dear|big|good|one|that|brother|sister|father|mother|widow|captain|doctor"
    "|corporal|sergeant|master|mistress|mr|mrs|miss|ms|lady|lord|uncle|aunt|granny|goody|constable|prior|friend"
)
_TOLD_OFF: Final = rf"(?:{'|'.join(p for part in ('told', 'brought', 'voiced') for p in _LISTS[part])})"
_OWNED: Final = (
    r"(?:word|tale|story|notion|view|version|account|idea|claim|say-so|mouth|telling|report|opinion|reckoning|theory"
    r"|guess|letter|message|news|gossip|whisper|lips)"
)
_HAD: Final = (
    r"\b(?:had|have|'ve|has|got|get|heard|hear|hears|took|came|comes|learned|learnt|word|straight|is|was|it's|that's)\b"
)
_LEAD: Final = (
    r"\W*(?:(?:well|oh|why|that's|that was|that would be|that'd be|it's|it was|it is|only|just|and|but|so|then|yes|no"
    r"|aye),? )*"
)
_AFTER: Final = (
    r"(?:,[^,.;]{2,40},(?: (?:he|she|they)(?:'s| is| was) the one(?: who| that)?)?)?(?: who| that)?(?:'d|'s)?"
    r"(?: has| had| would)?(?: \w+ly| also| once| himself| herself| just| already| only)?"
)
_PRONOUN: Final = re.compile(
    rf"\b(?:he|she)(?:'s|'d)? (?:also |only |just )?{_TOLD_OFF}|\b(?:so|or so|as) (?:he|she) ", re.IGNORECASE
)
_UNKNOWN: Final = r"[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})?"
_NO_NAMES: Final = frozenset(
    "whoever whatever everybody everyone anybody anyone somebody someone nobody people folk folks rumour rumor word"
    " story talk gossip monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december".split()
)
_PAPERS: Final = frozenset(
    "log book board letter memo notice order file docket note roll record sheet list report screen terminal copy map"
    " ledger sign poster paper diary register".split()
)


def people(hearing: Hearing) -> dict[str, str]:
    """Return who each word of a name stands for, of those who are not talking and not a paper."""
    return dict(
        _people(tuple((c.id, (c.id, c.name, *c.aliases)) for c in hearing.world.cast), hearing.viewer, hearing.listener)
    )


@lru_cache(maxsize=256)
def _people(cast: tuple[tuple[str, tuple[str, ...]], ...], *talking: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (part, who)
        for who, names in cast
        if who not in {*talking, PLAYER} and stem(words(who.replace("_", " "))[-1]) not in {stem(p) for p in _PAPERS}
        for name in names
        for part in words(name.replace("_", " "))
        if not is_stopword(part) and part not in _TITLES.split("|")
    )


@lru_cache(maxsize=512)
def _patterns(names: tuple[str, ...], *, answering: bool) -> tuple[re.Pattern[str], ...]:
    any_name = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    known = rf"(?:(?i:{any_name}))" if names else r"(?!)"
    who = rf"(?P<who>{known}(?: [A-Z][a-z]+)?|{_UNKNOWN})"
    title = rf"(?:(?i:{_TITLES}) )*"
    ways = [
        rf"^(?i:{_LEAD}){title}{who}(?i:{_AFTER}) (?i:{_TOLD_OFF})",
        rf"(?i:{_HAD})[^.;]*?\b(?i:from|off|through|via|out of) {title}{who}\b",
        rf"^(?i:{_LEAD})(?i:from|off) {title}{who}\b",
        rf"\b(?i:told)(?: \w+)? (?i:by) {title}{who}\b",
        rf"\b{title}{who}'s (?:\w+ )?(?i:{_OWNED})\b",
        rf"\b(?i:it was|that was|it's|that's) {title}{who},? (?i:who|that|as) (?i:{_TOLD_OFF})",
        rf"\b{title}{who}(?i:'s| is| was) (?i:the one|who|my source|behind)",
        rf"\b{title}{who}(?: [a-z]+){{0,2}}?, (?i:(?:it|that) was (?:him|her|he|she)) (?i:who|that) (?i:{_TOLD_OFF})",
    ]
    bare = rf"^(?i:{_LEAD}){title}{who}(?:(?= ?[,.;:!])|$| (?i:does|did|has|had)\b(?! not|n't)(?= ?[,.;:!]|$))"
    return tuple(re.compile(way) for way in ([*ways, bare] if answering else ways))


def named_as_source(hearing: Hearing, text: str, *, answering: bool) -> str:
    """Return whom a clause names as the one who said it: an id of the cast, or a name that the cast has not."""
    text, known = plain(text), people(hearing)
    for pattern in _patterns(tuple(sorted(known)), answering=answering):
        for match in pattern.finditer(text):
            who = _who(match["who"], known, hearing, first=match.start("who") == 0)
            if who:
                return who
    return ""


def _who(name: str, known: dict[str, str], hearing: Hearing, *, first: bool) -> str:
    """Return who a name is; a word that begins a sentence is a name only where nothing else is known of it."""
    said = words(name)
    found = next((known[w] for w in said if w in known), "")
    if found:
        return found
    stems = [stem(w) for w in said]
    if any(s in hearing.told_of or s in hearing.names or s in hearing.cast_names for s in stems):
        return ""
    ordinary = any(is_stopword(w) or w in _NO_NAMES for w in said) or (
        first and any(word(s).kinds or word(s).wider for s in stems[:1])
    )
    return "" if ordinary else name


def named_plainly(hearing: Hearing) -> frozenset[str]:
    """Return everybody whom a reply names but those whom it only asks after and says no to.

    `Corvin? No, it was Tobb.` names Tobb alone.
    """
    named: set[str] = set()
    for at, claim in enumerate(hearing.claims):
        following = next((c for c in hearing.claims[at + 1 :] if c.stance is not Stance.UNKNOWN), None)
        if claim.stance is not Stance.ASK or following is None or not following.says("negates"):
            named.update(claim.mentions)
    return frozenset(named)


def told_by_pronoun(text: str) -> bool:
    """Say whether a clause has `he` or `she` say it."""
    return _PRONOUN.search(plain(text)) is not None


def bare_name(hearing: Hearing, text: str) -> str:
    """Return whom a clause names and says nothing else with the name."""
    known = people(hearing)
    said = [w for w in words(plain(text)) if w not in _TITLES.split("|")]
    return next((known[w] for w in said if w in known), "") if len(said) <= 1 else ""
