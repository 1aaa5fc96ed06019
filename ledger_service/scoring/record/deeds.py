"""Whether a deed on record is told as the deed of somebody else: of another, or of the speaker."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import is_stopword, stem, words
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.lexicon import is_person, word
from ledger_service.scoring.words.overlap import akin, plain
from ledger_service.scoring.words.verbs import is_deed, is_past

_TOLD: Final = frozenset({Stance.ASSERT, Stance.DENY, Stance.GRANT, Stance.THANK})
_CLEFT: Final = re.compile(
    r"\b(?:it|that) was (?:the |our |old |young |my )*([\w-]+)(?:,? who| that|, \w+ing\b)", re.IGNORECASE
)
_UNKNOWN: Final = re.compile(
    r"\W*(?:(?:Old|Young|Our|The|And|But|No|Well),? )*([A-Z][a-z]{2,}) (?:also |just |once )?(\w+)\b"
)
_IDLE: Final = frozenset("just also once already even himself herself myself yourself then still all both".split())
_NO_DEEDS: Final = frozenset(
    "did had was were been said told saw seen heard thought knew felt wanted liked meant forgot forgotten remembered"
    " saw watched noticed witnessed looked seemed stood sat lay waited stayed hoped needed asked called swore"
    " let".split()
)
_CLOSE: Final = 0.05
_AFTER_SUBJECT: Final = 5
_SAID: Final = 0.3
_WITH_LINE: Final = 0.6
_RIVAL: Final = 0.6
_TWO: Final = 2
_TOGETHER: Final = re.compile(r"\b(?:you and|and you\b|with you\b|we|us both|both of)\b|\bbeside you\b", re.IGNORECASE)


def deeds(hearing: Hearing) -> Iterator[Finding]:
    """Find somebody said to have done what the record has another do."""
    for claim in hearing.claims:
        who = _doer_said(hearing, claim)
        if not who:
            continue
        fact = _deed_of_another(hearing, claim, who)
        if fact is not None:
            why = f"it has {who} do what {doer_of(hearing, fact)} did: {fact.entry.statement}"
            yield found(Code.ATTRIBUTION_WRONG, claim, why, fact.entry_id)
            return


def _doer_said(hearing: Hearing, claim: Claim) -> str:
    """Return who a clause says did something; nobody where it is asked, denied, or not yet done."""
    if claim.stance not in _TOLD or claim.negative or claim.lang != "en":
        return ""
    text = plain(claim.text)
    cleft = _CLEFT.search(text)
    if cleft is not None:
        role = cleft[1].casefold()
        named = (c.id for c in hearing.world.cast if stem(role) in _names(c.id))
        return next(named, role if is_person(stem(role)) else "")
    if claim.subject:
        return claim.subject if _verb_of(hearing, claim.subject, text) else ""
    name = _UNKNOWN.match(text)
    stranger = name is not None and not word(stem(name[1].casefold())).kinds and _is_told(name[2])
    return name[1] if name is not None and stranger and not is_stopword(name[1].casefold()) else ""


def _names(who: str) -> frozenset[str]:
    return frozenset(stem(w) for w in words(who.replace("_", " ")))


def _verb_of(hearing: Hearing, who: str, text: str) -> bool:
    """Say whether what comes after somebody, but for an adverb, is a past deed: `Mott just carried it`."""
    said = words(text)
    own = {"i", "i've"} if who == hearing.viewer else {"you", "you've"} if who == hearing.listener else set()
    at = next((i for i, w in enumerate(said) if w in own or stem(w) in _names(who)), None)
    after = [w for w in said[at + 1 :] if not w.endswith("ly") and w not in _IDLE] if at is not None else []
    return bool(after) and _is_told(after[0])


def _is_told(verb: str) -> bool:
    return is_past(verb) and stem(verb.casefold()) not in _NO_DEEDS and verb.casefold() not in _NO_DEEDS


def _deed_of_another(hearing: Hearing, claim: Claim, who: str) -> Fact | None:
    """Return the deed that a clause is about more than about anything else, where another has done it."""
    rated = topics(hearing, claim)
    if not rated:
        return None
    close = [t for t in rated[:_TWO] if t.score >= rated[0].score - _CLOSE and t.fact in hearing.certain]
    best = next(iter(close), rated[0])
    doer = doer_of(hearing, best.fact)
    if best.fact not in hearing.certain or best.fact.is_negative or not doer or who == doer:
        return None
    if (
        doer in claim.mentions
        or not _names(who).isdisjoint(best.fact.terms)
        or _TOGETHER.search(claim.text)
        or not _says_enough(hearing, claim, best)
    ):
        return None
    own = any(doer_of(hearing, t.fact) == who and t.score >= _RIVAL * best.score for t in rated[1:_AFTER_SUBJECT])
    return None if own else best.fact


def _says_enough(hearing: Hearing, claim: Claim, topic: Topic) -> bool:
    """Say whether a clause tells the deed itself, or what it was done to where the line is about it."""
    statement = words(topic.fact.entry.statement)
    if len(statement) < _TWO or not (is_past(statement[1]) and is_deed(statement[1])):
        return False
    own = akin(hearing.terms_of(claim.text), topic.fact.terms - _names(doer_of(hearing, topic.fact)))
    deed = bool(own & hearing.terms_of(statement[1]))
    if deed:
        return len(own) >= _TWO or topic.with_line >= _WITH_LINE
    return topic.words >= _SAID and topic.with_line >= _WITH_LINE
