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
_ACCEPTS: Final = re.compile(
    r"^(?:ah,? |oh,? |hmph\.? |well,? |then )?(?:(?:good|great|fine|excellent|splendid)(?=[,.!; ]*$|[,.!;]"
    r"| (?:work|man|lad|to hear|of you)\b)"
    r"|(?:thanks?|thank you|ta|well done|so you did|you did|yes|aye|of course|all right|glad|much obliged"
    r"|right you are)\b(?! (?:you|for nothing)\b))"
    r"|\boff (?:the|my) list\b|\ba weight off\b|\bthat settles\b|\bwe(?:'re| are) (?:square|even|quits)\b"
    r"|\bso you did\b"
    r"|\bthank you for (?:bringing|returning|paying|doing|keeping)\b|\bi(?:'ll| will) take your word\b",
    re.IGNORECASE,
)
_MINE: Final = re.compile(
    r"\bi know what i said\b|\b(?:as|like|what) i (?:said|told you|promised)\b|\bi(?:'ll"
    r"| will)\b(?! (?:not|believe|check))"
    r"|^(?:yes|aye|of course|right)\b|\bi did (?:say|promise)\b|\bi owe you\b",
    re.IGNORECASE,
)
_YOURS: Final = re.compile(
    r"\byou(?:'ll| will| would|'d| shall| owe| still owe| promised| swore| agreed| were (?:going|meant"
    r"|supposed)| said you)\b",
    re.IGNORECASE,
)
_I_SAID: Final = re.compile(
    r"\bi (?:said|promised|swore|agreed|told you) (?:that )?i(?:'d| would)\b|\bi(?:'ll| will| still owe)\b",
    re.IGNORECASE,
)
_BROKE: Final = re.compile(
    r"\byou (?:broke|have broken|failed|went back on)\b(?! (?:down|in|the (?:relay|fuse|door|window)))"
    r"|\bbroken promise\b"
    r"|\bdead promise\b|\byou(?:'ve| have) broken\b",
    re.IGNORECASE,
)  # fmt: skip
_KEPT: Final = re.compile(
    r"\byou (?:brought|returned|paid|delivered|finished|kept|did|gave|mended|handed|cleared)\b|\b(?:is|'s"
    r"|are) (?:back|paid|done"
    r"|returned|delivered|settled)\b|\byou(?:'ve| have) (?:brought|returned|paid|kept|done|given|delivered)\b",
    re.IGNORECASE,
)
_NOT_YET: Final = re.compile(
    r"\b(?:will|would|said|promised|owe|owes|until|till|when|if|once|unless|not|never|nor|tell|say)\b"
    r"|n't\b|'d\b|'ll\b",
    re.IGNORECASE,
)
_STILL_OPEN: Final = re.compile(
    r"\b(?:you )?still owe\b|\b(?:is|that's) still open\b|\byou have yet to\b|\bstill waiting\b", re.IGNORECASE
)
_OATH: Final = re.compile(
    r"\bi (?:promise|swear|vow|give you my word)\b|\byou have my (?:word|oath|promise)\b|\bmy word on it\b"
    r"|^(?:up)?on my (?:mother|father|honou?r|oath|life|soul|word|blade)\b|\b(?:it|they)(?:'ll"
    r"| will) be in your hands?\b",
    re.IGNORECASE,
)
_PLAYER_DID: Final = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:already |just |finally )?(?:\w+ed|brought|paid|gave|left|took|put|sent"
    r"|made|did|done|kept|found)\b"
    r"(?! to\b)",
    re.IGNORECASE,
)
_VERB: Final = re.compile(r"\bwill (\w+)", re.IGNORECASE)


def completion(hearing: Hearing) -> Iterator[Finding]:
    """Find a line that goes along with the player's word that something open is done."""
    meant = _said_to_be_done(hearing)
    accepted = hearing.says(_ACCEPTS)
    if meant is not None and accepted is not None and not hearing.denies:
        why = "the player says it is done; the record has it open, and the line goes along"
        yield found(Code.FALSE_COMPLETION_ACCEPTED, accepted, why, meant.entry_id)


def _said_to_be_done(hearing: Hearing) -> Commitment | None:
    """Return the open commitment that the player says is done."""
    put = any(c.kind is ClaimKind.DONE for c in hearing.packet.intent.asserts)
    if not put and not _PLAYER_DID.search(plain(hearing.packet.line)):
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
        if (_YOURS.search(said) and touches) or _does(said, commitment):
            return claim
    return None


def _taken_on(hearing: Hearing, commitment: Commitment, spoken: list[Claim], terms: frozenset[str]) -> Claim | None:
    """Return the claim by which the speaker takes on what the listener owes."""
    for claim in spoken:
        binds = claim.stance is Stance.PROMISE or _I_SAID.search(plain(claim.text))
        if binds and cover(claim.terms, terms) >= _HALF and not re.search(r"\byou\b", plain(claim.text), re.IGNORECASE):
            return claim
    put_to_me = any(
        c.kind in {ClaimKind.PROMISED, ClaimKind.OWED, ClaimKind.DUE} for c in hearing.packet.intent.presupposes
    )
    flagged = any(commitment.entry_id in f.entry_ids for f in hearing.flags(FlagKind.FALSE_PREMISE))
    if not (put_to_me and flagged) or any(c.stance in {Stance.DENY, Stance.REFUSE} for c in hearing.claims):
        return None
    mine = [c for c in spoken if _MINE.search(plain(c.text))]
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
    said, status = plain(claim.text), hearing.status_of(commitment)
    terms = hearing.terms_of(commitment.statement)
    pointed = not claim.terms or bool({"that", "it", "this", "promise", "word"} & set(words(said)))
    about = cover(claim.terms, terms) >= _HALF or (pointed and bool(shared(hearing.line_terms, terms)))
    if not about:
        return ""
    if status == Status.OPEN and _BROKE.search(said) and not claim.negative:
        return "it is open, not broken"
    full = cover(claim.terms, terms) >= _MOST
    if status == Status.OPEN and full and _KEPT.search(said) and not _NOT_YET.search(said):
        return "it is open, not done"
    if status in {Status.FULFILLED, Status.RELEASED} and _STILL_OPEN.search(said) and not claim.negative:
        return f"it is {status}, not open"
    return ""


def promises(hearing: Hearing) -> Iterator[Finding]:
    """Find the speaker binding themselves to what no rule grants and no commitment of theirs says."""
    for claim in hearing.claims:
        if claim.stance is not Stance.PROMISE or _is_own(hearing, claim):
            continue
        if _OATH.search(plain(claim.text)) or _gives_what_is_refused(hearing, claim):
            yield found(Code.PROMISE_INVENTED, claim, "no rule grants it, and no commitment of the speaker says it")


def _is_own(hearing: Hearing, claim: Claim) -> bool:
    mine = [c for c in hearing.commitments if c.owner == hearing.viewer and hearing.status_of(c) == Status.OPEN]
    granted = any(c.asked and c.outcome == "granted" for c in hearing.packet.consequences)
    return granted or any(cover(hearing.with_line(claim), hearing.terms_of(c.statement)) >= _SOME for c in mine)


def _gives_what_is_refused(hearing: Hearing, claim: Claim) -> bool:
    refused = any(c.asked and c.outcome == "refused" for c in hearing.packet.consequences)
    return refused and re.search(r"\b(?:you|your|yours|it)\b", plain(claim.text), re.IGNORECASE) is not None
