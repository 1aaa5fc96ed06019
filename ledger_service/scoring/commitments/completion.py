"""What the line that is answered says is done, and whether a reply goes along with that."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ledger_service.domain.clipped import spelt
from ledger_service.domain.entries import Status
from ledger_service.domain.replies import Claim, Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.commitments.matters import Matter, Spoken, matters, named_in, of_line, spoken
from ledger_service.scoring.commitments.progress import DONE_FORMS, Told, placed, told
from ledger_service.scoring.heard.hearing import Hearing, found, once
from ledger_service.scoring.words.verbs import is_deed, is_past
from ledger_service.scoring.words.wording import cue

_WANTS: Final = cue("wants")
"""How a question begins that asks whether it is so, and does not take it for granted."""
_STATE: Final = cue("line_state")
_THANKS: Final = cue("line_thanks")
_YOU: Final = cue("you")
_HAVE: Final = cue("have")
_SAYS_DONE: Final = (
    _STATE,
    _THANKS,
    _HAVE,
    cue("went"),
    cue("bare"),
)
_DID: Final = cue("line_did")
_BEEN: Final = cue("been")
_TO_COME: Final = cue("to_come")
_AGREES: Final = cue("agrees")
_PRAISES: Final = cue("praises")
_KNEW: Final = cue("knew")
_NOTES: Final = cue("notes")
_LESS: Final = cue("less")
_FREED: Final = cue("freed")
_TICKS: Final = cue("ticks")
"""A stage direction in which a debt is struck off."""
_DOUBTS: Final = cue("doubts")
_EARLY: Final = 4
_STAGED: Final = Stance.UNKNOWN


@once
def claimed_done(hearing: Hearing) -> Matter | None:
    """Return the open commitment that the line says, or takes for granted, is done."""
    given = matters(hearing)
    about = of_line(hearing, given) if given else None
    for claim in hearing.asked:
        if claim.lang != "en" or (claim.stance is Stance.ASK and _WANTS.match(claim.text)):
            continue
        own = named_in(frozenset(claim.terms), given)
        about = own or about
        open_ = about is not None and hearing.status_of(about.commitment) == Status.OPEN
        if (
            about is not None
            and open_
            and _may_be_doer(hearing, claim, about)
            and _says_done(claim, about, named=own is not None)
        ):
            return about
    return None


def _may_be_doer(hearing: Hearing, claim: Claim, matter: Matter) -> bool:
    """Say whether whom a clause of the line speaks of may be the one who was to do it, or who got it."""
    told_of = {"", matter.owner, hearing.listener if matter.owner == hearing.viewer else ""}
    spoken_to = claim.subject == hearing.viewer and (_HAVE.search(claim.text) or not _YOU.search(claim.text))
    return claim.subject in told_of or bool(spoken_to)


def _says_done(claim: Claim, matter: Matter, *, named: bool) -> bool:
    text = spelt(claim.text)
    if told(Spoken(claim=claim, matter=matter, named=named, first=True)) in {Told.DONE, Told.KEPT}:
        return True
    if claim.negative or _TO_COME.search(text):
        return False
    return claim.says("i_did") or (named and (_is_past_deed(text) or any(c.search(text) for c in _SAYS_DONE)))


def _is_past_deed(text: str) -> bool:
    """Say whether a clause tells what was done: `I laid it there`, `they are ground`."""
    did, been = _DID.search(text), _BEEN.search(text)
    past = did is not None and is_past(did[1]) and is_deed(did[1])
    return past or (been is not None and (is_past(been[1]) or been[1].casefold() in DONE_FORMS)) or placed(text)


def acceptance(hearing: Hearing) -> Iterator[Finding]:
    """Find a reply that takes for done what the line says is done, and the record has open."""
    done = claimed_done(hearing)
    if done is None:
        return
    said = spoken(hearing)
    if holds_back(said, done):
        return
    answers = early(said)
    taken = next((s.claim for s in answers if _takes(s)), None) or next(
        (s.claim for s in said if _strikes_off(s)), None
    )
    if taken is not None:
        why = "the player says it is done; the record has it open, and the line goes along"
        yield found(Code.FALSE_COMPLETION_ACCEPTED, taken, why, done.commitment.entry_id)


def early(said: Iterable[Spoken]) -> list[Spoken]:
    """Return the clauses at the beginning of a reply in which what the line says is answered."""
    return [s for s in said if s.claim.stance is not _STAGED][:_EARLY]


def holds_back(said: Sequence[Spoken], matter: Matter) -> bool:
    """Say whether a reply doubts what the line says is done, at its beginning or where it speaks of it."""
    return any(holds_back_by(s) for s in (*early(said), *(s for s in said if s.named and s.matter == matter)))


def _takes(said: Spoken) -> bool:
    """Say whether a clause agrees, praises, or goes on from what the line says."""
    text, claim = spelt(said.claim.text), said.claim
    if claim.stance in {Stance.ASK, Stance.QUOTE}:
        return False
    if said.first and (_AGREES.match(text) or _FREED.match(text) or (_KNEW.match(text) and not said.named)):
        return True
    goes_on = _PRAISES.search(text) or _LESS.search(text) or _NOTES.search(text)
    return bool(goes_on) or claim.says("accepts") or _is_told_done(said)


def _is_told_done(said: Spoken) -> bool:
    return told(said) in {Told.DONE, Told.KEPT} and not said.claim.negative


def _strikes_off(said: Spoken) -> bool:
    return said.claim.stance is _STAGED and _TICKS.search(said.claim.text) is not None


def holds_back_by(said: Spoken) -> bool:
    """Say whether a clause doubts it, asks to be shown, points to what is missing, or says that it is open."""
    claim = said.claim
    if claim.stance in {Stance.DENY, Stance.QUOTE} or told(said) in {Told.OPEN, Told.UNDONE}:
        return True
    return _DOUBTS.search(spelt(claim.text)) is not None
