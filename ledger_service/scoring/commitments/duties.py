"""Whether a reply keeps to who owes what to whom, and to how far that has got."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.ids import PLAYER
from ledger_service.domain.moments import ClaimKind
from ledger_service.domain.packets import FlagKind
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import stem, words
from ledger_service.scoring.commitments.completion import claimed_done, early, holds_back_by
from ledger_service.scoring.commitments.matters import spoken
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.overlap import akin, cover, kin_cover, kindred, plain, shared
from ledger_service.scoring.words.verbs import done_by_me, is_deed

_MOST: Final = 0.6
_HALF: Final = 0.5
_SOME: Final = 0.34
_DOUBTFUL: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE})
_OF_OTHERS: Final = frozenset({Stance.HEDGE, Stance.ATTRIBUTE, Stance.DENY, Stance.REFUSE})
_OVER: Final = frozenset({Status.FULFILLED, Status.RELEASED, Status.LAPSED, Status.ENDED})
"""A commitment that binds nobody any more."""
_WHEN: Final = re.compile(r"\b(?:when|if|once|until|till|unless|as soon as|the day)\b", re.IGNORECASE)
"""How a clause says under what condition, not that."""
_LIES: Final = re.compile(r"(?:\b(?:is|are)|['’](?:s|re)) in (?:the|your|its)\b", re.IGNORECASE)
"""Where a thing lies tells nothing of what was done."""
_HOLDS_NOT: Final = re.compile(r"n['’]t got\b|\bnot got\b|\b(?:have|has) no\b", re.IGNORECASE)
"""What says of a thing that it is not here: whoever was to bring or keep it has done with it."""
_POINTED: Final = re.compile(r"\b(?:it|that|them|those|one|owe|promised|swore|agreed)\b", re.IGNORECASE)
_VERB: Final = re.compile(r"\bwill (?:re-)?(\w+)", re.IGNORECASE)


def completion(hearing: Hearing) -> Iterator[Finding]:
    """Find a line that goes along with the player's word that something open is done."""
    meant = said_to_be_done(hearing)
    accepted = hearing.says("accepts") or hearing.says("builds_on") or _echoed(hearing)
    accepted = accepted or (_told_back(hearing, meant) if meant else None)
    unsure = accepted is not None and accepted.lang != "en" and accepted.stance in _DOUBTFUL
    if meant is not None and accepted is not None and not (unsure or hearing.denies or contests(hearing)):
        why = "the player says it is done; the record has it open, and the line goes along"
        yield found(Code.FALSE_COMPLETION_ACCEPTED, accepted, why, meant.entry_id)


def _echoed(hearing: Hearing) -> Claim | None:
    """Return the first words, where they say the player's own words after them: `they did`, `right`."""
    first = next((c for c in hearing.claims if c.stance is not Stance.UNKNOWN), None)
    agrees = first is not None and first.stance is not Stance.ASK and (first.says("echoes") or first.says("affirms"))
    return first if agrees else None


def _told_back(hearing: Hearing, meant: Commitment) -> Claim | None:
    """Return the claim that says itself that the thing is where it should be."""
    terms = hearing.terms_of(meant.statement)
    spoken = (c for c in hearing.claims if c.stance is Stance.ASSERT and not c.negative and not c.says("not_yet"))
    return next((c for c in spoken if c.says("in_place") and shared(hearing.with_line(c), terms)), None)


def contests(hearing: Hearing) -> bool:
    """Say whether the line holds back: asks to be shown, doubts, or says that something is still wanting."""
    asks = any(c.stance is Stance.ASK and c.says("asks_proof") for c in hearing.claims)
    says = any(c.says("contests") for c in hearing.claims if c.stance is not Stance.QUOTE)
    return asks or says or any(holds_back_by(s) for s in early(spoken(hearing)))


def said_to_be_done(hearing: Hearing) -> Commitment | None:
    """Return the open commitment that the player says is done."""
    put = any(c.kind is ClaimKind.DONE for c in hearing.packet.intent.asserts)
    told = claimed_done(hearing) is not None
    did = any(c.says("i_did") and (c.lang != "en" or not c.says("if_only")) for c in hearing.asked)
    if not put and not told and not did and not any(_tells(c) for c in hearing.asked):
        return None
    theirs = [
        c for c in hearing.commitments if hearing.status_of(c) == Status.OPEN and c.owner == hearing.listener
    ]  # fmt: skip
    flagged = {i for flag in hearing.flags(FlagKind.FALSE_PREMISE) for i in flag.entry_ids}
    named = [c for c in theirs if shared(hearing.line_terms, hearing.terms_of(c.statement))]
    only = theirs if (put or _in_no_known_words(hearing)) and len(theirs) == 1 else []
    return next(iter([c for c in theirs if c.entry_id in flagged] or named or only), None)


def _in_no_known_words(hearing: Hearing) -> bool:
    """Say whether the line tells of something done in another language, and of nothing that is on record by a gloss."""
    foreign = any(c.lang != "en" and c.says("i_did") for c in hearing.asked)
    return foreign and not any(shared(hearing.line_terms, f.terms) for f in hearing.selected)


def _tells(claim: Claim) -> bool:
    """Say whether a clause of the line tells how things stand, and not how they shall or should."""
    told = claim.stance is Stance.ASSERT and not claim.negative and not claim.says("not_yet")
    return told and (claim.says("kept") or claim.says("in_place") or (claim.lang != "en" and claim.says("i_did")))


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
    other = _other_list(hearing, commitment, terms)
    if other is not None:
        return other
    if commitment.owner == hearing.listener:
        return _taken_on(hearing, commitment, spoken, terms)
    for claim in spoken:
        if _WHEN.search(claim.text) and claim.lang == "en":
            continue
        pointed = _POINTED.search(plain(claim.text)) is not None or bool(akin(claim.terms, _deed_of(commitment, terms)))
        touches = pointed and bool(shared(claim.terms, terms)) and cover(hearing.with_line(claim), terms) >= _HALF
        theirs = claim.subject in {hearing.listener, ""} and claim.stance not in _OF_OTHERS - {Stance.ATTRIBUTE}
        theirs = theirs or (claim.subject == hearing.listener and claim.says("were_to"))
        theirs = theirs and claim.attributed_to in {None, hearing.listener}
        if (claim.says("yours") and theirs and touches) or _does(hearing, claim, commitment):
            return claim
    return None


def _other_list(hearing: Hearing, commitment: Commitment, terms: frozenset[str]) -> Claim | None:
    """Return the claim that names a duty of the one where the line asks for the duties of the other."""
    listeners = commitment.owner == hearing.listener
    wanted = hearing.asks("whose_list_yours" if listeners else "whose_list_mine")
    if not wanted:
        return None
    for claim in hearing.claims:
        taken_back = claim.stance in _OF_OTHERS - {Stance.ATTRIBUTE} or claim.stance is Stance.QUOTE
        owner = claim.subject == commitment.owner
        undone = claim.negative or claim.says("still_open")
        if (
            not owner
            and not undone
            and not taken_back
            and kin_cover(claim.terms, terms) >= _HALF
            and shared(claim.terms, terms)
        ):
            return None if any(_owns_up(hearing, c, commitment) for c in hearing.claims) else claim
    return None


def _owns_up(hearing: Hearing, claim: Claim, commitment: Commitment) -> bool:
    """Say whether a claim puts a duty where it belongs: `I`, `from my purse`, `you`."""
    said = set(words(plain(claim.text)))
    mine = bool(said & {"i", "i'll", "my", "i'm", "i've", "mine", "me"})
    yours = bool(said & {"you", "you'll", "your", "you're", "you've", "yours"})
    return mine if commitment.owner == hearing.viewer else yours


def _taken_on(hearing: Hearing, commitment: Commitment, spoken: list[Claim], terms: frozenset[str]) -> Claim | None:
    """Return the claim by which the speaker takes on what the listener owes."""
    for claim in spoken:
        binds = claim.stance is Stance.PROMISE or claim.says("i_said")
        own = claim.subject == hearing.viewer and not claim.says("yours") and not _WHEN.search(claim.text)
        words_ = hearing.terms_of(claim.text)
        hits = len(kindred(words_, terms)) if shared(words_, terms) else 0
        if binds and own and hits > 1 and kin_cover(claim.terms, terms) >= _SOME and claim.stance not in _OF_OTHERS:
            return claim
    put_to_me = any(
        c.kind in {ClaimKind.PROMISED, ClaimKind.OWED, ClaimKind.DUE} for c in hearing.packet.intent.presupposes
    )
    flagged = any(commitment.entry_id in f.entry_ids for f in hearing.flags(FlagKind.FALSE_PREMISE))
    if not (put_to_me and flagged) or any(c.stance in {Stance.DENY, Stance.REFUSE} for c in hearing.claims):
        return None
    mine = [c for c in spoken if c.says("mine")]
    return next((c for c in mine if c.stance is Stance.PROMISE), mine[0] if mine else None)


def _does(hearing: Hearing, claim: Claim, commitment: Commitment) -> bool:
    """Say whether it has the listener do what the speaker owes: `you mend, I pay`."""
    verb = _VERB.search(commitment.statement)
    match = re.match(r"(?:aye|yes|so|and|right)?[,. ]*you (\w+)\b", plain(claim.text), re.IGNORECASE)
    if verb is None or match is None or stem(match[1].casefold()) != stem(verb[1].casefold()):
        return False
    terms = hearing.terms_of(commitment.statement)
    return len(claim.terms) <= 1 or bool(akin(hearing.with_line(claim), terms - _deed_of(commitment, terms)))


def standing(hearing: Hearing) -> Iterator[Finding]:
    """Find a commitment told as broken, kept or open where it is not."""
    asked = {c.entry_id for c in hearing.commitments if shared(hearing.line_terms, hearing.terms_of(c.statement))}
    for claim in hearing.claims:
        if claim.stance in {Stance.ASK, Stance.QUOTE, Stance.PROMISE} | _DOUBTFUL:
            continue
        for commitment in hearing.commitments:
            why = _misstated(hearing, claim, commitment, asked=commitment.entry_id in asked)
            if why:
                yield found(Code.STATUS_WRONG, claim, why, commitment.entry_id)
                break


def ended(hearing: Hearing) -> Iterator[Finding]:
    """Find a commitment that is over, and withheld for it, told as if it still bound somebody."""
    for fact in hearing.stale:
        if not isinstance(fact.entry, Commitment):
            continue
        for claim in hearing.claims:
            told = claim.stance not in {Stance.ASK, Stance.QUOTE, Stance.HEDGE} and not claim.negative
            binds = claim.says("still_open") or claim.says("yours") or claim.says("binds_now")
            binds = binds or (claim.says("i_said") and claim.lang == "en")
            near = kin_cover(claim.terms, fact.terms) >= _HALF and bool(shared(claim.terms, fact.terms))
            over = claim.says("past") or claim.says("no_longer") or (claim.lang != "en" and claim.says("kept"))
            if told and binds and near and not over:
                yield found(Code.STATUS_WRONG, claim, "it is over, and binds nobody any more", fact.entry_id)
                break


def narrated(hearing: Hearing) -> Iterator[Finding]:
    """Find a deed of the listener told as done in narration: what is narrated changes nothing in the game."""
    for claim in hearing.claims:
        told = claim.is_stage or "player" in words(claim.text)
        if not (told and claim.says("narrates") and claim.subject in {hearing.listener, PLAYER}):
            continue
        for commitment in hearing.commitments:
            open_ = hearing.status_of(commitment) == Status.OPEN and commitment.owner == hearing.listener
            if open_ and shared(claim.terms, hearing.terms_of(commitment.statement)):
                why = "it narrates what the game has not reported; the record has it open"
                yield found(Code.STATUS_WRONG, claim, why, commitment.entry_id)
                break


def _misstated(hearing: Hearing, claim: Claim, commitment: Commitment, *, asked: bool) -> str:
    terms = hearing.terms_of(commitment.statement)
    if not (asked or kindred(claim.terms, terms)):
        return ""
    status = hearing.status_of(commitment)
    wordless = not claim.terms and (claim.lang == "en" or claim.says("did_it"))
    pointed = wordless or bool({"that", "it", "this", "promise", "word"} & set(words(plain(claim.text))))
    near = cover(claim.terms, terms) >= _HALF
    nearly = kin_cover(claim.terms, terms) >= _HALF and bool(shared(claim.terms, terms))
    again = _done_again(hearing, claim, commitment, terms)
    about = near or nearly or again or (pointed and asked)
    if not about:
        return ""
    owner = claim.subject in {commitment.owner, ""}
    if status == Status.OPEN:
        own = commitment.owner == hearing.viewer and claim.subject in {hearing.viewer, ""} and not claim.negative
        mine = done_by_me(claim.text)
        done = (
            claim.says("i_did")
            and (claim.terms or claim.says("did_it"))
            and (is_deed(mine) if mine else not _LIES.search(claim.text))
        )
        if own and (((pointed or nearly) and done) or again) and not claim.says("not_yet"):
            return "it is open, not done"
        return _open_misstated(claim, near=cover(claim.terms, terms) >= _MOST and owner)
    undone = claim.says("still_open") or (near and owner and claim.negative and claim.lang != "en")
    undone = undone or (nearly and claim.says("undone") and not (owner and _HOLDS_NOT.search(claim.text)))
    if status in _OVER and undone and (claim.lang != "en" or not claim.says("no_longer")):
        return f"it is {status}, not open"
    if status == Status.BROKEN and (near or nearly or pointed):
        done = (claim.says("kept") and owner) or (claim.says("thanks_to_you") and near)
        done = done and not claim.negative and not claim.says("to_come")
        if done or claim.says("still_time"):
            return "it is broken, not done" if done else "it is broken, not open"
    return ""


def _done_again(hearing: Hearing, claim: Claim, commitment: Commitment, terms: frozenset[str]) -> bool:
    """Say whether a clause says, by any word for it, that its speaker did what was to be done."""
    did = bool(_deed_of(commitment, terms) & akin({done_by_me(claim.text)}, terms))
    return did and len(akin(hearing.with_line(claim), terms)) >= _HALF * len(terms)


def _deed_of(commitment: Commitment, terms: frozenset[str]) -> frozenset[str]:
    """Return the stem of what is to be done."""
    verb = _VERB.search(commitment.statement)
    return frozenset({stem(verb[1].casefold())}) & terms if verb is not None else frozenset()


def _open_misstated(claim: Claim, *, near: bool) -> str:
    if claim.says("broke") and not claim.negative:
        return "it is open, not broken"
    if near and claim.says("kept") and not claim.says("not_yet"):
        return "it is open, not done"
    return ""
