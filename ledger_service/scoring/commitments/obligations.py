"""Whether a reply puts a duty on the wrong one by what it says must be done, and knows what is left to do."""

import re
from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.domain.terms import content_terms, stem, words
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.heard.replying import first_words
from ledger_service.scoring.words.overlap import akin, akin_cover, plain, shared
from ledger_service.scoring.words.verbs import is_deed, is_past

_DUTY: Final = (
    r"(?:have|has|had|need|needs|ought) to|must|should|owe|owes|owed|(?:am|is|are|was|were|'m|'s|'re)(?: still)? "
    r"(?:to|supposed to|meant to|due to|bound to|going to|obliged to)|(?:promised|agreed|swore|vowed) to"
    r"|(?:promised|said|swore|told \w+)(?: that)? (?:i|you|he|she|they|we)(?:'d| would|'ll| will)"
)
_BEARER: Final = re.compile(
    rf"(?:\b(?P<who>i|you|he|she|they|[\w-]+)(?= |')(?:'ve|'d)?"
    rf"(?: (?:still|also|only|really|now|once))*[ ]?(?:{_DUTY}))\b"
    r"(?P<what>.*)",
    re.IGNORECASE,
)
_UNDONE: Final = re.compile(
    r"\b(?P<lead>have|haven't|did|didn't) (?P<who>i|you)(?: not)? (?P<what>\w+.*?)"
    r"(?: it| them| that)?(?: yet| already)\b",
    re.IGNORECASE,
)
_DISOWNS: Final = re.compile(
    r"\bi (?:never|did(?: not|n['’]t)|do(?: not|n['’]t)|have(?: not|n['’]t)|have never) (?:\w+ )?"
    r"(?:agreed?|promised?|said?|sw[eo]re?|owed?|offer(?:ed)?|vow(?:ed)?|undert(?:oo|a)ke?)\b",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(r"\b(?:it|them|that|those)\b", re.IGNORECASE)
_LIGHT: Final = frozenset(stem(w) for w in "do see get bring deliver give have make take send finish find".split())
_HALF: Final = 0.5
_SAID: Final = frozenset({Stance.ASSERT, Stance.PROMISE, Stance.REFUSE, Stance.GRANT, Stance.THANK, Stance.DENY})
_DONE: Final = re.compile(
    r"\b(?:done|finished|settled|already|did|over|off (?:the|your) list|behind you|thanks?|well|works?)\b"
    r"|(?:\b(?:is|are|was|were|been|being)|['’](?:s|re)) (?:all |now |well )?\w+(?:ed|en|t)\b",
    re.IGNORECASE,
)
_YOU_DID: Final = re.compile(r"\byou(?:['’]ve| have)? (?:\w+ly |already |all )?(\w+)\b", re.IGNORECASE)
_A_FEW: Final = 3


def bearers(hearing: Hearing) -> Iterator[Finding]:
    """Find a duty said to be the speaker's, the listener's or somebody else's that is another's on record."""
    owed = [c for c in hearing.commitments if hearing.status_of(c) == Status.OPEN]
    for claim in hearing.claims:
        read = _duty_in(hearing, claim)
        if read is None:
            continue
        who, what = read
        fitting = [c for c in owed if _is_meant(hearing, what, c)]
        if fitting and all(c.owner != who for c in fitting):
            right = "the listener" if fitting[0].owner == hearing.listener else fitting[0].owner
            yield found(Code.OWNER_SWAPPED, claim, f"the duty is {right}'s", fitting[0].entry_id)
            return


def _duty_in(hearing: Hearing, claim: Claim) -> tuple[str, str] | None:
    """Return who must do what, as a clause says."""
    said = plain(claim.text)
    asked = claim.stance is Stance.ASK
    if claim.lang != "en" or claim.stance is Stance.QUOTE or claim.text.startswith(('"', "'", "“")):
        return None
    match = _UNDONE.search(said) if asked else _BEARER.search(said)
    if match is None or (not asked and (claim.stance not in _SAID or claim.negative)):
        return None
    who = _who(hearing, match["who"])
    return (who, match["what"] + (" owe" if "owe" in said.casefold() else "")) if who else None


def _who(hearing: Hearing, said: str) -> str:
    word = said.casefold()
    if word in {"i", "you"}:
        return str(hearing.viewer if word == "i" else hearing.listener)
    return next((str(c.id) for c in hearing.world.cast if stem(word) in {stem(w) for w in words(c.id)}), "")


def _is_meant(hearing: Hearing, what: str, commitment: Commitment) -> bool:
    """Say whether what must be done is what was agreed: the same deed, of the same things."""
    terms = hearing.terms_of(commitment.statement)
    deed, things = _parts(commitment, terms)
    said = frozenset(content_terms(what)) - hearing.names
    if not said:
        return False
    first = next((stem(w) for w in words(what)), "")
    same_deed = bool(akin(said, deed)) or first in _LIGHT or "owe" in said or stem("owe") in said
    touched = akin(said, things)
    if _POINTS.search(what) and akin(said, deed):
        touched |= akin(hearing.line_terms, things)
    return same_deed and (len(touched) >= _HALF * len(things) if things else bool(akin(said, deed)))


def _parts(commitment: Commitment, terms: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return what is to be done and what it is to be done to."""
    match = re.search(r"\b(?:will|shall|to) (\w+)", commitment.statement, re.IGNORECASE)
    deed = frozenset({stem(match[1].casefold())}) & terms if match else frozenset()
    return deed, terms - deed


def left_to_do(hearing: Hearing) -> Iterator[Finding]:
    """Find a list of what the listener has left to do that names what is done, or says there is nothing."""
    if not hearing.asks("whose_list_mine"):
        return
    theirs = [c for c in hearing.commitments if c.owner == hearing.listener]
    open_ = [c for c in theirs if hearing.status_of(c) == Status.OPEN]
    first = first_words(hearing)
    if first is not None and open_ and first.says("none_left") and not _mentions_one(hearing, open_):
        yield found(Code.STATUS_WRONG, first, f"it is open: {open_[0].statement}", open_[0].entry_id)
        return
    kept = [c for c in theirs if hearing.status_of(c) == Status.FULFILLED]
    wanted = frozenset(t for c in open_ for t in hearing.terms_of(c.statement))
    for claim in hearing.claims[:_A_FEW]:
        if (
            claim.stance in {Stance.ASK, Stance.QUOTE, Stance.THANK}
            or _is_told_done(claim)
            or shared(claim.terms, wanted)
        ):
            continue
        for commitment in kept:
            if _lists(hearing, claim, commitment) and not _done_after(hearing, claim):
                yield found(Code.STATUS_WRONG, claim, "it is fulfilled, not open", commitment.entry_id)
                return


def disowned(hearing: Hearing) -> Iterator[Finding]:
    """Find the speaker denying that they owe what they do."""
    mine = [c for c in hearing.commitments if c.owner == hearing.viewer and hearing.status_of(c) == Status.OPEN]
    first = first_words(hearing)
    if mine and first is not None and hearing.asks("whose_list_yours") and first.says("none_left"):
        yield found(Code.STATUS_WRONG, first, f"it is open: {mine[0].statement}", mine[0].entry_id)
    for claim in hearing.claims if mine else ():
        if not _DISOWNS.search(claim.text) or claim.stance in {Stance.ASK, Stance.QUOTE}:
            continue
        for commitment in mine:
            deed, things = _parts(commitment, hearing.terms_of(commitment.statement))
            touched = akin(claim.terms, things or deed)
            if len(touched) >= max(1, _HALF * len(things)):
                yield found(Code.STATUS_WRONG, claim, f"it is open: {commitment.statement}", commitment.entry_id)
                return


def _mentions_one(hearing: Hearing, open_: list[Commitment]) -> bool:
    return any(akin(c.terms, hearing.terms_of(o.statement)) for c in hearing.claims for o in open_)


def _lists(hearing: Hearing, claim: Claim, commitment: Commitment) -> bool:
    """Say whether a clause names a commitment as an item: a few words, or most of what it is."""
    terms = hearing.terms_of(commitment.statement)
    _, things = _parts(commitment, terms)
    touched = akin(claim.terms, things)
    only = bool(touched) and len(touched) == len(set(claim.terms)) and not claim.negative
    return only or (bool(touched) and akin_cover(claim.terms, terms) > _HALF)


def _done_after(hearing: Hearing, claim: Claim) -> bool:
    """Say whether the next words say that it is done."""
    at = hearing.claims.index(claim)
    return any(_is_told_done(c) for c in hearing.claims[at + 1 : at + 2])


def _is_told_done(claim: Claim) -> bool:
    """Say whether a clause tells of something done."""
    if claim.negative or claim.says("still_open"):
        return False
    did = _YOU_DID.search(claim.text)
    return _DONE.search(claim.text) is not None or (did is not None and is_past(did[1]) and is_deed(did[1]))
