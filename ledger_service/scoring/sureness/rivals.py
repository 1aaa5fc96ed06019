"""What the record leaves open, as versions that stand against each other, and whether a reply lets them stand."""

from typing import Final

from ledger_service.domain.entries import Contradiction, Status
from ledger_service.domain.ids import EntryId
from ledger_service.domain.replies import Claim, Stance
from ledger_service.scoring.heard.facts import Fact
from ledger_service.scoring.heard.hearing import Hearing, once
from ledger_service.scoring.heard.topics import topics
from ledger_service.scoring.words.overlap import akin

_TWO: Final = 2
_SETTLING: Final = ("settles", "closes", "takes_side", "rules_on", "discredits")


@once
def open_disputes(hearing: Hearing) -> tuple[tuple[Fact, tuple[Fact, ...]], ...]:
    """Return each contradiction that may be spoken of and is not settled, with its versions."""
    return tuple(
        (fact, tuple(f for f in hearing.everything if f.entry_id in fact.entry.members))
        for fact in hearing.selected
        if isinstance(fact.entry, Contradiction) and hearing.status_of(fact.entry) == Status.UNRESOLVED
    )


def is_rivalled(hearing: Hearing, fact: Fact) -> bool:
    """Say whether a reply speaks of another version beside it: then it is in dispute, not told as fact."""
    return fact.entry_id in _rivalled(hearing)


@once
def _rivalled(hearing: Hearing) -> frozenset[EntryId]:
    return frozenset(
        fact.entry_id
        for _, members in open_disputes(hearing)
        for fact in members
        if any(_spoken_of(hearing, other, fact) for other in members if other is not fact)
    )


def _spoken_of(hearing: Hearing, other: Fact, fact: Fact) -> bool:
    """Say whether a reply names the teller of another version, or has a clause that is rather about that."""
    tellers = hearing.tellers(other) - hearing.tellers(fact) - {hearing.viewer}
    own = other.terms - fact.terms
    return not tellers.isdisjoint(hearing.mentioned) or any(
        akin(hearing.terms_of(c.text), own) and topics(hearing, c)[0].fact is not fact
        for c in hearing.claims
        if c.stance is not Stance.UNKNOWN
    )


def tells_both(row: tuple[Claim, ...], hearing: Hearing, members: tuple[Fact, ...]) -> bool:
    """Say whether a sentence has two versions beside each other, each on its teller's word, and settles nothing."""
    if any(c.says(cue) for c in row for cue in _SETTLING):
        return False
    you = (
        {hearing.listener}
        if any(w in {"you", "your", "yours"} for c in row for w in c.text.casefold().split())
        else set()
    )
    named = you.union(*(c.mentions for c in row))
    return len([m for m in members if not hearing.tellers(m).isdisjoint(named)]) >= _TWO
