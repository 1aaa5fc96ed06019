"""What a short answer says: the words of the question, with the answer's yes, no or name put in."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, Contradiction, EmotionalResidue, RelationshipDelta, Status
from ledger_service.domain.moments import AskKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.commitments.duties import said_to_be_done
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import WHO, asks_if_heard, doer_of, first_words, said_yes
from ledger_service.scoring.sureness.sources import named_by_trade
from ledger_service.scoring.words.lexicon import is_person
from ledger_service.scoring.words.overlap import akin, kin_cover, kindred
from ledger_service.scoring.words.verbs import is_past

_HALF: Final = 0.5
_BY_TRADE: Final = re.compile(r"(?:the|an?) (\w+) (\w+)\b", re.IGNORECASE)
_MOST: Final = 0.6
_TWO: Final = 2
_DETAIL: Final = re.compile(
    r"\b(?:in|at|on|to|from|for|by|before|after|since|during|under|behind|near|with|out of|into|over|until) ",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(r"(?:in|at|on|under|behind|near|by|beside|inside|from|up|down|below|above)\b", re.IGNORECASE)
_PLACE_IN: Final = re.compile(
    r"\b(?:in|at|on|under|behind|near|by|beside|inside) ((?:the |a |an |his |her |\w+'s )?(?:\w+ )?\w+)$", re.IGNORECASE
)
_OR_NOT: Final = re.compile(r"\bor (?:not|no)\b", re.IGNORECASE)
_UNSURE: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE, Stance.UNKNOWN, Stance.QUOTE, Stance.ASK})


def doers(hearing: Hearing) -> Iterator[Finding]:
    """Find somebody else, or nobody, named where the line asks who did something that the speaker saw done."""
    first = first_words(hearing)
    if first is None or first.stance in _UNSURE or not WHO.search(hearing.packet.line) or hearing.asks("who_says"):
        return
    fact = _asked_deed(hearing, first)
    if fact is None:
        return
    doer = _actor_of(hearing, fact)
    if doer != hearing.viewer and any(c.says("nobody_did") for c in hearing.claims):
        claim = next(c for c in hearing.claims if c.says("nobody_did"))
        yield found(Code.CONTRADICTS_ENTRY, claim, f"it was {doer} who did it", fact.entry_id)
    elif not first.negative and not _names(first) and _by_a_thing(hearing, first, fact):
        yield found(Code.CONTRADICTS_ENTRY, first, f"it was {doer} who did it", fact.entry_id)
    elif (
        not first.negative
        and _others_named(hearing, first, doer)
        and doer not in _named(hearing, _telling(hearing, first, fact))
    ):
        yield found(Code.ATTRIBUTION_WRONG, first, f"it was {doer} who did it", fact.entry_id)


def yes_or_no(hearing: Hearing) -> Iterator[Finding]:
    """Find a yes to what the speaker does not know to be so, or a no to what they do."""
    yes, first = said_yes(hearing), first_words(hearing)
    if yes is None or first is None or _is_unsure(hearing) or _asks_no(hearing):
        return
    fact = _asked_about(hearing)
    if fact is None or _of_somebody_else(hearing, fact) or (not yes and _told_anyway(hearing, fact)):
        return
    entry, status = fact.entry, hearing.status_of(fact.entry)
    if isinstance(entry, Contradiction):
        if status == Status.UNRESOLVED:
            yield found(Code.SIDE_TAKEN, first, "it settles what the record leaves open", entry.entry_id)
    elif isinstance(entry, Commitment):
        if status == Status.FULFILLED and not yes and entry.owner == hearing.listener:
            yield found(Code.STATUS_WRONG, first, f"it is {status}, not open", entry.entry_id)
    elif hearing.is_second_hand(fact):
        if yes != fact.is_negative and not fact.is_sure and not asks_if_heard(hearing):
            yield found(Code.HEARSAY_PROMOTED, first, "the speaker only heard it, and tells it as fact", entry.entry_id)
    elif yes == fact.is_negative:
        done = said_to_be_done(hearing) if yes else None
        code = Code.CONTRADICTS_ENTRY if done is None else Code.FALSE_COMPLETION_ACCEPTED
        yield found(code, first, f"the record says otherwise: {entry.statement}", entry.entry_id)


def _asks_no(hearing: Hearing) -> bool:
    """Say whether the question itself says no to something, but for `or not?`."""
    return any(c.says("negative") and not _OR_NOT.search(c.text) for c in hearing.asked)


def _telling(hearing: Hearing, first: Claim, fact: Fact) -> tuple[Claim, ...]:
    """Return the clauses that tell of it: the first, what follows in its sentence, and what says it again."""
    return tuple(c for c in hearing.claims if c is first or kindred(c.terms, fact.terms) or not c.terms)


def _of_somebody_else(hearing: Hearing, fact: Fact) -> bool:
    """Say whether the question puts it on another than the one on record: then a no is right."""
    asked = {c.subject for c in hearing.asked if c.stance is Stance.ASK} - {""}
    doer = doer_of(hearing, fact)
    return bool(doer and asked) and doer not in asked


def _told_anyway(hearing: Hearing, fact: Fact) -> bool:
    """Say whether the reply says it all the same, after a no to something else."""
    plainly = (c for c in hearing.claims if not c.negative and c.stance not in _UNSURE)
    return any(kin_cover(hearing.terms_of(c.text), fact.terms) >= _HALF for c in plainly)


def _is_unsure(hearing: Hearing) -> bool:
    """Say whether anything in the reply says whose word it is, or that it is not certain."""
    return hearing.is_qualified or "leaves_open" in hearing.given


def _asked_about(hearing: Hearing) -> Fact | None:
    """Return what the question is about: most of it is in the question, and of nothing else as much."""
    rated = sorted(
        (
            (kin_cover(hearing.line_terms, _core(hearing, f)), len(kindred(hearing.line_terms, f.terms)), f)
            for f in hearing.selected
            if not isinstance(f.entry, EmotionalResidue | RelationshipDelta) and "without" not in f.entry.statement
        ),
        key=lambda row: (row[0], row[1], isinstance(row[2].entry, Contradiction), row[2].entry_id),
    )
    if not rated or rated[-1][0] < _MOST or rated[-1][1] < _TWO:
        return None
    best = rated[-1][2]
    over = [f for _, _, f in rated if isinstance(f.entry, Contradiction) and best.entry_id in f.entry.members]
    return over[0] if over else best


def _core(hearing: Hearing, fact: Fact) -> frozenset[str]:
    """Return what a fact says but for the places, times and numbers that a question leaves out."""
    match = _DETAIL.search(fact.entry.statement)
    if match is None or isinstance(fact.entry, Contradiction):
        return fact.terms
    return hearing.terms_of(fact.entry.statement[: match.start()]) or fact.terms


def agreement(hearing: Hearing) -> Iterator[Finding]:
    """Find a reply that goes along where the line denies what the speaker knows for certain."""
    first = first_words(hearing)
    if first is None or hearing.is_qualified or not (first.says("affirms") or first.says("negates")):
        return
    against = [c for c in hearing.asked if c.negative and c.subject]
    for fact in hearing.certain if against else ():
        if fact.is_negative:
            continue
        doer = doer_of(hearing, fact)
        denied = any(_denies(c, doer, fact) for c in against)
        if denied and not _told_anyway(hearing, fact) and not any(c.stance is Stance.ASK for c in hearing.claims):
            why = f"the line denies it, and the reply goes along: {fact.entry.statement}"
            yield found(Code.CONTRADICTS_ENTRY, first, why, fact.entry_id)
            return


def _denies(claim: Claim, doer: str, fact: Fact) -> bool:
    """Say whether a clause of the line says that somebody did not do what is on record of them."""
    own = claim.negative and bool(doer) and claim.subject == doer
    said = kindred(claim.terms, fact.terms)
    return own and len(said) >= _HALF * len(fact.terms)


def places(hearing: Hearing) -> Iterator[Finding]:
    """Find another place named where the line asks where something was, that the speaker knows."""
    first = first_words(hearing)
    asked = any(a.kind is AskKind.WHERE for a in hearing.packet.intent.asks)
    if not asked or first is None or first.stance is not Stance.ASSERT or first.negative:
        return
    if not _PLACE.match(first.text) or _is_unsure(hearing):
        return
    said = frozenset(t for c in hearing.claims for t in c.terms)
    for fact in hearing.certain:
        match = _PLACE_IN.search(fact.entry.statement)
        about = len(kindred(hearing.line_terms, fact.terms)) >= _TWO
        if match is None or not about:
            continue
        where = hearing.terms_of(match[1])
        if where and not kindred(said, where):
            yield found(Code.CONTRADICTS_ENTRY, first, f"the record has it {match[0]}", fact.entry_id)
            return


def _by_a_thing(hearing: Hearing, first: Claim, fact: Fact) -> bool:
    """Say whether an answer has something do it that nobody saw: `the net caught him`."""
    verb = next((t for w in words(fact.entry.statement)[1:3] for t in hearing.terms_of(w) & fact.terms), "")
    said = words(first.text)
    at = next((i for i, w in enumerate(said) if stem(w) == verb), 0)
    before = hearing.terms_of(" ".join(said[:at]))
    return bool(before) and "you" not in said and "i" not in said and not before & fact.terms


def _named(hearing: Hearing, claims: tuple[Claim, ...]) -> set[str]:
    """Return everybody whom claims speak of, `you` and `me` resolved."""
    people = {who for claim in claims for who in (*claim.mentions, claim.subject, *claim.terms)}
    told = {w for claim in claims for w in words(claim.text)}
    people |= {hearing.listener} if told & {"you", "yours", "your", "yourself"} else set()
    return people | ({hearing.viewer} if told & {"i", "me", "mine", "myself"} else set())


def _others_named(hearing: Hearing, first: Claim, doer: str) -> bool:
    """Say whether a clause names somebody else as the one who did it, by name or by trade."""
    trade = named_by_trade(hearing, first) if first.lang == "en" and not first.subject else ""
    return bool(_names(first) - {doer}) or trade.casefold() not in {"", doer}


def _names(claim: Claim) -> set[str]:
    return {claim.subject} - {""}


def _asked_deed(hearing: Hearing, first: Claim) -> Fact | None:
    """Return the deed on record that the question asks after, where somebody did it."""
    rated = [
        (kin_cover(hearing.line_terms, f.terms), kin_cover(hearing.with_line(first), f.terms), f)
        for f in hearing.certain
        if _actor_of(hearing, f) and f.terms
    ]
    near = [row for row in rated if row[0] > 0 and (row[0] >= _HALF or row[1] >= _HALF or _verb_asked(hearing, row[2]))]
    return max(near, key=lambda row: (row[1], row[0], row[2].entry_id))[2] if near else None


def _verb_asked(hearing: Hearing, fact: Fact) -> bool:
    """Say whether the question holds the deed itself: the word after the doer."""
    said = [w for w in words(fact.entry.statement)[1:3] if hearing.terms_of(w) & fact.terms]
    return any(akin(hearing.line_terms, hearing.terms_of(w)) for w in said)


def _actor_of(hearing: Hearing, fact: Fact) -> str:
    """Return who the record says did it, one of the cast or somebody by trade: `the mason replaced the stove`."""
    by_trade = _BY_TRADE.match(fact.entry.statement)
    if by_trade is not None and is_person(stem(by_trade[1].casefold())) and is_past(by_trade[2]):
        return by_trade[1].casefold()
    return doer_of(hearing, fact)
