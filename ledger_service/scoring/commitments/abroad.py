"""Who owes what, and how far that has got, as other languages than English tell it: by cues, and by what is spoken of.

English is read word by word elsewhere. Of other languages only so much is taken: whose the duty is said to be, whether
it is said to be done or still open, and whether the reply goes along with a line that takes it for done.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ledger_service.domain.entries import Status
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.commitments.duties import contests
from ledger_service.scoring.commitments.matters import Matter, matters, named_in, of_line
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.overlap import akin

_UNSAID: Final = frozenset({Stance.QUOTE, Stance.UNKNOWN, Stance.HEDGE})
_TAKEN: Final = frozenset({Stance.ASSERT, Stance.THANK, Stance.PROMISE, Stance.GRANT})
_FAR: Final = 2
"""Clauses for which it stays clear what is spoken of."""
_LET_OFF: Final = frozenset({Stance.ASSERT, Stance.PROMISE, Stance.GRANT, Stance.REFUSE, Stance.DENY, Stance.THANK})
_OF_ANOTHER: Final = frozenset({Stance.ASSERT, Stance.ATTRIBUTE, Stance.PROMISE})
_HALF: Final = 0.5
_EARLY: Final = 3
_TWO: Final = 2


class Heard(Struct, frozen=True, kw_only=True):
    """A clause in another language, and the commitment that it speaks of."""

    claim: Claim
    matter: Matter
    named: bool
    """Its own words name it."""


def abroad(hearing: Hearing) -> Iterator[Finding]:
    """Find a commitment put on the wrong one, or told as done or open where it is not, in another language."""
    if all(c.lang == "en" for c in hearing.claims):
        return
    given = matters(hearing)
    heard = _heard(hearing, given) if given else []
    for said in heard:
        code, why = _wrong(hearing, said, given)
        right = code is Code.STATUS_WRONG and any(_sets_right(hearing, other, said.matter) for other in heard)
        if code is not None and not right:
            yield found(code, said.claim, why, said.matter.commitment.entry_id)
    yield from _taken_for_done(hearing, given)


def _heard(hearing: Hearing, given: tuple[Matter, ...]) -> list[Heard]:
    """Return every clause that speaks of a commitment: by its words, by those around it, or after the line."""
    rows: list[Heard] = []
    about, since = of_line(hearing, given), 0
    for at, claim in enumerate(hearing.claims):
        if claim.stance in _UNSAID or claim.lang == "en":
            continue
        own = named_in(frozenset(claim.terms), given)
        after = _named_next(hearing, at, given) if own is None else None
        since = 0 if own is not None else since + 1
        about = own or (about if since <= _FAR else None)
        matter = own or after or about
        if matter is not None:
            rows.append(Heard(claim=claim, matter=matter, named=own is not None))
    return rows


def _named_next(hearing: Hearing, at: int, given: tuple[Matter, ...]) -> Matter | None:
    """Return the commitment that the next clause of the same sentence names, where this one says nothing of its own."""
    here, following = hearing.claims[at], hearing.claims[at + 1 : at + 2]
    joined = [c for c in following if c.start - here.end <= _TWO and not here.text.endswith((".", "!", "?", "。"))]
    return named_in(frozenset(joined[0].terms), given) if joined and len(here.terms) < _TWO else None


def _wrong(hearing: Hearing, said: Heard, given: tuple[Matter, ...]) -> tuple[Code | None, str]:
    """Return what is wrong with a clause, and why."""
    swapped = _swapped(hearing, said, given) or _put_on_third(hearing, said)
    if swapped:
        return Code.OWNER_SWAPPED, f"the duty is {swapped}'s"
    status = hearing.status_of(said.matter.commitment)
    if status == Status.OPEN and _tells_done(hearing, said):
        return Code.STATUS_WRONG, "it is open, not done"
    if status == Status.FULFILLED and _tells_open(said) and not _is_of_another(hearing, said, given):
        return Code.STATUS_WRONG, "it is fulfilled, not open"
    return None, ""


def _swapped(hearing: Hearing, said: Heard, given: tuple[Matter, ...]) -> str:
    """Return whose a duty is that a clause puts on the other of the two; empty where it does not."""
    claim, matter = said.claim, said.matter
    both = {matter.owner, matter.to} == {hearing.viewer, hearing.listener}
    if not both or claim.negative or hearing.status_of(matter.commitment) != Status.OPEN:
        return ""
    wrongly = hearing.listener if matter.owner == hearing.viewer else hearing.viewer
    if not said.named and any(m.owner == wrongly for m in given):
        return ""
    yours = claim.says("on_you") or (said.named and claim.says("yours"))
    mine = claim.says("on_me") or (said.named and claim.says("i_said"))
    if wrongly == hearing.listener:
        put = yours and not mine and claim.subject != hearing.viewer
        return "the speaker" if put else ""
    put = mine and not yours and claim.subject == hearing.viewer and claim.stance is not Stance.ASK
    return "the listener" if put else ""


def _put_on_third(hearing: Hearing, said: Heard) -> str:
    """Return whose a duty is that a clause has somebody take on who is nothing to it; empty where it does not."""
    claim, matter = said.claim, said.matter
    parties = {matter.owner, matter.to, hearing.viewer, hearing.listener}
    others = {who for who in claim.mentions if who in {c.id for c in hearing.world.cast}} - parties
    told = claim.says("took_on") and not claim.negative and claim.stance in _OF_ANOTHER
    named = said.named and matter.owner not in claim.mentions and not (claim.says("on_you") or claim.says("on_me"))
    is_open = hearing.status_of(matter.commitment) == Status.OPEN
    return str(matter.owner) if told and named and others and is_open else ""


def _tells_done(hearing: Hearing, said: Heard) -> bool:
    """Say whether a clause tells a commitment as done, by the one who owes it."""
    claim, matter = said.claim, said.matter
    plainly = claim.stance in {Stance.ASSERT, Stance.THANK, Stance.GRANT} and not claim.negative
    if not plainly or claim.says("still_open") or claim.says("if_only") or not _says_deed(said):
        return False
    mine = matter.owner == hearing.viewer
    by_owner = claim.says("i_did") and claim.subject in {hearing.viewer, ""} if mine else claim.says("kept")
    return by_owner and not (claim.says("on_you") or claim.says("on_me"))


def _says_deed(said: Heard) -> bool:
    """Say whether a clause tells the deed itself of the thing itself, or says nothing but that it is done."""
    terms = frozenset(said.claim.terms)
    whole = akin(terms, said.matter.things) and akin(terms, said.matter.deed)
    return bool(whole) or (not said.named and not terms and said.claim.says("kept"))


def _tells_open(said: Heard) -> bool:
    """Say whether a clause tells that something is still to be done."""
    claim = said.claim
    if claim.stance in {Stance.ASK, Stance.ATTRIBUTE} or not claim.says("still_open"):
        return False
    return said.named or bool(akin(claim.terms, said.matter.deed))


def _is_of_another(hearing: Hearing, said: Heard, given: tuple[Matter, ...]) -> bool:
    """Say whether a clause may as well speak of something else that is still open."""
    terms = frozenset(said.claim.terms)
    rest = (m for m in given if m != said.matter and hearing.status_of(m.commitment) == Status.OPEN)
    return any(akin(terms, m.things | m.deed) for m in rest)


def _sets_right(hearing: Hearing, other: Heard, matter: Matter) -> bool:
    """Say whether another clause tells the same commitment as it stands on record."""
    if other.matter != matter:
        return False
    claim, open_ = other.claim, hearing.status_of(matter.commitment) == Status.OPEN
    if open_:
        undone = claim.says("still_open") or (other.named and (claim.negative or claim.says("if_only")))
        return undone or claim.says("on_you" if matter.owner == hearing.listener else "on_me")
    return claim.says("kept") and not claim.negative and not claim.says("still_open") and not claim.says("undone")


def _taken_for_done(hearing: Hearing, given: tuple[Matter, ...]) -> Iterator[Finding]:
    """Find a reply that goes along with a line which takes for done what the speaker still owes."""
    about = of_line(hearing, given)
    if about is None or not any(_says_done(c, about) for c in hearing.asked):
        return
    if hearing.status_of(about.commitment) != Status.OPEN or hearing.denies or contests(hearing):
        return
    spoken = [c for c in hearing.claims if c.stance is not Stance.UNKNOWN][:_EARLY]
    if any(c.says("still_open") or c.stance is Stance.ASK for c in spoken):
        return
    taken = next((c for c in spoken if c.stance in _TAKEN and not c.negative and _goes_along(c)), None)
    if taken is not None:
        why = "the player says it is done; the record has it open, and the line goes along"
        yield found(Code.FALSE_COMPLETION_ACCEPTED, taken, why, about.commitment.entry_id)


def _says_done(claim: Claim, matter: Matter) -> bool:
    """Say whether a clause of the line takes a commitment for done."""
    told = claim.lang != "en" and claim.stance is not Stance.ASK and not claim.negative
    done = claim.says("kept") or claim.says("i_did") or claim.says("in_place")
    return told and done and bool(akin(claim.terms, matter.things | matter.deed))


def _goes_along(claim: Claim) -> bool:
    return any(claim.says(cue) for cue in ("accepts", "builds_on", "echoes", "affirms", "kept", "thank", "did_it"))


def waived_abroad(hearing: Hearing) -> Iterator[Finding]:
    """Find what is owed or paid let off, in another language, where no rule grants it and nothing on record says it."""
    if any(c.asked and c.outcome == "granted" for c in hearing.packet.consequences):
        return
    for claim in hearing.claims:
        told = claim.lang != "en" and claim.stance in _LET_OFF and claim.says("waives")
        if told and not claim.says("if_only") and not claim.says("past") and not _is_on_record(hearing, claim):
            yield found(Code.PROMISE_INVENTED, claim, "no rule grants it, and no commitment of the speaker says it")
            return


def _is_on_record(hearing: Hearing, claim: Claim) -> bool:
    """Say whether something that may be said comes near to a clause."""
    said = frozenset(claim.terms) - hearing.names
    return bool(said) and any(len(akin(f.terms, said)) >= _HALF * len(said) for f in hearing.selected)
