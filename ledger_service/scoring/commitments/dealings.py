"""Whether a reply tells how far a commitment has got as the record has it: done, broken, called off, or open."""

from collections.abc import Iterator
from typing import Final

from ledger_service.domain.entries import Commitment, Status
from ledger_service.domain.ids import EntryId
from ledger_service.domain.replies import Stance
from ledger_service.domain.rubric import Code, Finding
from ledger_service.scoring.commitments.completion import claimed_done, holds_back
from ledger_service.scoring.commitments.matters import Matter, Spoken, core, points, spoken
from ledger_service.scoring.commitments.progress import Told, told
from ledger_service.scoring.heard.hearing import Hearing, found
from ledger_service.scoring.words.overlap import akin, kindred

_UNSAID: Final = frozenset({Stance.ASK, Stance.QUOTE, Stance.UNKNOWN, Stance.HEDGE})
_WRONG: Final[dict[str, frozenset[Told]]] = {
    Status.OPEN: frozenset({Told.DONE, Told.KEPT, Told.BROKEN, Told.OFF}),
    Status.FULFILLED: frozenset({Told.OPEN, Told.UNDONE, Told.BROKEN}),
    Status.BROKEN: frozenset({Told.DONE, Told.KEPT, Told.OPEN}),
    Status.RELEASED: frozenset({Told.OPEN, Told.BROKEN, Told.KEPT}),
    Status.LAPSED: frozenset({Told.OPEN, Told.KEPT}),
    Status.ENDED: frozenset({Told.OPEN, Told.KEPT}),
}
"""What a clause may not say of a commitment, by how that stands."""
_RIGHT: Final[dict[str, frozenset[Told]]] = {
    Status.OPEN: frozenset({Told.OPEN, Told.UNDONE}),
    Status.FULFILLED: frozenset({Told.DONE, Told.KEPT}),
    Status.BROKEN: frozenset({Told.BROKEN, Told.UNDONE}),
}
"""What shows that the rest of a reply has it right."""


def dealings(hearing: Hearing) -> Iterator[Finding]:
    """Find a commitment told as done, broken, called off or open where it is not."""
    done = claimed_done(hearing)
    heard = [(s, s.matter, told(s)) for s in spoken(hearing)]
    told_of: set[EntryId] = set()
    for said, matter, what in heard:
        if matter is None or matter.commitment.entry_id in told_of or not _is_said(hearing, said):
            continue
        status = hearing.status_of(matter.commitment)
        right = any(s.named and m == matter and w in _RIGHT.get(status, ()) for s, m, w in heard)
        right = right or (what is Told.DONE and done == matter and holds_back([s for s, _, _ in heard], matter))
        if what in _WRONG.get(status, ()) and not right and _fits(hearing, said, matter, what):
            taken = done == matter and what in {Told.DONE, Told.KEPT}
            code = Code.FALSE_COMPLETION_ACCEPTED if taken else Code.STATUS_WRONG
            told_of.add(matter.commitment.entry_id)
            yield found(code, said.claim, f"it is {status}, not {what}", matter.commitment.entry_id)


def _is_said(hearing: Hearing, said: Spoken) -> bool:
    """Say whether a clause is held by the speaker, on nobody else's word."""
    claim = said.claim
    return (
        claim.lang == "en"
        and claim.stance not in _UNSAID
        and claim.attributed_to in {None, hearing.listener, hearing.viewer}
    )


def _fits(hearing: Hearing, said: Spoken, matter: Matter, what: Told) -> bool:
    """Say whether a clause speaks surely enough of this commitment, and of what its owner does."""
    subject = said.claim.subject
    if _is_better_told(hearing, said, matter):
        return False
    owner = subject in {"", matter.owner, matter.to, hearing.viewer}
    return owner and (what is not Told.OPEN or said.named or points(said.claim.text))


def _is_better_told(hearing: Hearing, said: Spoken, matter: Matter) -> bool:
    """Say whether a clause, but for when that was, and the line hold more of some plain fact than of the commitment."""
    together = hearing.terms_of(core(said.claim.text)) | hearing.line_terms
    own = len(akin(together, matter.things | matter.deed))
    rest = (f for f in hearing.selected if not isinstance(f.entry, Commitment))
    return any(len(kindred(together, f.terms)) > max(own, 1) for f in rest)
