"""What other languages than English tell of facts: the other of two states, the wrong teller, a past that was not.

Of another language only what its words mean is known, without their forms and their order; so a clause is first held
against what it is most likely about, and only then against a word that rules that out.
"""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import SAID_PLAINLY, Hearing, found
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.lexicon import denies, is_person
from ledger_service.scoring.words.overlap import akin

_PLAINLY: Final = SAID_PLAINLY | {Stance.REFUSE}
_TOPIC: Final = 0.25
_NAMED: Final = 0.3
_DENIED: Final = 0.5
_HALF: Final = 0.5
_SOME: Final = 0.2
_NEAR: Final = 0.34
_TWO: Final = 2
_RULED_OUT: Final = tuple(
    (frozenset(stem(w) for w in a.split()), frozenset(stem(w) for w in b.split()))
    for a, b in (
        ("open clear free", "seal close shut bar lock block snow flood"),
        ("alone", "together help"),
        ("empty", "full"),
        ("repair mend fix replace", "broken leak fail"),
        ("leave depart", "stay sit wait live"),
        ("alive", "die kill drown"),
        ("find", "lose missing"),
        ("win", "lose"),
        ("sober", "drunk"),
        ("awake", "asleep sleep"),
        ("dry", "wet flood"),
        ("first", "last"),
        ("west", "east"),
        ("north", "south"),
        ("early", "late"),
        ("married", "divorce separate"),
        ("innocent", "guilty"),
        ("buy", "steal rob"),
        ("new", "old"),
        ("high", "low"),
        ("love", "hate"),
        ("strong", "weak rotten"),
        ("safe", "dangerous danger"),
        ("fresh", "rotten spoil"),
        ("clean", "dirty"),
    )
)


def denied_abroad(hearing: Hearing) -> Iterator[Finding]:
    """Find the other of two states told of what a clause is most likely about, in another language."""
    certain = {f.entry_id for f in hearing.certain}
    for claim in told_now(hearing):
        best = _topic_of(hearing, claim)
        if best is None or best.fact.entry_id not in certain or not _is_about(hearing, claim, best):
            continue
        if _rules_out(hearing, claim, best) or _says_no(claim, best):
            why = f"the record says otherwise: {best.fact.entry.statement}"
            yield found(Code.CONTRADICTS_ENTRY, claim, why, best.fact.entry_id)
            return


def told_now(hearing: Hearing) -> list[Claim]:
    """Return what is told as so now in other languages: no condition, no doubt, nothing past or yet to come."""
    passed = ("past", "unsure", "if_only", "no_longer", "idle_no")
    plain = (c for c in hearing.claims if c.lang != "en" and c.stance in _PLAINLY)
    return [c for c in plain if not any(c.says(cue) for cue in passed)]


def _topic_of(hearing: Hearing, claim: Claim) -> Topic | None:
    return next(iter(topics(hearing, claim)), None)


def _is_about(hearing: Hearing, claim: Claim, topic: Topic) -> bool:
    """Say whether enough of a fact is in a clause and the line, and some of it in the clause."""
    own = akin(claim.terms, topic.fact.terms - hearing.cast_names)
    return bool(own) and max(topic.words, topic.with_line) >= _TOPIC and topic.words > 0


def _rules_out(hearing: Hearing, claim: Claim, topic: Topic) -> bool:
    """Say whether a clause has a word that rules out one of the fact's, and that nothing that may be said has."""
    if claim.negative or topic.fact.is_negative:
        return False
    said, terms = frozenset(claim.terms), topic.fact.terms
    own = said - terms - hearing.line_terms - akin(said, terms)
    new = own - akin(hearing.live_terms, own)
    pairs = (*_RULED_OUT, *((b, a) for a, b in _RULED_OUT))
    listed = any(a & new and b & terms and not a & terms and not b & said for a, b in pairs)
    return listed or any(denies(a, b) for a in new for b in terms - said)


def _says_no(claim: Claim, topic: Topic) -> bool:
    """Say whether a clause says no to most of what a fact says, or tells as so what it says no to."""
    return claim.negative != topic.fact.is_negative and topic.words >= _DENIED and claim.says("undone")


def tellers_abroad(hearing: Hearing) -> Iterator[Finding]:
    """Find somebody named, in another language, as the teller of what the speaker has from another."""
    heard = {f.entry_id for f in hearing.hearsay}
    said = [c for c in hearing.claims if c.lang != "en" and c.stance not in {Stance.ASK, Stance.QUOTE, Stance.UNKNOWN}]
    for at, claim in enumerate(said):
        who = claim.attributed_to
        by_trade = any(is_person(term) for term in frozenset(claim.terms) - hearing.cast_names)
        if who == hearing.listener and claim.says("you_say"):
            fact = _put_on_listener(hearing, claim)
            if fact is not None:
                why = "the listener is not the one it was heard from"
                yield found(Code.ATTRIBUTION_WRONG, claim, why, fact.entry_id)
                return
        if who is None or who in {hearing.listener, hearing.viewer} or claim.negative or by_trade:
            continue
        beside = [t for c in said[at : at + _TWO] if (t := _topic_of(hearing, c)) is not None]
        told = next((t for t in beside if t.fact.entry_id in heard and t.words >= _NAMED), None)
        if told is None or hearing.tellers(told.fact) & {who, *hearing.mentioned} or _has_from(hearing, who):
            continue
        why = f"it names {who} as the teller, whom the speaker does not have it from"
        yield found(Code.ATTRIBUTION_WRONG, claim, why, told.fact.entry_id)
        return


def _put_on_listener(hearing: Hearing, claim: Claim) -> Fact | None:
    """Return what a clause has the listener have said, where somebody else did, and nothing of it is in the line."""
    best = _topic_of(hearing, claim)
    if best is None or best.words < _SOME or hearing.listener in hearing.tellers(best.fact):
        return None
    heard = best.fact.entry_id in {f.entry_id for f in hearing.hearsay}
    return None if not heard or akin(hearing.line_terms, best.fact.terms - hearing.cast_names) else best.fact


def _has_from(hearing: Hearing, who: str) -> bool:
    """Say whether the speaker has anything from somebody: it may be that which is told."""
    return any(who in hearing.tellers(f) for f in hearing.hearsay)


def remembered_abroad(hearing: Hearing) -> Iterator[Finding]:
    """Find what two people did with each other once, in another language, that nothing on record comes near."""
    if any(c.says("denied_past") or c.says("dreamt") for c in hearing.claims):
        return
    for claim in _told_of_once(hearing):
        own = frozenset(claim.terms) - hearing.names - hearing.cast_names
        near = any(t.words >= _NEAR or len(akin(t.fact.terms, own)) >= _HALF * len(own) for t in topics(hearing, claim))
        if len(own) >= _TWO and not near:
            why = "no record of it, and the line tells of it as something that passed between them"
            yield found(Code.INVENTED_MEMORY, claim, why)
            return


def _told_of_once(hearing: Hearing) -> list[Claim]:
    told = (c for c in hearing.claims if c.lang != "en" and c.stance in SAID_PLAINLY | {Stance.ATTRIBUTE, Stance.ASK})
    once = (c for c in told if not c.negative and c.says("did_together") and c.says("some_time"))
    return [c for c in once if c.stance is not Stance.ASK or c.says("shared_past")]
