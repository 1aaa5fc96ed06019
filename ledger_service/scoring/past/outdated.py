"""Whether a reply uses what no longer holds as if it did: it was superseded, retracted, suspended, or has run out.

First is asked which of the two a clause says, the old or what came after it: by words that only one of them has, and by
the state that it tells of. What is told as past anywhere in the reply, or beside what came after, is not used.
"""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, EmotionalResidue, RelationshipDelta
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.heard.facts import Fact, Topic
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import WHO, doer_of, first_words
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.past.succession import (
    NOT_SAID,
    Matter,
    fitness_said,
    ids_of,
    is_meant,
    is_named,
    is_told_as_past,
    matter_of,
)
from ledger_service.scoring.words.overlap import akin, cover, kindred, shared

_MOST: Final = 0.6
_NEARLY_ALL: Final = 0.75
_HALF: Final = 0.5
_SHORT: Final = 3
_NEAR: Final = 0.2
_PART: Final = 0.4
_NEARER: Final = 200
"""By how much, in thousandths, a clause is nearer in meaning to one of two before it is said to be that one."""
_FIRST: Final = 2
_WHY: Final = "it no longer holds, and the line uses it as if it did"


def stale(hearing: Hearing) -> Iterator[Finding]:
    """Find something that no longer holds used as if it did."""
    for fact in hearing.stale:
        if isinstance(fact.entry, Commitment | EmotionalResidue):
            continue
        matter = matter_of(hearing, fact)
        if is_told_as_past(hearing, matter) or _is_seen_through(hearing, fact):
            continue
        claim = next((c for c in hearing.claims if _uses(hearing, c, matter)), None) or _old_doer(hearing, fact)
        claim = (
            claim
            or _seconds(hearing, fact)
            or next((c for c in hearing.claims if _holds_still(hearing, c, matter)), None)
        )
        if claim is not None:
            yield found(Code.STALE_FACT, claim, _WHY, fact.entry_id)


def _holds_still(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether a clause has the old be so still: in its state, unchanged, somebody's, by its name or its meaning."""
    if claim.stance in NOT_SAID or claim.lang != "en" or claim.says("told_past") or claim.says("no_state"):
        return False
    rated = topics(hearing, claim)[:_FIRST]
    topic = next((t for t in rated if t.fact.entry_id in ids_of(matter)), None)
    if topic is None:
        return False
    named, alike = is_named(claim, matter), claim.negative == matter.old.is_negative
    if not named and _is_of_one_who_talks(hearing, claim, matter):
        return False
    if alike and claim.says("unchanged") and (named or (topic.meaning >= _NEAR and claim.says("your_own"))):
        return True
    if named and (_is_still_yours(claim, matter) or _sends_to_gone(claim, matter)):
        return True
    if topic is not rated[0]:
        return False
    in_state = matter.fit is not None and (named or is_meant(hearing, claim, matter)) and _is_in_state(claim, matter)
    return in_state or (alike and _is_the_old(hearing, claim, topic, matter))


def _is_of_one_who_talks(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether a clause tells of the speaker or the listener, no part of it: `I'm dead on my feet`."""
    talks = claim.subject in {hearing.viewer, hearing.listener}
    return (
        talks
        and hearing.terms_of(claim.subject).isdisjoint(matter.old.terms)
        and claim.subject not in words(matter.old.entry.statement)
    )


def _is_the_old(hearing: Hearing, claim: Claim, topic: Topic, matter: Matter) -> bool:
    """Say whether a clause is of the old alone: by what only it has, by its meaning, or as what was between two."""
    if isinstance(matter.old.entry, RelationshipDelta) and _is_between(hearing, claim, matter.old):
        return True
    return _names_old(claim, matter) or _is_nearer_old(hearing, claim, topic, matter)


def _sends_to_gone(claim: Claim, matter: Matter) -> bool:
    """Say whether a clause sends the listener to somebody who is no more."""
    gone = matter.new is not None and _GONE.search(matter.new.entry.statement) is not None
    return gone and not claim.negative and claim.says("sends_to")


def _is_between(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause says of the two who talk what was so between them."""
    core = fact.terms - hearing.cast_names
    return claim.says("we_two") and 0 < len(core) <= 2 * len(akin(claim.terms, core))


def _is_nearer_old(hearing: Hearing, claim: Claim, topic: Topic, matter: Matter) -> bool:
    """Say whether a clause says a good part of the old, and by itself means that far rather than what came after."""
    if matter.new is None or hearing.near is None or topic.words < _PART or topic.fact.entry_id != matter.old.entry_id:
        return False
    meant = hearing.near(claim.text)
    return meant.get(matter.old.entry_id, 0) - meant.get(matter.new.entry_id, 0) >= _NEARER


def _names_old(claim: Claim, matter: Matter) -> bool:
    """Say whether a clause names nearly all that only the old has, and nothing that only what came after has."""
    old = akin(claim.terms, matter.only_old)
    return (
        matter.new is not None
        and len(old) > 1
        and len(old) >= _NEARLY_ALL * len(matter.only_old)
        and not akin(claim.terms, matter.only_new)
    )


def _is_in_state(claim: Claim, matter: Matter) -> bool:
    """Say whether a clause has a thing as fit or unfit as it was; whatever cannot be done with it tells of unfit."""
    fit = fitness_said(claim, matter)
    if fit is not None:
        return fit == matter.fit
    return matter.fit is False and claim.negative and claim.says("cannot_be_used")


def _is_still_yours(claim: Claim, matter: Matter) -> bool:
    """Say whether a clause has a thing be the listener's that once was."""
    had = matter.new is not None and _GAVE_UP.search(matter.new.entry.statement) is not None
    if not had or claim.negative:
        return False
    if _YOU_HAVE.search(claim.text) and not claim.says("told_past"):
        return True
    owned = frozenset(stem(w.casefold()) for m in _YOURS.finditer(claim.text) for w in m.groups() if w)
    return bool(akin(owned, matter.thing))


_GONE: Final = re.compile(
    r"\b(?:dead|died|drowned|killed|gone|left|moved away|retired|dismissed|away)\b", re.IGNORECASE
)
_YOURS: Final = re.compile(
    r"\byour (?:own |little |good |nice )?(?!old\b|former\b|last\b)([\w-]+?)(?:['’]s\b)?(?: ([\w-]+))?\b"
    r"|\b(?:the|that) ([\w-]+)(?: ([\w-]+))? (?:in|on|round|at) your\b",
    re.IGNORECASE,
)
_YOU_HAVE: Final = re.compile(
    r"\byou(?:['’]ve| have) (?:still )?(?:got )?(?:it|them|the|your|a|that|one)\b|\byou(?: still)? (?:hold|keep"
    r"|rent|own|share|lease)\b"
    r"|['’]s (?:still )?yours\b|\b(?:is|are) (?:still )?yours\b",
    re.IGNORECASE,
)
_GAVE_UP: Final = re.compile(
    r"\b(?:gave|given|hand(?:ed|s)|return(?:ed|s)|sold|lost|left|moved out|ended|withdrew|forfeit\w*|surrender\w*"
    r"|took .* back|taken (?:away|from))\b",
    re.IGNORECASE,
)


def _old_doer(hearing: Hearing, fact: Fact) -> Claim | None:
    """Return the answer that names who did it once, where the line asks who does."""
    first, doer = first_words(hearing), doer_of(hearing, fact)
    if first is None or not doer or not WHO.search(hearing.packet.line) or "past" in hearing.given:
        return None
    about = kindred(hearing.line_terms, fact.terms - hearing.cast_names)
    named = doer in first.mentions and first.stance is Stance.ASSERT and not first.negative
    return first if about and named and len(first.terms) <= _SHORT else None


def _uses(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether a clause says the old by its words."""
    fact = matter.old
    if claim.stance in {Stance.ASK, Stance.QUOTE} or claim.says("past"):
        return False
    if claim.negative != fact.is_negative or (matter.new is not None and not matter.only_old):
        return False
    retold = claim.attributed_to is not None and claim.attributed_to in {fact.entry.source.by, *fact.entry.source.via}
    told_by_live = {f.entry.source.by for f in hearing.hearsay}
    if retold and claim.attributed_to not in told_by_live and shared(hearing.with_line(claim), fact.terms):
        return True
    if isinstance(fact.entry, RelationshipDelta):
        core = fact.terms - hearing.cast_names
        concerned = claim.subject in {hearing.viewer, hearing.listener} or bool(shared(claim.terms, fact.terms - core))
        return bool(core) and core <= shared(claim.terms, core) and concerned
    better = max((len(shared(claim.terms, f.terms)) for f in hearing.selected), default=0)
    hits = len(shared(claim.terms, fact.terms))
    plainly = hits > 1 and cover(claim.terms, fact.terms) >= _MOST and hits > better
    answers = "?" in hearing.packet.line or bool(hearing.packet.intent.asks)
    new = shared(claim.terms, fact.terms) - shared(hearing.line_terms, fact.terms)
    elsewhere = claim.subject in {hearing.viewer, hearing.listener} and claim.subject not in words(fact.entry.statement)
    whole = cover(hearing.with_line(claim), fact.terms) >= _NEARLY_ALL
    with_line = whole and bool(new) and hits >= better and not elsewhere
    return plainly or (answers and with_line) or _in_other_words(hearing, claim, fact)


def _is_seen_through(hearing: Hearing, fact: Fact) -> bool:
    """Say whether a clause names the one who only repeats it beside the one whom it comes from, and not as a second."""
    if fact.entry_id not in hearing.echoes or _seconds(hearing, fact) is not None:
        return False
    tellers = {fact.entry.source.by, *fact.entry.source.via}
    return any(len(tellers.intersection(c.mentions)) > 1 for c in hearing.claims)


def _seconds(hearing: Hearing, fact: Fact) -> Claim | None:
    """Return the clause that takes an echo for a second witness, where both are named."""
    tellers = {fact.entry.source.by, *fact.entry.source.via}
    if fact.entry_id not in hearing.echoes or len(hearing.mentioned & tellers) < len(tellers):
        return None
    said = (c for c in hearing.claims if c.stance not in NOT_SAID - {Stance.ATTRIBUTE, Stance.HEDGE})
    return next((c for c in said if not c.negative and _SECONDED.search(c.text)), None)


_SECONDED: Final = re.compile(
    r"\b(?:two|both|a pair of) (?:\w+ )?(?:witness(?:es)?|mouths|tongues|tellers|sources|voices|accounts|tales"
    r"|people|heads|pairs of)\b"
    r"|\b(?:a|the|that's a|my) second (?:witness|source|voice|account|opinion|teller|mouth|pair)\b"
    r"|\bboth of them (?:say|said|saw|heard|tell|told|swear|swore|have)\b|\b(?:say|said|saw|heard|told|tell|swear"
    r"|swore) (?:it )?(?:too|as well|likewise)\b"
    r"|\bon (?:his|her|their) own account\b|\b(?:independent(?:ly)?|separately|of (?:his|her|their) own accord)\b"
    r"|\b(?:bears?|bore|backs?|backed) (?:it|him|her|them|that|this|\w+) (?:out|up)\b|\b(?:confirm|corroborat"
    r"|vouch|tall(?:y|ie)|agree)\w*\b"
    r"|\b(?:makes|that's|that is|makes it) two\b|\bfrom two (?:sides|quarters|mouths|people|places)\b|\btwice over\b"
    r"|\b(?:can't|cannot|couldn't) both be\b|\bnot just \w+\b",
    re.IGNORECASE,
)
"""What takes two who tell the same for two who know it."""


def _in_other_words(hearing: Hearing, claim: Claim, fact: Fact) -> bool:
    """Say whether a clause adds, by its own or another word, what makes something old whole, and nothing newer says."""
    live = hearing.live_terms
    asked = akin(hearing.line_terms, fact.terms)
    said = akin(claim.terms, fact.terms)
    new = said - asked if "?" in hearing.packet.line else said - kindred(live, said)
    told = claim.stance is Stance.ASSERT and "past" not in hearing.given
    whole = len(asked | said) >= _MOST * len(fact.terms) and bool((asked | said) - new)
    return told and bool(new) and whole and (claim.says("still") or not kindred(claim.terms, live - asked))
