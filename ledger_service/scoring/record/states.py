"""Whether a reply tells of one state of a thing where the record tells of the other: sound for torn, shut for open."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.heard.replying import doer_of
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.overlap import akin
from ledger_service.scoring.words.poles import Said, Told, said, told

_PLAINLY: Final = SAID_PLAINLY | {Stance.REFUSE}
_UNREAL: Final = re.compile(
    r"\b(?:if|would|could|should|might|wish\w*|until|till|unless|used to|(?<!never )once|will|shall|when|as if|like an?"
    r"|not before|(?<!every )others?|the rest|the remaining"
    r"|else|except|apart from|but for|old|past tense)\b|['’](?:d|ll)\b"
    r"|^(?:(?:and|but|so|then),? )?(?:keep|mind|make sure|let|see that|leave)\b",
    re.IGNORECASE,
)
"""What is not told as being so now, or as what came of it."""
_BEFORE_IT: Final = re.compile(r"\bbefore \w+['’]d\b", re.IGNORECASE)
_POINTS: Final = re.compile(
    r"\W*(?:(?:and|but|well|oh|aye|yes|still|now),? )*(?:it|that|he|she|they|those|these|this|both)\b", re.IGNORECASE
)
_FIRST_FEW: Final = 3
_SPOKEN: Final = 0.25
_NEARLY_FIRST: Final = 0.6


def states(hearing: Hearing) -> Iterator[Finding]:
    """Find a state of something that is not the one on record, in any of the words that people have for either."""
    known = {f.entry_id: of for f in hearing.certain if (of := told(f.entry.statement))}
    kinds = sorted({kind for of in known.values() for kind in of})
    for claim in hearing.claims if known else ():
        heard = _states_in(claim, kinds)
        for topic in _about(hearing, claim) if heard else ():
            of = known.get(topic.fact.entry_id, {})
            wrong = next((k for k in heard if k in of and _denies(hearing, claim, topic, k, heard[k], of[k])), None)
            wrong = None if wrong is not None and _says_both(hearing, wrong, of[wrong]) else wrong
            if wrong is not None:
                why = f"the record says otherwise: {topic.fact.entry.statement}"
                yield found(Code.CONTRADICTS_ENTRY, claim, why, topic.fact.entry_id)
                break


def _states_in(claim: Claim, kinds: list[str]) -> dict[str, Said]:
    if claim.stance not in _PLAINLY or claim.lang != "en" or _UNREAL.search(_BEFORE_IT.sub("", claim.text)):
        return {}
    return {kind: state for kind in kinds if (state := said(claim.text, kind)) is not None}


def _about(hearing: Hearing, claim: Claim) -> tuple[Topic, ...]:
    """Return what a clause is most likely about, and what it is almost as likely about by its own words."""
    rated = topics(hearing, claim)[:_FIRST_FEW]
    return tuple(
        t for i, t in enumerate(rated)
        if i == 0 or (t.words >= _SPOKEN and t.score >= _NEARLY_FIRST * rated[0].score)
    )  # fmt: skip


def _denies(hearing: Hearing, claim: Claim, topic: Topic, kind: str, state: Said, on_record: Told) -> bool:
    """Say whether a clause has the same thing be what the record has it not be, and no other entry has it so."""
    if state.yes == on_record.yes or not _is_spoken_of(hearing, claim, topic):
        return False
    fact = topic.fact
    if state.denied and claim.subject not in {"", doer_of(hearing, fact)}:
        return False
    by = on_record.by | frozenset(content_terms(state.words))
    thing = fact.terms - akin(by, fact.terms) - hearing.cast_names
    return bool(akin(hearing.with_line(claim), thing)) and not _is_told_too(hearing, fact, kind, yes=state.yes)


def _says_both(hearing: Hearing, kind: str, on_record: Told) -> bool:
    """Say whether some other clause tells of the state on record: then one of the two is of before, or of another."""
    heard = (said(c.text, kind) for c in hearing.claims if c.stance in _PLAINLY)
    return any(state is not None and state.yes == on_record.yes for state in heard)


def _is_spoken_of(hearing: Hearing, claim: Claim, topic: Topic) -> bool:
    """Say whether a clause names it, points at it, or answers a question about it."""
    answers = not claim.subject and "?" in hearing.packet.line
    return topic.words > 0 or (topic.meaning >= _SPOKEN and (answers or _POINTS.match(claim.text) is not None))


def _is_told_too(hearing: Hearing, fact: Fact, kind: str, *, yes: bool) -> bool:
    """Say whether something else that may be said has it so: then that is what is spoken of."""
    others = (f for f in hearing.selected if f is not fact and akin(f.terms, fact.terms))
    return any(of.yes == yes for f in others if (of := told(f.entry.statement).get(kind)) is not None)
