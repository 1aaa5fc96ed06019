"""Whether a reply keeps to who owes what to whom, and to how far that has got."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.moments import ClaimKind
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.hearing import Hearing, cover, found, plain, shared

_MOST: Final = 0.6
_HALF: Final = 0.5
_SOME: Final = 0.34
_DOUBTFUL: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE})
_OF_OTHERS: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE, Stance.DENY, Stance.REFUSE})
_VERB: Final = re.compile(r"\bwill (\w+)", re.IGNORECASE)


def completion(hearing: Hearing) -> Iterator[Finding]:
    """Find a line that goes along with the player's word that something open is done."""
    meant = _said_to_be_done(hearing)
    accepted = hearing.says("accepts")
    if meant is not None and accepted is not None and not hearing.denies and not _contests(hearing):
        why = "the player says it is done; the record has it open, and the line goes along"
        yield found(Code.FALSE_COMPLETION_ACCEPTED, accepted, why, meant.entry_id)


def _contests(hearing: Hearing) -> bool:
    """Say whether the line holds back: asks to be shown, doubts, or says that something is still wanting."""
    return any(c.says("contests") for c in hearing.claims if c.stance is not Stance.QUOTE)


def _said_to_be_done(hearing: Hearing) -> Commitment | None:
    """Return the open commitment that the player says is done."""
    put = any(c.kind is ClaimKind.DONE for c in hearing.packet.intent.asserts)
    if not put and not hearing.asks("i_did"):
        return None
    theirs = [
        c for c in hearing.commitments if hearing.status_of(c) == Status.OPEN and c.owner == hearing.listener
    ]  # fmt: skip
    flagged = {i for flag in hearing.flags(FlagKind.FALSE_PREMISE) for i in flag.entry_ids}
    named = [c for c in theirs if shared(hearing.line_terms, hearing.terms_of(c.statement))]
    only = theirs if put and len(theirs) == 1 else []
    return next(iter([c for c in theirs if c.entry_id in flagged] or named or only), None)


def owners(hearing: Hearing) -> Iterator[Finding]:
    """Find a duty put on the wrong party."""
    for commitment in hearing.commitments:
        if {commitment.owner, commitment.to} != {hearing.viewer, hearing.listener}:
            continue
        claim = _swapped(hearing, commitment)
        if claim is not None:
            who = "the listener" if commitment.owner == hearing.listener else "the speaker"
            yield found(Code.OWNER_SWAPPED, claim, f"the duty is {who}'s", commitment.entry_id)


def _swapped(hearing: Hearing, commitment: Commitment) -> Claim | None:
    terms = hearing.terms_of(commitment.statement)
    spoken = [c for c in hearing.claims if c.stance not in {Stance.ASK, Stance.QUOTE} and not c.negative]
    if commitment.owner == hearing.listener:
        return _taken_on(hearing, commitment, spoken, terms)
    for claim in spoken:
        said = plain(claim.text)
        touches = bool(shared(claim.terms, terms)) and cover(hearing.with_line(claim), terms) >= _HALF
        theirs = claim.subject in {hearing.listener, ""} and claim.stance not in _OF_OTHERS - {Stance.ATTRIBUTE}
        theirs = theirs and claim.attributed_to in {None, hearing.listener}
        if (claim.says("yours") and theirs and touches) or _does(said, commitment):
            return claim
    return None


def _taken_on(hearing: Hearing, commitment: Commitment, spoken: list[Claim], terms: frozenset[str]) -> Claim | None:
    """Return the claim by which the speaker takes on what the listener owes."""
    for claim in spoken:
        binds = claim.stance is Stance.PROMISE or claim.says("i_said")
        own = claim.subject == hearing.viewer and not claim.says("yours")
        hits = len(shared(claim.terms, terms))
        if binds and own and hits > 1 and cover(claim.terms, terms) >= _SOME and claim.stance not in _OF_OTHERS:
            return claim
    put_to_me = any(
        c.kind in {ClaimKind.PROMISED, ClaimKind.OWED, ClaimKind.DUE} for c in hearing.packet.intent.presupposes
    )
    flagged = any(commitment.entry_id in f.entry_ids for f in hearing.flags(FlagKind.FALSE_PREMISE))
    if not (put_to_me and flagged) or any(c.stance in {Stance.DENY, Stance.REFUSE} for c in hearing.claims):
        return None
    mine = [c for c in spoken if c.says("mine")]
    return next((c for c in mine if c.stance is Stance.PROMISE), mine[0] if mine else None)


def _does(said: str, commitment: Commitment) -> bool:
    """Say whether it has the listener do what the speaker owes: `you mend, I pay`."""
    verb = _VERB.search(commitment.statement)
    match = re.match(r"(?:aye|yes|so|and|right)?[,. ]*you (\w+)\b", said, re.IGNORECASE)
    return verb is not None and match is not None and stem(match[1].casefold()) == stem(verb[1].casefold())


def standing(hearing: Hearing) -> Iterator[Finding]:
    """Find a commitment told as broken, kept or open where it is not."""
    for claim in hearing.claims:
        if claim.stance in {Stance.ASK, Stance.QUOTE, Stance.PROMISE}:
            continue
        for commitment in hearing.commitments:
            why = _misstated(hearing, claim, commitment)
            if why:
                yield found(Code.STATUS_WRONG, claim, why, commitment.entry_id)
                break


def _misstated(hearing: Hearing, claim: Claim, commitment: Commitment) -> str:
    status = hearing.status_of(commitment)
    terms = hearing.terms_of(commitment.statement)
    pointed = not claim.terms or bool({"that", "it", "this", "promise", "word"} & set(words(plain(claim.text))))
    near = cover(claim.terms, terms) >= _HALF
    about = near or (pointed and bool(shared(hearing.line_terms, terms)))
    if not about or claim.stance in _DOUBTFUL:
        return ""
    owner = claim.subject in {commitment.owner, ""}
    if status == Status.OPEN:
        return _open_misstated(claim, near=cover(claim.terms, terms) >= _MOST and owner)
    undone = claim.says("still_open") or (near and owner and claim.negative and claim.lang != "en")
    if status in {Status.FULFILLED, Status.RELEASED} and undone and (claim.lang != "en" or not claim.says("no_longer")):
        return f"it is {status}, not open"
    if status == Status.BROKEN and near:
        done = claim.says("kept") and owner and not claim.says("not_yet")
        if done or claim.says("still_time"):
            return "it is broken, not done" if done else "it is broken, not open"
    return ""


def _open_misstated(claim: Claim, *, near: bool) -> str:
    if claim.says("broke") and not claim.negative:
        return "it is open, not broken"
    if near and claim.says("kept") and not claim.says("not_yet"):
        return "it is open, not done"
    return ""


def promises(hearing: Hearing) -> Iterator[Finding]:
    """Find the speaker binding themselves to what no rule grants and no commitment of theirs says."""
    for claim in hearing.claims:
        if claim.stance is not Stance.PROMISE or _is_own(hearing, claim):
            continue
        if claim.says("sworn") or _gives_what_is_refused(hearing, claim):
            yield found(Code.PROMISE_INVENTED, claim, "no rule grants it, and no commitment of the speaker says it")


def _is_own(hearing: Hearing, claim: Claim) -> bool:
    mine = [c for c in hearing.commitments if c.owner == hearing.viewer and hearing.status_of(c) == Status.OPEN]
    granted = any(c.asked and c.outcome == "granted" for c in hearing.packet.consequences)
    return granted or any(cover(hearing.with_line(claim), hearing.terms_of(c.statement)) >= _SOME for c in mine)


def _gives_what_is_refused(hearing: Hearing, claim: Claim) -> bool:
    refused = any(c.asked and c.outcome == "refused" for c in hearing.packet.consequences)
    to_you = re.search(r"\b(?:you|your|yours|it)\b", plain(claim.text), re.IGNORECASE) is not None
    return refused and (to_you or claim.lang != "en")
